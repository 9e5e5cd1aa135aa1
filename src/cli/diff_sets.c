/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff_sets.h"

#include <errno.h>
#include <exectrace/answer/sets/facts.h>
#include <exectrace/answer/sets/sets_facts.h>
#include <exectrace/answer/view/call_tree.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>

struct reading {
	const struct diff_sets *sets;
	struct measures *measures;
	struct replay_clock clock;
	size_t read;          /* recordings */
	bool guests;          /* they are of guests, as the first one was */
	bool stacked;         /* there are paths to calls */
	bool sampled, called; /* what was in them */
};

/* What is added up while the events of a recording are read. */
struct adding {
	struct call_select *select;
	struct summary *errors;
	struct calltree_stacks *stacks; /* NULL: nobody asks for them */
	bool processes;                 /* there are some */
	int rc;
};

static void add_event(void *ctx, const struct recorded_event *event)
{
	struct adding *to = ctx;

	if (to->rc || !call_selected(to->select, event))
		return;
	to->rc = summary_add(to->errors, event);
	if (!to->rc && to->stacks)
		to->rc = calltree_stacks_add(to->stacks, event);
}

static int add_tree(struct reading *reading, struct calltree *tree)
{
	const struct sets_table *table = &reading->sets->table;
	int rc = table->functions ? facts_add_functions(reading->measures, tree) : 0;

	return rc || !table->paths ? rc : facts_add_paths(reading->measures, tree, call_tree_path);
}

/* What needs no clock; fills the stacks on the way. */
static int add_facts(struct measures *m, struct adding *to, struct recording *r)
{
	struct process_tree *processes = NULL;
	int rc;

	to->errors = summary_new(r, SUMMARY_ERROR, 0);
	rc = to->errors ? process_tree_new(&processes, r, add_event, to) : -ENOMEM;
	rc = rc ? rc : to->rc;
	if (!rc)
		rc = facts_add_processes(m, processes, r);
	if (!rc)
		rc = facts_add_errors(m, to->errors, r);
	to->processes = !rc && process_tree_first(processes);
	process_tree_free(processes);
	summary_free(to->errors);
	return rc;
}

/* A recording of system calls or samples, or of execs alone. */
static int read_calls(struct reading *reading, struct recording *r)
{
	const struct calltree_stacks_options options = {.keys = CALLTREE_MODULE | CALLTREE_NAME,
	                                                .calls = "",
	                                                .unknown = "",
	                                                .nowhere = true,
	                                                .count = true};
	struct calltree *tree = calltree_new();
	struct adding to = {.select = &reading->sets->analysis->select};
	int rc;

	to.stacks = tree ? calltree_stacks_new(tree, r, &options) : NULL;
	rc = to.stacks ? add_facts(reading->measures, &to, r) : -ENOMEM;
	if (!rc) {
		reading->sampled |= calltree_stacks_sum(to.stacks)->samples != 0;
		reading->called |= calltree_stacks_sum(to.stacks)->calls != 0;
		reading->stacked |= calltree_stacks_sum(to.stacks)->stacked != 0;
		calltree_sum(tree, true);
		rc = calltree_finish(tree);
	}
	if (!rc)
		rc = add_tree(reading, tree);
	calltree_stacks_free(to.stacks);
	calltree_free(tree);
	return rc;
}

int diff_sets_facts(struct buf *out, struct analysis *analysis, const char *a, size_t limit)
{
	const struct recording_options options = {.no_guests = true};
	struct measures *m = measures_new();
	int rc = m ? 0 : -ENOMEM;

	for (unsigned side = 0; side < SIDES && !rc; side++) {
		struct adding to = {.select = &analysis->select};
		cleanup_buf struct buf ignored = BUF_INIT;
		struct recording *r = NULL;

		rc = recording_open(&r, side == SIDE_A ? a : analysis->data, &options, &ignored);
		if (!rc)
			rc = measures_begin(m, side);
		if (!rc)
			rc = add_facts(m, &to, r);
		if (!rc && !to.processes)
			rc = -ENOENT;
		recording_close(r);
	}
	/* Its damage was said when its calls were read. */
	if (!rc)
		rc = sets_facts_print(out, m, limit);
	measures_free(m);
	return rc == -ENOMEM ? rc : 0;
}

static int read_guests(struct reading *reading, struct recording *r, size_t file, struct buf *err)
{
	struct call_tree made = {.analysis = reading->sets->analysis, .guest = reading->sets->guest};
	struct process_tree *processes = NULL;
	int rc = process_tree_new(&processes, r, NULL, NULL);

	if (!rc)
		rc = facts_add_processes(reading->measures, processes, r);
	if (!rc)
		rc = call_tree_guests(&made, r, file, err);
	if (!rc && reading->read == 1)
		reading->clock = made.clock;
	reading->stacked = true;
	if (!rc && (made.clock.hz != reading->clock.hz || made.clock.kind != reading->clock.kind))
		rc = buf_puts(err, GUEST_CLOCKS_DIFFER) ? -ENOMEM : -EINVAL;
	if (!rc)
		rc = add_tree(reading, made.tree);
	process_tree_free(processes);
	calltree_free(made.tree);
	return rc;
}

/* One of the first recording's kind is read; another one is left out. */
static int read_one(struct reading *reading, struct several *several, struct recording *r, struct buf *err)
{
	unsigned side = several->paths == reading->sets->analysis->more ? SIDE_A : SIDE_B;
	size_t file;
	int rc, guests = guest_files(reading->sets->analysis, r, &file, err);

	if (guests < 0)
		return guests;
	if (!reading->read)
		reading->guests = guests > 0;
	if (reading->guests != (guests > 0)) {
		several_skip(several, guests ? SEVERAL_GUEST : SEVERAL_CALLS);
		return 0;
	}
	rc = measures_begin(reading->measures, side);
	reading->read++;
	if (rc)
		return rc;
	return guests ? read_guests(reading, r, file, err) : read_calls(reading, r);
}

static int read_side(struct reading *reading, enum measure_side side, struct recording *r[], struct buf *err)
{
	const struct recording_options options = {.names = true};
	struct analysis *a = reading->sets->analysis;
	struct several several = {
		.analysis = a,
		.options = &options,
		.r = &r[0],
		.paths = side == SIDE_A ? a->more : a->more + a->split,
		.n_paths = side == SIDE_A ? a->split : a->n_more - a->split,
	};
	struct recording *one;
	int rc;

	while ((rc = several_next(&several, &one, err)) > 0) {
		rc = read_one(reading, &several, one, err);
		if (rc)
			return rc;
	}
	if (!rc && !measures_recordings(reading->measures, side))
		rc = buf_printf(err, "no recording of side %c is of use", 'A' + (int)side) ? -ENOMEM : -EINVAL;
	return rc;
}

int diff_sets_run(const struct diff_sets *sets, struct recording *r[ANALYSIS_RECORDINGS], struct buf *err)
{
	struct analysis *a = sets->analysis;
	struct reading reading = {.sets = sets, .measures = measures_new(), .clock = {DATA_CLOCK_MONOTONIC, NS_PER_S}};
	struct sets_table table = sets->table;
	struct page page;
	int rc = reading.measures ? 0 : -ENOMEM;

	a->execs = true;
	for (unsigned side = 0; side < SIDES && !rc; side++)
		rc = read_side(&reading, side, r, err);
	if (!rc && reading.sampled && reading.called)
		rc = buf_puts(err, ANALYSIS_BOTH) ? -ENOMEM : -EINVAL;
	if (!rc) {
		table.measures = reading.measures;
		table.clock = reading.clock;
		table.paths &= reading.stacked || !table.functions;
		table.sides[SIDE_A] = a->more[0];
		table.sides[SIDE_B] = a->more[a->split];
		analysis_page(a, &page);
		rc = page_end(&page, sets_table_show(&table, &page));
	}
	measures_free(reading.measures);
	return rc;
}
