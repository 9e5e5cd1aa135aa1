/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of descriptors, by process and number: the table of struct fd_paths. */
#ifndef EXECTRACE_SRC_RECORD_TRACE_PROCESS_PATH_TABLE_H
#define EXECTRACE_SRC_RECORD_TRACE_PROCESS_PATH_TABLE_H

#include <exectrace/record/trace/process/paths.h>

/* What is known of a descriptor; NULL: nothing. */
struct fd_path *path_table_find(struct fd_paths *paths, pid_t tgid, int fd);

/* It has this path. Without memory nothing is known: it is asked for again. */
void path_table_set(struct fd_paths *paths, pid_t tgid, int fd, const char *path, size_t n);

/* Nothing is known of it any more. */
void path_table_drop(struct fd_paths *paths, pid_t tgid, int fd);

/* Nothing is known of a process any more; 0: of all. */
void path_table_clear(struct fd_paths *paths, pid_t tgid);

#endif
