/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernelcalls, built as a 32-bit program. */
#include "kernelcalls.c"
