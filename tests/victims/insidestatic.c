/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inside.c, static and at a fixed low address. */
#include "inside.c"
