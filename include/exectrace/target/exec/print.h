/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Printing of exec records. */
#ifndef EXECTRACE_TARGET_EXEC_PRINT_H
#define EXECTRACE_TARGET_EXEC_PRINT_H

#include <exectrace/target/exec/record.h>

/* How a process ended, as far as it is known. */
struct exec_end {
	bool known;      /* wait_status is valid */
	int wait_status; /* as wait(2) gives it */
	bool ended;      /* it has ended; else it still runs */
	uint64_t when;   /* CLOCK_MONOTONIC ns of its end; 0 when unknown */
};

/*
 * Adds the shell-quoted command line, the path when there is none, "?" when nothing is known. When longer than `max`
 * bytes it is cut to that, "..." included (max 0: never cut). 0 or -ENOMEM.
 */
int exec_print_cmdline(struct buf *out, const struct exec_record *rec, size_t max);

/* Adds "exit 0", "exit 3", "SIGSEGV", "SIGSEGV (core)", "running", "?". 0 or -ENOMEM. */
int exec_print_end(struct buf *out, const struct exec_end *end);

/* Adds SIGSEGV; SIGRTMIN+3; SIG32 for those without a name, which the C library keeps for itself. 0 or -ENOMEM. */
int exec_print_signal(struct buf *out, int sig);

/*
 * Adds one line of text, without a newline: pid, parent, depth, status, duration, cwd, quoted command line:
 * "[4711] parent 4709 depth 2, exit 0, 1.52ms, in /tmp: ./prog -l". What is not known is "?", a duration is left
 * out. 0 or -ENOMEM.
 */
int exec_print_text(struct buf *out, const struct exec_record *rec, const struct exec_end *end);

/*
 * Adds one JSON object on one line, without a newline: {"pid","ppid","depth","uid","time" (seconds since 1970 with 9
 * decimals), "argv","path","exe","interp","cwd","status" (exit code or null),"signal" (name or null),"core" (bool),
 * "duration" (seconds or null), "ended" (bool: whether it has)} and "env" (an array of "NAME=VALUE") when it was read.
 * Unknown fields are null: "status", "signal" and "core" of a process that runs, or whose end is not known. 0 or
 * -ENOMEM.
 */
int exec_print_json(struct buf *out, const struct exec_record *rec, const struct exec_end *end);

#endif
