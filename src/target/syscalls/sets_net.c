/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values of sets-net.inc. A file of its own, as headers that define such names do not all go together. */
#include <exectrace/target/syscalls/schema.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#define SETS "exectrace/target/syscalls/sets-net.inc"
#define SETS_NAME sets_net
#include "sets.inc"
