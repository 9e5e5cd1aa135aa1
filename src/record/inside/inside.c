/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that have the agent, from their first stop to their last. */
#include <exectrace/record/inside/inside.h>

#include "private.h"
#include "sites.h"

#include <errno.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/kerrno.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

int inside_new(const struct inside_config *config, struct inside **made, const char **why)
{
	struct inside *inside = calloc(1, sizeof(*inside));
	int err = inside ? agent_image_make(&inside->image, config) : -ENOMEM;

	*why = "there is no memory";
	if (!err) {
		*why = "no thread can own its control words";
		err = owner_start(&inside->owner);
	}
	if (err) {
		if (inside)
			buf_release(&inside->image);
		free(inside);
		return err;
	}
	inside->config = config;
	inside->map = agent_image_map();
	inside->mem = -1;
	remote_prepare(inside);
	drain_begin(inside);
	*made = inside;
	return 0;
}

void inside_free(struct inside *inside)
{
	if (!inside)
		return;
	owner_stop(inside->owner);
	learned_free(inside->learned);
	fd_close(&inside->mem);
	free(inside->lasting);
	buf_release(&inside->image);
	free(inside);
}

size_t inside_count(const struct inside *inside)
{
	return inside->on;
}

int thread_dispatch(struct inside_thread *thread, bool on)
{
	const struct dispatch dispatch = {INSIDE_CODE, thread->inside->map->show - INSIDE_CODE, INSIDE_DATA};

	return tracee_dispatch(thread->tid, on ? &dispatch : NULL);
}

/* --- Threads ------------------------------------------------------------------------------------------------------ */

struct inside_thread *inside_add(struct inside *inside, pid_t tid, struct inside_thread *maker, uint64_t flags,
                                 void *user)
{
	struct inside_thread *thread = calloc(1, sizeof(*thread));

	if (!thread)
		return NULL;
	thread->inside = inside;
	thread->tid = tid;
	thread->user = user;
	thread->space = !maker               ? space_new()
	                : flags & CLONE_VM   ? space_get(maker->space)
	                : maker->space->data ? space_copy(maker->space)
	                                     : space_new();
	if (!thread->space) {
		free(thread);
		return NULL;
	}
	if (maker && maker->area)
		thread->blocked = data_area(maker->space->data, maker->area)->blocked != 0;
	thread->next = inside->threads;
	thread->to_this = &inside->threads;
	if (thread->next)
		thread->next->to_this = &thread->next;
	inside->threads = thread;
	return thread;
}

void thread_set_on(struct inside_thread *thread, bool on)
{
	if (thread->on != on)
		thread->inside->on += on ? 1 : (size_t)-1;
	thread->on = on;
}

unsigned inside_links(const struct inside_thread *thread)
{
	return !thread->inside->config->memory ? LINKS_NONE : thread->space->outside ? LINKS_OUTSIDE : LINKS_INSIDE;
}

static void give_area(struct inside_thread *thread)
{
	thread->area = space_area(thread->space);
	thread->taken = 0;
	if (thread->area) {
		struct area *area = data_area(thread->space->data, thread->area);

		memset(area, 0, sizeof(*area));
		count_clear(thread, area);
		thread->counted = false;
		area->self = area_address(thread->area);
		area->stack = area->self + INSIDE_STACK;
		area->links = inside_links(thread);
		area->blocked = thread->blocked;
		area->slot = thread->space->slot;
		area->limit = drain_limit(thread->inside);
		area->stack_end = thread->stack_end;
	}
}

static void take_area(struct inside_thread *thread)
{
	if (!thread->area)
		return;
	count_settle(thread);
	count_tell(thread);
	thread->space->data->used[thread->area] = false;
	thread->area = 0;
}

static int set_gs(const struct inside_thread *thread, unsigned area)
{
	struct user_regs_struct regs;
	int err = registers_get(thread->tid, &regs);

	if (!err && registers_use_gs(&regs))
		err = -EBUSY;
	regs.gs_base = area_address(area);
	return err ? err : registers_set(thread->tid, &regs);
}

void thread_switch_off(struct inside_thread *thread)
{
	if (thread->area ? data_area(thread->space->data, thread->area)->blocked != 0 : thread->blocked)
		thread_block(thread);
	thread->blocked = false;
	thread_set_on(thread, false);
	take_area(thread);
}

/* Signals come between two calls now: SIGSYS is not to be blocked then (struct area). */
static int free_signal(const struct inside_thread *thread)
{
	const uint64_t bit = UINT64_C(1) << (AGENT_SIGNAL - 1);
	uint64_t mask = 0;
	int err = tracee_sigmask(thread->tid, &mask);

	if (err || !(mask & bit))
		return err;
	data_area(thread->space->data, thread->area)->blocked = 1;
	return tracee_set_sigmask(thread->tid, mask & ~bit);
}

/* A stopped thread of a program that has the agent gets its part of it. */
static int switch_on(struct inside_thread *thread)
{
	int err = -ENOSPC;

	give_area(thread);
	if (thread->area)
		err = set_gs(thread, thread->area);
	if (!err)
		err = free_signal(thread);
	if (!err)
		err = thread_dispatch(thread, true);
	if (!err) {
		thread->started = true;
		thread_set_on(thread, true);
		return 0;
	}
	take_area(thread);
	(void)set_gs(thread, 0);
	return err;
}

void inside_start(struct inside_thread *thread, bool record)
{
	if (!thread->space->data)
		return;
	if (thread->started) {
		thread_give_up(thread);
		return;
	}
	thread->started = true;
	if (thread->space->given_up && !thread->inside->quiet)
		registers_take_gs_back(thread->tid); /* its maker has given it */
	else if (!record || thread->inside->quiet)
		(void)set_gs(thread, 0);
	else
		(void)switch_on(thread);
	if (!thread->on)
		thread_switch_off(thread);
}

static void leave_space(struct inside_thread *thread)
{
	thread_set_on(thread, false);
	thread->stops = false;
	thread_makes(thread, false);
	take_area(thread);
	space_put(thread->inside, thread->space);
	thread->space = NULL;
}

void inside_remove(struct inside_thread *thread)
{
	if (!thread)
		return;
	leave_space(thread);
	*thread->to_this = thread->next;
	if (thread->next)
		thread->next->to_this = thread->to_this;
	free(thread->stack);
	free(thread);
}

void inside_rename(struct inside_thread *thread, pid_t tid)
{
	thread->tid = tid;
}

void inside_exec(struct inside_thread *thread)
{
	struct space *space = space_new();

	if (thread->on)
		thread_switch_off(thread); /* its mask is that of its next program */
	leave_space(thread);
	thread->entered = false;
	thread->space = space;
}

void inside_stack_ends(struct inside_thread *thread, uint64_t end)
{
	if (thread->stack_end == end)
		return;
	thread->stack_end = end;
	if (thread->area)
		data_area(thread->space->data, thread->area)->stack_end = end;
}

bool inside_is_gone(const struct inside_thread *thread)
{
	return thread && !thread->tid;
}

bool inside_runs(const struct inside_thread *thread)
{
	return thread && thread->on && !thread->stops;
}

/* --- Stops -------------------------------------------------------------------------------------------------------- */

/* It has made enough calls, or is as one that has. */
static bool is_worth_it(struct inside_thread *thread)
{
	const unsigned enough = thread->inside->config->calls;
	unsigned calls = ++thread->space->calls;

	if (enough > 1 && calls == enough)
		learn_long(thread);
	return calls >= enough || (calls == 1 && learned_long(thread));
}

int inside_ended_call(struct inside_thread *thread, bool again)
{
	struct inside *inside = thread->inside;
	struct space *space = thread->space;
	int err = 0;

	if (!space || inside->quiet)
		return 0;
	if (thread->stops) {
		thread->stops = false;
		thread_makes(thread, false);
		if (thread->area)
			data_area(space->data, thread->area)->quiet = 0;
		if (!space->given_up)
			return thread_dispatch(thread, true);
		thread_give_up(thread);
		return 0;
	}
	if (thread->on || again || space->given_up)
		return 0;
	if (!space->data && !space->never && is_worth_it(thread)) {
		err = inject(thread);
		thread->first = !err;
	}
	if (!err && space->data)
		err = switch_on(thread);
	if (!err && thread->first && hold_begin(thread)) {
		(void)learned_apply(thread, 0);
		hold_end(thread);
	}
	return err == -ESRCH ? err : 0;
}

void inside_refuse(struct inside *inside, const char *why)
{
	inside->refused++;
	if (!inside->why)
		inside->why = why;
}

uint64_t inside_caught(const struct inside *inside)
{
	return inside->sent;
}

unsigned inside_refused(const struct inside *inside, const char **why)
{
	*why = inside->why;
	return inside->refused;
}

bool inside_is_first(struct inside_thread *thread)
{
	bool first = thread->first;

	thread->first = false;
	return first;
}

void inside_quiet(struct inside *inside)
{
	inside->quiet = true;
}
