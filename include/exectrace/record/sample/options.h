/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the sampler is asked for: the options of --run='profile ...' and of exectrace-profile(1). */
#ifndef EXECTRACE_RECORD_SAMPLE_OPTIONS_H
#define EXECTRACE_RECORD_SAMPLE_OPTIONS_H

#include <exectrace/base/buf.h>
#include <exectrace/options/options.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* How the callers of a function of the program are found. */
enum sample_graph {
	SAMPLE_DWARF, /* by unwind tables, from a copy of the stack */
	SAMPLE_FP,    /* by frame pointers, by the kernel */
	SAMPLE_NONE,  /* not at all */
};

struct sample_options {
	pid_t pid;          /* --pid; 0: not given */
	uint32_t frequency; /* samples a second of each thread that runs */
	enum sample_graph graph;
	uint32_t stack_bytes; /* of a stack that are copied, a multiple of 8 */
	bool follow;          /* children too */
	bool user;            /* the program alone, nothing of the kernel */
	char *output;         /* --output; NULL: profile-PID.xtr */
	int directory; /* --directory: a descriptor of that in which the file is made, under the last part of its name;
	                  0: none */
	bool help;     /* --help */
};

/* The table, for help, completion and the check of the manual page. */
extern const struct option_spec sample_table[];

/*
 * Parses argv[at...]. 0; -EINVAL with one line in err that names the offending text; -ENOMEM. The strings are the
 * struct's own. Words that are no options are an error.
 */
int sample_options_parse(struct sample_options *options, char **argv, int at, struct buf *err);

/* Frees what it holds. */
void sample_options_release(struct sample_options *options);

#endif
