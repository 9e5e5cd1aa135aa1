/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a tool still traces when the process that it was started for has ended. */
#ifndef EXECTRACE_SRC_PICK_SUPERVISE_TRACEES_H
#define EXECTRACE_SRC_PICK_SUPERVISE_TRACEES_H

#include <exectrace/base/buf.h>
#include <sys/types.h>

/*
 * Adds "sleep 30 [4711], ./server [4712] and 2 more": processes but `picked` that the process `tool` traces. Nothing is
 * added when there are none, or picked is one of those that it traces. 0 or -ENOMEM.
 */
int tracees_print(struct buf *out, pid_t tool, pid_t picked);

#endif
