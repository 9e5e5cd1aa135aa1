/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who waited when the recording of a guest ended, for people and programs. */
#include <exectrace/answer/why/guest/stuck/stuck.h>

#include "stopped.h"
#include <exectrace/answer/why/guest/story/place.h>
#include <exectrace/answer/why/guest/story/text.h>
#include <exectrace/answer/why/guest/stuck/owners.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 6u    /* at most */
#define SLEEPERS 2u /* of those that sleep, where nobody waits for anything else */
#define NAMES 8u    /* of those that are not shown */
#define WHAT_MAX 60u
#define BEHIND "            "

static const char *const kinds[] = {
	[GUEST_FOR_LOCK] = "lock",
	[GUEST_FOR_OTHER] = "other",
	[GUEST_FOR_TIME] = "time",
	[GUEST_FOR_CHILD] = "child",
};

/* A guest that ended otherwise did not end because of who waited, but where its kernel panicked for that. */
static bool is_wanted(const struct guest_story *g)
{
	for (size_t i = 0; i < g->n_troubles; i++)
		if (g->troubles[i].kind >= GUEST_OOPS && strcmp(g->troubles[i].task, "khungtaskd") != 0)
			return false;
	return !g->off && !g->own_will;
}

static void print_holder(struct buf *out, const struct guest_story *g, const struct guest_stuck *s)
{
	bool stopped = false;

	if (!s->holder.command)
		return;
	for (size_t i = 0; i < g->n_stuck; i++)
		stopped |= g->stuck[i].process.pid == s->holder.pid && stopped_is(&g->stuck[i]);
	buf_puts(out, "; locked by ");
	command_print(out, &s->holder, "");
	buf_puts(out, stopped ? ", which is stopped," : "");
	if (!s->held)
		return;
	buf_puts(out, " since ");
	guest_story_time(out, g, s->held);
}

/* Who does not answer, or writes no more. */
static void print_other_end(struct buf *out, const struct guest_story *g, const struct guest_stuck *s)
{
	if (*s->server) {
		buf_puts(out, s->unanswered ? "; " : "; connected to ");
		text_cut(out, s->server, WHAT_MAX);
		buf_puts(out, s->unanswered ? " has not answered" : "");
	}
	if (*s->server && s->asked) {
		buf_puts(out, " what was sent there at ");
		guest_story_time(out, g, s->asked);
	}
	if (!s->giver.command)
		return;
	buf_puts(out, "; ");
	command_print(out, &s->giver, "");
	buf_puts(out, " had written to it last");
	if (!s->gave)
		return;
	buf_puts(out, ", at ");
	guest_story_time(out, g, s->gave);
}

/* One of several threads has a name and a number of its own. */
static void print_who(struct buf *out, const struct guest_stuck *s)
{
	if (s->process.command && s->process.pid != s->pid) {
		text_task(out, s->task, s->pid);
		buf_puts(out, " of ");
	}
	command_print(out, &s->process, s->task);
}

/* Who opens a FIFO waits until somebody has opened its other end (fifo(7)). */
static void print_partner(struct buf *out, const struct guest_stuck *s)
{
	if (strncmp(s->place.function, "wait_for_partner", strlen("wait_for_partner")) != 0)
		return;
	buf_printf(out, " for somebody who opens it to %s", strstr(s->text, "O_WRONLY") ? "read" : "write");
}

/* Its time is one of a clock that was set meanwhile. */
static void print_clock_set(struct buf *out, const struct guest_story *g, const struct guest_stuck *s)
{
	const struct guest_clock_set *set = NULL;

	for (size_t i = 0; i < g->n_clock_sets && !set; i++)
		if (g->clock_sets[i].at > s->since)
			set = &g->clock_sets[i];
	if (!set || !strstr(s->text, "CLOCK_REALTIME"))
		return;
	buf_puts(out, "; until a time of a clock that ");
	command_print(out, &set->by, "");
	buf_puts(out, " set at ");
	guest_story_time(out, g, set->at);
}

static void print_one(struct buf *out, const struct guest_story *g, const struct guest_stuck *s)
{
	text_padded(out, g, s->since);
	buf_puts(out, "  ");
	print_who(out, s);
	if (stopped_is(s)) {
		buf_puts(out, " was stopped by a signal");
		where_print(out, &s->where);
		stopped_print(out, g, s);
		buf_putc(out, '\n');
		return;
	}
	buf_puts(out, " in ");
	text_function(out, s->place.function, *s->place.caller ? "" : s->place.module);
	if (*s->call) {
		buf_puts(out, " (");
		text_name(out, s->call);
		buf_puts(out, *s->what ? " of " : "");
		text_cut(out, s->what, WHAT_MAX);
		buf_putc(out, ')');
		print_partner(out, s);
	} else {
		place_print_call(out, s->place.call);
	}
	place_print_caller(out, &s->place);
	where_print(out, &s->where);
	print_holder(out, g, s);
	owner_print(out, s, "; ");
	print_other_end(out, g, s);
	print_clock_set(out, g, s);
	buf_putc(out, '\n');
}

/* "sleep x3, sh x3" of those that are not shown, the first ones. */
static void print_names(struct buf *out, const struct guest_stuck *list, size_t n)
{
	size_t shown = 0;

	for (size_t i = 0; i < n && shown < NAMES; i++) {
		size_t count = 0, before = 0;

		for (size_t k = 0; k < n; k++) {
			bool same = strcmp(list[k].task, list[i].task) == 0;

			before += same && k < i;
			count += same;
		}
		if (before)
			continue;
		buf_puts(out, shown++ ? ", " : ": ");
		text_name(out, list[i].task);
		if (count > 1)
			buf_printf(out, " x%zu", count);
	}
}

void stuck_print(struct buf *out, const struct guest_story *g)
{
	size_t telling = 0, shown;

	if (!g->n_stuck || !is_wanted(g))
		return;
	while (telling < g->n_stuck && g->stuck[telling].kind < GUEST_FOR_TIME)
		telling++;
	shown = telling < SHOWN ? telling : SHOWN;
	if (!telling)
		while (shown < SLEEPERS && shown < g->n_stuck && g->stuck[shown].kind == GUEST_FOR_TIME)
			shown++;
	buf_puts(out, "  who waited when the recording ended, and since when:\n");
	for (size_t i = 0; i < shown; i++)
		print_one(out, g, &g->stuck[i]);
	if (telling > shown) {
		buf_printf(out, BEHIND "and %zu more that waited for others", telling - shown);
		print_names(out, &g->stuck[shown], telling - shown);
		buf_putc(out, '\n');
	}
	telling = telling > shown ? telling : shown;
	if (g->n_stuck > telling) {
		buf_printf(out, BEHIND "and %zu more that slept or waited for children", g->n_stuck - telling);
		print_names(out, &g->stuck[telling], g->n_stuck - telling);
		buf_putc(out, '\n');
	}
	owners_print_deadlocks(out, g);
}

void stuck_json(struct jsonl *j, const struct guest_story *g)
{
	struct buf all = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < g->n_stuck; i++) {
		const struct guest_stuck *s = &g->stuck[i];

		jsonl_begin(&one);
		jsonl_string(&one, "task", s->task);
		jsonl_unsigned(&one, "pid", s->pid);
		if (s->process.command)
			jsonl_string(&one, "command", s->process.command);
		jsonl_string(&one, "for", kinds[s->kind]);
		jsonl_unsigned(&one, "since", s->since);
		place_json(&one, &s->place);
		where_json(&one, &s->where);
		jsonl_string(&one, "system_call", s->text);
		jsonl_string(&one, "what", s->what);
		command_json(&one, "holder", "holder_pid", &s->holder);
		if (s->holder.command)
			jsonl_unsigned(&one, "held_since", s->held);
		if (*s->server)
			jsonl_string(&one, "server", s->server);
		if (s->asked)
			jsonl_unsigned(&one, "asked", s->asked);
		owner_json(&one, s);
		stopped_json(&one, s);
		command_json(&one, "writer", "writer_pid", &s->giver);
		if (s->giver.command)
			jsonl_unsigned(&one, "written", s->gave);
		jsonl_end(&one);
		jsonl_object(&all, &one);
	}
	jsonl_objects(j, "waiting", &all);
	buf_release(&text);
}
