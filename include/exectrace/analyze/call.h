/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recorded system call as text, as strace(1) and `trace` show it. */
#ifndef EXECTRACE_ANALYZE_CALL_H
#define EXECTRACE_ANALYZE_CALL_H

#include <exectrace/base/buf.h>
#include <exectrace/data/record.h>
#include <stdbool.h>

/* "openat"; "syscall_0x1f3" for a number that has no name. Written to out when it has none, which is 32 bytes. */
const char *call_name(const struct data_syscall *call, char *out);

/*
 * Adds `openat(AT_FDCWD, "/etc/x", O_RDONLY) = 3`; `exit_group(0) = ?` for an unfinished one. What is known of an
 * argument is shown, of others what their values say. 0 or -ENOMEM.
 */
int call_print(struct buf *out, const struct data_syscall *call, bool unfinished);

/*
 * The path that a call is about: that of the first argument that is one, else that behind the first descriptor. False
 * when there is none. It is the call's.
 */
bool call_path(const struct data_syscall *call, struct data_text *path);

/* True when an argument or the result names that file, itself or as a descriptor of it. */
bool call_names(const struct data_syscall *call, const char *path);

#endif
