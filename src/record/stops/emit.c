/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events on their way to the sink. */
#include "argument_memory.h"
#include "source.h"
#include <exectrace/base/clock.h>

#define WALL_NS (10 * NS_PER_MS) /* how long CLOCK_REALTIME is counted on without being read */

void stops_fail(struct stops *s, int err)
{
	if (err && !s->error)
		s->error = err;
}

static bool is_aside(const struct stops *s, const struct syscall_call *call)
{
	return s->config->shown && !syscall_filter_has(s->config->shown, call->arch, call->nr);
}

/* The call in which it was attached to is told, whatever was asked for. */
static bool shows_all(const struct stops *s, const struct thread *thread)
{
	return s->config->interrupted && thread->attached;
}

void stops_emit_at(struct stops *s, struct call_event *event, uint64_t now)
{
	if (event->thread->hidden)
		return;
	event->now = now;
	if (now - s->wall_read > WALL_NS && (int64_t)(now - s->wall_read) > 0) {
		s->wall_read = clock_now();
		s->wall_less = clock_wall() - s->wall_read;
	}
	event->wall = now + s->wall_less;
	if (event->type == CALL_ENTER) {
		s->calls++;
		event->thread->aside =
			!event->thread->forbidden && !shows_all(s, event->thread) && is_aside(s, &event->thread->call);
		event->thread->enter = now;
		event->thread->wall = event->wall;
	}
	stops_fail(s, s->sink->event(s->sink, event));
	if (s->config->stacks && event->thread->inside)
		inside_stack_ends(event->thread->inside, event->thread->stack_end);
}

void stops_emit(struct stops *s, struct call_event *event)
{
	if (event->thread->hidden)
		return;
	if (s->config->memory)
		stops_fail(s, argument_memory_take(event, s->config->string_max));
	stops_emit_at(s, event, clock_now());
}
