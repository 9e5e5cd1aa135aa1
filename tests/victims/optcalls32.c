/* SPDX-License-Identifier: GPL-2.0-or-later */
/* optcalls, built as a 32-bit program. */
#include "optcalls.c"
