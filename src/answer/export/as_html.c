/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"
#include <exectrace/answer/export/guest/guest.h>
#include <exectrace/answer/html/html_page.h>

#include <exectrace/base/clock.h>

struct pager {
	struct exporter base; /* first */
	struct overview *overview;
	struct replay *replay; /* of the calls that were given last */
};

static int begin(struct exporter *e)
{
	return overview_new(&((struct pager *)e)->overview);
}

static int on_event(struct exporter *e, const struct recorded_event *event)
{
	struct recording *r = e->side ? e->other : e->recording;

	return overview_event(((struct pager *)e)->overview, r, event, e->side);
}

static int on_guest(struct guest *g)
{
	struct pager *p = (struct pager *)g->e;

	p->replay = g->replay;
	return overview_guest(p->overview, g->replay, g->e->side);
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
	struct overview *s = ((struct pager *)e)->overview;
	const struct replay_clock clock =
		replay ? replay_clock(replay) : (struct replay_clock){DATA_CLOCK_MONOTONIC, NS_PER_S};

	struct process_tree *tree = NULL;
	int rc = 0;

	overview_finish(s);
	/* All of it has been read: the processes are known. */
	if (!replay && !e->other)
		rc = process_tree_new(&tree, e->recording, NULL, NULL);
	if (!rc)
		rc = html_page(&e->out, s,
		               &(struct html_facts){
				       .recording = e->recording,
				       .other = e->other,
				       .unit = unit_of(&clock),
				       .hz = clock.hz,
				       .tree = tree,
				       .notes = replay ? replay_notes(replay) : NULL,
			       });
	process_tree_free(tree);
	return rc;
}

static void release(struct exporter *e)
{
	overview_free(((struct pager *)e)->overview);
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
