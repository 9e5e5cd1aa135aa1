/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files behind answer/why/set.h share. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_SET_H
#define EXECTRACE_SRC_ANSWER_WHY_SET_H

#include <exectrace/answer/recording/idmap.h>
#include <exectrace/answer/recording/pool.h>
#include <exectrace/answer/why/set.h>
#include <exectrace/base/strv.h>

/* Recordings that have something in common. Texts are of the pool. */
struct set_group {
	const char *title;      /* of the first one: how it ended; what failed; what waited, and for what */
	const char *text;       /* the same: a failure's lines */
	struct strv recordings; /* all, in the order in which they were added */
	size_t last;            /* the last one, from 1 */
	uint64_t time, longest; /* of waits: in all, and the longest one, ns, ... */
	const char *where;      /* ... and the recording that it is in */
	uint64_t times;         /* how often */
};

struct set_groups {
	struct set_group *items;
	size_t n, cap;
	struct idmap by_key; /* number, plus 1, by that of the key */
};

struct why_set {
	struct pool texts;
	struct set_groups outcomes, causes, waits;
	size_t recordings, failed;
	uint64_t *times; /* of those that have one: how long they took, ns */
	size_t n_times, cap_times;
	uint64_t total, longest;
	const char *where; /* the longest one */
};

#endif
