/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <exectrace/answer/output/cell.h>
#include <exectrace/answer/processes/profile_view.h>
#include <exectrace/answer/recording/program.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <string.h>

#define COMMAND_MAX 160 /* bytes of a command line that is not to be shown in full ... */
#define COMMAND_MIN 16  /* ... also on a narrow terminal */
#define DEPTH_MAX 200   /* levels that are indented */
#define BOLD "\033[1m"
#define BLUE "\033[36m"  /* durations */
#define RED "\033[1;31m" /* failures */
#define MARK "\033[1;32m"
#define DIM "\033[2m" /* what is only on the way to others */
#define PLAIN "\033[0m"

enum { TIME, CPU, PEAK, READ, WRITTEN, START, STATUS, COLUMNS };

static const char *const titles[COLUMNS] = {"Time", "CPU", "Peak", "Read", "Written", "Start", "Status"};

/* The columns, as wide as they have to be; 0: it is left out. */
struct drawing {
	const struct profile_view *view;
	struct buf *out;
	int widths[COLUMNS];
	size_t indent; /* of what follows the columns */
};

/* --- Columns -------------------------------------------------------------------------------------------------------
 */

/* What ended well, as is usual, says nothing. */
static int print_status(struct buf *out, const struct tree_node *node)
{
	if (node->lost || (node->end.known && node->end.wait_status == 0))
		return 0;
	return exec_print_end(out, &node->end);
}

static int print_cell(const struct drawing *d, const struct profile_row *row, int column, struct buf *out)
{
	const struct profile_use *use = &row->use;

	switch (column) {
	case TIME:
		return use->timed ? clock_print(out, use->time) : 0;
	case CPU:
		return use->cpu ? clock_print(out, use->cpu_time) : 0;
	case PEAK:
		return use->peak ? profile_print_bytes(out, use->peak) : 0;
	case READ:
		return use->io ? profile_print_bytes(out, use->read) : 0;
	case WRITTEN:
		return use->io ? profile_print_bytes(out, use->written) : 0;
	case START:
		return row->node->start >= d->view->start && row->node->start && !row->node->lost
		               ? clock_print(out, row->node->start - d->view->start)
		               : 0;
	default:
		return print_status(out, row->node);
	}
}

/* A column that would be empty is left out. */
static int measure(struct drawing *d, const struct profile *p)
{
	cleanup_buf struct buf cell = BUF_INIT;

	for (const struct profile_row *row = profile_first(p); row && !cell.err; row = profile_next(row))
		for (int i = 0; i < COLUMNS; i++) {
			if (!d->view->wide && (i == READ || i == WRITTEN || i == START))
				continue;
			cell.len = 0;
			if (!print_cell(d, row, i, &cell) && (int)cell.len > d->widths[i])
				d->widths[i] = (int)cell.len;
		}
	for (int i = 0; i < COLUMNS; i++) {
		if (d->widths[i] && d->widths[i] < (int)strlen(titles[i]))
			d->widths[i] = (int)strlen(titles[i]);
		d->indent += d->widths[i] ? (size_t)d->widths[i] + 2 : 0;
	}
	return cell.err;
}

static const char *color_of(const struct drawing *d, const struct profile_row *row, int column)
{
	if (!d->view->page->color)
		return NULL;
	if (column == STATUS && profile_failed(row->node))
		return RED;
	return column == TIME ? BLUE : NULL;
}

/* Status is aligned to the left, numbers to the right. */
static int print_columns(const struct drawing *d, const struct profile_row *row)
{
	cleanup_buf struct buf cell = BUF_INIT;

	for (int i = 0; i < COLUMNS; i++) {
		const char *color = row ? color_of(d, row, i) : NULL;
		int gap = d->widths[i];

		if (!gap)
			continue;
		cell.len = 0;
		buf_puts(&cell, row ? "" : titles[i]);
		if (row)
			print_cell(d, row, i, &cell);
		if (cell.err)
			return cell.err;
		gap -= (int)cell.len;
		buf_printf(d->out, "%*s%s", i == STATUS ? 0 : gap, "", color ? color : "");
		buf_append(d->out, cell.data, cell.len);
		buf_printf(d->out, "%s%*s  ", color ? PLAIN : "", i == STATUS ? gap : 0, "");
	}
	return d->out->err;
}

/* --- The process ---------------------------------------------------------------------------------------------------
 */

/* The lines that lead from the ancestors, and the branch. below: to what stands below the row. */
static int print_branches(const struct profile_row *row, bool below, struct buf *out)
{
	const struct profile_row *line[DEPTH_MAX];
	size_t n = 0;

	for (const struct profile_row *up = row; up->parent && n < DEPTH_MAX; up = up->parent)
		line[n++] = up;
	while (n--) {
		if (n || below)
			buf_puts(out, line[n]->sibling ? "│   " : "    ");
		else
			buf_puts(out, line[n]->sibling ? "├── " : "└── ");
	}
	return out->err;
}

static size_t depth_of(const struct profile_row *row)
{
	size_t depth = 0;

	for (; row->parent && depth < DEPTH_MAX; row = row->parent)
		depth++;
	return depth;
}

/* What follows the command. */
static int print_tail(const struct profile_row *row, bool times, struct buf *out)
{
	if (row->count == 1)
		return buf_printf(out, "  [%u]", row->node->pid);
	buf_printf(out, "  x %zu", row->count);
	if (!row->use.timed || !times)
		return out->err;
	buf_puts(out, ", ");
	clock_print(out, row->use.shortest);
	buf_puts(out, " to ");
	return clock_print(out, row->use.longest);
}

/* What the command lines of all of them begin with. */
static int print_common(const struct profile_row *row, size_t room, struct buf *out)
{
	cleanup_buf struct buf name = BUF_INIT;
	const char *command = program_command(row->node);
	size_t n = row->common;
	bool cut = n > room || command[n];

	if (row->node->kernel && !row->node->end.ended)
		return buf_puts(out, "[kernel threads]");
	if (!n) {
		int rc = program_name(&name, row->node);

		return rc ? rc : cell_text(out, name.data, name.len);
	}
	cell_text(out, command, n > room ? room : n);
	buf_puts(out, cut ? " ..." : "");
	return profile_print_fork(out, row->node);
}

static int print_process(const struct drawing *d, const struct profile_row *row)
{
	const char *mark = " <- picked";
	cleanup_buf struct buf tail = BUF_INIT;
	size_t room = d->view->full ? SIZE_MAX : COMMAND_MAX, width = (size_t)d->view->page->width, taken;
	bool dim = d->view->page->color && !row->wanted, color = d->view->page->color;
	int rc = print_tail(row, true, &tail);

	taken = d->indent + 4 * depth_of(row) + (row->node->picked ? strlen(mark) : 0) +
	        (row->node->forked ? strlen(" (fork)") : 0) +
	        (row->node->renamed ? strlen(": ") + strlen(row->node->renamed) : 0) +
	        (row->count > 1 ? strlen(" ...") : 0);
	if (!rc && width && !d->view->full && width < taken + tail.len + COMMAND_MIN) {
		buf_reset(&tail, SIZE_MAX);
		rc = print_tail(row, false, &tail);
	}
	taken += tail.len;
	if (width && !d->view->full && width < taken + COMMAND_MAX)
		room = width > taken + COMMAND_MIN ? width - taken : COMMAND_MIN;
	buf_puts(d->out, dim ? DIM : "");
	if (!rc && row->count == 1)
		rc = profile_print_commands(d->out, row->node, room);
	else if (!rc)
		rc = print_common(row, room, d->out);
	if (rc)
		return rc;
	buf_append(d->out, tail.data, tail.len);
	buf_puts(d->out, dim ? PLAIN : "");
	if (row->node->picked)
		buf_printf(d->out, "%s%s%s", color ? MARK : "", mark, color ? PLAIN : "");
	return buf_putc(d->out, '\n');
}

/* Those below it that have no row. */
static int print_left_out(const struct drawing *d, const struct profile_row *row)
{
	if (!row->shorter && !row->deeper)
		return 0;
	buf_printf(d->out, "%*s", (int)d->indent, "");
	print_branches(row, true, d->out);
	if (row->shorter)
		buf_printf(d->out, "(%zu shorter)", row->shorter);
	if (row->deeper)
		buf_printf(d->out, "%s(%zu below)", row->shorter ? " " : "", row->deeper);
	return buf_putc(d->out, '\n');
}

/* --- What programs began with --------------------------------------------------------------------------------------
 */

static bool has_line(const struct strv *state, const char *line)
{
	for (size_t i = 0; i < state->n; i++)
		if (strcmp(state->items[i], line) == 0)
			return true;
	return false;
}

/* The lines of a state that another does not have. */
static int print_lines(const struct drawing *d, const struct profile_row *row, const struct strv *state,
                       const struct strv *other, char sign)
{
	for (size_t i = 0; i < state->n; i++) {
		if (has_line(other, state->items[i]))
			continue;
		buf_printf(d->out, "%*s%c ", (int)(d->indent + 4 * depth_of(row)) + 4, "", sign);
		cell_text(d->out, state->items[i], strlen(state->items[i]));
		buf_putc(d->out, '\n');
	}
	return d->out->err;
}

/* A process that has executed nothing has the state of its parent, as far as is known. */
static int print_state(const struct drawing *d, const struct profile_row *row)
{
	static const struct strv none;
	const struct tree_node *node = row->node, *up = node->parent;
	int rc;

	if (node->forked || node->lost)
		return 0;
	while (up && (up->forked || up->lost))
		up = up->parent;
	rc = print_lines(d, row, &node->state, up ? &up->state : &none, '+');
	return rc || !up ? rc : print_lines(d, row, &up->state, &node->state, '-');
}

int profile_show_tree(const struct profile_view *view, const struct profile *p)
{
	struct drawing d = {.view = view, .out = &view->page->text};
	const struct profile_row *row = profile_first(p);
	int rc = measure(&d, p);

	if (!rc && row) {
		buf_puts(d.out, view->page->color ? BOLD : "");
		print_columns(&d, NULL);
		rc = buf_printf(d.out, "Process%s\n", view->page->color ? PLAIN : "");
	}
	for (; row && !rc; row = profile_next(row)) {
		rc = print_columns(&d, row);
		if (!rc)
			rc = print_branches(row, false, d.out);
		if (!rc)
			rc = print_process(&d, row);
		if (!rc && view->state)
			rc = print_state(&d, row);
		if (!rc)
			rc = print_left_out(&d, row);
		if (!rc)
			rc = page_flush(view->page);
	}
	return rc;
}
