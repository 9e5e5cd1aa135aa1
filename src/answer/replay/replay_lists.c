/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of functions and modules, and interrupts. The gate lets all interrupts through, for their time is not that of
 * what they interrupt; here those that say nothing are kept from the sink.
 */
#include <exectrace/answer/replay/replay_state.h>

#include <errno.h>
#include <exectrace/base/grow.h>

bool replay_has_lists(const struct replay *p)
{
	const struct control_config *control = p->options.control;

	return control->functions.n || control->modules.n;
}

/* 1, 0 or -ENOMEM. */
static int is_listed(struct replay *p, uint32_t number)
{
	const struct replay_function *f = replay_function(p, number);
	unsigned what;

	if (number == replay_number(p, REPLAY_FILTERED))
		return 0;
	if (widen_array((void **)&p->listed, &p->n_listed, number, sizeof(*p->listed)))
		return -ENOMEM;
	if (!p->listed[number]) {
		what = control_function(p->options.control, number ? f->name : NULL, *f->module ? f->module : NULL,
		                        f->address, f->size);
		p->listed[number] = what & CONTROL_WANTED ? 2 : 1;
	}
	return p->listed[number] - 1;
}

/* Tells of the interrupts below the innermost call of a stack that have not been told of; these are on no other one. */
static int tell_stack(const struct replay *p, struct replay_stack *s, uint32_t depth)
{
	const uint32_t all = s->depth;
	int rc = 0;

	for (uint32_t i = 0; i < depth && !rc; i++) {
		struct replay_frame *frame = &s->frames[i];

		if (!frame->bare || !frame->interrupt)
			continue;
		frame->bare = false;
		s->depth = i + 1;
		rc = p->sink->enter ? p->sink->enter(p->sink->ctx, s) : 0;
		s->depth = all;
	}
	return rc;
}

/* Also of those whose handlers have this stack for their own. */
static int tell_interrupts(const struct replay *p, struct rstack *s)
{
	const struct replay_stack *list[REPLAY_WHOLE];
	size_t n = s->public.pid ? 1 : replay_whole(&s->public, list);
	int rc = 0;

	while (n-- > 1 && !rc) {
		struct replay_stack *below = &p->stacks[list[n]->number]->public;

		rc = tell_stack(p, below, below->depth);
	}
	return rc ? rc : tell_stack(p, &s->public, s->public.depth - 1);
}

int replay_list_enter(struct replay *p, struct rstack *s)
{
	struct replay_frame *frame = &s->public.frames[s->public.depth - 1];
	const struct replay_frame *around = s->public.depth > 1 && !frame->interrupt ? frame - 1 : NULL;
	int listed = is_listed(p, frame->function);
	int rc;

	if (listed < 0)
		return listed;
	frame->named = frame->interrupt ? listed : around && around->named;
	frame->asked = around && frame->in_interrupt && (around->asked || (listed && !frame->named));
	frame->bare = p->sink->asked_only && !listed && (frame->interrupt || (around && around->bare));
	if (!listed)
		return !frame->bare;
	rc = tell_interrupts(p, s);
	return rc ? rc : 1;
}

int replay_list_leave(const struct replay *p, struct rstack *s, const struct replay_call *call)
{
	if (!call->frame->interrupt || !p->sink->bare)
		return 0;
	s->public.frames[s->public.depth].function = replay_number(p, REPLAY_FILTERED);
	return p->sink->bare(p->sink->ctx, &s->public, call);
}
