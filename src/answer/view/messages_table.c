/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/view/messages_table.h>

#include <errno.h>
#include <exectrace/answer/replay/task.h>
#include <exectrace/base/clock.h>
#include <stdlib.h>
#include <string.h>

#define WHO 32 /* bytes of who logged it: the name of a task has 16 */

static const struct table_column columns[] = {
	{"Start", "start", .time = true, .spare = 2, .width = 10},
	{"Stamp", "stamp_ns", .width = 14},
	{"Level", NULL, .left = true, .text = true, .spare = 1},
	{"", "level", .text = false},
	{"CPU", "cpu", .spare = 3},
	{"Task", NULL, .left = true, .text = true, .cut = true, .width = 10},
	{"", "pid", .text = false},
	{"", "task", .text = true},
	{"Message", "message", .left = true, .text = true, .cut = true},
	{0},
};

/* As dmesg(1) has them. */
static const char *const levels[DATA_LEVEL_MAX + 1] = {"emerg", "alert",  "crit", "err",
                                                       "warn",  "notice", "info", "debug"};

struct messages_view {
	struct table table;
	struct replay *replay;
	struct task_select wanted;
};

static void put_when(struct messages_view *v, const struct data_message *m, uint64_t now)
{
	struct table *t = &v->table;
	uint64_t start = replay_start(v->replay), since = now > start ? now - start : 0;

	if (t->format != TABLE_TEXT)
		table_number(t, ticks_plain(&t->clock, since));
	else if (t->clock.hz)
		table_printf(t, "%.6f", (double)ticks_plain(&t->clock, since) / (double)NS_PER_S);
	else
		table_printf(t, "%.3fM", (double)since / 1e6);
	if (t->format != TABLE_TEXT)
		table_number(t, m->stamp);
	else
		table_printf(t, "[%5llu.%06llu]", (unsigned long long)(m->stamp / NS_PER_S),
		             (unsigned long long)(m->stamp % NS_PER_S / 1000));
}

/* Who logged it: a task, by its name where that is known; or what ran in none. */
static void put_who(struct table *t, const struct replay_stack *stack, const struct data_message *m)
{
	const bool in_task = !(m->caller & DATA_MESSAGE_CPU);
	const char *name = in_task && stack && stack->tasks ? stack->task : "";
	char who[WHO];

	if (*name)
		snprintf(who, sizeof(who), "%.16s-%u", name, m->caller);
	else
		snprintf(who, sizeof(who), in_task ? "%u" : "interrupt", m->caller);
	table_text(t, who);
	if (in_task)
		table_number(t, m->caller);
	else
		table_printf(t, "-1");
	table_text(t, name);
}

static int on_message(void *ctx, struct replay_stack *stack, const struct data_message *m, uint64_t now)
{
	struct messages_view *v = ctx;
	char *text;

	if (!task_wanted_there(&v->wanted, stack))
		return 0;
	text = strndup(m->text.n ? m->text.bytes : "", m->text.n);
	if (!text)
		return -ENOMEM;
	put_when(v, m, now);
	table_text(&v->table, levels[m->level]);
	table_number(&v->table, m->level);
	table_number(&v->table, m->cpu);
	put_who(&v->table, stack, m);
	table_text(&v->table, text);
	free(text);
	return v->table.err;
}

int messages_table_show(struct replay *p, const struct functions_options *which, enum table_format format,
                        struct page *page)
{
	struct messages_view v = {.replay = p, .wanted = {which->task, which->pids, which->n_pids}};
	const struct replay_sink sink = {.ctx = &v, .message = on_message};
	int rc, ended;

	table_begin(&v.table, page, format, columns, replay_clock(p));
	rc = replay_run(p, &sink);
	ended = table_end(&v.table);
	return rc ? rc : ended;
}
