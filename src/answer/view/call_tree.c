/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/view/call_tree.h>
#include <exectrace/answer/view/sample_columns.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>

#define FRAMES 8u /* of a path that people see */

static int add_guest(struct call_tree *c, struct recording *r, size_t file, struct buf *err)
{
	struct replay *p = NULL;
	struct functions_options which;
	int rc = guest_open(&p, c->guest, c->analysis, r, file, err);

	if (rc)
		return rc;
	if (!c->tree) {
		c->clock = replay_clock(p);
		c->tree = calltree_new();
	}
	which = guest_options(c->guest, c->analysis, p);
	which.interrupted = c->interrupted;
	which.elapsed = c->elapsed &= c->clock.hz && !replay_file(p)->guest_hz;
	if (c->clock.hz != replay_clock(p).hz || c->clock.kind != replay_clock(p).kind)
		rc = buf_puts(err, GUEST_CLOCKS_DIFFER) ? -ENOMEM : -EINVAL;
	else
		rc = c->tree ? calltree_replay(c->tree, p, &which) : -ENOMEM;
	replay_free(p);
	return rc;
}

static int add_guests(struct call_tree *c, struct recording *r, size_t file, struct buf *err)
{
	int rc = 0;

	for (; file < recording_files(r) && !rc; file++)
		if (recording_file(r, file)->guest_clock != DATA_CLOCK_NONE)
			rc = add_guest(c, r, file, err);
	return rc;
}

/* The next of several recordings that is of guests, or is not: 1; 0: there is none; -errno. */
static int next_recording(struct call_tree *c, bool guest, struct recording **r, size_t *file, struct buf *err)
{
	int rc;

	while (c->several && (rc = several_next(c->several, r, err)) != 0) {
		cleanup_buf struct buf why = BUF_INIT;
		int guests = rc < 0 ? 0 : guest_files(c->analysis, *r, file, &why);

		if (rc < 0 || (guests >= 0 && guest == (guests > 0)))
			return rc;
		several_skip(c->several, why.len ? why.data : guest ? SEVERAL_CALLS : SEVERAL_GUEST);
	}
	return 0;
}

int call_tree_guests(struct call_tree *c, struct recording *r, size_t file, struct buf *err)
{
	int more, rc = guest_check(c->analysis, false, err);

	if (!rc)
		rc = add_guests(c, r, file, err);
	while (!rc && (more = next_recording(c, true, &r, &file, err)) != 0)
		rc = more < 0 ? more : add_guests(c, r, file, err);
	return rc ? rc : calltree_finish(c->tree);
}

/* Adds the selected events of a recording. 0 or -ENOMEM. */
static int add_events(struct call_tree *c, struct calltree_stacks *stacks, struct recording *r)
{
	struct recorded_event event;
	int rc = 0;

	while (!rc && (rc = recording_next(r, &event)) == 1)
		rc = call_selected(&c->analysis->select, &event) ? calltree_stacks_add(stacks, &event) : 0;
	return rc;
}

static int add_calls(struct call_tree *c, struct recording *r, struct buf *err)
{
	const struct calltree_stacks_options options = {
		.keys = CALLTREE_MODULE | CALLTREE_NAME,
		.calls = "",
		.unknown = "",
		.nowhere = true,
		.count = true,
	};
	struct calltree_stacks *stacks = calltree_stacks_new(c->tree, r, &options);
	size_t file;
	int more, rc = stacks ? add_events(c, stacks, r) : -ENOMEM;

	while (!rc && c->several) {
		calltree_stacks_leave(stacks);
		more = next_recording(c, false, &r, &file, err);
		if (more <= 0) {
			rc = more;
			break;
		}
		calltree_stacks_join(stacks, r);
		rc = add_events(c, stacks, r);
	}
	c->called = !rc && calltree_stacks_sum(stacks)->calls;
	c->sampled = !rc && calltree_stacks_sum(stacks)->samples;
	calltree_stacks_free(stacks);
	return rc;
}

int call_tree_calls(struct call_tree *c, struct recording *r, struct buf *err)
{
	int rc;

	if (c->guest->any)
		return buf_puts(err, GUEST_NOT_CALLS) ? -ENOMEM : -EINVAL;
	c->clock = (struct replay_clock){DATA_CLOCK_MONOTONIC, NS_PER_S};
	c->tree = calltree_new();
	rc = c->tree ? add_calls(c, r, err) : -ENOMEM;
	if (c->sampled && c->called)
		return buf_puts(err, ANALYSIS_BOTH) ? -ENOMEM : -EINVAL;
	if (rc)
		return rc;
	calltree_sum(c->tree, true);
	return calltree_finish(c->tree);
}

const struct table_column *call_tree_columns(struct call_tree *c, const struct table_column *columns)
{
	if (!c->sampled)
		return columns;
	sample_columns(columns, c->columns);
	return c->columns;
}

int call_tree_open(struct call_tree *c, struct recording **r, const char *path, struct buf *err)
{
	const struct recording_options options = {.names = true, .by_files = true};
	size_t file;
	int rc = analysis_open(c->analysis, r, path, &options, err);

	if (!rc)
		rc = guest_files(c->analysis, *r, &file, err);
	if (rc < 0)
		return rc;
	c->elapsed &= rc > 0;
	return rc ? call_tree_guests(c, *r, file, err) : call_tree_calls(c, *r, err);
}

int call_tree_path(struct buf *out, const struct calltree *tree, uint32_t node, bool people)
{
	size_t n;
	const struct calltree_node *nodes = calltree_nodes(tree, &n);
	const struct calltree_function *functions = calltree_functions(tree, &n);
	size_t depth = 0;
	int rc = 0;

	for (uint32_t i = node; i != CALLTREE_ROOT; i = nodes[i].parent)
		depth++;
	for (size_t at = 0; at < depth && !rc; at++) {
		uint32_t i = node;

		if (people && at == FRAMES)
			return buf_printf(out, " < %zu more", depth - at);
		for (size_t up = people ? at : depth - 1 - at; up; up--)
			i = nodes[i].parent;
		rc = at ? buf_puts(out, people ? " < " : ";") : 0;
		if (!rc)
			rc = buf_puts(out, functions[nodes[i].function].name);
	}
	return rc;
}
