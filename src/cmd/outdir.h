/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory that is there as a whole or not at all: it gets its name when it is complete. */
#ifndef EXECTRACE_SRC_CMD_OUTDIR_H
#define EXECTRACE_SRC_CMD_OUTDIR_H

struct outdir {
	const char *path; /* where it will be */
	char *made;       /* where it is; NULL: nowhere */
};

/* Begins an empty directory beside where it will be, which may be an empty directory. 0 or -errno. */
int outdir_open(struct outdir *out, const char *path);

/* Gives it its name when rc is 0; else it and its files are gone. 0 or -errno. */
int outdir_close(struct outdir *out, int rc);

#endif
