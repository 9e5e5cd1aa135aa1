/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slower.h"

#include <errno.h>
#include <exectrace/answer/causes/difference.h>
#include <exectrace/answer/why/page/page.h>
#include <exectrace/base/clock.h>
#include <stdlib.h>

#define ROWS_MAX 8
#define GROUPS_MAX 400u             /* of a chain that are compared: those that took most */
#define SLOWER_PART 10              /* of the good run's time */
#define SLOWER_MIN (20 * NS_PER_MS) /* and so much */
#define ROW_PART 20                 /* of what it took longer, at least that much is in a row */

/* A group of a chain, and what it did. */
struct part {
	const struct critical_group *group;
	struct buf what;
	uint64_t before; /* what it took in the good run */
	bool paired;
};

struct chain {
	struct why why; /* its story alone, for the texts of pages */
	struct part *parts;
	size_t n;
};

static uint64_t took(const struct story *s, const struct tree_node *node)
{
	return story_end(s, node) - story_start(s, node);
}

static int chain_find(struct chain *chain, struct story *s, const struct tree_node *top)
{
	int err = critical_find(&chain->why.critical, s, top);

	chain->why.story = *s;
	if (err)
		return err;
	chain->n = chain->why.critical.n_groups < GROUPS_MAX ? chain->why.critical.n_groups : GROUPS_MAX;
	chain->parts = calloc(chain->n ? chain->n : 1, sizeof(*chain->parts));
	if (!chain->parts)
		return -ENOMEM;
	for (size_t i = 0; i < chain->n; i++) {
		struct part *part = &chain->parts[i];

		part->group = &chain->why.critical.groups[i];
		if (part->group->wait)
			page_wait(&chain->why, part->group->wait, &part->what);
		else
			buf_puts(&part->what, "computing");
		err = part->what.err ? part->what.err : err;
	}
	return err;
}

static void chain_release(struct chain *chain)
{
	for (size_t i = 0; chain->parts && i < chain->n; i++)
		buf_release(&chain->parts[i].what);
	free(chain->parts);
	critical_release(&chain->why.critical);
}

static void pair(struct chain *good, struct part *part)
{
	for (size_t i = 0; i < good->n; i++) {
		struct part *other = &good->parts[i];

		if (other->paired || !difference_alike(other->group->programs, part->group->programs) ||
		    !difference_alike(other->group->script, part->group->script) ||
		    !difference_alike(other->what.data, part->what.data))
			continue;
		other->paired = true;
		part->before = other->group->time;
		return;
	}
}

static uint64_t longer_by(const struct part *part)
{
	return part->group->time > part->before ? part->group->time - part->before : 0;
}

static int by_most(const void *a, const void *b)
{
	uint64_t one = longer_by(a), two = longer_by(b);

	return one < two ? 1 : one > two ? -1 : 0;
}

static void row(const struct part *part, struct buf *out)
{
	struct buf time = BUF_INIT;

	clock_print(&time, longer_by(part));
	buf_printf(out, "  +%-7s  ", time.data ? time.data : "");
	buf_release(&time);
	page_process_as(out, part->group->latest, part->group->command, COMMAND_MAX);
	buf_printf(out, ": %s: ", part->what.data);
	clock_print(out, part->group->time);
	if (part->before) {
		buf_puts(out, " instead of ");
		clock_print(out, part->before);
	} else {
		buf_puts(out, ", in GOOD none");
	}
	buf_putc(out, '\n');
}

static void rows(struct chain *good, struct chain *bad, uint64_t longer, struct buf *out)
{
	for (size_t i = 0; i < bad->n; i++)
		pair(good, &bad->parts[i]);
	qsort(bad->parts, bad->n, sizeof(*bad->parts), by_most);
	for (size_t i = 0; i < bad->n && i < ROWS_MAX && longer_by(&bad->parts[i]) >= longer / ROW_PART; i++) {
		if (i == 0)
			buf_puts(out, "\nWhat took longer, on the critical chain\n");
		row(&bad->parts[i], out);
	}
}

int page_slower(struct story *good_run, const struct tree_node *good, struct story *bad_run,
                const struct tree_node *bad, struct buf *out)
{
	uint64_t before = took(good_run, good), now = took(bad_run, bad);
	struct chain one = {0}, two = {0};
	int err;

	if (now < before + before / SLOWER_PART || now - before < SLOWER_MIN)
		return 0;
	err = chain_find(&one, good_run, good);
	if (!err)
		err = chain_find(&two, bad_run, bad);
	if (!err)
		rows(&one, &two, now - before, out);
	chain_release(&one);
	chain_release(&two);
	return err;
}
