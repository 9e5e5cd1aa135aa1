/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that is there as a whole or not at all: it gets its name when it is complete. */
#ifndef EXECTRACE_ANSWER_OUTPUT_OUTFILE_H
#define EXECTRACE_ANSWER_OUTPUT_OUTFILE_H

struct outfile {
	int fd;
	const char *name; /* for messages */
	int dir;          /* where it will be */
	char *to;         /* its name there; NULL: fd has its name already */
};

/*
 * Begins a file; path NULL: standard output. Anything but a regular file (a pipe, a device) is written directly, and so
 * is everything on file systems that have no unnamed files (open(2), O_TMPFILE). -ELOOP for a link of somebody else's.
 * 0 or -errno.
 */
int outfile_open(struct outfile *out, const char *path);

/* Gives it its name, in place of what has it, when rc is 0; else it is gone. Closes. 0 or -errno. */
int outfile_close(struct outfile *out, int rc);

#endif
