/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was recorded of the memory that a call leads to, for a decoder. */
#ifndef EXECTRACE_SRC_ANSWER_CALLS_CALL_MEMORY_H
#define EXECTRACE_SRC_ANSWER_CALLS_CALL_MEMORY_H

#include <exectrace/base/buf.h>
#include <exectrace/format/data/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The `user` of the functions below. */
struct call_memory {
	const struct data_syscall *call;
	bool behind; /* as it was where the call had ended; else where it began */
};

/* As `read` of struct decoder: 0, or -EFAULT of what was not recorded. */
int call_memory_read(void *user, uint64_t addr, void *to, size_t n);

/* As its `fd_path`: of descriptors that stand in that memory. 0, -ENOENT or -ENOMEM. */
int call_memory_descriptor(void *user, int fd, struct buf *out);

#endif
