/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The notify engine: a seccomp filter with a user notification on execve; nothing is attached but what is picked. */
#include "listener.h"
#include "priority.h"
#include "private.h"
#include "receiver.h"

#include <errno.h>
#include <exectrace/base/fd.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 64u

struct notify {
	struct engine common; /* first */
	int listener;
	struct receiver receiver;
	struct slot *now;      /* of the exec reported last */
	uint16_t queue[BATCH]; /* received, not yet looked at */
	size_t queued;
	size_t at;
	struct slot *deferred[SLOTS];
	size_t deferreds;
	size_t again; /* of them, still to be reported again */
};

static struct notify *notify_of(struct engine *engine)
{
	return (struct notify *)engine;
}

static enum glanced glance(struct receiver *receiver, struct slot *slot);
static void notify_pass(struct engine *engine);

static int get_listener(struct notify *n, struct buf *why)
{
	struct launch *launch = n->common.launch;

	if (launch->behind && n->common.yama == YAMA_DESCENDANTS) {
		(void)buf_puts(why, "kernel.yama.ptrace_scope is 1: with -D the command's processes cannot be read");
		return -EPERM;
	}
	n->listener = launch_install_listener(launch);
	if (n->listener >= 0)
		return 0;
	(void)buf_printf(why, "no seccomp listener: %s%s", strerror(-n->listener),
	                 n->listener == -EBUSY ? " (this process tree has one already)" : "");
	return n->listener;
}

static int notify_start(struct engine **ret, struct launch *launch, struct buf *why)
{
	struct notify *n = calloc(1, sizeof(*n));
	int err = n ? engine_init(&n->common, &engine_notify, launch) : -ENOMEM;

	if (err) {
		free(n);
		return err;
	}
	err = get_listener(n, why);
	if (err) {
		engine_release_common(&n->common);
		free(n);
		return err;
	}
	n->receiver.glance = glance;
	err = receiver_start(&n->receiver, n->listener, launch->shared, launch->root);
	if (err)
		return err;
	priority_supervisor();
	*ret = &n->common;
	return 0;
}

static int notify_fd(const struct engine *engine)
{
	return ((const struct notify *)engine)->receiver.queue[0];
}

static void go_on(struct notify *n, struct slot *slot)
{
	(void)listener_continue(n->listener, slot->notif.id);
	slot_free(slot);
}

/* A program has come to its stub. */
static void on_park_call(struct notify *n, struct slot *slot, struct engine_event *ev)
{
	struct taken *taken = taken_find(&n->common, (pid_t)slot->notif.pid);

	if (!taken || taken->state != TAKEN_ENTERING) { /* somebody tries this number: it does not exist */
		(void)listener_answer(n->listener, slot->notif.id, 0, -ENOSYS);
		slot_free(slot);
		return;
	}
	taken->slot = slot;
	taken->state = TAKEN_PARKED;
	*ev = (struct engine_event){.type = ENGINE_PARKED, .tracee = &taken->pub};
}

/* An exec by a thread that is in our hands already: only a few are expected. True when it is settled here. */
static bool expected(struct notify *n, struct slot *slot, struct engine_event *ev)
{
	struct taken *taken = taken_find(&n->common, (pid_t)slot->notif.pid);

	if (!taken)
		return false;
	if (taken->anew) /* to stop after this one, see notify_take */
		(void)tracee_interrupt(taken->seized);
	taken->anew = false;
	go_on(n, slot);
	if (taken->state == TAKEN_RESTARTED)
		taken_event(&n->common, taken, ENGINE_RESTARTED, 0, ev);
	else if (taken->state == TAKEN_HELD || taken->state == TAKEN_PARKED || taken->state == TAKEN_ENTERING)
		taken_event(&n->common, taken, ENGINE_GONE, 0, ev); /* another thread of that number */
	return true; /* TAKEN_WAITING: notified twice (Linux before 6.18); TAKEN_CALLED: our own execve */
}

static void describe(struct notify *n, struct slot *slot, const struct arch *arch)
{
	struct engine *engine = &n->common;
	const struct seccomp_data *data = &slot->notif.data;
	uint64_t args[6];

	for (int i = 0; i < 6; i++)
		args[i] = data->args[i];
	exec_record_reset(&engine->rec);
	engine->capture.call = capture_call(arch, (pid_t)slot->notif.pid, (uint32_t)data->nr, args);
	capture_waiting(&engine->rec, &engine->capture);
	n->now = slot;
}

static void report(struct notify *n, struct slot *slot, const struct arch *arch, struct engine_event *ev)
{
	describe(n, slot, arch);
	*ev = (struct engine_event){.type = ENGINE_EXEC, .rec = &n->common.rec};
}

/*
 * In the receiver's thread. It runs where the caller of execve ran, which waits for nothing else: an answer from here
 * takes a sixth of the time that waking the main thread on another processor does.
 */
static enum glanced glance(struct receiver *receiver, struct slot *slot)
{
	struct notify *n = (struct notify *)((char *)receiver - offsetof(struct notify, receiver));
	struct engine *engine = &n->common;
	const struct arch *arch = arch_by_call(slot->notif.data.arch, (uint32_t)slot->notif.data.nr);
	bool done = false;

	if (slot->notif.pid == 0 || !arch || (uint32_t)slot->notif.data.nr == arch->nr_park)
		return GLANCED_MORE;
	if (pthread_mutex_trylock(&engine->lock))
		return GLANCED_BUSY;
	if (engine->glance && !taken_find(engine, (pid_t)slot->notif.pid)) {
		describe(n, slot, arch);
		done = engine->glance(engine->glance_user, &engine->rec);
		if (done) {
			receiver_answers(receiver);
			notify_pass(engine);
		}
	}
	pthread_mutex_unlock(&engine->lock);
	return done ? GLANCED_SETTLED : GLANCED_MORE;
}

/* Looks at one slot: sets *ev, or leaves it ENGINE_NONE when there is nothing for the caller. */
static void look(struct notify *n, struct slot *slot, struct engine_event *ev)
{
	const struct arch *arch = arch_by_call(slot->notif.data.arch, (uint32_t)slot->notif.data.nr);

	if (slot->notif.pid == 0 || !arch) /* not visible from our pid namespace */
		go_on(n, slot);
	else if ((uint32_t)slot->notif.data.nr == arch->nr_park)
		on_park_call(n, slot, ev);
	else if (!expected(n, slot, ev))
		report(n, slot, arch, ev);
}

/* A deferred one that is to be reported again; each only once, for it may be deferred again. */
static struct slot *next_deferred(struct notify *n)
{
	struct slot *slot = NULL;

	if (n->common.retry)
		n->again = n->deferreds;
	n->common.retry = false;
	if (!n->again)
		return NULL;
	slot = n->deferred[0];
	memmove(n->deferred, n->deferred + 1, --n->deferreds * sizeof(n->deferred[0]));
	n->again--;
	return slot;
}

static struct slot *next_slot(struct notify *n)
{
	struct slot *slot = next_deferred(n);

	if (slot)
		return slot;
	if (n->at == n->queued) {
		n->at = 0;
		n->queued = receiver_take(&n->receiver, n->queue, BATCH);
	}
	return n->at < n->queued ? &n->common.launch->shared->slot[n->queue[n->at++]] : NULL;
}

static int notify_next(struct engine *engine, struct engine_event *ev)
{
	struct notify *n = notify_of(engine);
	struct slot *slot = NULL;

	engine->counts.lost = atomic_load(&n->receiver.lost);
	engine->counts.rescued = n->receiver.rescue.saved;
	*ev = (struct engine_event){.type = ENGINE_NONE};
	while (ev->type == ENGINE_NONE && (slot = next_slot(n)))
		look(n, slot, ev);
	return ev->type != ENGINE_NONE;
}

static int notify_child(struct engine *engine, const struct wait_event *wait, struct engine_event *ev)
{
	struct taken *taken = taken_find(engine, wait->pid);
	unsigned long former = 0;

	/* A thread that was no leader reports under its new pid; the message is the one it was seized by (ptrace(2)).
	 */
	if (wait->kind == WAIT_EVENT && tracee_event_msg(wait->pid, &former) == 0 && former &&
	    (pid_t)former != wait->pid)
		taken = taken_find(engine, (pid_t)former);
	if (!taken && (wait->kind == WAIT_EVENT || wait->kind == WAIT_SYSCALL || wait->kind == WAIT_INTERRUPT))
		(void)tracee_detach(wait->pid, 0); /* nobody's any more: it must not stay stopped */
	if (!taken)
		return 0;
	taken_child(engine, taken, wait, ev);
	return 1;
}

static bool notify_current(struct engine *engine)
{
	struct notify *n = notify_of(engine);

	return listener_valid(n->listener, n->now->notif.id);
}

static void notify_pass(struct engine *engine)
{
	struct notify *n = notify_of(engine);

	go_on(n, n->now);
	n->now = NULL;
}

/*
 * The interrupt is pending while the caller waits (only a fatal signal ends the wait), so the next thing it does after
 * its execve is to stop: in the new program, or in the old one when the execve failed.
 */
static int notify_take(struct engine *engine, struct taken *taken)
{
	struct notify *n = notify_of(engine);
	int err = tracee_seize(taken->seized, SEIZE_EXEC);

	if (err)
		return err;
	taken->state = TAKEN_WAITING;
	(void)tracee_interrupt(taken->seized);
	go_on(n, n->now);
	n->now = NULL;
	return 0;
}

static void notify_defer(struct engine *engine)
{
	struct notify *n = notify_of(engine);

	n->deferred[n->deferreds++] = n->now;
	n->now = NULL;
}

static int notify_answer(struct engine *engine, struct slot *slot, int error)
{
	struct notify *n = notify_of(engine);
	int err = error == ANSWER_CONTINUE ? listener_continue(n->listener, slot->notif.id)
	                                   : listener_answer(n->listener, slot->notif.id, 0, error);

	slot_free(slot);
	return err;
}

static void notify_again(struct engine *engine)
{
	struct notify *n = notify_of(engine);

	(void)notify_answer(engine, n->now, ANSWER_AGAIN);
	n->now = NULL;
}

static int notify_hold(struct engine *engine, struct taken *taken)
{
	struct notify *n = notify_of(engine);

	taken->state = TAKEN_HELD;
	taken->pub.call = n->now->notif.data.nr;
	taken->slot = n->now;
	n->now = NULL;
	return 0;
}

static bool notify_waits(struct engine *engine, const struct slot *slot)
{
	return listener_valid(notify_of(engine)->listener, slot->notif.id);
}

static void notify_resume(struct engine *engine, struct taken *taken, bool follow)
{
	(void)engine;
	(void)follow; /* the filter stays with it */
	(void)tracee_detach(taken->pub.tid, 0);
}

static bool notify_finished(struct engine *engine)
{
	return listener_ended(notify_of(engine)->listener);
}

static void notify_end(struct engine *engine)
{
	struct notify *n = notify_of(engine);

	engine_release_common(engine);
	/* While processes have the filter the receiver is in the kernel; it ends with us, and then the keeper takes
	 * over. */
	if (!listener_ended(n->listener) || !receiver_ended(&n->receiver))
		return;
	fd_close(&n->listener);
	fd_close(&n->receiver.queue[0]);
	fd_close(&n->receiver.queue[1]);
	free(n);
}

const struct engine_ops engine_notify = {
	.name = "notify",
	.start = notify_start,
	.fd = notify_fd,
	.next = notify_next,
	.child = notify_child,
	.current = notify_current,
	.pass = notify_pass,
	.take = notify_take,
	.defer = notify_defer,
	.again = notify_again,
	.hold = notify_hold,
	.answer = notify_answer,
	.waits = notify_waits,
	.resume = notify_resume,
	.park_kind = PARK_CALL,
	.finished = notify_finished,
	.end = notify_end,
};
