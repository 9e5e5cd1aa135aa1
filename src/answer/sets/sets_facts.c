/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/sets/sets_facts.h>

#include <exectrace/answer/output/cell.h>
#include <string.h>

static const struct {
	enum measure_kind kind;
	const char *what; /* behind the side */
	const char *more; /* behind how many more there are */
} parts[] = {
	{MEASURE_OUTCOME, "ended with ", "ends"},
	{MEASURE_END, "has a process that failed: ", "processes that failed"},
	{MEASURE_COMMAND, "ran ", "commands"},
	{MEASURE_ERROR, "has a call that failed: ", "calls that failed"},
};

static void put_text(struct buf *out, const char *text)
{
	(void)cell_text(out, text, strlen(text)); /* failures stay in out->err */
}

static void put_row(struct buf *out, const struct measure *row, const char *what)
{
	buf_printf(out, "#   %c %s", row->sides[SIDE_A].in ? 'A' : 'B', what);
	put_text(out, row->name);
	if (*row->more) {
		buf_puts(out, "  ");
		put_text(out, row->more);
	}
	buf_putc(out, '\n');
}

int sets_facts_print(struct buf *out, struct measures *m, size_t limit)
{
	const char *title = "#\n# On one side only:\n";
	int rc = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !rc; i++) {
		const struct measure *rows;
		size_t n, shown = 0, all = 0;

		rc = measures_rows(m, parts[i].kind, 0, &rows, &n);
		for (size_t k = 0; k < n; k++) {
			if (!rows[k].only || all++ >= limit)
				continue;
			buf_puts(out, title);
			title = "";
			put_row(out, &rows[k], parts[i].what);
			shown++;
		}
		if (all > shown)
			buf_printf(out, "#   ... and %zu more %s\n", all - shown, parts[i].more);
	}
	return rc ? rc : out->err;
}
