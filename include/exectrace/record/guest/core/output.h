/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that the plugin writes. Its directory is opened once, when the plugin is loaded: processes of the tree may put
 * another in its place, and QEMU may go to another root directory (-chroot), before the guest begins.
 */
#ifndef EXECTRACE_RECORD_GUEST_CORE_OUTPUT_H
#define EXECTRACE_RECORD_GUEST_CORE_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

/* A directory, whatever its name is. */
struct output_dir {
	bool known;
	uint64_t device, inode; /* fstat(2) */
};

struct output {
	const char *path; /* the caller's */
	const char *name; /* in it */
	int dir;
	bool known; /* it is the directory of a run, in which all files are new */
};

/* Finds the directory of `path`: the one that `want` is, if that is known. 0; -ESTALE for another one; -errno. */
int output_find(struct output *o, const char *path, const struct output_dir *want);

/* Makes or empties the file (file_create, file_open_output). The descriptor or -errno. */
int output_open(const struct output *o);

#endif
