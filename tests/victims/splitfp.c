/* SPDX-License-Identifier: GPL-2.0-or-later */
/* split, built as a program with frame pointers. */
#include "split.c"
