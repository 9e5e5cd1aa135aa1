/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options behind `-plugin exectrace-guest.so`: words NAME=VALUE. */
#ifndef EXECTRACE_SRC_PLUGIN_OPTIONS_H
#define EXECTRACE_SRC_PLUGIN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum plugin_clock { PLUGIN_CLOCK_INSN, PLUGIN_CLOCK_TSC };

struct plugin_options {
	const char *out; /* the file; words of argv */
	enum plugin_clock clock;
	bool user;  /* calls of programs, not of the kernel only */
	bool stats; /* the checks are printed at the end */
};

/* Reads them. NULL, or the word that is wrong. */
const char *plugin_options_parse(struct plugin_options *o, int argc, const char *const *argv);

#endif
