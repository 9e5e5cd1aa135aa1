/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "odd.h"
#include "watch.h"

#include <errno.h>
#include <exectrace/answer/timeline/timeline.h>
#include <exectrace/base/clock.h>
#include <stdlib.h>
#include <string.h>

/* --- Phases ------------------------------------------------------------------------------------------------------- */

static void add_phase(struct guest_story *g, const char *name, uint64_t from, uint64_t to)
{
	if (g->n_phases < GUEST_PHASES)
		g->phases[g->n_phases++] = (struct guest_phase){.name = name, .from = from, .to = to};
}

static void add_item(struct guest_item *items, size_t *n, const struct timeline_item *t)
{
	uint64_t time = t->kind == TIMELINE_PROGRAM ? t->ran : t->elapsed;
	size_t at = *n;

	while (at && items[at - 1].time < time)
		at--;
	if (at == GUEST_TOP)
		return;
	*n += *n < GUEST_TOP;
	memmove(&items[at + 1], &items[at], (*n - at - 1) * sizeof(*items));
	items[at] = (struct guest_item){.name = t->name, .pid = t->pid, .time = time, .ended = t->ended};
}

/* Phases, and the initcalls and programs that began in each. A recording without phases is one. */
static int read_phases(struct guest_story *g)
{
	const struct timeline_item *const *items;
	uint64_t start = timeline_start(g->timeline);
	size_t n, phase = 0;
	int rc = timeline_choose(g->timeline, 0, &items, &n);

	if (rc)
		return rc;
	g->length = timeline_length(g->timeline);
	for (size_t i = 0; i < n; i++)
		if (items[i]->kind == TIMELINE_PHASE)
			add_phase(g, items[i]->name, items[i]->start - start,
			          items[i]->start - start + items[i]->elapsed);
	if (!g->n_phases)
		add_phase(g, "Recorded", 0, g->length);
	g->phases[g->n_phases - 1].to = g->length;
	g->off = strcmp(g->phases[g->n_phases - 1].name, "Shutdown") == 0;
	for (size_t i = 0; i < n; i++) {
		const struct timeline_item *item = items[i];

		while (phase + 1 < g->n_phases && item->start - start >= g->phases[phase + 1].from)
			phase++;
		if (item->kind == TIMELINE_INITCALL || item->kind == TIMELINE_MODULE)
			add_item(g->phases[phase].initcalls, &g->phases[phase].n_initcalls, item);
		else if (item->kind == TIMELINE_PROGRAM)
			add_item(g->phases[phase].programs, &g->phases[phase].n_programs, item);
	}
	return 0;
}

/* --- Times -------------------------------------------------------------------------------------------------------- */

static void to_ns(uint64_t *time, uint64_t hz)
{
	*time = (uint64_t)((double)*time * (double)NS_PER_S / (double)hz);
}

static void phase_to_ns(struct guest_phase *p, uint64_t hz)
{
	to_ns(&p->from, hz);
	to_ns(&p->to, hz);
	to_ns(&p->busy, hz);
	to_ns(&p->idle, hz);
	for (size_t i = 0; i < GUEST_TOP; i++) {
		to_ns(&p->functions[i].time, hz);
		to_ns(&p->initcalls[i].time, hz);
		to_ns(&p->programs[i].time, hz);
		to_ns(&p->waits[i].time, hz);
	}
}

static void delay_to_ns(struct guest_delay *d, uint64_t hz)
{
	to_ns(&d->at, hz);
	to_ns(&d->time, hz);
	to_ns(&d->min, hz);
	to_ns(&d->max, hz);
	to_ns(&d->rival_time, hz);
	to_ns(&d->waiter_time, hz);
	for (size_t i = 0; i < d->n_functions; i++)
		to_ns(&d->functions[i].time, hz);
}

static void trouble_to_ns(struct guest_trouble *t, uint64_t hz)
{
	to_ns(&t->at, hz);
	for (size_t i = 0; i < t->n_talks; i++)
		to_ns(&t->talks[i].at, hz);
}

/* Ticks become ns where they are a time. */
static void all_to_ns(struct guest_story *g)
{
	uint64_t hz = replay_clock(g->replay).hz;

	g->ns = hz != 0;
	if (!hz || hz == NS_PER_S)
		return;
	to_ns(&g->length, hz);
	for (size_t i = 0; i < g->n_phases; i++)
		phase_to_ns(&g->phases[i], hz);
	to_ns(&g->chain, hz);
	to_ns(&g->ended, hz);
	for (size_t i = 0; i < g->n_stuck; i++)
		to_ns(&g->stuck[i].since, hz);
	for (size_t i = 0; i < g->n_delays; i++)
		delay_to_ns(&g->delays[i], hz);
	for (size_t i = 0; i < g->n_troubles; i++)
		trouble_to_ns(&g->troubles[i], hz);
	trouble_to_ns(&g->ender, hz);
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

static int worst_first(const void *a, const void *b)
{
	const struct guest_trouble *one = a, *two = b;

	if (one->kind != two->kind)
		return one->kind < two->kind ? 1 : -1;
	return one->at > two->at ? 1 : one->at < two->at ? -1 : 0;
}

/* By the clock of the host where the recording has it, as the other parts of a page are. */
static int open_replay(struct guest_story *g, struct recording *r, size_t file, struct buf *err)
{
	struct replay_options options = {.host_time = true};
	int rc = replay_new(&g->replay, r, file, &options, err);

	g->host = !rc;
	if (rc == -EINVAL) {
		err->len = 0;
		options.host_time = false;
		rc = replay_new(&g->replay, r, file, &options, err);
	}
	return rc;
}

int guest_story_read(struct guest_story **ret, struct recording *r, size_t file, struct buf *err)
{
	static const struct functions_options all;
	struct guest_story *g = calloc(1, sizeof(*g));
	const struct strv *notes;
	int rc = g ? open_replay(g, r, file, err) : -ENOMEM;

	if (!rc)
		rc = timeline_guest(&g->timeline, g->replay, &all);
	if (!rc)
		rc = read_phases(g);
	if (!rc)
		rc = watch_run(g);
	if (rc) {
		guest_story_free(g);
		return rc;
	}
	all_to_ns(g);
	g->file = recording_file(r, file);
	notes = replay_notes(g->replay);
	for (size_t i = 0; i < notes->n; i++)
		g->noted |= strstr(notes->items[i], "kernel panicked") != NULL;
	if (g->n_troubles)
		qsort(g->troubles, g->n_troubles, sizeof(*g->troubles), worst_first);
	rc = odd_read(g, r, file, err);
	if (rc) {
		guest_story_free(g);
		return rc;
	}
	*ret = g;
	return 0;
}

void guest_story_free(struct guest_story *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->n_troubles; i++) {
		free(g->troubles[i].frames);
		free(g->troubles[i].handling);
	}
	free(g->ender.frames);
	free(g->ender.handling);
	pool_release(&g->commands);
	free(g->troubles);
	free(g->delays);
	free(g->stuck);
	timeline_free(g->timeline);
	replay_free(g->replay);
	free(g);
}
