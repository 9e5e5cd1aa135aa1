/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <exectrace/answer/processes/profile_view.h>
#include <exectrace/answer/recording/idmap.h>
#include <exectrace/answer/recording/program.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

static const struct replay_clock wall = {DATA_CLOCK_MONOTONIC, NS_PER_S};

/* --- Processes -----------------------------------------------------------------------------------------------------
 */

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

/* --- Programs ------------------------------------------------------------------------------------------------------
 */

static const struct table_column program_columns[] = {
	{"Total", "total", .time = true, .width = 7},
	{"Count", "count", .text = false},
	{"Failed", "failed", .text = false},
	{"Mean", "mean", .time = true, .width = 7},
	{"Worst", "worst", .time = true, .width = 7},
	{"", "worst_pid", .text = false},
	{"CPU", "cpu", .time = true, .width = 7},
	{"Peak", "peak_bytes", .spare = 1},
	{"Read", "read_bytes", .spare = 3},
	{"Written", "written_bytes", .spare = 2},
	{"Program", "program", .left = true, .text = true, .cut = true},
	{0},
};

struct program {
	char *name;
	size_t count, failed;
	struct profile_use use;
	const struct tree_node *worst, *first;
	enum profile_order order; /* as the view has it */
};

struct programs {
	struct program *items;
	size_t n, cap;
};

static int compare(const void *a, const void *b)
{
	const struct program *one = a, *two = b;
	uint64_t x = one->use.time, y = two->use.time;

	if (one->order == PROFILE_CPU)
		x = one->use.cpu_time, y = two->use.cpu_time;
	else if (one->order == PROFILE_PEAK)
		x = one->use.peak, y = two->use.peak;
	else if (one->order == PROFILE_READ)
		x = one->use.read, y = two->use.read;
	else if (one->order == PROFILE_WRITTEN)
		x = one->use.written, y = two->use.written;
	if (x != y)
		return x > y ? -1 : 1;
	return strcmp(one->name, two->name);
}

static int by_name(const void *a, const void *b)
{
	const struct program *one = a, *two = b;
	int order = strcmp(one->name, two->name);

	return order ? order : one->first->index < two->first->index ? -1 : 1;
}

static int add_process(struct programs *all, const struct profile_view *view, const struct tree_node *node)
{
	cleanup_buf struct buf name = BUF_INIT;
	struct program *program;

	if (program_name(&name, node) || profile_print_fork(&name, node) ||
	    grow_array((void **)&all->items, all->n, &all->cap, sizeof(*all->items)))
		return -ENOMEM;
	program = &all->items[all->n++];
	*program = (struct program){.name = buf_steal(&name),
	                            .count = 1,
	                            .failed = profile_failed(node),
	                            .worst = node,
	                            .first = node,
	                            .order = view->order};
	profile_use_add(&program->use, node);
	return program->name ? 0 : -ENOMEM;
}

static void merge(struct program *to, struct program *from)
{
	to->count += from->count;
	to->failed += from->failed;
	if (from->use.longest > to->use.longest)
		to->worst = from->worst;
	profile_use_add(&to->use, from->first);
	free(from->name);
}

/* Those of the same name become one. */
static void sum_up(struct programs *all)
{
	size_t n = 0;

	if (!all->n)
		return;
	qsort(all->items, all->n, sizeof(*all->items), by_name);
	for (size_t i = 1; i < all->n; i++) {
		if (strcmp(all->items[n].name, all->items[i].name) == 0)
			merge(&all->items[n], &all->items[i]);
		else
			all->items[++n] = all->items[i];
	}
	all->n = n + 1;
	qsort(all->items, all->n, sizeof(*all->items), compare);
}

static void put_bytes(struct table *t, bool known, uint64_t bytes)
{
	cleanup_buf struct buf text = BUF_INIT;

	if (t->format != TABLE_TEXT || !known) {
		put_number(t, known, bytes);
		return;
	}
	if (!t->err)
		t->err = profile_print_bytes(&text, bytes);
	table_text(t, text.data ? text.data : "");
}

static void put_time(struct table *t, bool known, uint64_t time)
{
	if (known)
		table_ticks(t, time);
	else
		table_text(t, "");
}

static void put_program(struct table *t, const struct program *program)
{
	const struct profile_use *use = &program->use;

	put_time(t, use->timed, use->time);
	table_number(t, program->count);
	table_number(t, program->failed);
	put_time(t, use->timed, use->timed ? use->time / use->timed : 0);
	put_time(t, use->timed, use->longest);
	put_number(t, use->timed, program->worst->pid);
	put_time(t, use->cpu, use->cpu_time);
	put_bytes(t, use->peak, use->peak);
	put_bytes(t, use->io, use->read);
	put_bytes(t, use->io, use->written);
	table_text(t, program->name);
}

/* Columns about what nobody knows are left out for people. */
static void choose_columns(const struct profile_use *all, struct table_column *to)
{
	memcpy(to, program_columns, sizeof(program_columns));
	for (size_t i = 0; to[i].title; i++) {
		const char *key = to[i].key;

		if ((!all->cpu && strcmp(key, "cpu") == 0) || (!all->peak && strcmp(key, "peak_bytes") == 0) ||
		    (!all->io && (strcmp(key, "read_bytes") == 0 || strcmp(key, "written_bytes") == 0)))
			to[i].title = "";
	}
}

int profile_show_programs(const struct profile_view *view, const struct profile *p)
{
	struct table_column shown[sizeof(program_columns) / sizeof(*program_columns)];
	struct programs all = {0};
	struct table t;
	int rc = 0, end;

	for (const struct profile_row *row = profile_first(p); row && !rc; row = profile_next(row))
		if (row->wanted && !row->node->lost)
			rc = add_process(&all, view, row->node);
	if (!rc)
		sum_up(&all);
	choose_columns(profile_all(p), shown);
	table_begin(&t, view->page, view->format, shown, wall);
	for (size_t i = 0; i < all.n && !rc; i++)
		put_program(&t, &all.items[i]);
	end = table_end(&t);
	for (size_t i = 0; i < all.n; i++)
		free(all.items[i].name);
	free(all.items);
	return rc ? rc : end;
}
