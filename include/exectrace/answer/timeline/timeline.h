/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happened first: the first call of each function in the order of time, and what gives a boot its shape: phases,
 * initcalls, modules, programs. Of a recording of system calls: programs, and the first of each call and function. Of
 * one of samples: programs, and each function in the stack of the first sample with it.
 * A choice of the lines that matter makes a story of some thousand first calls.
 */
#ifndef EXECTRACE_ANSWER_TIMELINE_TIMELINE_H
#define EXECTRACE_ANSWER_TIMELINE_TIMELINE_H

#include <exectrace/answer/calls/select.h>
#include <exectrace/answer/report/functions.h>

enum timeline_kind {
	TIMELINE_PHASE,    /* of a boot: from its start to the next one */
	TIMELINE_PROGRAM,  /* from its exec to its end */
	TIMELINE_MODULE,   /* the load of one, as far as that is known; else its initialization */
	TIMELINE_INITCALL, /* of the kernel */
	TIMELINE_FUNCTION, /* the first call of one */
	TIMELINE_CALL,     /* the first of a system call */
	TIMELINE_REST,     /* stands for `count` items that were not chosen */
	TIMELINE_KINDS,
};

struct timeline_item {
	enum timeline_kind kind;
	const char *name;
	const char *module; /* "" unknown, or none */
	uint64_t start;     /* tick */
	uint64_t elapsed;   /* ticks until its end, whatever ran in between; of a first call: of that one */
	uint64_t ran;       /* ticks that it ran, with what it called; of a system call: as elapsed */
	uint64_t waited;    /* of elapsed its task had no CPU for so long; only after timeline_guest_waits */
	uint64_t delay;     /* and what delayed the guest: the chain (answer/waits/wait_chain.h) was there */
	bool ended;         /* false: its end was not seen; both are until the end of the recording */
	uint64_t count;     /* how often it was called in all */
	uint32_t pid;       /* of who did it; 0: unknown */
	uint32_t stack;     /* number of the stack on which that was */
	const char *task;   /* name of it; "" unknown */
	unsigned level;     /* below how many chosen items it was called; set by timeline_choose */
	/* private */
	uint32_t parent; /* item within whose call it was called; 0: none */
	uint32_t depth;  /* in a stack: of those that began at once the unattributed one is first */
	uint64_t news;   /* of `ran`, or of `delay` where that is more: what no single first call within it explains */
	bool chosen, dropped;
};

struct timeline;

/* Goes through the calls of a guest. *ret is set on success. which: task, pids and irq count. 0 or -ENOMEM. */
int timeline_guest(struct timeline **ret, struct replay *p, const struct functions_options *which);

/*
 * Goes through them once more for who waited for whom: items have what they waited and delayed. *known: something is
 * known of that. 0 or -ENOMEM.
 */
int timeline_guest_waits(struct timeline *t, struct replay *p, bool *known);

/* Goes through system calls and samples; ticks are ns. r has to be opened with names and in the order of time. 0 or
 * -ENOMEM. */
int timeline_host(struct timeline **ret, struct recording *r, struct call_select *select);

/* Whether there were system calls, or samples. */
bool timeline_has(const struct timeline *t, enum select_event event);

/* Frees it. NULL is allowed. */
void timeline_free(struct timeline *t);

/*
 * The items in the order of their starts; about `lines` of those that tell most (0: all), with one TIMELINE_REST in
 * each phase. They stay until timeline_free. 0 or -ENOMEM.
 */
int timeline_choose(struct timeline *t, size_t lines, const struct timeline_item *const **items, size_t *n);

/* Ticks of the time that is wanted, all of the recording or less; and how many items there are without phases. */
uint64_t timeline_length(const struct timeline *t);
size_t timeline_items(const struct timeline *t);
uint64_t timeline_start(const struct timeline *t);

#endif
