/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/view/odd_table.h>

#include <errno.h>
#include <exectrace/answer/output/cell.h>
#include <exectrace/base/cleanup.h>
#include <stdlib.h>
#include <string.h>

static uint64_t since_start(const struct replay *p, uint64_t tick)
{
	uint64_t start = replay_start(p);

	return tick > start ? tick - start : 0;
}

static void print_task(struct buf *out, const struct shapes_call *call)
{
	if (!call->told) {
		buf_putc(out, '-');
		return;
	}
	(void)cell_text(out, call->task, strlen(call->task));
	buf_printf(out, " [%u]", call->pid);
}

/* A cell made of a text that is put together; it is empty then. */
static void put_cell(struct table *t, struct buf *cell)
{
	if (cell->err && !t->err)
		t->err = cell->err;
	table_text(t, cell->len ? cell->data : "");
	buf_reset(cell, SIZE_MAX);
}

static void put_task(struct table *t, const struct shapes_call *call, struct buf *cell)
{
	if (t->format == TABLE_TEXT)
		print_task(cell, call);
	else if (call->told)
		buf_puts(cell, call->task);
	put_cell(t, cell);
}

/* --- The odd ones ------------------------------------------------------------------------------------------------- */

static const struct table_column odd_columns[] = {
	{"First", "first", .time = true, .width = 8},
	{"Odd", "odd", .width = 3},
	{"of", "calls", .width = 3},
	{"Function", "function", .left = true, .text = true, .cut = true, .width = 20},
	{"Module", "module", .left = true, .text = true},
	{"Task", "task", .left = true, .text = true},
	{"", "pid", .width = 1},
	{"", "last", .time = true},
	{"Difference", "difference", .left = true, .text = true, .cut = true, .width = 20},
	{0},
};

static void print_difference(struct buf *out, const struct replay *p, const struct shapes_difference *d)
{
	static const char *const how[] = {
		[SHAPES_LACKS] = "does not call %s",
		[SHAPES_ALSO] = "calls %s",
		[SHAPES_MORE] = "calls %s more than once",
		[SHAPES_ONCE] = "calls %s only once",
	};
	const char *name = replay_function(p, d->function)->name;
	const char *rest = strstr(how[d->how], "%s");

	(void)buf_append(out, how[d->how], (size_t)(rest - how[d->how]));
	(void)cell_text(out, name, strlen(name));
	buf_puts(out, rest + 2);
}

/* What it returns instead of what the others do. */
static void print_results(struct buf *out, const struct replay *p, const struct shapes_odd *odd)
{
	const struct replay_function *f = replay_function(p, odd->function);

	buf_puts(out, odd->n ? ", returns " : "returns ");
	(void)shapes_print_result(out, f, odd->result);
	buf_puts(out, ", not ");
	(void)shapes_print_result(out, f, odd->others);
}

static void put_odd(struct table *t, const struct replay *p, const struct shapes_odd *odd, struct buf *cell)
{
	const struct replay_function *f = replay_function(p, odd->function);

	table_ticks(t, since_start(p, odd->first.at));
	table_number(t, odd->odd);
	table_number(t, odd->calls);
	table_text(t, f->name);
	table_text(t, f->module);
	put_task(t, &odd->first, cell);
	table_number(t, odd->first.pid);
	table_ticks(t, since_start(p, odd->last.at));
	for (size_t i = 0; i < odd->n && i < SHAPES_DIFFERENCES; i++) {
		buf_puts(cell, i ? ", " : "");
		print_difference(cell, p, &odd->differences[i]);
	}
	if (odd->n > SHAPES_DIFFERENCES)
		buf_printf(cell, ", and %zu more", odd->n - SHAPES_DIFFERENCES);
	if (odd->gives)
		print_results(cell, p, odd);
	put_cell(t, cell);
}

static int show_odd(const struct odd_table *table, const struct shapes *s, struct replay *p, struct page *page)
{
	cleanup_buf struct buf cell = BUF_INIT;
	struct shapes_odd *odd;
	struct table t;
	size_t n;
	int rc = shapes_find_odd(s, &odd, &n);

	if (rc)
		return rc;
	table_begin(&t, page, table->format, odd_columns, replay_clock(p));
	for (size_t i = 0; i < n && (!table->limit || i < table->limit) && !t.err; i++)
		put_odd(&t, p, &odd[i], &cell);
	free(odd);
	return table_end(&t);
}

/* --- Shapes ------------------------------------------------------------------------------------------------------- */

static const struct table_column shape_columns[] = {
	{"Function", "function", .left = true, .text = true, .cut = true, .width = 20},
	{"", "module", .text = true},
	{"Calls", "calls", .width = 5},
	{"First", "first", .time = true, .width = 8},
	{"Task", "task", .left = true, .text = true},
	{"", "pid", .width = 1},
	{"Last", "last", .time = true, .width = 8},
	{"Task", "last_task", .left = true, .text = true, .spare = 1},
	{"", "last_pid", .width = 1},
	{"What they call (+: more than once)", "callees", .left = true, .text = true, .cut = true, .width = 20},
	{0},
};

static void put_shape(struct table *t, const struct replay *p, uint32_t function, const struct shapes_shape *shape,
                      struct buf *cell)
{
	table_text(t, replay_function(p, function)->name);
	table_text(t, replay_function(p, function)->module);
	table_number(t, shape->count);
	table_ticks(t, since_start(p, shape->first.at));
	put_task(t, &shape->first, cell);
	table_number(t, shape->first.pid);
	table_ticks(t, since_start(p, shape->last.at));
	put_task(t, &shape->last, cell);
	table_number(t, shape->last.pid);
	for (size_t i = 0; i < shape->n; i++) {
		const char *name = replay_function(p, shape->callees[i].function)->name;

		buf_puts(cell, i ? " " : "");
		(void)cell_text(cell, name, strlen(name));
		buf_puts(cell, shape->callees[i].more ? "+" : "");
	}
	put_cell(t, cell);
}

/* A function whose calls are of too many shapes has one row, without any. */
static void put_varied(struct table *t, const struct replay *p, uint32_t function, uint64_t calls)
{
	table_text(t, replay_function(p, function)->name);
	table_text(t, replay_function(p, function)->module);
	table_number(t, calls);
	for (unsigned i = 0; i < 6; i++)
		table_text(t, "");
	table_text(t, t->format == TABLE_TEXT ? "(of too many shapes)" : "");
}

/* What the calls of a function returned, if it was not always the same. */
static int print_returned(const struct shapes *s, struct replay *p, uint32_t function, struct buf *out)
{
	const struct replay_clock clock = replay_clock(p);
	const struct replay_function *f = replay_function(p, function);
	size_t n;
	const struct shapes_returned *r = shapes_returned(s, function, &n);

	for (size_t i = 0; n > 1 && i < n; i++) {
		buf_puts(out, "# ");
		(void)cell_text(out, f->name, strlen(f->name));
		buf_puts(out, " returned ");
		(void)shapes_print_result(out, f, r[i].value);
		buf_putc(out, ' ');
		growth_number(out, r[i].count, false);
		buf_puts(out, r[i].count == 1 ? " time, at " : " times, first at ");
		if (ticks_print(out, &clock, since_start(p, r[i].first.at)))
			return -ENOMEM;
		buf_puts(out, " by ");
		print_task(out, &r[i].first);
		buf_putc(out, '\n');
	}
	return out->err;
}

static int show_shapes(const struct odd_table *table, const struct shapes *s, struct replay *p, struct page *page)
{
	cleanup_buf struct buf cell = BUF_INIT;
	size_t rows = 0, n;
	struct table t;
	int rc;

	table_begin(&t, page, table->format, shape_columns, replay_clock(p));
	for (uint32_t f = 0; f < replay_functions(p) && !t.err; f++) {
		const struct shapes_shape *shapes = shapes_of(s, f, &n);

		if (!shapes && shapes_calls(s, f) && (!table->limit || rows++ < table->limit))
			put_varied(&t, p, f, shapes_calls(s, f));
		for (size_t i = 0; i < n && (!table->limit || rows < table->limit); i++, rows++)
			put_shape(&t, p, f, &shapes[i], &cell);
	}
	rc = table_end(&t);
	for (uint32_t f = 0; f < replay_functions(p) && !rc && table->format == TABLE_TEXT; f++)
		rc = print_returned(s, p, f, &page->text);
	return rc;
}

int odd_table_show(const struct odd_table *table, struct replay *p, struct page *page)
{
	const struct shapes_options options = {.function = table->function};
	struct shapes *s = shapes_new(p, &options);
	int rc = s ? shapes_run(s) : -ENOMEM;

	if (!rc)
		rc = table->function ? show_shapes(table, s, p, page) : show_odd(table, s, p, page);
	shapes_free(s);
	return rc;
}

/* --- Growth ------------------------------------------------------------------------------------------------------- */

void growth_line(struct buf *out, const struct replay_clock *clock, const struct growth_named *grows)
{
	const struct growth_fit *fit = grows->fit;
	bool exact = growth_is_exact(fit);
	cleanup_buf struct buf first = BUF_INIT, last = BUF_INIT;

	if (ticks_print(&first, clock, exact ? fit->first : fit->first_tenth) ||
	    (!clock->hz && buf_printf(&first, " %s", ticks_unit(clock))) ||
	    ticks_print(&last, clock, exact ? fit->last : fit->last_tenth)) {
		buf_fail(out, -ENOMEM);
		return;
	}
	(void)cell_text(out, grows->name, strlen(grows->name));
	if (*grows->module && strcmp(grows->module, "[kernel]") != 0) {
		buf_putc(out, ' ');
		(void)cell_text(out, grows->module, strlen(grows->module));
	}
	buf_puts(out, " grows: ");
	growth_print(out, fit, "call", first.data, last.data);
	if (!*grows->often)
		return;
	buf_puts(out, "; late calls call ");
	(void)cell_text(out, grows->often, strlen(grows->often));
	buf_putc(out, ' ');
	growth_number(out, fit->times, false);
	buf_puts(out, " times");
}

int odd_table_growth(struct replay *p, const char *function, struct page *page)
{
	const struct shapes_options options = {.function = function, .growth = true};
	const struct replay_clock clock = replay_clock(p);
	struct shapes *s = shapes_new(p, &options);
	struct shapes_grows *grows = NULL;
	size_t n = 0;
	int rc = s ? shapes_run(s) : -ENOMEM;

	if (!rc)
		rc = shapes_find_growth(s, 1, &grows, &n);
	for (size_t i = 0; i < n && !rc; i++) {
		const struct replay_function *f = replay_function(p, grows[i].function);
		const char *often = grows[i].fit.times > 1 ? replay_function(p, grows[i].fit.often)->name : "";
		const struct growth_named named = {f->name, f->module, often, &grows[i].fit};

		buf_puts(&page->text, "# ");
		growth_line(&page->text, &clock, &named);
		rc = buf_putc(&page->text, '\n');
	}
	free(grows);
	shapes_free(s);
	return rc;
}
