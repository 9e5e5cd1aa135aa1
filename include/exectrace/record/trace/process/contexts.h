/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contexts of SELinux: of processes, of files by their descriptors and of files by their paths. The kernel has them as
 * the extended attribute security.selinux of files (xattr(7)) and in /proc/PID/attr/current. Which one a file ought to
 * have libselinux knows, which is loaded for that alone (selabel_lookup(3)).
 */
#ifndef EXECTRACE_RECORD_TRACE_PROCESS_CONTEXTS_H
#define EXECTRACE_RECORD_TRACE_PROCESS_CONTEXTS_H

#include <exectrace/base/buf.h>
#include <exectrace/record/form/form.h>
#include <sys/types.h>

struct contexts_database;

/* Begins as zeroes, but for what is asked for. */
struct contexts {
	unsigned form; /* set of enum form_contexts; without FORM_CONTEXTS nothing is known of any */
	struct contexts_database *database;
};

/* Whether contexts that files ought to have can be asked for. 0; -ELIBACC, -ENOENT or another -errno with a line in
 * err. */
int contexts_prepare(struct contexts *contexts, struct buf *err);

/* Appends the context of a process. 0 or -errno: it has none. */
int contexts_of_process(const struct contexts *contexts, pid_t tid, struct buf *out);

/*
 * Appends the context of the file behind a descriptor of a process, or with `path` of the file that this path means to
 * it: from the descriptor on, or from its current directory (AT_FDCWD). Behind `!!` the one that it ought to have
 * follows, if that is asked for and is another one. 0 or -errno: it has none.
 */
int contexts_of_file(const struct contexts *contexts, pid_t tid, int fd, const char *path, struct buf *out);

void contexts_release(struct contexts *contexts);

#endif
