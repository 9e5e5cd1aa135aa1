/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What those who waited when the recording of a guest ended waited for. */
#include <exectrace/answer/why/guest/stuck/stuck.h>

#include "stopped.h"
#include <exectrace/answer/calls/call.h>
#include <exectrace/answer/why/guest/story/place.h>
#include <exectrace/answer/why/guest/stuck/owners.h>
#include <stdlib.h>
#include <string.h>

/* --- Why they wait ------------------------------------------------------------------------------------------------ */

struct waiting_call {
	const char *name;
	enum guest_stuck_kind kind;
};

static const struct waiting_call calls[] = {
	{"wait4", GUEST_FOR_CHILD},       {"waitid", GUEST_FOR_CHILD},         {"do_wait", GUEST_FOR_CHILD},
	{"nanosleep", GUEST_FOR_TIME},    {"clock_nanosleep", GUEST_FOR_TIME}, {"do_nanosleep", GUEST_FOR_TIME},
	{"pause", GUEST_FOR_TIME},        {"rt_sigsuspend", GUEST_FOR_TIME},   {"rt_sigtimedwait", GUEST_FOR_TIME},
	{"accept", GUEST_FOR_TIME},       {"accept4", GUEST_FOR_TIME},         {"read", GUEST_FOR_OTHER},
	{"readv", GUEST_FOR_OTHER},       {"recvfrom", GUEST_FOR_OTHER},       {"recvmsg", GUEST_FOR_OTHER},
	{"write", GUEST_FOR_OTHER},       {"writev", GUEST_FOR_OTHER},         {"sendto", GUEST_FOR_OTHER},
	{"sendmsg", GUEST_FOR_OTHER},     {"poll", GUEST_FOR_OTHER},           {"ppoll", GUEST_FOR_OTHER},
	{"select", GUEST_FOR_OTHER},      {"pselect6", GUEST_FOR_OTHER},       {"epoll_wait", GUEST_FOR_OTHER},
	{"epoll_pwait", GUEST_FOR_OTHER}, {"open", GUEST_FOR_OTHER},           {"openat", GUEST_FOR_OTHER},
	{"connect", GUEST_FOR_OTHER},
};

/* Whatever the system call: also for real-time mutexes. */
static bool is_lock(const char *function)
{
	return place_is_lock(function) || strncmp(function, "rt_mutex_", strlen("rt_mutex_")) == 0;
}

static enum guest_stuck_kind kind_of(const struct guest_stuck *s)
{
	const char *name = strstr(s->place.call, "_sys_");

	name = *s->call ? s->call : name ? name + strlen("_sys_") : s->place.function;
	if (s->owner.how == GUEST_OWNER_JOINED)
		return GUEST_FOR_CHILD;
	if (is_lock(s->place.function) || *s->place.caller)
		return GUEST_FOR_LOCK;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (strcmp(calls[i].name, name) == 0 || strcmp(calls[i].name, s->place.function) == 0)
			return calls[i].kind;
	return GUEST_FOR_LOCK;
}

/* --- What the calls tell ------------------------------------------------------------------------------------------ */

static void tell_holder(struct tell *t, struct guest_stuck *s, const struct process_history *waiter, uint32_t object)
{
	const bool flock = strcmp(s->call, "flock") == 0;
	const struct recorded_process *holder;
	uint64_t since = 0;

	if (!flock && strcmp(s->call, "fcntl") != 0)
		return;
	holder = history_lock_holder(&t->s->history, waiter, object, flock, &since);
	if (!holder)
		return;
	s->holder = tell_process(t, holder);
	s->held = tell_time(t, since);
}

/* Who is at the other end of what it waits for. */
static void tell_other_end(struct tell *t, struct guest_stuck *s, const struct process_history *waiter,
                           const struct wait *wait)
{
	const struct history *h = &t->s->history;
	const struct wake *gave = history_giver(h, wait);
	const struct thread_history *giver = gave ? history_thread(h, gave->thread) : NULL;

	for (uint32_t i = 0; i < wait->n && !*s->server; i++) {
		const struct object *o = objects_at(&h->objects, h->waited[wait->first + i]);

		if (!o->server)
			continue;
		s->server = tell_text(t, o->server, strlen(o->server));
		s->unanswered = o->asked || wait->kind == WAIT_CONNECT;
		s->asked = o->asked ? tell_time(t, o->asked) : 0;
	}
	if (!giver || giver->thread->process == waiter->process)
		return;
	s->giver = tell_process(t, giver->thread->process);
	s->gave = tell_time(t, gave->exit);
}

static void tell_one(struct tell *t, struct guest_stuck *s)
{
	const struct history *h = &t->s->history;
	const struct thread_history *thread = tell_thread(t, s->pid);
	const struct last_call *last = thread ? last_calls_at(thread->last_calls, 0) : NULL;
	const struct wait *wait = thread && thread->n ? &thread->waits[thread->n - 1] : NULL;
	char name[CALL_NAME_MAX];
	const char *text;

	if (thread)
		s->process = tell_process(t, thread->thread->process);
	if (!last || !last->unfinished)
		return;
	text = call_name(&last->call, name);
	s->call = tell_text(t, text, strlen(text));
	s->text = tell_call(t, last);
	if (!wait || wait->to != last->time || !wait->n)
		return;
	if (wait->kind == WAIT_FUTEX) {
		owner_tell(t, s, thread, wait);
		return;
	}
	text = objects_at(&h->objects, h->waited[wait->first])->name;
	s->what = tell_text(t, text, strlen(text));
	tell_other_end(t, s, history_process(h, thread->thread->process->number), wait);
	if (wait->kind == WAIT_LOCK)
		tell_holder(t, s, history_process(h, thread->thread->process->number), h->waited[wait->first]);
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

/* A parent whose child is among them waits for what that waits for, and so does who waits for the end of a thread. */
static bool has_child(const struct tell *t, const struct guest_stuck *parent)
{
	for (size_t i = 0; i < t->g->n_stuck; i++) {
		const struct thread_history *thread = tell_thread(t, t->g->stuck[i].pid);

		if (thread && thread->thread->process->parent_pid == parent->pid)
			return true;
		if (parent->owner.how == GUEST_OWNER_JOINED && t->g->stuck[i].pid == parent->owner.pid)
			return true;
	}
	return false;
}

static int most_telling_first(const void *a, const void *b)
{
	const struct guest_stuck *one = a, *two = b;

	if (!one->deadlock != !two->deadlock)
		return one->deadlock ? -1 : 1;
	if (one->kind != two->kind)
		return one->kind < two->kind ? -1 : 1;
	return (one->since > two->since) - (one->since < two->since);
}

void stuck_tell(struct tell *t)
{
	struct guest_story *g = t->g;

	for (size_t i = 0; i < g->n_stuck; i++) {
		struct guest_stuck *s = &g->stuck[i];

		tell_one(t, s);
		stopped_tell(t, s);
		s->kind = kind_of(s);
	}
	for (size_t i = 0; i < g->n_stuck; i++)
		if (g->stuck[i].kind == GUEST_FOR_CHILD && !has_child(t, &g->stuck[i]))
			g->stuck[i].kind = GUEST_FOR_OTHER;
	owners_find_deadlocks(g);
	if (g->n_stuck)
		qsort(g->stuck, g->n_stuck, sizeof(*g->stuck), most_telling_first);
}
