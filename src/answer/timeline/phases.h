/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the names of some functions tell: the phases of a boot, and where programs and modules begin. */
#ifndef EXECTRACE_SRC_ANSWER_TIMELINE_PHASES_H
#define EXECTRACE_SRC_ANSWER_TIMELINE_PHASES_H

#include "timeline.h"

enum role {
	ROLE_NONE,
	ROLE_FIRMWARE,
	ROLE_LOADER,
	ROLE_START,    /* the kernel as such begins */
	ROLE_INITCALL, /* calls each initcall, of modules too */
	ROLE_HELPER,   /* is called around initcalls */
	ROLE_LOAD,     /* loads a module, and has it initialized */
	ROLE_FILTERED, /* stands for what was left out */
	ROLE_EXEC,     /* makes the new program of a process; its name is told within */
	ROLE_EXIT,     /* a task ends */
	ROLE_OFF,      /* the machine ends */
};

/* What a function of that name is. */
enum role timeline_role(const char *name);

/* In their order. */
enum phase {
	PHASE_NONE,
	PHASE_FIRMWARE,
	PHASE_LOADER,
	PHASE_EARLY,
	PHASE_START,
	PHASE_INITCALLS,
	PHASE_PROGRAMS,
	PHASE_OFF,
};

/* The phases of a timeline. */
struct timeline_phases {
	struct timeline *t;
	enum phase phase; /* the one at hand */
	uint32_t item;    /* and its item */
};

/* The next phase begins, unless it, or a later one, has begun already. 0 or -ENOMEM. */
int timeline_phase_begin(struct timeline_phases *phases, enum phase phase, uint64_t tick);

/* The phase at hand is over. */
void timeline_phase_end(struct timeline_phases *phases, uint64_t tick);

/*
 * Phases and programs of all of a recording, of whose calls only some are wanted: without programs, and without what
 * was over before the first of these calls, or began behind the last one.
 */
void timeline_phases_keep(struct timeline *t, bool programs, bool beside_calls);

#endif
