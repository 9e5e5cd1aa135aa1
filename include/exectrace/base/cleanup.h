/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Release at the end of the scope: `cleanup_buf struct buf line = BUF_INIT;` (gcc and clang's cleanup attribute). */
#ifndef EXECTRACE_BASE_CLEANUP_H
#define EXECTRACE_BASE_CLEANUP_H

#include <exectrace/base/buf.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/strv.h>
#include <stdlib.h>

static inline void cleanup_free_(void *p)
{
	free(*(void **)p);
}

#define cleanup_buf __attribute__((cleanup(buf_release)))
#define cleanup_strv __attribute__((cleanup(strv_release)))
#define cleanup_fd __attribute__((cleanup(fd_close)))
#define cleanup_free __attribute__((cleanup(cleanup_free_)))

#endif
