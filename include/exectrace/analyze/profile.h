/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where time goes, by function, from the stacks: the time of system calls, or the processor time of samples. Of a call
 * the innermost function is the call itself, as a function of its own: "[futex]". So only calls have a share of their
 * own ("self"); those that lead to them have the rest.
 */
#ifndef EXECTRACE_ANALYZE_PROFILE_H
#define EXECTRACE_ANALYZE_PROFILE_H

#include <exectrace/analyze/recording.h>

/* What entries are told apart by. */
enum profile_key {
	PROFILE_COMM = 1 << 0,     /* the name of the thread */
	PROFILE_OBJECT = 1 << 1,   /* the file of the function */
	PROFILE_FUNCTION = 1 << 2, /* its name */
};

/* What is added up. */
enum profile_of {
	PROFILE_CALLS,
	PROFILE_SAMPLES,
};

enum profile_weight {
	PROFILE_TIME, /* ns: in calls, or those that samples stand for */
	PROFILE_COUNT,
};

/* One entry. A function that calls itself counts once in a stack. */
struct profile_entry {
	uint64_t children; /* weight of the stacks that it is in */
	uint64_t self;     /* weight of the calls that it is, of the samples that were taken in it */
	/* "" where that is no key; the object's name without its directory, "[unknown]", "[kernel]" */
	const char *comm, *object, *function;
	bool kernel; /* a call, or a function of the kernel */
	/* private */
	size_t *stacks; /* it is in these, when they are asked for */
	size_t n_stacks, cap_stacks;
	uint64_t stamp;
};

/* A node of a tree of calls. */
struct profile_node {
	const struct profile_entry *entry;
	uint64_t weight;
	struct profile_node *child;   /* the heaviest */
	struct profile_node *sibling; /* the next lighter one */
};

struct profile;

/* A new one. keys: enum profile_key. r has to be opened with names and to outlive it. NULL: no memory. */
struct profile *profile_new(struct recording *r, enum profile_of of, unsigned keys, enum profile_weight weight);

/* Frees it. NULL is allowed. */
void profile_free(struct profile *p);

/* Adds the call, or the sample, that is the event; others are passed over. 0 or -ENOMEM. */
int profile_add(struct profile *p, const struct recorded_event *event);

/*
 * The entries, once all is added: by `children`, or by `self`, the largest first. graphs: profile_graph will be asked.
 * 0 or -ENOMEM.
 */
int profile_entries(struct profile *p, bool by_self, bool graphs, const struct profile_entry *const **entries,
                    size_t *n);

/*
 * The tree of the entry's callees (callers: its callers): the root is the entry itself, with what it has in `children`.
 * Freed by profile_graph_free. 0 or -ENOMEM.
 */
int profile_graph(struct profile *p, const struct profile_entry *entry, bool callers, struct profile_node **root);

/* NULL is allowed. */
void profile_graph_free(struct profile_node *root);

/* All that was added: weight, how many, those of them that had a stack, and those that had not the whole of it. */
uint64_t profile_total(const struct profile *p);
uint64_t profile_count(const struct profile *p);
uint64_t profile_stacked(const struct profile *p);
uint64_t profile_cut(const struct profile *p);

#endif
