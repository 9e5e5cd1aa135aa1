/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files behind analyze/profile.h share. */
#ifndef EXECTRACE_SRC_ANALYZE_PROFILE_H
#define EXECTRACE_SRC_ANALYZE_PROFILE_H

#include "idmap.h"
#include "pool.h"
#include <exectrace/analyze/profile.h>

/* Calls or samples that are alike: the same stack, the same call, the same name of the thread. */
struct call_path {
	uint64_t weight;
	bool stacked;                    /* it has a stack */
	size_t n;                        /* entries, the innermost first; 0: not looked up */
	struct profile_entry *entries[]; /* an entry may be there several times */
};

struct profile {
	struct recording *recording;
	enum profile_of of;
	unsigned keys;
	enum profile_weight weight;
	uint64_t total, count, stacked, cut;
	struct pool texts;
	struct idmap calls_by_nr; /* by number and machine: struct call_function */
	struct idmap leaves;      /* by function of the call (0: a sample) and name of the thread: struct leaf */
	struct idmap paths_by_id; /* by stack and (file, leaf): struct call_path */
	struct call_path **paths;
	size_t n_paths, cap_paths;
	struct idmap entries_by_key;
	struct profile_entry **entries;
	size_t n_entries, cap_entries;
	uint64_t stamp;
	uint32_t n_calls, n_leaves;
};

#endif
