/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same, where it is loaded. */
#define BASE 0
#include "bare.c"
