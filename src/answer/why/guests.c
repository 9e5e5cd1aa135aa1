/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guests.h"

#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/grow.h>
#include <exectrace/base/quote.h>
#include <string.h>
#include <sys/wait.h>

#define GUESTS_MAX 3 /* that have a part of the page */

/* The process that is a guest's QEMU; NULL: it is not known. */
static const struct tree_node *host_of(const struct why *why, const struct recorded_file *file)
{
	const struct tree_node *node = process_tree_first(why->story.tree);

	while (node && (!file->pid || node->pid != file->pid))
		node = process_tree_next(node);
	return node;
}

/* True when it is the guest of a process that the page is about. */
static bool is_wanted(const struct why *why, const struct recorded_file *file, bool all)
{
	const struct tree_node *node = all ? why->top : host_of(why, file);

	while (node && node != why->top)
		node = node->parent;
	return all || node;
}

int page_guests_read(struct why *why, bool all, struct buf *err)
{
	struct recording *r = why->story.recording;
	int rc = 0;

	for (size_t i = 0; !rc && i < recording_files(r); i++) {
		const struct recorded_file *file = recording_file(r, i);

		if (file->guest_clock == DATA_CLOCK_NONE || !is_wanted(why, file, all))
			continue;
		rc = grow_array((void **)&why->guests, why->n_guests, &why->cap_guests, sizeof(*why->guests));
		if (!rc)
			rc = guest_story_read(&why->guests[why->n_guests], r, i, err);
		if (rc)
			break;
		rc = guest_story_tell(why->guests[why->n_guests++]);
	}
	return rc;
}

void page_guests_release(struct why *why)
{
	while (why->n_guests)
		guest_story_free(why->guests[--why->n_guests]);
	free(why->guests);
}

/*
 * What follows commands about a guest: its file, also where the directory has nothing else. Times that commands show
 * and take are then those of the page, since its recording began; of a directory they are those since the run began.
 */
static void print_data(const struct recorded_file *file, struct buf *data)
{
	buf_putc(data, ' ');
	quote_shell(data, file->path, strlen(file->path));
}

/* timeout(1) has status 124 then. */
static bool was_timed_out(const struct tree_node *node)
{
	const struct tree_node *parent = node->parent;
	struct buf program = BUF_INIT;
	bool timed_out = parent && parent->end.known && WIFEXITED(parent->end.wait_status) &&
	                 WEXITSTATUS(parent->end.wait_status) == 124 && !story_program(&program, parent) &&
	                 program.data && strcmp(program.data, "timeout") == 0;

	buf_release(&program);
	return timed_out;
}

/* A guest whose kernel had not ended, and QEMU did. It takes a SIGTERM as a wish to end, and has status 0 then. */
static void qemu_end(const struct tree_node *node, const struct guest_story *g, struct buf *out)
{
	if (g->end != GUEST_RUNS || g->count[GUEST_PANIC] || !node->end.known || !WIFEXITED(node->end.wait_status))
		return;
	if (WEXITSTATUS(node->end.wait_status))
		buf_printf(out, "\n  QEMU itself failed, with status %d", WEXITSTATUS(node->end.wait_status));
	else if (was_timed_out(node))
		buf_puts(out, "\n  QEMU was ended by timeout(1), whose time was over");
	else
		buf_puts(out, "\n  QEMU ended all the same, with status 0: it was told to, or the guest was reset or "
		              "switched off, but not by its kernel");
}

static void guest(const struct why *why, const struct guest_story *g, struct buf *out)
{
	const struct tree_node *node = host_of(why, g->file);
	struct buf data = BUF_INIT;

	buf_puts(out, "\nThe guest of ");
	if (node)
		page_process(out, node, COMMAND_MAX);
	else
		page_foreign(out, g->file->path, COMMAND_MAX);
	buf_puts(out, ": ");
	guest_story_outcome(out, g);
	if (node)
		qemu_end(node, g, out);
	buf_puts(out, "\n  (times, also of the commands below, since its recording began");
	if (node && g->file->start > why->story.event_start && why->top) {
		buf_puts(out, ", ");
		page_at(why, g->file->start, out);
		buf_puts(out, " after the run");
	}
	if (g->host && !g->file->guest_hz)
		buf_puts(out, "; ~ interpolated between readings of the host's clock");
	buf_puts(out, ")\n");
	print_data(g->file, &data);
	guest_story_print(out, g, data.data ? data.data : "");
	buf_fail(out, data.err);
	buf_release(&data);
}

void page_guest_host_json(const struct why *why, const struct guest_story *g, struct jsonl *j)
{
	const struct tree_node *node = host_of(why, g->file);
	struct buf end = BUF_INIT;

	if (!node)
		return;
	jsonl_string(j, "qemu", program_command(node));
	page_end_of(&end, node);
	jsonl_text(j, "qemu_status", (struct data_text){end.data ? end.data : "", end.len});
	buf_release(&end);
}

void page_guests(const struct why *why, struct buf *out)
{
	for (size_t i = 0; i < why->n_guests && i < GUESTS_MAX; i++)
		guest(why, why->guests[i], out);
	for (size_t i = GUESTS_MAX; i < why->n_guests; i++) {
		buf_puts(out, i == GUESTS_MAX ? "\nOther guests\n  " : "  ");
		guest_story_outcome(out, why->guests[i]);
		buf_puts(out, ": exectrace why ");
		quote_shell(out, why->guests[i]->file->path, strlen(why->guests[i]->file->path));
		buf_putc(out, '\n');
	}
}
