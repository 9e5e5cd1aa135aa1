/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls of a guest as rows, in the order in which they began: JSON Lines, and CSV. */
#include <exectrace/answer/export/guest/guest.h>

#include <exectrace/answer/format/callcsv.h>
#include <exectrace/answer/format/text.h>
#include <stdio.h>

#define DIGITS_ALWAYS 19 /* a number with fewer has room in 64 bits, whatever it is */

/* What the calls that are folded away ran themselves. */
static bool any_folded(const struct guest *g, struct budget_folded *folded)
{
	struct budget *budget = g->e->options.budget;

	if (!budget || budget_measures(budget))
		return false;
	*folded = budget_folded(budget);
	return folded->events != 0;
}

/* --- CSV -----------------------------------------------------------------------------------------------------------
 */

static int csv_line(void *ctx, const struct call_line *line)
{
	struct guest *g = ctx;

	return call_csv_line(&g->e->out.text, g->replay, line);
}

int guest_csv(struct guest *g)
{
	struct budget_folded folded;
	int rc = call_csv_titles(&g->e->out.text, g->replay);

	g->values = CALL_VALUES_TEXT;
	if (!rc)
		rc = guest_lines(g, csv_line, g);
	if (!rc && any_folded(g, &folded))
		rc = buf_printf(&g->e->out.text, ",,%llu,folded,,,,,,,,[%llu calls],,,\n",
		                (unsigned long long)guest_ticks(g, folded.time), (unsigned long long)folded.events);
	return rc;
}

/* --- JSON ----------------------------------------------------------------------------------------------------------
 */

/* As of system calls: a number as such, all else as a text. */
static void json_result(struct jsonl *j, struct data_text result)
{
	if (!result.n)
		return;
	if (result.n < DIGITS_ALWAYS && exporter_is_number(result))
		jsonl_json(j, "ret", result);
	else
		jsonl_text(j, "result", result);
}

static int json_line(void *ctx, const struct call_line *line)
{
	struct guest *g = ctx;
	struct jsonl j;
	const struct replay_function *f = replay_function(g->replay, line->function);
	char stack[24];

	snprintf(stack, sizeof(stack), "%#llx", (unsigned long long)line->stack);
	exporter_json_begin(g->e, &j);
	jsonl_unsigned(&j, "at", guest_since(g, line->entered));
	jsonl_string(&j, "ph", "call");
	jsonl_string(&j, "name", f->name);
	if (*f->module)
		jsonl_string(&j, "module", f->module);
	if (line->args)
		jsonl_json(&j, "args", text_of(line->args));
	json_result(&j, text_of(line->result));
	jsonl_unsigned(&j, "dur", guest_ticks(g, line->duration));
	jsonl_unsigned(&j, "self", guest_ticks(g, line->self));
	if (!line->ended || !line->seen)
		jsonl_string(&j, "end", line->ended ? "unseen" : "open");
	if (line->told) {
		jsonl_unsigned(&j, "pid", line->tgid);
		jsonl_unsigned(&j, "tid", line->pid);
		jsonl_string(&j, "comm", line->task);
	}
	jsonl_string(&j, "stack_id", stack);
	jsonl_unsigned(&j, "cpu", line->cpu);
	if (line->interrupt)
		jsonl_bool(&j, "interrupt", true);
	jsonl_unsigned(&j, "tree", line->tree);
	jsonl_unsigned(&j, "depth", line->depth);
	return jsonl_end(&j);
}

/* The first line: what the numbers are. */
static int json_head(struct guest *g)
{
	struct jsonl j;

	exporter_json_begin(g->e, &j);
	if (g->realtime)
		jsonl_unsigned(&j, "t", g->realtime);
	jsonl_string(&j, "ph", "guest");
	jsonl_string(&j, "unit", g->unit);
	return jsonl_end(&j);
}

int guest_json(struct guest *g)
{
	struct jsonl j;
	struct budget_folded folded;
	int rc = json_head(g);

	g->values = CALL_VALUES_LIST;
	if (!rc)
		rc = guest_messages(g);
	if (!rc)
		rc = guest_lines(g, json_line, g);
	if (rc || !any_folded(g, &folded))
		return rc;
	exporter_json_begin(g->e, &j);
	jsonl_string(&j, "ph", "folded");
	jsonl_unsigned(&j, "count", folded.events);
	jsonl_unsigned(&j, "self", guest_ticks(g, folded.time));
	return jsonl_end(&j);
}
