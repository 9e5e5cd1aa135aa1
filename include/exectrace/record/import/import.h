/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Logs of other tracers of functions as a recording (exectrace-data(5)) of a guest's calls:
 *
 * - KFT and KFI, the kernel's function instrumentation of 2002 to 2010: what /proc/kft_data or /proc/kfi_trace gave,
 *   with addresses, or with names after addr2sym;
 * - QEMU's `-d exec` and its trace event exec_tb, as text of the log or of simpletrace.py, or as the file that its
 *   "simple" backend writes: which block of instructions began. Nothing in them says what was called: that is concluded
 * from where blocks begin.
 *
 * Whatever the files hold, nothing but one line comes of it: "FILE:LINE: what is wrong".
 */
#ifndef EXECTRACE_RECORD_IMPORT_IMPORT_H
#define EXECTRACE_RECORD_IMPORT_IMPORT_H

#include <exectrace/base/buf.h>
#include <stdint.h>

enum import_format {
	IMPORT_GUESS, /* by the first lines */
	IMPORT_KFT,
	IMPORT_EXEC,
	IMPORT_SIMPLE,
};

struct import_options {
	enum import_format format;
	const char *symbols; /* System.map, a copy of /proc/kallsyms, or vmlinux; NULL: none */
	/* Told now and then that `done` of the log's `total` bytes have been read; not of a pipe. NULL: nobody. */
	void (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *ctx;
};

/* What was in the log. */
struct import_counts {
	enum import_format format;
	uint64_t lines;     /* in all, or records */
	uint64_t entries;   /* lines that are a call or a block */
	uint64_t functions; /* different ones */
	uint64_t unended;   /* calls whose end is not in it (KFT) */
	uint64_t filtered;  /* calls that KFT says it has left out */
	uint64_t dropped;   /* events that QEMU says it has lost */
};

/*
 * Reads a log ("-": standard input) and writes the recording to fd, which stays the caller's; after an error what is
 * there is no recording. 0; -EBADMSG, or -errno of a file that is read, with a line in why; -errno of a failed write,
 * without a line; -ENOMEM.
 */
int import_log(const char *log, int fd, const struct import_options *options, struct import_counts *counts,
               struct buf *why);

#endif
