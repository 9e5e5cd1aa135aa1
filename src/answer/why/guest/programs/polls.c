/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What programs of a guest tried again and again, in vain. */
#include <exectrace/answer/why/guest/programs/tell.h>

#include <errno.h>
#include <exectrace/answer/format/byte_map.h>
#include <exectrace/answer/why/guest/story/text.h>
#include <exectrace/base/grow.h>
#include <exectrace/target/syscalls/names.h>
#include <stdlib.h>
#include <string.h>

#define TIMES 5u /* that it was tried, at least ... */
#define PART 10u /* ... in the course of this part of the recording */
#define WHAT_MAX 70u
#define BEHIND "            "

/* A call that failed in the same way each time. */
struct polled {
	const struct failure *failure;
	uint32_t process;            /* number of the first that made it */
	uint32_t processes;          /* how many did */
	uint64_t count, first, last; /* last: of events */
};

struct polleds {
	struct byte_map known; /* number + 1 */
	struct polled *items;
	size_t n, cap;
};

static int add(struct polleds *all, uint32_t process, const struct failure *f, struct buf *key)
{
	uint64_t *number = NULL;
	struct polled *one;
	int rc;

	key->len = 0;
	buf_printf(key, "%d %s %s", f->error, f->call, f->what);
	rc = key->err ? key->err : byte_map_find(&all->known, key->data, key->len, &number);
	if (rc)
		return rc;
	if (!*number) {
		rc = grow_array((void **)&all->items, all->n, &all->cap, sizeof(*all->items));
		if (rc)
			return rc;
		all->items[all->n] = (struct polled){.failure = f, .process = process, .first = f->first};
		*number = ++all->n;
	}
	one = &all->items[*number - 1];
	one->processes++;
	one->count += f->count;
	one->first = f->first < one->first ? f->first : one->first;
	one->last = f->last > one->last ? f->last : one->last;
	return 0;
}

static int gather(const struct tell *t, struct polleds *all)
{
	struct buf key = BUF_INIT;
	int rc = 0;

	for (size_t number = 0; number < recording_processes(t->s->recording) && !rc; number++) {
		const struct process_history *p = history_process(&t->s->history, (uint32_t)number);

		for (size_t i = 0; p && i < p->n_failures && !rc; i++)
			if (*p->failures[i].what)
				rc = add(all, (uint32_t)number, &p->failures[i], &key);
	}
	buf_release(&key);
	return rc;
}

static int longest_first(const void *a, const void *b)
{
	const struct polled *one = a, *two = b;
	const uint64_t n = one->last - one->first, m = two->last - two->first;

	return (n < m) - (n > m);
}

static void keep(struct tell *t, const struct polled *one)
{
	struct guest_story *g = t->g;
	const char *error = errno_name(one->failure->error);
	struct guest_poll *poll = &g->polls[g->n_polls++];

	*poll = (struct guest_poll){
		.call = tell_text(t, one->failure->call, strlen(one->failure->call)),
		.what = tell_text(t, one->failure->what, strlen(one->failure->what)),
		.error = error ? error : "?",
		.count = one->count,
		.from = tell_time(t, one->first),
		.to = tell_time(t, one->last),
		.processes = one->processes,
		.by = tell_process(t, recording_process(t->s->recording, one->process)),
	};
}

void polls_tell(struct tell *t)
{
	struct polleds all = {0};
	const int rc = t->g->host ? gather(t, &all) : 0;

	if (rc)
		t->err = rc;
	if (all.n)
		qsort(all.items, all.n, sizeof(*all.items), longest_first);
	for (size_t i = 0; i < all.n && t->g->n_polls < GUEST_TOP; i++)
		if (all.items[i].count >= TIMES && all.items[i].last - all.items[i].first >= t->g->length / PART)
			keep(t, &all.items[i]);
	byte_map_release(&all.known);
	free(all.items);
}

void polls_print(struct buf *out, const struct guest_story *g)
{
	if (g->n_polls)
		buf_puts(out, "  tried again and again, in vain:\n");
	for (size_t i = 0; i < g->n_polls; i++) {
		const struct guest_poll *p = &g->polls[i];

		text_padded(out, g, p->from);
		buf_printf(out, "  %llu x %s(", (unsigned long long)p->count, p->call);
		text_cut(out, p->what, WHAT_MAX);
		buf_printf(out, ") = %s, every ", p->error);
		guest_story_time(out, g, (p->to - p->from) / (p->count - 1));
		buf_puts(out, " until ");
		guest_story_time(out, g, p->to);
		buf_puts(out, "\n" BEHIND "by ");
		command_print(out, &p->by, "");
		if (p->processes > 1)
			buf_printf(out, " and %u more", p->processes - 1);
		buf_putc(out, '\n');
	}
}

void polls_json(struct jsonl *j, const struct guest_story *g)
{
	struct buf all = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < g->n_polls; i++) {
		const struct guest_poll *p = &g->polls[i];

		jsonl_begin(&one);
		jsonl_string(&one, "call", p->call);
		jsonl_string(&one, "what", p->what);
		jsonl_string(&one, "error", p->error);
		jsonl_unsigned(&one, "count", p->count);
		jsonl_unsigned(&one, "start", p->from);
		jsonl_unsigned(&one, "end", p->to);
		jsonl_unsigned(&one, "processes", p->processes);
		command_json(&one, "command", "pid", &p->by);
		jsonl_end(&one);
		jsonl_object(&all, &one);
	}
	jsonl_objects(j, "tried", &all);
	buf_release(&text);
}
