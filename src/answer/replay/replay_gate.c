/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay_gate.h"
#include "replay_values.h"

#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/format/gate/gate.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

struct replay_gate {
	const struct control_config *config;
	struct gate *gate;
	regex_t task;
	bool has_task;
	uint8_t *judged;          /* a bit for each number of a function that the gate has heard of */
	size_t n_judged;          /* bytes */
	bool drops;               /* what waits is freed, and nothing else */
	bool converts;            /* events come in as ticks of the replay, which are not those that were recorded */
	bool host_times;          /* the recorded clock counts no time: that of the host is what rules go by */
	uint32_t cpu;             /* of the record at hand */
	uint64_t opened;          /* clock at which the window that is open was opened */
	struct replay_kept *kept; /* of the call or return that is next; NULL: nothing */
	uint64_t windows, closed, shortest, longest, sum;
};

/* A record that keeps its place among those that wait, with its text. */
struct waiting {
	struct data_event event;
	char text[];
};

/* --- What comes out ------------------------------------------------------------------------------------------------
 */

static void on_window(struct replay_gate *g, const struct gate_event *e)
{
	uint64_t length = e->clock > g->opened ? e->clock - g->opened : 0;

	if (e->kind == GATE_OPENED) {
		g->opened = e->clock;
		g->windows++;
		return;
	}
	g->shortest = g->closed && g->shortest < length ? g->shortest : length;
	g->longest = g->longest > length ? g->longest : length;
	g->sum += length;
	g->closed++;
}

static int put_waiting(struct replay *p, const struct gate_event *e)
{
	struct waiting *waiting = (struct waiting *)(uintptr_t)e->number;
	int rc = p->gate->drops ? 0 : replay_apply(p, &waiting->event);

	free(waiting);
	return rc;
}

static int put(void *user, const struct gate_event *e)
{
	static const uint8_t types[] = {
		[GATE_CALL] = DATA_CALL,           [GATE_RETURN] = DATA_RETURN,     [GATE_TAIL] = DATA_TAIL,
		[GATE_IRQ_ENTER] = DATA_IRQ_ENTER, [GATE_IRQ_EXIT] = DATA_IRQ_EXIT, [GATE_UNWIND] = DATA_UNWIND,
		[GATE_SWITCH] = DATA_SWITCH};
	struct replay *p = user;
	struct data_event event = {.clock = e->clock};

	int rc;

	if (p->gate->drops && e->kind != GATE_OTHER)
		return 0;
	switch (e->kind) {
	case GATE_OTHER:
		return put_waiting(p, e);
	case GATE_OPENED:
	case GATE_CLOSED:
		on_window(p->gate, e);
		return 0;
	case GATE_FILTERED:
		event.type = DATA_FILTERED;
		event.filtered = (struct data_filtered){REPLAY_FILTERED, e->number, e->ticks};
		return replay_apply(p, &event);
	case GATE_SWITCH:
		event.on.stack = e->number;
		event.on.cpu = e->cpu;
		break;
	default:
		event.call.function = e->number;
		break;
	}
	event.type = types[e->kind];
	p->kept = e->values;
	rc = replay_apply(p, &event);
	p->kept = NULL;
	return rc;
}

/* --- What goes in --------------------------------------------------------------------------------------------------
 */

/* The gate hears what a function is before it sees its first call. */
static int judge(struct replay *p, uint64_t id)
{
	struct replay_gate *g = p->gate;
	uint32_t number = replay_number(p, id);
	const struct replay_function *f = replay_function(p, number);
	size_t n = g->n_judged ? g->n_judged : 1024;
	unsigned what;
	uint8_t *judged;

	if (number / 8 < g->n_judged && g->judged[number / 8] >> number % 8 & 1)
		return 0;
	while (number / 8 >= n)
		n *= 2;
	judged = n > g->n_judged ? realloc(g->judged, n) : g->judged;
	if (!judged)
		return -ENOMEM;
	memset(judged + g->n_judged, 0, n - g->n_judged);
	g->judged = judged;
	g->n_judged = n;
	judged[number / 8] |= (uint8_t)(1 << number % 8);
	what = control_function(g->config, number ? f->name : NULL, *f->module ? f->module : NULL, f->address, f->size);
	return what == CONTROL_WANTED ? 0 : gate_function(g->gate, number, what);
}

/* Triggers may compare what a function was given, or gave. */
static int take(struct replay *p, struct gate_event *e, uint32_t function)
{
	struct replay_gate *g = p->gate;
	const struct signature *types = replay_function(p, function)->signature;
	const struct data_values *values;
	bool result;
	int rc;

	if (!g->kept)
		return gate_take(g->gate, e);
	values = replay_kept_values(g->kept, &result);
	if (types)
		e->fires = control_fires(g->config, types, values, result);
	e->values = g->kept;
	rc = gate_take(g->gate, e);
	replay_values_drop(g->kept);
	g->kept = NULL;
	return rc;
}

static int take_call(struct replay *p, struct gate_event *e, uint64_t id)
{
	int rc = judge(p, id);

	e->number = replay_number(p, id);
	return rc ? rc : take(p, e, (uint32_t)e->number);
}

static int take_other(struct replay *p, struct gate_event *e, const struct data_event *event)
{
	struct replay_gate *g = p->gate;
	struct data_event copy = *event;
	struct data_text *text = replay_text_of(&copy);
	size_t n = text ? text->n : 0;
	struct waiting *waiting = calloc(1, sizeof(*waiting) + n + 1);
	int rc = 0;

	if (!waiting)
		return -ENOMEM;
	if (text) {
		memcpy(waiting->text, n ? text->bytes : "", n);
		text->bytes = waiting->text;
	}
	waiting->event = copy;
	waiting->event.clock = e->clock;
	if (event->type == DATA_TASK) {
		rc = gate_task(g->gate, event->task.stack,
		               !g->has_task || regexec(&g->task, waiting->text, 0, NULL, 0) == 0);
	}
	if (rc) {
		free(waiting);
		return rc;
	}
	e->kind = GATE_OTHER;
	e->cpu = replay_cpu_of(event, g->cpu);
	e->number = (uintptr_t)waiting;
	return gate_take(g->gate, e);
}

bool replay_gate_is_for(uint8_t type)
{
	return (type >= DATA_CALL && type <= DATA_SWITCH) || type == DATA_UNWIND || type == DATA_TASK ||
	       type == DATA_SYNC || type == DATA_FILTERED || type == DATA_CALL_ARGS || type == DATA_CALL_RESULT ||
	       type == DATA_WAKE || type == DATA_HELD || type == DATA_MESSAGE;
}

/* The time that triggers and limits of time go by. */
static int find_time(struct replay *p, const struct data_event *event, uint64_t *time)
{
	struct rcpu *cpu;

	*time = event->clock;
	if (!p->gate->host_times && !p->gate->converts)
		return 0;
	cpu = replay_cpu(p, replay_cpu_of(event, p->gate->cpu));
	if (cpu)
		*time = replay_host_time(cpu, &cpu->gate, event->clock);
	return cpu ? 0 : -ENOMEM;
}

int replay_gate_take(struct replay *p, const struct data_event *event)
{
	struct gate_event e = {.clock = event->clock};
	int rc = find_time(p, event, &e.time);

	if (rc)
		return rc;
	if (p->gate->converts)
		e.clock = e.time;
	switch (event->type) {
	case DATA_CALL_ARGS:
	case DATA_CALL_RESULT:
		return replay_values_keep(&p->gate->kept, event);
	case DATA_CALL:
		e.kind = GATE_CALL;
		return take_call(p, &e, event->call.function);
	case DATA_TAIL:
		e.kind = GATE_TAIL;
		return take_call(p, &e, event->call.function);
	case DATA_IRQ_ENTER:
		e.kind = GATE_IRQ_ENTER;
		return take_call(p, &e, event->call.function);
	case DATA_RETURN:
		e.kind = GATE_RETURN;
		return take(p, &e, (uint32_t)gate_innermost(p->gate->gate));
	case DATA_IRQ_EXIT:
		e.kind = GATE_IRQ_EXIT;
		break;
	case DATA_UNWIND:
		e.kind = GATE_UNWIND;
		break;
	case DATA_SWITCH:
		e.kind = GATE_SWITCH;
		e.number = event->on.stack;
		e.cpu = p->gate->cpu = event->on.cpu;
		break;
	default:
		return take_other(p, &e, event);
	}
	return gate_take(p->gate->gate, &e);
}

/* --- All -----------------------------------------------------------------------------------------------------------
 */

int replay_gate_init(struct replay *p, struct buf *why)
{
	const struct control_config *config = p->options.control;
	struct replay_gate *g;

	if (!config || control_is_all(config))
		return 0;
	if (control_has_times(config) && !p->source->public.guest_hz && !replay_knows_host_time(p))
		return buf_puts(why, "triggers and limits of time need a recording whose clock counts time "
		                     "(--run='guest --clock=tsc'), or that tells how it goes with that of the host")
		               ? -ENOMEM
		               : -EINVAL;
	p->gate = g = calloc(1, sizeof(*g));
	if (!g)
		return -ENOMEM;
	g->config = config;
	g->converts = p->clock.kind != p->source->public.guest_clock;
	g->host_times = !p->source->public.guest_hz && replay_knows_host_time(p);
	g->has_task = config->task != NULL;
	if (g->has_task && regcomp(&g->task, config->task, REG_EXTENDED | REG_NOSUB)) {
		g->has_task = false;
		return buf_puts(why, "the pattern for tasks is no regular expression") ? -ENOMEM : -EINVAL;
	}
	return 0;
}

/* Also in the middle of a recording. */
static void close_gate(struct replay_gate *g)
{
	g->drops = true;
	if (g->gate)
		(void)gate_end(g->gate);
	gate_free(g->gate);
	replay_values_drop(g->kept);
	g->kept = NULL;
	g->gate = NULL;
	g->drops = false;
}

void replay_gate_free(struct replay *p)
{
	struct replay_gate *g = p->gate;

	if (!g)
		return;
	close_gate(g);
	if (g->has_task)
		regfree(&g->task);
	free(g->judged);
	free(g);
	p->gate = NULL;
}

int replay_gate_begin(struct replay *p)
{
	const struct data_event filtered = {
		.type = DATA_FUNCTION,
		.function = {.id = REPLAY_FILTERED, .name = {"[filtered]", 10}},
	};
	struct replay_gate *g = p->gate;
	struct gate_rules rules;

	gate_rules_of(&rules, g->config,
	              p->source->public.guest_hz && !g->converts ? p->source->public.guest_hz : NS_PER_S);
	close_gate(g);
	g->gate = gate_new(&rules, put, p);
	if (!g->gate)
		return -ENOMEM;
	gate_take_values(g->gate, replay_values_hold, replay_values_drop);
	if (g->has_task)
		gate_tasks_only(g->gate);
	if (p->sink->unattributed)
		gate_tell_unattributed(g->gate);
	g->cpu = 0;
	if (g->n_judged)
		memset(g->judged, 0, g->n_judged);
	g->windows = g->closed = g->shortest = g->longest = g->sum = 0;
	return replay_define(p, &filtered);
}

int replay_run_all(struct replay *p, const struct replay_sink *sink)
{
	struct replay_gate *gate = p->gate;
	int rc;

	p->gate = NULL;
	rc = replay_run(p, sink);
	p->gate = gate;
	return rc;
}

/* Ticks of the clock that goes into the gate. */
static int print_ticks(struct buf *out, const struct replay *p, uint64_t ticks)
{
	uint64_t hz = p->gate->converts ? p->clock.hz : p->source->public.guest_hz;

	if (!hz)
		return buf_printf(out, "%llu", (unsigned long long)ticks);
	return clock_print(out, (uint64_t)((double)ticks * (double)NS_PER_S / (double)hz));
}

static int print_windows(struct buf *out, const struct replay *p)
{
	const struct replay_gate *g = p->gate;
	int rc = buf_printf(out, "windows %llu", (unsigned long long)g->windows);

	if (rc || !g->closed)
		return rc;
	rc = buf_puts(out, " (of those that ended the shortest ");
	if (!rc)
		rc = print_ticks(out, p, g->shortest);
	if (!rc)
		rc = buf_puts(out, ", on average ");
	if (!rc)
		rc = print_ticks(out, p, g->sum / g->closed);
	if (!rc)
		rc = buf_puts(out, ", the longest ");
	if (!rc)
		rc = print_ticks(out, p, g->longest);
	return rc ? rc : buf_puts(out, ")");
}

int replay_gate_end(struct replay *p)
{
	struct replay_gate *g = p->gate;
	struct buf note = BUF_INIT;
	int rc = gate_end(g->gate);
	const struct gate_counts n = gate_counts(g->gate);

	if (!rc)
		rc = print_windows(&note, p);
	if (!rc)
		rc = buf_printf(&note,
		                "; calls %llu; left out by functions and tasks %llu, by interrupts %llu, by times %llu",
		                (unsigned long long)n.entries, (unsigned long long)n.functions,
		                (unsigned long long)n.irq, (unsigned long long)n.times);
	if (!rc)
		rc = strv_push(&p->notes, note.data);
	buf_release(&note);
	return rc;
}
