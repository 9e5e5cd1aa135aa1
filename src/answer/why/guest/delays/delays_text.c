/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What delayed a guest, for people and programs. */
#include <exectrace/answer/why/guest/delays/delays.h>

#include <exectrace/answer/why/guest/story/place.h>
#include <exectrace/answer/why/guest/story/text.h>
#include <exectrace/answer/why/guest/story/top.h>
#include <string.h>

#define LISTED 80u     /* at most, for programs */
#define PART_MIN 40u   /* a part of the chain: what took less is not shown */
#define EACH_PART 20u  /* a part of a delay: functions that ran less are not shown */
#define INSIDE_PART 4u /* a part of a delay: a function of a program that took less is not shown */
#define BEHIND "                    "

/* "5 x sleep 0.5 [93]": what a task ran, or else its name. */
static void print_who(struct buf *out, uint32_t tasks, const char *task, const char *command, uint32_t pid)
{
	if (tasks > 1)
		buf_printf(out, "%u x ", tasks);
	text_task(out, command ? command : task, pid);
}

static void print_waiter(struct buf *out, const struct guest_delay *d)
{
	if (!*d->waiter)
		return;
	buf_puts(out, BEHIND "for it waited ");
	print_who(out, 1, d->waiter, d->waiter_command, d->waiter_pid);
	buf_puts(out, " in ");
	text_name(out, d->waiter_in);
	place_print_call(out, d->waiter_call);
	buf_putc(out, '\n');
}

static void print_wait(struct buf *out, const struct guest_story *g, const struct guest_delay *d)
{
	buf_puts(out, " waited in ");
	place_print(out, &d->place);
	if (d->count > 1) {
		if (d->count > d->tasks)
			buf_printf(out, " x%llu", (unsigned long long)d->count);
		buf_puts(out, ", ");
		guest_story_time(out, g, d->time / d->count);
		buf_puts(out, " each");
	}
	place_print_caller(out, &d->place);
	if (*d->end)
		buf_printf(out, "; %s ended it", d->end);
	buf_putc(out, '\n');
	print_waiter(out, d);
}

/* Where that is not among the functions that are named, as they took most by themselves. */
static void print_inside(struct buf *out, const struct guest_story *g, const struct guest_delay *d)
{
	if (!d->inside.name || d->inside.time < d->time / INSIDE_PART)
		return;
	for (size_t i = 0; i < d->n_functions; i++)
		if (d->functions[i].name == d->inside.name && d->functions[i].time > d->inside.time / 2)
			return;
	buf_puts(out, ", ");
	guest_story_time(out, g, d->inside.time);
	buf_puts(out, " of it in ");
	text_function(out, d->inside.name, d->inside.module);
	buf_puts(out, " and below");
}

static void print_functions(struct buf *out, const struct guest_story *g, const struct guest_delay *d)
{
	size_t shown = 0;

	for (size_t i = 0; i < d->n_functions; i++) {
		const struct guest_function *f = &d->functions[i];

		if (f->time < d->time / EACH_PART)
			continue;
		buf_puts(out, shown++ ? ", " : ": ");
		text_function(out, f->name, f->module);
		buf_putc(out, ' ');
		guest_story_time(out, g, f->time);
		/* Once for functions that follow one another. */
		if (!f->caller || f->caller == d->inside.name ||
		    (i + 1 < d->n_functions && d->functions[i + 1].time >= d->time / EACH_PART &&
		     d->functions[i + 1].caller == f->caller))
			continue;
		buf_puts(out, " for ");
		text_function(out, f->caller, f->caller_module);
	}
	buf_putc(out, '\n');
}

static void print_ready(struct buf *out, const struct guest_story *g, const struct guest_delay *d)
{
	if (d->others)
		buf_printf(out, " and %u others", d->others);
	buf_puts(out, " could run, and had no processor");
	if (!*d->rival) {
		buf_putc(out, '\n');
		return;
	}
	buf_puts(out, ": for ");
	guest_story_time(out, g, d->rival_time);
	buf_puts(out, " of it ran\n" BEHIND);
	print_who(out, 1, d->rival, d->rival_command, d->rival_pid);
	if (*d->rival_policy)
		buf_printf(out, ", which is %s", d->rival_policy);
	print_functions(out, g, d);
}

void delays_print(struct buf *out, const struct guest_story *g, size_t max)
{
	size_t shown = 0;

	if (!g->n_delays)
		return;
	buf_puts(out, "  what delayed it, on the chain of who waited for whom, from the beginning to the end:\n");
	for (size_t i = 0; i < g->n_delays && shown < max; i++) {
		const struct guest_delay *d = &g->delays[i];

		if (d->time < g->chain / PART_MIN)
			break;
		text_padded(out, g, d->time);
		buf_printf(out, "  %3u%%  ", (unsigned)((double)d->time * 100 / (double)g->chain + 0.5));
		print_who(out, d->tasks, d->task, d->command, d->pid);
		shown++;
		if (d->kind == GUEST_WAITED) {
			print_wait(out, g, d);
		} else if (d->kind == GUEST_RAN) {
			buf_puts(out, " ran");
			print_inside(out, g, d);
			print_functions(out, g, d);
		} else {
			print_ready(out, g, d);
		}
	}
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

static void put_wait(struct jsonl *j, const struct guest_delay *d)
{
	place_json(j, &d->place);
	jsonl_string(j, "ended_by", d->end);
	jsonl_string(j, "waiter", d->waiter);
	jsonl_unsigned(j, "waiter_pid", d->waiter_pid);
	jsonl_string(j, "waiter_command", d->waiter_command ? d->waiter_command : "");
	jsonl_string(j, "waiter_function", d->waiter_in);
	jsonl_string(j, "waiter_call", d->waiter_call);
}

static void put_rival(struct jsonl *j, const struct guest_delay *d)
{
	jsonl_string(j, "ran", d->rival);
	jsonl_unsigned(j, "ran_pid", d->rival_pid);
	jsonl_string(j, "ran_command", d->rival_command ? d->rival_command : "");
	jsonl_unsigned(j, "ran_time", d->rival_time);
	if (*d->rival_policy)
		jsonl_string(j, "ran_policy", d->rival_policy);
	jsonl_unsigned(j, "others", d->others);
}

static void put_inside(struct jsonl *j, const struct guest_delay *d)
{
	jsonl_string(j, "inside", d->inside.name);
	jsonl_string(j, "inside_module", d->inside.module);
	jsonl_unsigned(j, "inside_time", d->inside.time);
}

void delays_json(struct jsonl *j, const struct guest_story *g)
{
	static const char *const kinds[] = {[GUEST_RAN] = "ran", [GUEST_WAITED] = "waited", [GUEST_READY] = "ready"};
	struct buf all = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < g->n_delays && i < LISTED; i++) {
		const struct guest_delay *d = &g->delays[i];

		jsonl_begin(&one);
		jsonl_string(&one, "kind", kinds[d->kind]);
		jsonl_string(&one, "task", d->task);
		jsonl_unsigned(&one, "pid", d->pid);
		jsonl_unsigned(&one, "tasks", d->tasks);
		jsonl_string(&one, "command", d->command ? d->command : "");
		jsonl_unsigned(&one, "start", d->at);
		jsonl_unsigned(&one, "time", d->time);
		jsonl_unsigned(&one, "count", d->count);
		jsonl_unsigned(&one, "min", d->min);
		jsonl_unsigned(&one, "max", d->max);
		if (d->kind == GUEST_READY && *d->rival)
			put_rival(&one, d);
		if (d->kind == GUEST_WAITED)
			put_wait(&one, d);
		else
			top_json(&one, d->functions, d->n_functions);
		if (d->inside.name)
			put_inside(&one, d);
		jsonl_end(&one);
		jsonl_object(&all, &one);
	}
	jsonl_objects(j, "delays", &all);
	buf_release(&text);
}
