/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Printing of exec records. */
#ifndef EXECTRACE_TARGET_EXEC_PRINT_H
#define EXECTRACE_TARGET_EXEC_PRINT_H

#include <exectrace/target/exec/record.h>

/* What a process used until its end, all its threads together, without its children. Unknown numbers are 0. */
struct exec_usage {
	bool cpu;               /* user and system are known */
	uint64_t user, system;  /* processor time, ns */
	uint64_t peak;          /* the most resident memory it had, bytes */
	bool io;                /* read and written are known */
	uint64_t read, written; /* bytes that its system calls moved, from and to files, pipes, sockets (proc_pid_io(5),
	                           rchar and wchar) */
};

/* How a process ended, as far as it is known. */
struct exec_end {
	bool known;      /* wait_status is valid */
	int wait_status; /* as wait(2) gives it */
	bool ended;      /* it has ended; else it still runs */
	uint64_t when;   /* CLOCK_MONOTONIC ns of its end; 0 when unknown */
	struct exec_usage usage;
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
 * Adds one line of text, without a newline: pid, parent, depth, status, duration, processor time, peak memory, cwd,
 * quoted command line: "[4711] parent 4709 depth 2, exit 0, 1.52ms, cpu 1.10ms, 3.2M, in /tmp: ./prog -l". What is not
 * known is "?", a duration and what was used are left out. 0 or -ENOMEM.
 */
int exec_print_text(struct buf *out, const struct exec_record *rec, const struct exec_end *end);

/*
 * Adds one JSON object on one line, without a newline: {"pid","ppid","depth","uid","time" (seconds since 1970 with 9
 * decimals), "argv","path","exe","interp","cwd","status" (exit code or null),"signal" (name or null),"core" (bool),
 * "duration" (seconds or null), "ended" (bool: whether it has), "cpu_user", "cpu_system" (seconds), "peak", "read" and
 * "written" (bytes; of these what is known), "state" (an array of lines) and "env" (an array of "NAME=VALUE") when it
 * was read}.
 * Unknown fields are null: "status", "signal" and "core" of a process that runs, or whose end is not known. 0 or
 * -ENOMEM.
 */
int exec_print_json(struct buf *out, const struct exec_record *rec, const struct exec_end *end);

#endif
