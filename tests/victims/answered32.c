/* SPDX-License-Identifier: GPL-2.0-or-later */
/* answered, built as a 32-bit program. */
#include "answered.c"
