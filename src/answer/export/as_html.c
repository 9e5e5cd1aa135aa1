/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest.h"
#include <exectrace/answer/html/html_page.h>

#include <exectrace/base/clock.h>

struct pager {
	struct exporter base; /* first */
	struct survey *survey;
	struct replay *replay; /* of the calls that were given last */
};

static int begin(struct exporter *e)
{
	return survey_new(&((struct pager *)e)->survey);
}

static int on_event(struct exporter *e, const struct recorded_event *event)
{
	struct recording *r = e->side ? e->other : e->recording;

	return survey_event(((struct pager *)e)->survey, r, event, e->side);
}

static int on_guest(struct guest *g)
{
	struct pager *p = (struct pager *)g->e;

	p->replay = g->replay;
	return survey_guest(p->survey, g->replay, g->e->side);
}

static const char *unit_of(const struct replay_clock *clock)
{
	if (clock->hz)
		return "time";
	return clock->kind == DATA_CLOCK_INSTRUCTIONS ? "instructions" : "ticks";
}

static int finish(struct exporter *e)
{
	struct replay *replay = ((struct pager *)e)->replay;
	struct survey *s = ((struct pager *)e)->survey;
	const struct replay_clock clock =
		replay ? replay_clock(replay) : (struct replay_clock){DATA_CLOCK_MONOTONIC, NS_PER_S};

	survey_finish(s);
	return html_page(&e->out, s,
	                 &(struct html_facts){
				 .recording = e->recording,
				 .other = e->other,
				 .unit = unit_of(&clock),
				 .hz = clock.hz,
				 .notes = replay ? replay_notes(replay) : NULL,
			 });
}

static void release(struct exporter *e)
{
	survey_free(((struct pager *)e)->survey);
}

const struct exporter_ops exporter_html = {
	.name = "html",
	.sums = true,
	.samples = true,
	.alone = true,
	.compares = true,
	.size = sizeof(struct pager),
	.begin = begin,
	.event = on_event,
	.guest = on_guest,
	.finish = finish,
	.release = release,
};
