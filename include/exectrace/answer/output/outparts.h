/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines in files of a limited size: of "dir/calls.jsonl" these are "dir/calls.0001.jsonl", "dir/calls.0002.jsonl", ...
 * Each has whole lines, and its name from when it is complete. No file that is there is ever replaced.
 */
#ifndef EXECTRACE_ANSWER_OUTPUT_OUTPARTS_H
#define EXECTRACE_ANSWER_OUTPUT_OUTPARTS_H

#include <exectrace/base/buf.h>
#include <stdbool.h>
#include <stdint.h>

struct outparts {
	uint64_t most;      /* bytes of a file, unless it is one line that is longer; 0: any number */
	bool titled;        /* the first line is a title, and stands in each file */
	struct buf title;   /* private, as all that follows */
	struct buf name;    /* of the last file */
	char *stem, *end;   /* what stands before and behind the numbers */
	int dir, fd;        /* fd: of what is written; -1: none is open */
	unsigned number;    /* of the last file; 0: none yet */
	uint64_t written;   /* bytes of it ... */
	bool has_lines;     /* ... among which is more than the title */
	bool has_name;      /* it has its name already: the file system has no unnamed files (open(2), O_TMPFILE) */
	unsigned completed; /* files that have their names and all their lines */
};

/*
 * Begins; `most` and `titled` are the caller's to set behind it. end: what names end with when that of `path` has no
 * end of its own, such as ".jsonl". 0; -EEXIST when such a file is there, and outparts_name is its name; -errno.
 */
int outparts_open(struct outparts *p, const char *path, const char *end);

/* Takes n bytes: whole lines. 0 or -errno. */
int outparts_write(struct outparts *p, const char *lines, size_t n);

/* What comes goes to another file, if there is a line in this one. 0 or -errno. */
int outparts_next(struct outparts *p);

/* The last file that it was about, as a name in its directory; "" before there was one. */
const char *outparts_name(const struct outparts *p);

/* Completes the last file, of which there is at least one, when rc is 0; else all that were made are gone. To be called
 * after a failed outparts_open, too. 0 or -errno. */
int outparts_close(struct outparts *p, int rc);

#endif
