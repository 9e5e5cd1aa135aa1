/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of the kernel that runs here, as /proc/kallsyms tells: names, and what belongs to which module. */
#ifndef EXECTRACE_SRC_RECORD_SAMPLE_KERNELCODE_H
#define EXECTRACE_SRC_RECORD_SAMPLE_KERNELCODE_H

#include <exectrace/target/symbol/kallsyms.h>

#define KERNEL_PATH_MAX 64u /* bytes of "[module]" */

/* A stretch of code whose functions are one module's. */
struct kernel_part {
	uint64_t start, end;
	char path[KERNEL_PATH_MAX]; /* "[module]" */
	bool seen;                  /* something was sampled in it */
};

struct kernel_code {
	struct kallsyms names;     /* empty where it does not show addresses */
	struct kernel_part *parts; /* of modules, by address */
	size_t n, cap;
	size_t seen; /* parts that are; all others are of no interest */
};

/* Reads /proc/kallsyms; what cannot be read has no names. 0 or -ENOMEM. */
int kernel_code_read(struct kernel_code *k);

/* Parses a text of n bytes. 0 or -errno as kallsyms_parse. */
int kernel_code_parse(struct kernel_code *k, const char *text, size_t n);

/* Something was sampled at an address. */
void kernel_code_see(struct kernel_code *k, uint64_t address);

void kernel_code_release(struct kernel_code *k);

#endif
