/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/time/waiting.h>

#include <exectrace/answer/why/page/locks.h>
#include <exectrace/answer/why/page/who.h>
#include <exectrace/base/clock.h>

#define ROWS_MAX 24 /* threads that are shown */

static void who_is_it_for(const struct why *why, const struct tree_node *node, const struct wait *wait, struct buf *out)
{
	for (const struct tree_node *child = node->child; child && wait->kind == WAIT_CHILD; child = child->sibling) {
		if (child->pid != wait->child || child->end.when)
			continue;
		buf_puts(out, ": ");
		page_process(out, child, COMMAND_MAX);
	}
	page_who_locked(why, wait, out);
	page_who_gave(why, node, wait, out);
	page_who_holds(why, node, wait, out);
	page_who_reads(why, node, wait, out);
}

static void row(const struct why *why, const struct waiting_thread *w, struct buf *out)
{
	struct buf time = BUF_INIT;

	if (w->wait)
		clock_print(&time, w->wait->to - w->wait->from);
	buf_printf(out, "  %7s  ", time.data ? time.data : "");
	buf_release(&time);
	page_process(out, w->node, COMMAND_MAX);
	if (w->thread->tid != w->node->pid)
		buf_printf(out, ", thread %u", w->thread->tid);
	if (*w->thread->comm && w->thread->comm != w->thread->process->comm) {
		buf_puts(out, " (");
		page_foreign(out, w->thread->comm, COMMAND_MAX);
		buf_putc(out, ')');
	}
	buf_puts(out, ": ");
	if (w->wait) {
		page_wait(why, w->wait, out);
		(void)page_locks(why, w->node, w->wait, out);
		who_is_it_for(why, w->node, w->wait, out);
	} else {
		buf_puts(out, w->called ? "computing" : "computing, or in a call that nothing interrupts");
	}
	buf_putc(out, '\n');
	if (!w->stack)
		return;
	buf_puts(out, "           in ");
	page_foreign(out, w->stack, 2 * COMMAND_MAX);
	buf_putc(out, '\n');
}

void page_waiting(const struct why *why, struct buf *out)
{
	const struct waiting *waiting = &why->waiting;

	if (waiting->n)
		buf_puts(out, "\nWhat it waited for when the recording ended, and for how long\n");
	for (size_t i = 0; i < waiting->n && i < ROWS_MAX; i++)
		row(why, &waiting->items[i], out);
	if (waiting->n > ROWS_MAX)
		buf_printf(out, "           and %zu more threads: exectrace why --json%s\n", waiting->n - ROWS_MAX,
		           why->data.data ? why->data.data : "");
}
