/* SPDX-License-Identifier: GPL-2.0-or-later */
/* split, built as a 32-bit program. */
#include "split.c"
