/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prog, built as a static 32-bit program. */
#include "prog.c"
