/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prog, built as a static program: no loader, no libraries, so it also runs in an empty chroot. */
#include "prog.c"
