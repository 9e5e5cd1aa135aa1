/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/causes/busy.h>

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>

/* What is added up, and for which time. */
struct summing {
	struct busy *busy;
	struct story *story;
	uint64_t begin, end; /* of the top process */
};

/* A stretch in which a thread was there (sign 1), or waited (-1). How long it is, as far as it counts. */
static uint64_t add(struct summing *s, uint64_t from, uint64_t to, int sign)
{
	uint64_t width = (s->end - s->begin) / BUSY_COLUMNS + 1;

	from = from > s->begin ? from - s->begin : 0;
	to = to < s->end ? to : s->end;
	to = to > s->begin ? to - s->begin : 0;
	for (uint64_t at = from, next; at < to; at = next) {
		next = (at / width + 1) * width < to ? (at / width + 1) * width : to;
		/* Times may be anything: sums are modulo 2^64. */
		s->busy->columns[at / width] =
			(int64_t)((uint64_t)s->busy->columns[at / width] + (sign < 0 ? at - next : next - at));
	}
	return to > from ? to - from : 0;
}

/* A time that is cut to a span. */
static uint64_t within(uint64_t time, uint64_t from, uint64_t to)
{
	return time < from ? from : time > to ? to : time;
}

/* How long a thread did not wait from one time to another. */
static uint64_t thread(struct summing *s, const struct thread_history *t, uint64_t from, uint64_t to)
{
	uint64_t end = t->thread->end ? story_time(s->story, t->thread->end) : to;
	uint64_t time = add(s, within(story_time(s->story, t->thread->start), from, to), within(end, from, to), 1);
	uint64_t waited = 0;

	for (size_t i = 0; i < t->n; i++)
		waited += add(s, within(story_time(s->story, t->waits[i].from), from, to),
		              within(story_time(s->story, t->waits[i].to), from, to), -1);
	return time > waited ? time - waited : 0;
}

static struct busy_program *program_of(struct summing *s, const char *command)
{
	struct busy *busy = s->busy;
	struct buf text = BUF_INIT;
	const char *name, *script;
	size_t n;

	story_program_of(&text, command);
	script = story_script(command, &n);
	if (n && !buf_putc(&text, ' '))
		buf_append(&text, script, n);
	name = history_text(&s->story->history, text.data ? text.data : "?", text.len);
	buf_release(&text);
	for (size_t i = 0; i < busy->n; i++)
		if (busy->programs[i].name == name)
			return &busy->programs[i];
	if (grow_array((void **)&busy->programs, busy->n, &busy->cap, sizeof(*busy->programs)))
		return NULL;
	busy->programs[busy->n] = (struct busy_program){.name = name};
	return &busy->programs[busy->n++];
}

static int add_program(struct summing *s, const struct tree_node *node, const char *command, uint64_t time)
{
	struct busy_program *p = program_of(s, command);

	if (!p)
		return -ENOMEM;
	p->processes++;
	p->time += time;
	if (time >= p->most) {
		p->most = time;
		p->busiest = node;
		p->command = command;
	}
	return 0;
}

static int longer_first(const void *a, const void *b)
{
	const struct busy_program *one = a, *two = b;

	return one->time < two->time ? 1 : one->time > two->time ? -1 : 0;
}

/* What a process did while it ran one program. The threads of a process follow one another by `sibling`. */
static int while_it_ran(struct summing *s, const struct tree_node *node, uint64_t from, uint64_t to)
{
	const struct process_history *p = story_history(s->story, node);
	uint64_t time = 0;

	for (const struct thread_history *t = p ? p->threads : NULL; t; t = t->sibling)
		time += thread(s, t, from, to);
	s->busy->time += time;
	return add_program(s, node, story_command_at(s->story, node, to ? to - 1 : 0), time);
}

static int process(struct summing *s, const struct tree_node *node)
{
	uint64_t from = story_start(s->story, node), end = story_end(s->story, node);
	int err = 0;

	if (!story_history(s->story, node))
		s->busy->known = false;
	s->busy->processes++;
	/* What a shell does between its fork and the exec is not worth a row. */
	for (unsigned i = 1; i < node->n_commands && !err; i++) {
		uint64_t exec = story_exec(s->story, node, i);

		if (exec <= from || exec >= end)
			continue;
		err = while_it_ran(s, node, from, exec);
		from = exec;
	}
	return err ? err : while_it_ran(s, node, from, end);
}

int busy_find(struct busy *busy, struct story *s, const struct tree_node *top)
{
	struct summing sum = {.busy = busy, .story = s, .begin = story_start(s, top), .end = story_end(s, top)};
	int err = 0;

	*busy = (struct busy){.known = true};
	for (const struct tree_node *node = top; node && !err; node = process_tree_next(node)) {
		if (node != top && node->depth <= top->depth)
			break;
		err = process(&sum, node);
	}
	if (busy->n)
		qsort(busy->programs, busy->n, sizeof(*busy->programs), longer_first);
	return err;
}

void busy_release(struct busy *busy)
{
	free(busy->programs);
	*busy = (struct busy){0};
}
