/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a replay tells of a guest, while it goes on. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_GUEST_WATCH_H
#define EXECTRACE_SRC_ANSWER_WHY_GUEST_WATCH_H

#include "said.h"
#include <exectrace/answer/recording/idmap.h>
#include <exectrace/answer/replay/own_time.h>
#include <exectrace/answer/waits/task_waits.h>
#include <exectrace/answer/why/guest/guest.h>
#include <exectrace/answer/why/guest/story/lineage.h>
#include <exectrace/answer/why/guest/stuck/holds.h>
#include <exectrace/answer/why/guest/stuck/where.h>

/* What a function means. */
enum meaning {
	MEANS_KNOWN = 1 << 0,
	MEANS_IDLE = 1 << 1,  /* a processor waits for interrupts */
	MEANS_START = 1 << 7, /* the kernel starts */
	MEANS_OFF = 1 << 4,   /* it ends */
	MEANS_HALT = 1 << 5,
	MEANS_RESTART = 1 << 6,
	MEANS_WARNING = 1 << 8,
	MEANS_OOM = 1 << 9,
	MEANS_OOPS = 1 << 10,
	MEANS_PANIC = 1 << 11,
	MEANS_ENDING = 1 << 12, /* it is about to end or to restart */
};

#define MEANS_DEADLY ((unsigned)MEANS_OOPS | MEANS_PANIC)
#define MEANS_END ((unsigned)MEANS_OFF | MEANS_HALT | MEANS_RESTART | MEANS_START)
#define MEANS_TROUBLE (MEANS_DEADLY | MEANS_WARNING | MEANS_OOM)

struct watched_function {
	unsigned means;
	uint32_t module; /* number of the kernel's module that it is of + 1; 0: none */
	uint64_t own[GUEST_PHASES];
};

#define WATCH_TALKS 12u /* that are kept of a module */

struct watched_module {
	const char *name;
	struct guest_talk talks[WATCH_TALKS]; /* the last one first */
	size_t n_talks;
};

struct waited {
	struct guest_wait wait;
	size_t phase;
};

struct watch {
	struct guest_story *story;
	struct replay *replay;
	uint64_t start;
	struct watched_function *functions; /* by number */
	size_t n_functions;
	struct watched_module *modules;
	size_t n_modules, cap_modules;
	struct own_time own_time;
	struct task_waits *waiting;
	struct idmap waits_by_id; /* pid and function, phase: number + 1 */
	struct waited *waits;
	size_t n_waits, cap_waits;
	size_t phase; /* of the last time */
	struct said said;
	struct lineages lineages;
	struct where where;
	struct holds holds;
};

/* Replays the guest into its story, whose phases have their times. 0 or -ENOMEM. */
int watch_run(struct guest_story *story);

/* What a function means; it stays until another is asked for. NULL: no memory. */
struct watched_function *watch_function(struct watch *w, uint32_t number);

/* --- tally.c: the time -------------------------------------------------------------------------------------------- */

/* Adds what a function ran. */
void tally_ran(struct watch *w, struct watched_function *f, uint64_t from, uint64_t to);

/* What tasks waited in. 0 or -ENOMEM. */
int tally_waits(struct watch *w);

/* What took most in each phase. */
void tally_finish(struct watch *w);

/* --- trouble.c: panics; talks.c: who called into modules --------------------------------------------------------- */

/* A function of a module was called. 0 or -ENOMEM. */
int trouble_talk(struct watch *w, const struct replay_stack *stack, const struct watched_function *f);

/* Those that tell most, the last one first. How many they are. */
size_t talks_choose(const struct watched_module *module, struct guest_talk chosen[GUEST_TALKS]);

/* A function was called that ends the guest: notes who did. 0 or -ENOMEM. */
int trouble_end(struct watch *w, const struct replay_stack *stack);

/* A function was called that stands for trouble. 0 or -ENOMEM. */
int trouble_see(struct watch *w, const struct replay_stack *stack, unsigned means);

/* A call was still open when the recording ended, the innermost one of its stack: that ran last, if it ran until then.
 * 0 or -ENOMEM. */
int trouble_last(struct watch *w, const struct replay_stack *stack, uint64_t now);

/* The kernel logged something, on this stack (NULL: not known). 0 or -ENOMEM. */
int trouble_said(struct watch *w, const struct replay_stack *stack, const struct data_message *m, uint64_t now);

#endif
