/* SPDX-License-Identifier: GPL-2.0-or-later */
/* netcalls, built as a 32-bit program. */
#include "netcalls.c"
