/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/time/missing.h>

#include <exectrace/base/quote.h>
#include <string.h>

/* The command line that would record more. */
static void print_again(const struct why *why, const char *options, struct buf *out)
{
	const struct recorded_run *run = recording_run(why->story.recording);
	struct buf command = BUF_INIT;

	if (run && run->command.n)
		quote_shell_strv(&command, &run->command);
	buf_printf(out, ": exectrace %s -- ", options);
	if (command.len && command.len < COPY_MAX)
		page_foreign(out, command.data, COPY_MAX);
	else
		buf_puts(out, "COMMAND");
	buf_putc(out, '\n');
	buf_fail(out, command.err);
	buf_release(&command);
}

/* How many processes of the page there are, and of how many no calls were recorded. */
static size_t count_unknown(const struct why *why, size_t *all)
{
	size_t unknown = 0;

	*all = 0;
	for (const struct tree_node *node = why->top; node; node = process_tree_next(node)) {
		if (node != why->top && node->depth <= why->top->depth)
			break;
		*all += !node->lost;
		unknown += !node->lost && !story_history(&why->story, node);
	}
	return unknown;
}

/* Most of the time it is a program that computes. */
static bool computes(const struct why *why)
{
	const struct critical_group *g = why->critical.n_groups ? &why->critical.groups[0] : NULL;

	return g && !g->wait && story_history(&why->story, g->node) &&
	       g->time > (story_end(&why->story, why->top) - story_start(&why->story, why->top)) / 2;
}

/* Calls of the process where the failure began are shown, and of none it is known where it was made. */
static bool lacks_stacks(const struct why *why)
{
	const struct failure_chain *c = &why->chain;
	const struct process_history *p = c->n ? story_history(&why->story, c->nodes[c->n - 1]) : NULL;

	return p && p->n_failures && !why->story.history.stacks;
}

/* Processes that ran already: there is no command that could be run again. */
static bool is_attached(const struct why *why)
{
	const struct recorded_run *run = recording_run(why->story.recording);

	return run && !run->command.n;
}

static void computing_unknown(const struct why *why, struct buf *out)
{
	for (size_t i = 0; i < why->waiting.n; i++) {
		if (why->waiting.items[i].wait)
			continue;
		buf_printf(out,
		           "\nWhich functions computed was not recorded. Record them with: exectrace-profile --pid=%u "
		           "--output=%s/profile.xtr\n",
		           why->waiting.items[i].node->pid, recording_path(why->story.recording));
		return;
	}
}

void page_missing(const struct why *why, struct buf *out)
{
	size_t all, unknown = count_unknown(why, &all);

	if (!why->story.history.calls && why->n_guests) {
		buf_puts(out, "\nSystem calls were not recorded, of QEMU and the other processes of the host.\n"
		              "Record them with");
		print_again(why, "--why", out);
	} else if (is_attached(why)) {
		computing_unknown(why, out);
		return;
	} else if (!why->story.history.calls) {
		buf_puts(out, "\nNo system calls were recorded: what processes waited for, wrote and failed at is "
		              "unknown.\nRecord them with");
		print_again(why, "--why", out);
	} else if (unknown) {
		buf_printf(out,
		           "\nThe calls of %zu of the %zu processes were not recorded: what these waited for, wrote "
		           "and failed at is unknown.\nRecord all with",
		           unknown, all);
		print_again(why, "--why", out);
	}
	if (lacks_stacks(why)) {
		buf_puts(out, "\nWhich functions made the calls that failed was not recorded. Record them with");
		print_again(why, "--why", out);
	}
	if (!why->story.history.samples && computes(why)) {
		buf_puts(out, "\nWhich functions computed was not recorded. Record them with");
		print_again(why, "--run=profile --first", out);
	}
}
