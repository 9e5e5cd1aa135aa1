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

static uint64_t thread(struct summing *s, const struct thread_history *t, uint64_t ended)
{
	uint64_t time = add(s, story_time(s->story, t->thread->start),
	                    t->thread->end ? story_time(s->story, t->thread->end) : ended, 1);
	uint64_t waited = 0;

	for (size_t i = 0; i < t->n; i++)
		waited += add(s, story_time(s->story, t->waits[i].from), story_time(s->story, t->waits[i].to), -1);
	return time > waited ? time - waited : 0;
}

static int add_program(struct summing *s, const struct tree_node *node, uint64_t time)
{
	struct busy *busy = s->busy;
	struct buf text = BUF_INIT;
	struct busy_program *p = NULL;
	const char *name;

	story_program(&text, node);
	name = history_text(&s->story->history, text.data ? text.data : "?", text.len);
	buf_release(&text);
	for (size_t i = 0; i < busy->n && !p; i++)
		if (busy->programs[i].name == name)
			p = &busy->programs[i];
	if (!p) {
		if (grow_array((void **)&busy->programs, busy->n, &busy->cap, sizeof(*p)))
			return -ENOMEM;
		p = &busy->programs[busy->n++];
		*p = (struct busy_program){.name = name};
	}
	p->processes++;
	p->time += time;
	if (time >= p->most) {
		p->most = time;
		p->busiest = node;
	}
	return 0;
}

static int longer_first(const void *a, const void *b)
{
	const struct busy_program *one = a, *two = b;

	return one->time < two->time ? 1 : one->time > two->time ? -1 : 0;
}

/* The threads of a process follow one another by `sibling`. */
static uint64_t process(struct summing *s, const struct tree_node *node)
{
	const struct process_history *p = story_history(s->story, node);
	uint64_t time = 0;

	if (!p)
		s->busy->known = false;
	for (const struct thread_history *t = p ? p->threads : NULL; t; t = t->sibling)
		time += thread(s, t, story_end(s->story, node));
	s->busy->time += time;
	s->busy->processes++;
	return time;
}

int busy_find(struct busy *busy, struct story *s, const struct tree_node *top)
{
	struct summing sum = {.busy = busy, .story = s, .begin = story_start(s, top), .end = story_end(s, top)};
	int err = 0;

	*busy = (struct busy){.known = true};
	for (const struct tree_node *node = top; node && !err; node = process_tree_next(node)) {
		if (node != top && node->depth <= top->depth)
			break;
		err = add_program(&sum, node, process(&sum, node));
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
