/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the guest's kernel logged, and by which stack. */
#include <exectrace/answer/replay/replay_state.h>

#include <errno.h>

struct data_text *replay_text_of(struct data_event *event)
{
	switch (event->type) {
	case DATA_TASK:
		return &event->task.name;
	case DATA_MESSAGE:
		return &event->message.text;
	default:
		return NULL;
	}
}

uint32_t replay_cpu_of(const struct data_event *event, uint32_t otherwise)
{
	switch (event->type) {
	case DATA_SWITCH:
		return event->on.cpu;
	case DATA_SYNC:
		return event->sync.cpu;
	case DATA_MESSAGE:
		return event->message.cpu;
	default:
		return otherwise;
	}
}

/*
 * The tick of a CPU when its recorded clock is so. It does not go on by that: between windows nothing runs that counts,
 * and what others measure must not depend on whether messages are asked for.
 */
static uint64_t tick_at(const struct replay *p, const struct rcpu *cpu, uint64_t clock)
{
	struct moment_cursor here = cpu->here;

	if (cpu->any && clock < cpu->last)
		clock = cpu->last;
	if (p->options.host_time && p->clock.kind != p->source->public.guest_clock && !p->gate)
		clock = replay_host_time(cpu, &here, clock);
	return clock;
}

/* The stack that runs on a CPU, when it can be the one that logged: not where what runs is not recorded for a time. */
static struct replay_stack *stack_of(const struct rcpu *cpu, const struct data_message *m)
{
	const bool in_task = !(m->caller & DATA_MESSAGE_CPU);

	if (!cpu->stack || (in_task && cpu->stack->public.tasks && cpu->stack->public.pid != m->caller))
		return NULL;
	return &cpu->stack->public;
}

int replay_on_message(struct replay *p, const struct data_event *event)
{
	struct rcpu *cpu;
	uint64_t now;

	if (!p->sink->message)
		return 0;
	cpu = replay_cpu(p, event->message.cpu);
	if (!cpu)
		return -ENOMEM;
	now = tick_at(p, cpu, event->clock);
	if (p->bounded && (now < p->from || now >= p->until))
		return 0;
	return p->sink->message(p->sink->ctx, stack_of(cpu, &event->message), &event->message, now);
}
