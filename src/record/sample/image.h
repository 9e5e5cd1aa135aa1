/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code that a process has mapped, as the kernel's records tell: its memory is not looked at, it may be long gone
 * when a stack is unwound. The child of a fork has its parent's until one of them maps something.
 */
#ifndef EXECTRACE_SRC_RECORD_SAMPLE_IMAGE_H
#define EXECTRACE_SRC_RECORD_SAMPLE_IMAGE_H

#include "kernelcode.h"
#include "parse.h"
#include <exectrace/record/common/codemaps.h>
#include <sys/types.h>

struct mapping {
	uint64_t start, end, offset;
	uint64_t device, inode;
	char *path;
};

struct image {
	unsigned users;        /* processes */
	struct mapping *items; /* by address, none overlap */
	size_t n, cap;
	bool changed;                /* since `unwind` was told */
	size_t modules;              /* parts of the kernel that it was told of */
	struct unwind_space *unwind; /* NULL before the first stack */
	struct code_maps maps;
};

/* What images share. */
struct images {
	struct code_files *files;
	uint64_t sets;
	struct kernel_code kernel;
};

/* A new one without mappings. NULL without memory. */
struct image *image_new(void);

/* A copy of what is mapped. NULL without memory. */
struct image *image_copy(const struct image *image, const struct images *images);

/* One user less; the last one frees it. NULL is allowed. */
void image_leave(struct image *image, const struct images *images);

/* Maps something, in the place of what was there. 0 or -ENOMEM. */
int image_map(struct image *image, const struct ring_record *record);

/* Maps what /proc/PID/maps has by now. 0; -ENOMEM; another -errno when it cannot be read. */
int image_read(struct image *image, pid_t pid);

/* Makes image->unwind and image->maps those of what is mapped now. 0 or -errno. */
int image_settle(struct image *image, struct images *images, pid_t pid);

#endif
