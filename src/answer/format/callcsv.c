/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/format/callcsv.h>

#include <exectrace/answer/format/text.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/quote.h>
#include <string.h>

const struct call_column call_columns[CALL_CELLS] = {
	{"entry", .time = true},      {"duration", .time = true}, {"local", .time = true},   {"end", .text = true},
	{"pid", .text = false},       {"task", .text = true},     {"stack", .text = false},  {"cpu", .text = false},
	{"interrupt", .text = false}, {"tree", .text = false},    {"depth", .text = false},  {"function", .text = true},
	{"module", .text = true},     {"args", .text = false},    {"result", .text = false}, {"ran", .time = true},
	{"waited", .time = true},
};

static uint64_t as_ns(uint64_t hz, uint64_t ticks)
{
	return !hz || hz == NS_PER_S ? ticks : (uint64_t)((double)ticks * (double)NS_PER_S / (double)hz);
}

void call_cells(const struct replay *p, const struct call_line *line, struct call_cell cells[CALL_CELLS])
{
	const struct replay_function *f = replay_function(p, line->function);
	uint64_t start = replay_start(p), hz = replay_clock(p).hz;

	/* In the order of call_columns. */
	*cells++ = (struct call_cell){.number = as_ns(hz, line->entered > start ? line->entered - start : 0)};
	*cells++ = (struct call_cell){.number = as_ns(hz, line->duration)};
	*cells++ = (struct call_cell){.number = as_ns(hz, line->self)};
	*cells++ = (struct call_cell){.text = !line->ended ? "open" : line->seen ? "seen" : "unseen"};
	*cells++ = (struct call_cell){.number = line->pid};
	*cells++ = (struct call_cell){.text = line->task};
	*cells++ = (struct call_cell){.number = line->stack};
	*cells++ = (struct call_cell){.number = line->cpu};
	*cells++ = (struct call_cell){.number = line->interrupt};
	*cells++ = (struct call_cell){.number = line->tree};
	*cells++ = (struct call_cell){.number = line->depth};
	*cells++ = (struct call_cell){.text = f->name};
	*cells++ = (struct call_cell){.text = f->module};
	*cells++ = (struct call_cell){.text = line->args ? line->args : ""};
	*cells++ = (struct call_cell){.text = line->result ? line->result : ""};
	*cells++ = (struct call_cell){.number = as_ns(hz, line->ran)};
	*cells = (struct call_cell){.number = as_ns(hz, line->waited)};
}

int call_csv_titles(struct buf *out, const struct replay *p)
{
	const char *unit = replay_clock(p).hz ? "_ns" : "";
	int rc = 0;

	for (size_t i = 0; i < CALL_CELLS && !rc; i++)
		rc = buf_printf(out, "%s%s%c", call_columns[i].key, call_columns[i].time ? unit : "",
		                i + 1 < CALL_CELLS ? ',' : '\n');
	return rc;
}

int call_csv_line(struct buf *out, const struct replay *p, const struct call_line *line)
{
	struct call_cell cells[CALL_CELLS];
	int rc = 0;

	call_cells(p, line, cells);
	for (size_t i = 0; i < CALL_CELLS && !rc; i++) {
		const char *text = cells[i].text;

		/* Room for all numbers behind it, and for what ends them. */
		rc = text ? quote_csv(out, text, strlen(text)) : 0;
		if (!rc && (text || !i))
			rc = buf_reserve(out, CALL_CELLS * (TEXT_NUMBER_BYTES + 1));
		if (!rc && !text)
			text_put_number(out, cells[i].number);
		if (!rc)
			out->data[out->len++] = i + 1 < CALL_CELLS ? ',' : '\n';
	}
	return rc;
}
