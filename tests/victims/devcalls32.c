/* SPDX-License-Identifier: GPL-2.0-or-later */
/* devcalls, built as a 32-bit program. */
#include "devcalls.c"
