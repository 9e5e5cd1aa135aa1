/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel of a guest logged, as rows: JSON Lines. */
#include <exectrace/answer/export/guest/guest.h>

#include <exectrace/answer/replay/task.h>

static int on_message(void *ctx, struct replay_stack *stack, const struct data_message *m, uint64_t now)
{
	struct guest *g = ctx;
	const struct task_select select = {g->which->task, g->which->pids, g->which->n_pids};
	const bool told = stack && stack->tasks;
	struct jsonl j;
	int rc;

	if (!task_wanted_there(&select, stack))
		return 0;
	exporter_json_begin(g->e, &j);
	jsonl_unsigned(&j, "at", guest_since(g, now));
	jsonl_string(&j, "ph", "message");
	jsonl_unsigned(&j, "stamp", m->stamp);
	jsonl_unsigned(&j, "level", m->level);
	jsonl_text(&j, "text", m->text);
	if (told) {
		jsonl_unsigned(&j, "pid", stack->tgid);
		jsonl_unsigned(&j, "tid", stack->pid);
		jsonl_string(&j, "comm", stack->task);
	} else if (!(m->caller & DATA_MESSAGE_CPU)) {
		jsonl_unsigned(&j, "tid", m->caller);
	}
	if (m->caller & DATA_MESSAGE_CPU)
		jsonl_bool(&j, "interrupt", true);
	jsonl_unsigned(&j, "cpu", m->cpu);
	rc = jsonl_end(&j);
	return rc ? rc : spool_drain(&g->e->out);
}

int guest_messages(struct guest *g)
{
	const struct replay_sink sink = {.ctx = g, .message = on_message};
	uint64_t before = exporter_position(g->e);
	int rc = replay_run(g->replay, &sink);

	if (!rc && exporter_measures(g->e))
		budget_add_fixed(g->e->options.budget, exporter_position(g->e) - before);
	return rc;
}
