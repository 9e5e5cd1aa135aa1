/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rarecalls, built as a 32-bit program. */
#include "rarecalls.c"
