/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the options of a mount, or the attributes of a file, refuse. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_FAILURE_MOUNTS_H
#define EXECTRACE_SRC_ANSWER_WHY_FAILURE_MOUNTS_H

#include <exectrace/answer/why/page/page.h>

/* Adds of EROFS, EACCES and EPERM which of them refuses the call, as it is now: "; /mnt (tmpfs) is mounted noexec",
 * "; /etc/hosts is immutable: chattr +i". */
void page_mount(const struct failure *f, struct buf *out);

#endif
