/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/page/page.h>

#include <exectrace/base/clock.h>
#include <exectrace/base/quote.h>
#include <exectrace/target/exec/print.h>
#include <string.h>

void page_foreign(struct buf *out, const char *text, size_t max)
{
	size_t n = strlen(text);

	quote_terminal(out, text, n > max ? max - 3 : n);
	if (n > max)
		buf_puts(out, "...");
}

void page_name(struct buf *out, const char *name, size_t max)
{
	size_t n = strlen(name), begin = max / 3, end = max - begin - 3;

	if (n <= max) {
		quote_terminal(out, name, n);
		return;
	}
	quote_terminal(out, name, begin);
	buf_puts(out, "...");
	quote_terminal(out, name + n - end, end);
}

void page_process_as(struct buf *out, const struct tree_node *node, const char *command, size_t max)
{
	page_foreign(out, command, max);
	buf_printf(out, " [%u]", node->pid);
}

void page_process(struct buf *out, const struct tree_node *node, size_t max)
{
	page_process_as(out, node, program_command(node), max);
}

void page_process_of(const struct why *why, uint32_t number, struct buf *out)
{
	const struct tree_node *node = process_tree_node(why->story.tree, number);

	if (node)
		page_process(out, node, COMMAND_MAX);
	else
		buf_puts(out, "?");
}

void page_at(const struct why *why, uint64_t event, struct buf *out)
{
	clock_print(out, story_time(&why->story, event));
}

void page_end_of(struct buf *out, const struct tree_node *node)
{
	exec_print_end(out, &node->end);
}

/* What takes its time in a call that waits for nobody else; NULL: its name says it. */
static const char *doing_in(const char *call)
{
	static const struct {
		const char *call, *doing;
	} doings[] = {
		{"exit_group", "ending"},
		{"fdatasync", "waiting until the disk has"},
		{"fsync", "waiting until the disk has"},
		{"open", "opening"},
		{"openat", "opening"},
		{"pread64", "reading"},
		{"pwrite64", "writing to"},
		{"read", "reading"},
		{"vfork", "waiting until its child executes a program"},
		{"write", "writing to"},
	};

	for (size_t i = 0; i < sizeof(doings) / sizeof(*doings); i++)
		if (strcmp(doings[i].call, call) == 0)
			return doings[i].doing;
	return NULL;
}

void page_wait(const struct why *why, const struct wait *wait, struct buf *out)
{
	static const char *const what[] = {
		[WAIT_CHILD] = "waiting for a child",
		[WAIT_DATA] = "reading",
		[WAIT_ROOM] = "writing to",
		[WAIT_OPEN] = "opening",
		[WAIT_CONNECT] = "connecting to",
		[WAIT_ACCEPT] = "waiting for somebody to connect to",
		[WAIT_LOCK] = "waiting for a lock on",
		[WAIT_FUTEX] = "waiting for another thread",
		[WAIT_POLL] = "waiting for",
		[WAIT_SIGNAL] = "waiting for a signal",
		[WAIT_SLEEP] = "sleeping",
		[WAIT_CALL] = "in the call",
		[WAIT_STOPPED] = "stopped by a signal",
	};
	const struct history *h = &why->story.history;
	const struct object *o = wait->n ? objects_at(&h->objects, h->waited[wait->first]) : NULL;
	const char *doing = wait->kind == WAIT_CALL ? doing_in(wait->call) : NULL;

	if (wait->kind == WAIT_POLL && !o)
		buf_puts(out, wait->timed_out ? "sleeping" : "waiting for events");
	else
		buf_puts(out, doing ? doing : what[wait->kind]);
	if (wait->kind == WAIT_CALL && !doing)
		buf_printf(out, " %s%s", wait->call, o ? " on" : "");
	if (o && wait->kind != WAIT_FUTEX) {
		buf_putc(out, ' ');
		page_name(out, o->name, COMMAND_MAX);
		if (o->server || o->address) {
			buf_puts(out, " (");
			page_name(out, o->server ? o->server : objects_at(&h->objects, o->address)->name, COMMAND_MAX);
			buf_putc(out, ')');
		}
		if (wait->n > 1)
			buf_printf(out, " and %u more", wait->n - 1);
	}
	if (wait->kind == WAIT_STOPPED && !wait->at_end && !wait->unfinished)
		buf_puts(out, ", until it was continued");
	if (wait->timed_out && o)
		buf_puts(out, ", until its time was over");
	if (strcmp(wait->call, "") != 0 && (wait->kind != WAIT_CALL || doing))
		buf_printf(out, " (%s)", wait->call);
}
