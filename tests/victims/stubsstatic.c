/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stubs.h, linked statically. */
#include "stubs.h"
