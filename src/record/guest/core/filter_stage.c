/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter_stage.h"

#include "record.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* An event with words behind it, which keeps its place among those that wait. */
struct filter_stage_waiting {
	unsigned more;
	uint64_t words[RING_WORDS_MAX];
};

static int put_waiting(struct drain *d, const struct gate_event *e)
{
	struct filter_stage_waiting *waiting = (struct filter_stage_waiting *)(uintptr_t)e->number;
	int rc = record_more(d, e->cpu, e->clock, waiting->more, waiting->words);

	free(waiting);
	return rc;
}

static int put_window(struct drain *d, const struct gate_event *e)
{
	struct data_event event = {.type = DATA_WINDOW, .clock = e->clock};

	event.window.number = e->number;
	event.window.open = e->kind == GATE_OPENED;
	return data_writer_event(d->writer, &event);
}

static int put_call(struct drain *d, const struct gate_event *e, unsigned kind)
{
	const struct ring_values *values = e->values;
	int rc = values ? record_values(d, e->clock, values, kind == RING_RETURN) : 0;

	return rc ? rc : record_event(d, e->cpu, e->clock, kind, (uint32_t)e->number);
}

static int put(void *user, const struct gate_event *e)
{
	static const uint8_t kinds[] = {RING_CALL, RING_RETURN, RING_TAIL, RING_IRQ_ENTER, RING_IRQ_EXIT};
	struct drain *d = user;

	switch (e->kind) {
	case GATE_UNWIND:
		return data_writer_unwind(d->writer, e->clock);
	case GATE_SWITCH:
		return record_event(d, e->cpu, e->clock, RING_SWITCH, (uint32_t)e->number);
	case GATE_OTHER:
		return put_waiting(d, e);
	case GATE_FILTERED:
		return record_filtered(d, e->clock, e->number, e->ticks);
	case GATE_OPENED:
	case GATE_CLOSED:
		return put_window(d, e);
	default:
		return put_call(d, e, kinds[e->kind]);
	}
}

int drain_control(struct drain *d, const struct control_config *config, uint64_t hz, uint32_t filtered)
{
	struct gate_rules rules;

	gate_rules_of(&rules, config, hz);
	d->filtered = filtered;
	d->judged = calloc(FUNCTIONS_MAX / 8, 1);
	d->gate = d->judged ? gate_new(&rules, put, d) : NULL;
	if (!d->gate)
		return -ENOMEM;
	if (config->task && regcomp(&d->task, config->task, REG_EXTENDED | REG_NOSUB))
		return -EINVAL;
	gate_take_values(d->gate, ring_values_hold, ring_values_drop);
	d->has_task = config->task != NULL;
	if (d->has_task)
		gate_tasks_only(d->gate);
	return 0;
}

void filter_stage_release(struct drain *d)
{
	gate_free(d->gate);
	free(d->judged);
	if (d->has_task)
		regfree(&d->task);
	d->gate = NULL;
	d->judged = NULL;
	d->has_task = false;
}

/* The gate hears what a function is before it sees its first call. */
static int judge(struct drain *d, uint32_t id)
{
	const struct function *function = functions_at(d->functions, id);

	d->judged[id % FUNCTIONS_MAX / 8] |= (uint8_t)(1 << id % 8);
	return function && function->what != CONTROL_WANTED ? gate_function(d->gate, id, function->what) : 0;
}

/* The triggers whose comparisons hold for what a function was given, or gave. */
static unsigned fires(const struct drain *d, const struct ring_values *values, bool result)
{
	const struct function *function = functions_at(d->functions, values->function);
	struct signature types;

	if (!function || !function->args || !control_compares(d->functions->control, function->what))
		return 0;
	signature_read(&types, record_text(function->args->signature));
	return control_fires(d->functions->control, &types, &values->values, result);
}

int filter_stage_take(struct drain *d, uint32_t cpu, uint64_t clock, unsigned kind, uint32_t number,
                      struct ring_values *values)
{
	static const uint8_t kinds[] = {
		[RING_CALL] = GATE_CALL,           [RING_RETURN] = GATE_RETURN,     [RING_TAIL] = GATE_TAIL,
		[RING_IRQ_ENTER] = GATE_IRQ_ENTER, [RING_IRQ_EXIT] = GATE_IRQ_EXIT, [RING_SWITCH] = GATE_SWITCH};
	struct gate_event e = {.cpu = cpu, .number = number, .clock = clock, .time = clock, .values = values};
	bool enters = kind == RING_CALL || kind == RING_TAIL || kind == RING_IRQ_ENTER;
	int rc = 0;

	if (kind > RING_SWITCH)
		return 0;
	e.kind = (enum gate_kind)kinds[kind];
	if (values)
		e.fires = fires(d, values, kind == RING_RETURN);
	if (enters && !(d->judged[number % FUNCTIONS_MAX / 8] >> number % 8 & 1))
		rc = judge(d, number);
	return rc ? rc : gate_take(d->gate, &e);
}

/* What the gate has to know of it. */
static int tell_gate(struct drain *d, unsigned more, const uint64_t *words)
{
	char name[17] = "";

	if (more == RING_OWNER)
		return gate_owner(d->gate, words[0], words[1]);
	if (more != RING_TASK)
		return 0;
	memcpy(name, &words[3], 16);
	return gate_task(d->gate, words[0], !d->has_task || regexec(&d->task, name, 0, NULL, 0) == 0);
}

int filter_stage_more(struct drain *d, uint32_t cpu, struct drain_cpu *c, unsigned more, const uint64_t *words)
{
	struct gate_event e = {.kind = GATE_OTHER, .cpu = cpu, .clock = c->clock, .time = c->clock};
	struct filter_stage_waiting *waiting;
	int rc = tell_gate(d, more, words);

	if (rc || more == RING_OWNER)
		return rc;
	if ((more == RING_SYSCALL || more == RING_UNFINISHED) &&
	    (!gate_is_open(d->gate) || !gate_wants(d->gate, c->stack))) {
		ring_texts_free((struct ring_texts *)(uintptr_t)words[11]);
		return 0;
	}
	waiting = malloc(sizeof(*waiting));
	if (!waiting)
		return -ENOMEM;
	waiting->more = more;
	memcpy(waiting->words, words, ring_more_words(more) * sizeof(*words));
	e.number = (uintptr_t)waiting;
	return gate_take(d->gate, &e);
}
