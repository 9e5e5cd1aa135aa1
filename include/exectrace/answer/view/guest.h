/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What commands have in common that look at the calls of a guest, or at an imported log. */
#ifndef EXECTRACE_ANSWER_VIEW_GUEST_H
#define EXECTRACE_ANSWER_VIEW_GUEST_H

#include <exectrace/answer/report/functions.h>
#include <exectrace/answer/view/analysis.h>

/* In the order of enum functions_irq. */
extern const char *const guest_irqs[];

/* Rows of option tables: OPT_ is what the numbers of these options begin with. */
#define GUEST_TASK_ROWS(group_name)                                                  \
	{.name = "task",                                                             \
	 .arg = "NAME|PID",                                                          \
	 .id = OPT_TASK,                                                             \
	 .group = group_name,                                                        \
	 .help = "only this task of the guest; NAME may be a pattern"},              \
	{                                                                            \
		.name = "irq", .arg = "WHICH", .choices = guest_irqs, .id = OPT_IRQ, \
		.help = "interrupts: too (the default), only, no"                    \
	}

#define GUEST_CLOCK_HELP \
	"guest: what the guest's clock counts; host: time of the host (the default where the recording knows it)"

#define GUEST_CLOCK_ROW(text)                                                                          \
	{                                                                                              \
		.name = "clock", .arg = "WHAT", .choices = guest_clocks, .id = OPT_CLOCK, .help = text \
	}

#define GUEST_SELECT_ROWS(group_name)                                                                             \
	GUEST_TASK_ROWS(group_name),                                                                              \
		{.name = "max", .arg = "DURATION", .id = OPT_MAX, .help = "only calls that took no longer: 2ms"}, \
		GUEST_CLOCK_ROW(GUEST_CLOCK_HELP)

/* In the order of `host_time`. */
extern const char *const guest_clocks[];

/* What these options say. */
struct guest_select {
	const char *task;
	const char *under;
	enum functions_irq irq;
	uint64_t max; /* ns; 0: any */
	bool host_time;
	bool prefers_host; /* the command shows time of the host where it is known and nothing else is asked for */
	bool clock_said;   /* --clock */
	bool any;          /* one of them was there: they mean nothing to system calls */
};

/* Takes one of these options. 0; -EINVAL with a line in err; -ENOMEM. */
int guest_take(struct guest_select *g, const struct option_use *use, struct buf *err);

/* What is refused. */
#define GUEST_CLOCKS_DIFFER "their clocks do not count the same: add --clock=host"
#define GUEST_NOT_CALLS "these are system calls, and there is an option about the functions of a guest"

/* How many files of a recording are of guests, and the number of the first one. */
size_t guest_count(const struct recording *r, size_t *file);

/*
 * The same of those that are wanted; 0 when system calls and samples are. -EINVAL with a line in err when there is not
 * what is wanted, or both and nothing was said; -ENOMEM.
 */
int guest_files(const struct analysis *a, const struct recording *r, size_t *file, struct buf *err);

/*
 * The same for what looks at one guest only: 0 or 1; -EINVAL with a line in err when there are several to choose from.
 */
int guest_file(const struct analysis *a, const struct recording *r, size_t *file, struct buf *err);

/* True, and the number of its file, when one guest was recorded and processes of the host too. */
bool guest_beside_host(const struct recording *r, size_t *file);

/*
 * Refuses options that choose system calls; and, without `lengths`, those about how long calls are, which a guest's
 * have otherwise. 0, -EINVAL with a line in err, -ENOMEM.
 */
int guest_check(const struct analysis *a, bool lengths, struct buf *err);

/*
 * Begins the replay of a file by the guest's own clock, whichever is shown: the host's other work is in time of the
 * host. *p NULL: options are about time, which that clock does not count. 0 or -errno.
 */
int guest_open_own_clock(struct replay **p, const struct guest_select *g, const struct analysis *a, struct recording *r,
                         size_t file);

/* Begins the replay of a file. As replay_new, and -EINVAL when an option does not fit its clock. */
int guest_open(struct replay **p, const struct guest_select *g, const struct analysis *a, struct recording *r,
               size_t file, struct buf *err);

/* What to count, once the replay is there. */
struct functions_options guest_options(const struct guest_select *g, const struct analysis *a, const struct replay *p);

#endif
