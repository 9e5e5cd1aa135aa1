/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <exectrace/answer/processes/profile_view.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>

static const struct replay_clock wall = {DATA_CLOCK_MONOTONIC, NS_PER_S};

static const struct table_column columns[] = {
	{"", "pid", .text = false},           {"", "parent", .text = false},     {"", "depth", .text = false},
	{"", "start", .time = true},          {"", "duration", .time = true},    {"", "status", .text = true},
	{"", "picked", .text = true},         {"", "command", .text = true},     {"", "user", .time = true},
	{"", "system", .time = true},         {"", "peak_bytes", .text = false}, {"", "read_bytes", .text = false},
	{"", "written_bytes", .text = false}, {"", "critical", .text = true},    {0},
};

/* A number; nothing when it is unknown. */
static void put_number(struct table *t, bool known, uint64_t number)
{
	if (known)
		table_number(t, number);
	else
		table_text(t, "");
}

static void put_process(struct table *t, const struct profile_view *view, const struct profile *p,
                        const struct tree_node *node)
{
	cleanup_buf struct buf command = BUF_INIT, end = BUF_INIT;
	const struct exec_usage *usage = &node->end.usage;
	uint64_t time = 0;
	bool timed = profile_time(node, &time);

	if (!t->err)
		t->err = profile_print_commands(&command, node, SIZE_MAX);
	if (!t->err && !node->lost)
		t->err = exec_print_end(&end, &node->end);
	table_number(t, node->pid);
	table_number(t, node->parent_pid);
	table_number(t, node->depth);
	table_number(t, node->start ? node->start - view->start : 0);
	put_number(t, timed, time);
	table_text(t, end.data ? end.data : "");
	table_text(t, node->picked ? "yes" : "no");
	table_text(t, command.data ? command.data : "");
	put_number(t, usage->cpu, usage->user);
	put_number(t, usage->cpu, usage->system);
	put_number(t, usage->peak, usage->peak);
	put_number(t, usage->io, usage->read);
	put_number(t, usage->io, usage->written);
	table_text(t, profile_is_critical(p, node->index) ? "yes" : "no");
}

int profile_show_rows(const struct profile_view *view, const struct profile *p)
{
	struct table t;

	table_begin(&t, view->page, view->format, columns, wall);
	for (const struct profile_row *row = profile_first(p); row; row = profile_next(row))
		if (row->wanted)
			put_process(&t, view, p, row->node);
	return table_end(&t);
}
