/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recorded system call as text, as strace(1) and `trace` show it. */
#ifndef EXECTRACE_ANSWER_CALLS_CALL_H
#define EXECTRACE_ANSWER_CALLS_CALL_H

#include <exectrace/base/buf.h>
#include <exectrace/format/data/record.h>
#include <exectrace/target/syscalls/table.h>
#include <stdbool.h>

#define CALL_NAME_MAX 32 /* bytes that call_name may need */

/* "openat"; "syscall_0x1f3" for a number that has no name. Written to out when it has none, which has
 * CALL_NAME_MAX bytes. */
const char *call_name(const struct data_syscall *call, char *out);

/*
 * Adds `openat(AT_FDCWD, "/etc/x", O_RDONLY) = 3`; `exit_group(0) = ?` for an unfinished one. What is known of an
 * argument is shown, of others what their values say. 0 or -ENOMEM.
 */
int call_print(struct buf *out, const struct data_syscall *call, bool unfinished);

/* A call in parts; all 0 at first. */
struct call_parts {
	struct data_text name;
	struct {
		const char *name; /* of the argument, as in the manual page */
		struct data_text text;
	} args[SYSCALL_ARGS];
	unsigned nargs;          /* those that are shown */
	struct data_text result; /* "3</etc/x>", "-1 ENOENT (No such file or directory)"; empty when unfinished */
	struct buf text;         /* private: the texts point into it */
};

/* The text of call_print, taken apart; valid until the next call with these parts. 0 or -ENOMEM. */
int call_take_apart(struct call_parts *parts, const struct data_syscall *call, bool unfinished);

void call_parts_release(struct call_parts *parts);

/*
 * The path that a call is about: that of the first argument that is one, else that behind the first descriptor, also
 * of a list as poll(2) has it. An empty path is that of the descriptor before it. False when there is none. It is the
 * call's.
 */
bool call_path(const struct data_syscall *call, struct data_text *path);

/* Adds that path, completed by its directory where that was recorded. 0; -ENOENT: there is none; -ENOMEM. */
int call_file(struct buf *out, const struct data_syscall *call);

/*
 * True when an argument or the result names a file that fits: itself, as a descriptor of it, or as the address of a
 * socket or of its peer (answer/calls/peers.h). pattern: a path, or a glob(7) pattern whose * stands for slashes as
 * well; a relative one may stand at the end of a longer path. Relative names in the call are completed by the directory
 * that was recorded with them.
 */
bool call_names(const struct data_syscall *call, const char *pattern);

/* True when the call failed, and is not one that the kernel restarts after a signal (ERESTARTSYS and its like). */
bool call_failed(const struct data_syscall *call);

#endif
