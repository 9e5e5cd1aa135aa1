/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/view/guest.h>

#include <errno.h>
#include <exectrace/base/clock.h>
#include <string.h>

#define NAMED 8 /* files that a message offers */

const char *const guest_irqs[] = {"too", "only", "no", NULL};
const char *const guest_clocks[] = {"guest", "host", NULL};

static int refuse(struct buf *err, const char *what)
{
	return buf_puts(err, what) ? -ENOMEM : -EINVAL;
}

int guest_take(struct guest_select *g, const struct option_use *use, struct buf *err)
{
	const char *name = use->spec->name;
	int rc;

	g->any = true;
	if (strcmp(name, "task") == 0)
		g->task = use->value;
	else if (strcmp(name, "irq") == 0)
		g->irq = (enum functions_irq)analysis_choice(use);
	else if (strcmp(name, "clock") == 0) {
		g->host_time = analysis_choice(use) != 0;
		g->clock_said = true;
	} else if (duration_parse(use->value, &g->max)) {
		rc = buf_printf(err, "--max: '%s' is not a duration such as 2ms (argument %d)", use->value, use->at);
		return rc ? rc : -EINVAL;
	}
	return 0;
}

size_t guest_count(const struct recording *r, size_t *file)
{
	size_t guests = 0;

	for (size_t i = recording_files(r); i--;) {
		if (recording_file(r, i)->guest_clock == DATA_CLOCK_NONE)
			continue;
		*file = i;
		guests++;
	}
	return guests;
}

bool guest_beside_host(const struct recording *r, size_t *file)
{
	return guest_count(r, file) == 1 && recording_files(r) > 1;
}

int guest_files(const struct analysis *a, const struct recording *r, size_t *file, struct buf *err)
{
	size_t guests = guest_count(r, file), others = recording_files(r) - guests;

	switch (a->select.event) {
	case SELECT_FUNCTIONS:
		return guests ? (int)guests : refuse(err, "there are no functions of a guest in it");
	case SELECT_CALLS:
	case SELECT_SAMPLES:
		return others || !guests ? 0 : refuse(err, "there is nothing but functions of a guest in it");
	default:
		if (!guests || !others)
			return (int)guests;
		return refuse(err, "there are functions of a guest and others: say --event=functions, --event=calls or "
		                   "--event=samples");
	}
}

/* There are several guests: which ones? */
static int name_guests(const struct recording *r, int n, struct buf *err)
{
	int named = 0, rc = buf_printf(err, "there are %d guests, name one:", n);

	for (size_t i = 0; i < recording_files(r) && !rc && named < NAMED; i++)
		if (recording_file(r, i)->guest_clock != DATA_CLOCK_NONE)
			rc = buf_printf(err, "%s %s", named++ ? "," : "", recording_file(r, i)->path);
	if (!rc && named < n)
		rc = buf_printf(err, " and %d more", n - named);
	return rc ? rc : -EINVAL;
}

int guest_file(const struct analysis *a, const struct recording *r, size_t *file, struct buf *err)
{
	int n = guest_files(a, r, file, err);

	return n <= 1 ? n : name_guests(r, n, err);
}

int guest_check(const struct analysis *a, bool lengths, struct buf *err)
{
	if (a->select.filtered || a->select.path || a->select.failed)
		return refuse(err,
		              "--filter, --path and --failed are about system calls, not about a guest's functions");
	if (a->select.min && !lengths)
		return refuse(err, "--min is about system calls here");
	return 0;
}

int guest_open(struct replay **p, const struct guest_select *g, const struct analysis *a, struct recording *r,
               size_t file, struct buf *err)
{
	struct replay_options options = {.host_time = g->host_time,
	                                 .timed = a->time != NULL,
	                                 .control = a->controlled ? &a->control : NULL};
	struct call_select times = {0};
	int rc;

	if (a->time && call_select_time(&times, a->time, 0))
		return refuse(err, "--time: not two times 'A,B' in seconds");
	options.from = times.from;
	options.until = times.until;
	options.host_time |= g->prefers_host && !g->clock_said;
	rc = replay_new(p, r, file, &options, err);
	if (rc == -EINVAL && options.host_time && !g->host_time) {
		err->len = 0;
		options.host_time = false;
		rc = replay_new(p, r, file, &options, err);
	}
	if (rc || replay_clock(*p).hz || (!a->select.min && !g->max))
		return rc;
	replay_free(*p);
	*p = NULL;
	return refuse(err, "--min, --max: its clock does not count time: add --clock=host");
}

int guest_open_own_clock(struct replay **p, const struct guest_select *g, const struct analysis *a, struct recording *r,
                         size_t file)
{
	struct guest_select select = *g;
	struct buf err = BUF_INIT;
	int rc;

	*p = NULL;
	select.host_time = select.prefers_host = false;
	rc = guest_open(p, &select, a, r, file, &err);
	buf_release(&err);
	return rc == -EINVAL ? 0 : rc;
}

/* A duration as ticks. */
static uint64_t ticks_of(const struct replay *p, uint64_t ns)
{
	uint64_t hz = replay_clock(p).hz;

	return hz == NS_PER_S ? ns : (uint64_t)((double)ns * (double)hz / (double)NS_PER_S);
}

struct functions_options guest_options(const struct guest_select *g, const struct analysis *a, const struct replay *p)
{
	return (struct functions_options){
		.irq = g->irq,
		.under = g->under,
		.task = g->task ? g->task : a->select.comm,
		.pids = a->select.pids,
		.n_pids = a->select.n_pids,
		.min = ticks_of(p, a->select.min),
		.max = ticks_of(p, g->max),
	};
}
