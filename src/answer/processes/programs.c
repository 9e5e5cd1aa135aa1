/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/processes/programs.h>

#include <errno.h>
#include <exectrace/answer/processes/profile_view.h>
#include <exectrace/answer/recording/program.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

static const struct replay_clock wall = {DATA_CLOCK_MONOTONIC, NS_PER_S};

static const struct table_column columns[] = {
	{"Total", "total", .time = true, .width = 7},
	{"Count", "count", .text = false},
	{"Failed", "failed", .text = false},
	{"In", "recordings", .spare = 4},
	{"Mean", "mean", .time = true, .width = 7},
	{"Worst", "worst", .time = true, .width = 7},
	{"", "worst_pid", .text = false},
	{"", "worst_recording", .text = true},
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
	size_t recordings; /* in so many it is */
	size_t last;       /* the last one of these, from 1 */
	struct profile_use use;
	uint32_t worst;           /* pid of the first process that took longest ... */
	const char *recording;    /* ... and the recording that it is in */
	size_t number;            /* place in the order in which they were added */
	enum profile_order order; /* what it is compared by */
};

struct programs {
	struct program *items;
	size_t n, cap;
	size_t added;
	char **paths; /* of the recordings */
	size_t n_paths, cap_paths;
	struct profile_use all;
};

struct programs *programs_new(void)
{
	return calloc(1, sizeof(struct programs));
}

void programs_free(struct programs *programs)
{
	if (!programs)
		return;
	for (size_t i = 0; i < programs->n; i++)
		free(programs->items[i].name);
	for (size_t i = 0; i < programs->n_paths; i++)
		free(programs->paths[i]);
	free(programs->items);
	free(programs->paths);
	free(programs);
}

/* --- Adding --------------------------------------------------------------------------------------------------------
 */

static int by_name(const void *a, const void *b)
{
	const struct program *one = a, *two = b;
	int order = strcmp(one->name, two->name);

	return order ? order : one->number < two->number ? -1 : 1;
}

static int add_process(struct programs *all, const struct tree_node *node)
{
	cleanup_buf struct buf name = BUF_INIT;
	struct program *program;

	if (program_name(&name, node) || profile_print_fork(&name, node) ||
	    grow_array((void **)&all->items, all->n, &all->cap, sizeof(*all->items)))
		return -ENOMEM;
	program = &all->items[all->n];
	*program = (struct program){.name = buf_steal(&name),
	                            .count = 1,
	                            .failed = profile_failed(node),
	                            .recordings = 1,
	                            .last = all->n_paths,
	                            .worst = node->pid,
	                            .recording = all->paths[all->n_paths - 1],
	                            .number = all->added++};
	if (!program->name)
		return -ENOMEM;
	profile_use_add(&program->use, node);
	all->n++;
	return 0;
}

static void add_use(struct profile_use *to, const struct profile_use *from)
{
	if (from->timed && (!to->timed || from->shortest < to->shortest))
		to->shortest = from->shortest;
	if (from->longest > to->longest)
		to->longest = from->longest;
	to->timed += from->timed;
	to->time += from->time;
	to->cpu |= from->cpu;
	to->io |= from->io;
	to->cpu_time += from->cpu_time;
	if (from->peak > to->peak)
		to->peak = from->peak;
	to->read += from->read;
	to->written += from->written;
}

/* `from` was added later. */
static void merge(struct program *to, struct program *from)
{
	to->count += from->count;
	to->failed += from->failed;
	to->recordings += from->last != to->last;
	to->last = from->last;
	if (from->use.longest > to->use.longest) {
		to->worst = from->worst;
		to->recording = from->recording;
	}
	add_use(&to->use, &from->use);
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
}

int programs_add(struct programs *programs, const struct profile *p, const char *path)
{
	int rc = grow_array((void **)&programs->paths, programs->n_paths, &programs->cap_paths, sizeof(char *));
	char *copy = rc ? NULL : strdup(path);

	if (!copy)
		return -ENOMEM;
	programs->paths[programs->n_paths++] = copy;
	for (const struct profile_row *row = profile_first(p); row && !rc; row = profile_next(row))
		if (row->wanted && !row->node->lost)
			rc = add_process(programs, row->node);
	add_use(&programs->all, profile_all(p));
	sum_up(programs);
	return rc;
}

/* --- Showing -------------------------------------------------------------------------------------------------------
 */

static uint64_t key_of(const struct program *program)
{
	switch (program->order) {
	case PROFILE_CPU:
		return program->use.cpu_time;
	case PROFILE_PEAK:
		return program->use.peak;
	case PROFILE_READ:
		return program->use.read;
	case PROFILE_WRITTEN:
		return program->use.written;
	default:
		return program->use.time;
	}
}

static int largest_first(const void *a, const void *b)
{
	const struct program *one = a, *two = b;
	uint64_t x = key_of(one), y = key_of(two);

	return x != y ? (x > y ? -1 : 1) : strcmp(one->name, two->name);
}

static void put_bytes(struct table *t, bool known, uint64_t bytes)
{
	cleanup_buf struct buf text = BUF_INIT;

	if (known && t->format != TABLE_TEXT) {
		table_number(t, bytes);
		return;
	}
	if (known && !t->err)
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
	table_number(t, program->recordings);
	put_time(t, use->timed, use->timed ? use->time / use->timed : 0);
	put_time(t, use->timed, use->longest);
	if (use->timed)
		table_number(t, program->worst);
	else
		table_text(t, "");
	table_text(t, use->timed ? program->recording : "");
	put_time(t, use->cpu, use->cpu_time);
	put_bytes(t, use->peak, use->peak);
	put_bytes(t, use->io, use->read);
	put_bytes(t, use->io, use->written);
	table_text(t, program->name);
}

static bool is_one_of(const char *key, const char *one, const char *other)
{
	return strcmp(key, one) == 0 || strcmp(key, other) == 0;
}

/* Columns about what nobody knows are left out for people, those about recordings where there is only one. */
static void choose_columns(const struct profile_use *all, bool several, struct table_column *to)
{
	memcpy(to, columns, sizeof(columns));
	for (size_t i = 0; to[i].title; i++) {
		const char *key = to[i].key;

		if ((!all->cpu && strcmp(key, "cpu") == 0) || (!all->peak && strcmp(key, "peak_bytes") == 0) ||
		    (!all->io && is_one_of(key, "read_bytes", "written_bytes")))
			to[i].title = "";
		if (!several && is_one_of(key, "recordings", "worst_recording"))
			to[i] = (struct table_column){.title = ""};
	}
}

int programs_show(struct programs *programs, enum profile_order order, bool several, struct page *page,
                  enum table_format format)
{
	struct table_column shown[sizeof(columns) / sizeof(*columns)];
	struct table t;

	for (size_t i = 0; i < programs->n; i++)
		programs->items[i].order = order;
	if (programs->n)
		qsort(programs->items, programs->n, sizeof(*programs->items), largest_first);
	choose_columns(&programs->all, several, shown);
	table_begin(&t, page, format, shown, wall);
	for (size_t i = 0; i < programs->n; i++)
		put_program(&t, &programs->items[i]);
	return table_end(&t);
}
