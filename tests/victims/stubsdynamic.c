/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stubs.h, linked dynamically. */
#include "stubs.h"
