/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values of sets-uapi.inc, which has all of them as numbers. */
#include <exectrace/target/syscalls/schema.h>

#define SETS "exectrace/target/syscalls/sets-uapi.inc"
#define SETS_NAME sets_uapi
#include "sets.inc"
