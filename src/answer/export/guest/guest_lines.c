/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/export/guest/guest.h>

/* A line on its way to a format. */
struct passing {
	struct guest *g;
	call_line_fn *fn;
	void *ctx;
	bool whole; /* the budget is not asked */
};

static int pass(void *ctx, const struct call_line *line)
{
	struct passing *p = ctx;
	struct guest *g = p->g;
	struct budget *budget = p->whole ? NULL : g->e->options.budget;
	int rc;

	if (budget && budget_folds(budget, line->duration))
		return 0;
	rc = g->time ? exporter_moment(g->e, guest_since(g, line->entered)) : 0;
	if (!rc)
		rc = p->fn(p->ctx, line);
	if (budget && budget_measures(budget)) {
		budget_add(budget, line->duration, line->self, exporter_position(g->e) - g->before);
		g->before = exporter_position(g->e);
	}
	return rc ? rc : spool_drain(&g->e->out);
}

static int run(struct guest *g, call_line_fn *fn, void *ctx, bool whole)
{
	const struct calltrace_options options = {.which = *g->which, .values = g->values};
	struct passing passing = {g, fn, ctx, whole};

	g->before = exporter_position(g->e);
	return calltrace_run(g->replay, &options, pass, &passing);
}

int guest_lines(struct guest *g, call_line_fn *fn, void *ctx)
{
	return run(g, fn, ctx, false);
}

int guest_all_lines(struct guest *g, call_line_fn *fn, void *ctx)
{
	return run(g, fn, ctx, true);
}
