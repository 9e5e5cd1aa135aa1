/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the helpers of looks.c are asked, and what they answer. */
#ifndef EXECTRACE_SRC_TARGET_EXECUTABLE_LOOKS_HELPER_H
#define EXECTRACE_SRC_TARGET_EXECUTABLE_LOOKS_HELPER_H

#include "header.h"
#include <exectrace/target/executable/target.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What a helper is sent: as much of path as there is. */
struct look_question {
	pid_t tid;
	int dirfd;
	char path[PATH_MAX + 1];
};

/* What it answers. */
struct look_answer {
	struct target target; /* but for its strings */
	bool has_exe;
	bool has_interp;
	char exe[PATH_MAX + 16];
	char interp[HEADER_INTERP_MAX];
	size_t n_used;
	struct header_slot used[LOOK_DEPTH + 1];
};

/* The helper, a child of the supervisor's: answers until the socket is closed. */
void __attribute__((noreturn)) looks_serve(int sock, struct target_cache *cache, pid_t supervisor);

#endif
