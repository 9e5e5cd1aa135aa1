/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory that is there as a whole or not at all: it gets its name when it is complete. */
#ifndef EXECTRACE_ANSWER_OUTPUT_OUTDIR_H
#define EXECTRACE_ANSWER_OUTPUT_OUTDIR_H

#include <exectrace/base/buf.h>

struct outdir {
	char *path;       /* where it will be, without slashes at the end; NULL: there is none */
	const char *name; /* the last part of it */
	int parent;       /* the directory that it is in */
	struct buf made;  /* what it is called there until then */
	int fd;           /* of it; 0: there is none */
};

/*
 * Begins an empty directory beside where it will be, which may be an empty directory; -ELOOP when the way there leads
 * through a link of somebody else's. 0 or -errno.
 */
int outdir_open(struct outdir *out, const char *path);

/* Gives it its name when rc is 0; else it and its files are gone. 0 or -errno. */
int outdir_close(struct outdir *out, int rc);

#endif
