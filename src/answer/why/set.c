/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "set.h"

#include <ctype.h>
#include <errno.h>
#include <exectrace/answer/causes/difference.h>
#include <exectrace/answer/why/failure/calls.h>
#include <exectrace/answer/why/failure/cause.h>
#include <exectrace/answer/why/failure/failure.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/grow.h>
#include <exectrace/target/syscalls/names.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define SHARE_MIN 100u     /* of a run: a wait that took less than such a part is not kept */
#define MESSAGE_MAX 300u   /* bytes of a message that count, ... */
#define MESSAGE_SHOWN 180u /* ... and that are shown */

struct why_set *why_set_new(void)
{
	return calloc(1, sizeof(struct why_set));
}

static void release(struct set_groups *groups)
{
	for (size_t i = 0; i < groups->n; i++)
		strv_release(&groups->items[i].recordings);
	free(groups->items);
	idmap_release(&groups->by_key);
}

void why_set_free(struct why_set *set)
{
	if (!set)
		return;
	release(&set->outcomes);
	release(&set->causes);
	release(&set->waits);
	pool_release(&set->texts);
	free(set->times);
	free(set);
}

/* --- Keys --------------------------------------------------------------------------------------------------------- */

/* A time has another unit when it is shorter: what follows a number that may be one is left out. */
static void strip_units(struct buf *key, const char *text)
{
	for (; *text; text++) {
		buf_putc(key, *text);
		if (*text != '0')
			continue;
		while (text[1] && strchr("0.hmnus", text[1]))
			text++;
	}
}

/* Adds to a key a text without what differs from run to run. */
static void add_alike(struct buf *key, const struct why *why, const char *text)
{
	cleanup_buf struct buf plain = BUF_INIT;

	difference_key(&plain, text, why->story.root ? story_cwd(&why->story, why->story.root) : "");
	buf_fail(key, plain.err);
	buf_putc(key, '\n');
	strip_units(key, plain.data ? plain.data : "");
}

/* --- Groups ------------------------------------------------------------------------------------------------------- */

static const char *keep(struct why_set *set, const struct buf *text)
{
	const char *kept = NULL;

	if (text->err || pool_text(&set->texts, text->len ? text->data : "", text->len, &kept, NULL))
		return NULL;
	return kept;
}

/* The group of a key, with the recording in it, made when there is none. NULL: no memory. */
static struct set_group *group_of(struct why_set *set, struct set_groups *groups, const struct buf *key,
                                  const char *path)
{
	const char *text;
	uint32_t number;
	size_t at;

	if (key->err || pool_text(&set->texts, key->len ? key->data : "", key->len, &text, &number))
		return NULL;
	at = (size_t)(uintptr_t)idmap_get(&groups->by_key, number, 0);
	if (!at) {
		if (grow_array((void **)&groups->items, groups->n, &groups->cap, sizeof(*groups->items)))
			return NULL;
		groups->items[groups->n++] = (struct set_group){0};
		at = groups->n;
		if (idmap_put(&groups->by_key, number, 0, (char *)at))
			return NULL;
	}
	if (groups->items[at - 1].last != set->recordings) {
		if (strv_push(&groups->items[at - 1].recordings, path))
			return NULL;
		groups->items[at - 1].last = set->recordings;
	}
	return &groups->items[at - 1];
}

/* --- Causes ------------------------------------------------------------------------------------------------------- */

/* The last line that it wrote, to standard error if there is one. False: nothing. */
static bool last_line(const struct process_history *p, struct buf *out)
{
	size_t n;
	const char *line = page_last_line(p, p && p->wrote[OUTPUT_STDERR] ? OUTPUT_STDERR : OUTPUT_STDOUT, &n);

	buf_append(out, line, n < MESSAGE_MAX ? n : MESSAGE_MAX);
	return n != 0;
}

static void add_call(struct buf *key, const struct why *why, const struct failure *f)
{
	buf_printf(key, "\n%s %d", f->call, f->error);
	add_alike(key, why, f->what);
}

/* What failures of one cause have in common. */
static void failure_key(struct buf *key, const struct why *why, const struct tree_node *node)
{
	const struct process_history *p = story_history(&why->story, node);
	cleanup_buf struct buf name = BUF_INIT, text = BUF_INIT;
	bool told = false;
	const struct failure *f = p ? page_first_call(p, &told) : NULL;

	if (program_name(&name, node) || exec_print_end(key, &node->end))
		buf_fail(key, -ENOMEM);
	add_alike(key, why, name.data ? name.data : "");
	if (WIFSIGNALED(node->end.wait_status)) {
		page_killed(why, node, &text);
		add_alike(key, why, text.data ? text.data : "");
	} else if (!(f && told) && last_line(p, &text)) {
		add_alike(key, why, text.data);
	} else if (f) {
		add_call(key, why, f);
	} else {
		add_alike(key, why, program_command(node));
	}
}

/* The programs from the top down to where it began. */
static void chain(const struct why *why, struct buf *out)
{
	const struct failure_chain *c = &why->chain;

	if (c->n < 2)
		return;
	buf_puts(out, "  in ");
	for (size_t i = 0; i < c->n; i++) {
		cleanup_buf struct buf name = BUF_INIT;

		if (i && i + 4 < c->n) {
			if (i == 1)
				buf_puts(out, " > ...");
			continue;
		}
		if (program_name(&name, c->nodes[i]))
			buf_fail(out, -ENOMEM);
		buf_puts(out, i ? " > " : "");
		page_foreign(out, name.data ? name.data : "", COMMAND_MAX);
	}
	buf_putc(out, '\n');
}

/* What a paragraph says of the first recording that has it. */
static void failure_text(struct buf *out, const struct why *why, const struct tree_node *node)
{
	const struct process_history *p = story_history(&why->story, node);
	cleanup_buf struct buf line = BUF_INIT;
	const struct failure *f;
	bool told = false;

	chain(why, out);
	if (last_line(p, &line)) {
		buf_puts(out, "    | ");
		page_foreign(out, line.data, MESSAGE_SHOWN);
		buf_putc(out, '\n');
	}
	if (WIFSIGNALED(node->end.wait_status))
		page_killed(why, node, out);
	page_last_wait(why, node, out);
	f = p ? page_first_call(p, &told) : NULL;
	if (!f)
		return;
	page_call_line(why, p, f, told, out);
	page_limit_behind(why, node, f, out);
}

static int add_cause(struct why_set *set, const struct buf *key, const struct buf *title, const struct buf *text,
                     const char *path)
{
	struct set_group *group = group_of(set, &set->causes, key, path);

	if (!group)
		return -ENOMEM;
	if (group->title)
		return 0;
	group->title = keep(set, title);
	group->text = keep(set, text);
	return group->title && group->text ? 0 : -ENOMEM;
}

static int add_failure(struct why_set *set, const struct why *why, const char *path)
{
	const struct tree_node *node = why->chain.nodes[why->chain.n - 1];
	cleanup_buf struct buf key = BUF_INIT, title = BUF_INIT, text = BUF_INIT;

	failure_key(&key, why, node);
	page_process(&title, node, COMMAND_MAX);
	buf_puts(&title, ": ");
	page_end_of(&title, node);
	failure_text(&text, why, node);
	return add_cause(set, &key, &title, &text, path);
}

/* Of its own will a guest ends by reboot(2); it may run on when its recording ends. */
static bool is_trouble(const struct guest_story *g)
{
	return g->count[GUEST_PANIC] || g->count[GUEST_OOPS] || g->count[GUEST_HANG] || g->count[GUEST_OOM];
}

static int add_guest(struct why_set *set, const struct why *why, const struct guest_story *g, const char *path)
{
	cleanup_buf struct buf key = BUF_INIT, title = BUF_INIT, text = BUF_INIT;

	buf_puts(&title, "a guest: ");
	guest_story_outcome(&title, g);
	add_alike(&key, why, title.data ? title.data : "");
	return add_cause(set, &key, &title, &text, path);
}

/* --- Waits -------------------------------------------------------------------------------------------------------- */

static int add_wait(struct why_set *set, const struct why *why, const struct critical_group *g, const char *path)
{
	cleanup_buf struct buf key = BUF_INIT, title = BUF_INIT;
	struct set_group *group;

	page_foreign(&title, g->programs, COMMAND_MAX);
	buf_puts(&title, ": ");
	if (g->wait)
		page_wait(why, g->wait, &title);
	else
		buf_puts(&title, "computing");
	add_alike(&key, why, title.data ? title.data : "");
	group = group_of(set, &set->waits, &key, path);
	if (!group || !(group->title || (group->title = keep(set, &title))))
		return -ENOMEM;
	group->time += g->time;
	group->times += g->steps;
	if (g->longest < group->longest)
		return 0;
	group->longest = g->longest;
	group->where = group->recordings.items[group->recordings.n - 1];
	return 0;
}

static int add_waits(struct why_set *set, const struct why *why, uint64_t took, const char *path)
{
	int rc = 0;

	for (size_t i = 0; i < why->critical.n_groups && !rc; i++)
		if (why->critical.groups[i].time >= took / SHARE_MIN)
			rc = add_wait(set, why, &why->critical.groups[i], path);
	return rc;
}

/* --- All ---------------------------------------------------------------------------------------------------------- */
static int add_outcome(struct why_set *set, const struct buf *how, const char *path)
{
	struct set_group *group = group_of(set, &set->outcomes, how, path);

	if (group && !group->title)
		group->title = keep(set, how);
	return group && group->title ? 0 : -ENOMEM;
}

static int add_time(struct why_set *set, uint64_t took, const char *path)
{
	if (grow_array((void **)&set->times, set->n_times, &set->cap_times, sizeof(*set->times)))
		return -ENOMEM;
	set->times[set->n_times++] = took;
	set->total += took;
	if (took < set->longest)
		return 0;
	set->longest = took;
	return pool_text(&set->texts, path, strlen(path), &set->where, NULL);
}

static int add_run(struct why_set *set, const struct why *why, const char *path)
{
	uint64_t took = story_end(&why->story, why->top) - story_start(&why->story, why->top);
	cleanup_buf struct buf how = BUF_INIT;
	int rc;

	page_end_of(&how, why->top);
	rc = add_outcome(set, &how, path);
	if (!rc)
		rc = add_time(set, took, path);
	if (!rc && why->chain.n)
		rc = add_failure(set, why, path);
	return rc ? rc : add_waits(set, why, took, path);
}

int why_set_add(struct why_set *set, const struct why *why, const char *path)
{
	bool failed = why->top && why->chain.n;
	int rc;

	set->recordings++;
	rc = why->top ? add_run(set, why, path) : 0;
	for (size_t i = 0; i < why->n_guests && !rc; i++) {
		failed |= is_trouble(why->guests[i]);
		if (is_trouble(why->guests[i]))
			rc = add_guest(set, why, why->guests[i], path);
	}
	set->failed += failed;
	return rc;
}
