/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prog, built as not optimised, for debuggers to step through. */
#include "prog.c"
