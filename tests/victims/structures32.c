/* SPDX-License-Identifier: GPL-2.0-or-later */
/* structures, built as a 32-bit program. */
#include "structures.c"
