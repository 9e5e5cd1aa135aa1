/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/why.h>

#include "page.h"
#include <errno.h>
#include <exectrace/answer/recording/process_select.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/quote.h>
#include <stdlib.h>
#include <string.h>

int page_find(const struct tree_node **ret, const struct story *s, const struct why_options *options,
              struct buf *others, struct buf *err)
{
	struct process_select select = {.pids = &options->pid,
	                                .n_pids = options->pid != 0,
	                                .cmd = options->cmd,
	                                .under = options->under,
	                                .picked = options->picked};
	const struct tree_node *node = process_tree_first(s->tree);
	int rc;

	if (!process_select_any(&select))
		return 0;
	rc = process_select_begin(&select, s->tree, s->recording, err);
	while (!rc && node && !process_selected(&select, node))
		node = process_tree_next(node);
	*ret = node;
	if (!rc && !node) {
		buf_printf(err, "%s: there is no process in it that fits ", recording_path(s->recording));
		rc = process_select_print(err, &select) ? -ENOMEM : -ENOENT;
	}
	for (node = rc ? NULL : process_tree_next(node); node && !rc; node = process_tree_next(node))
		if (others && process_selected(&select, node) && buf_printf(others, " %u", node->pid))
			rc = -ENOMEM;
	process_select_release(&select);
	return rc;
}

static int name_data(struct why *why, const char *path)
{
	if (strcmp(path, RECORDING_DEFAULT) == 0)
		return 0;
	buf_putc(&why->data, ' ');
	return quote_shell(&why->data, path, strlen(path));
}

static int find_all(struct why *why)
{
	int rc = 0;

	if (!why->top)
		return 0;
	if (story_failed(why->top))
		rc = failure_chain_find(&why->chain, &why->story, why->top);
	if (!rc)
		rc = critical_find(&why->critical, &why->story, why->top);
	if (!rc)
		rc = odd_processes_find(&why->odd, &why->story, why->top);
	if (!rc)
		rc = growing_find(&why->growing, &why->story, why->top);
	return rc ? rc : busy_find(&why->busy, &why->story, why->top);
}

int why_new(struct why **ret, struct recording *r, const struct why_options *options, struct buf *err)
{
	struct why *why = calloc(1, sizeof(*why));
	int rc = why ? story_read(&why->story, r, &(struct story_options){.accesses = true}) : -ENOMEM;

	if (!rc)
		rc = name_data(why, recording_path(r));
	if (!rc)
		why->top = why->story.root;
	if (!rc)
		rc = page_find(&why->top, &why->story, options, &why->others, err);
	if (!rc && why->story.history.samples)
		rc = samples_read(&why->samples, recording_path(r), err);
	if (!rc)
		rc = page_guests_read(why, why->top == why->story.root, err);
	if (!rc && !why->top && !why->n_guests) {
		rc = buf_printf(err, "%s: there are no processes in it", recording_path(r));
		rc = rc ? rc : -ENOENT;
	}
	if (!rc)
		rc = find_all(why);
	if (rc)
		why_free(why);
	else
		*ret = why;
	return rc;
}

void why_free(struct why *why)
{
	if (!why)
		return;
	failure_chain_release(&why->chain);
	critical_release(&why->critical);
	busy_release(&why->busy);
	samples_release(&why->samples);
	page_guests_release(why);
	story_release(&why->story);
	buf_release(&why->data);
	buf_release(&why->others);
	free(why);
}

/* --- The outcome -------------------------------------------------------------------------------------------------- */

/* Processor time, of those of which it is known. */
static void used(const struct why *why, uint64_t took, struct buf *out)
{
	size_t known = 0, all = 0;
	uint64_t cpu = outcome_cpu(why, &known, &all);

	if (!known)
		return;
	buf_puts(out, ", ");
	clock_print(out, cpu);
	buf_puts(out, " of processor time");
	if (known < all)
		buf_printf(out, " (that of %zu is unknown)", all - known);
	if (took)
		buf_printf(out, ", %.1f processors on average", (double)cpu / (double)took);
}

uint64_t outcome_cpu(const struct why *why, size_t *known, size_t *all)
{
	uint64_t sum = 0;

	*known = *all = 0;
	for (const struct tree_node *node = why->top; node; node = process_tree_next(node)) {
		if (node != why->top && node->depth <= why->top->depth)
			break;
		*all += !node->lost;
		*known += node->end.usage.cpu;
		if (node->end.usage.cpu)
			sum += node->end.usage.user + node->end.usage.system;
	}
	return sum;
}

void page_outcome(const struct why *why, struct buf *out)
{
	const struct story *s = &why->story;
	uint64_t took = story_end(s, why->top) - story_start(s, why->top);

	page_process(out, why->top, 4 * COMMAND_MAX);
	buf_puts(out, ": ");
	page_end_of(out, why->top);
	buf_puts(out, " after ");
	clock_print(out, took);
	buf_printf(out, ", %zu process%s", why->busy.processes, why->busy.processes == 1 ? "" : "es");
	if (why->busy.known && took)
		buf_printf(out, ", %.1f of them busy on average", (double)why->busy.time / (double)took);
	used(why, took, out);
	buf_putc(out, '\n');
	if (why->others.len) {
		size_t n = why->others.len > COMMAND_MAX ? COMMAND_MAX : why->others.len;

		while (why->others.data[n] && why->others.data[n] != ' ')
			n--;
		buf_printf(out, "  others fit, too, and can be chosen by --pid:%.*s%s\n", (int)n, why->others.data,
		           n < why->others.len ? " ..." : "");
	}
}

int why_text(const struct why *why, struct buf *out)
{
	if (why->top) {
		page_outcome(why, out);
		page_failure(why, out);
		if (!why->chain.n)
			page_elsewhere(why, NULL, out);
	}
	page_guests(why, out);
	if (why->top) {
		page_odd(why, out);
		page_time(why, out);
		page_busy(why, out);
		page_samples(why, out);
		page_missing(why, out);
	}
	return out->err;
}
