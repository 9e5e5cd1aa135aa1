/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The notify engine: a seccomp filter with a user notification on execve; nothing is attached but what is picked. */
#include "notify.h"

#include "seized.h"
#include <exectrace/pick/launch/priority.h>

#include <errno.h>
#include <exectrace/base/fd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

static void notify_pass(struct engine *engine);

static int get_listener(struct notify *n, struct buf *why)
{
	struct launch *launch = n->common.launch;
	int listener = -1;
	int err = 0;

	if (launch->behind && n->common.yama == YAMA_DESCENDANTS) {
		(void)buf_puts(why, "kernel.yama.ptrace_scope is 1: with -D the command's processes cannot be read");
		return -EPERM;
	}
	if (!launch->root) /* there is only what runs already */
		return 0;
	err = receiver_start(&n->receiver, launch);
	if (err) {
		(void)buf_printf(why, "no thread: %s", strerror(-err));
		return err;
	}
	listener = launch_install_listener(launch);
	err = listener < 0 ? listener : listener_try(listener);
	if (!err)
		err = receiver_try(&n->receiver, launch->queue[0]);
	if (!err) {
		sources_set(&launch->sources, 0, listener);
		return 0;
	}
	listener_explain(why, err);
	receiver_stop(&n->receiver);
	return err;
}

static int notify_start(struct engine **ret, struct launch *launch, struct buf *why)
{
	struct notify *n = calloc(1, sizeof(*n));
	int err = n ? engine_init(&n->common, &engine_notify, launch) : -ENOMEM;

	if (n) {
		n->receiver.fast_path = notify_fast_path;
		n->receiver.owner = n;
	}
	if (!err)
		err = get_listener(n, why);
	if (err) {
		if (n)
			engine_release_common(&n->common);
		free(n);
		return err;
	}
	n->receiver.memory = n;
	if (launch->root)
		receiver_listen(&n->receiver, launch->sources.fd[0], launch->sources.feed);
	priority_supervisor();
	*ret = &n->common;
	return 0;
}

static int notify_fd(const struct engine *engine)
{
	const struct notify *n = (const struct notify *)engine;

	return n->forward.fd > 0 ? n->forward.fd : engine->launch->queue[0];
}

/* A program has come to its stub. */
static void on_park_call(struct notify *n, struct taken *taken, struct slot *slot, struct engine_event *ev)
{
	taken->slot = slot;
	atomic_store(&slot->busy, SLOT_KEPT);
	taken->state = TAKEN_PARKED;
	if (taken->unwanted)
		(void)taken_release(&n->common, taken);
	else
		*ev = (struct engine_event){.type = ENGINE_PARKED, .tracee = &taken->pub};
}

/* An exec by a thread that is in our hands already: only a few are expected. True when it is settled here. */
static bool expected(struct notify *n, struct slot *slot, struct engine_event *ev)
{
	struct taken *taken = taken_find(&n->common, (pid_t)slot->notif.pid);

	if (!taken)
		return false;
	if (taken_parks_in(taken, &slot->notif.data)) {
		on_park_call(n, taken, slot, ev);
		return true;
	}
	if (taken->anew) /* to stop after this one, see notify_take */
		(void)tracee_interrupt(taken->seized);
	taken->anew = false;
	notify_go_on(n, slot);
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

	bool handed = n->handed == slot->notif.id;

	n->now = slot;
	n->handed = 0;
	if (handed) /* what the fast_path has read is not read again */
		return;
	for (int i = 0; i < 6; i++)
		args[i] = data->args[i];
	engine_describe(engine, slot);
	engine->capture.call = capture_call(arch, (pid_t)slot->notif.pid, (uint32_t)data->nr, args);
	capture_waiting(&engine->rec, &engine->capture);
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
enum decided notify_fast_path(struct receiver *receiver, struct slot *slot)
{
	struct notify *n = receiver->owner;
	struct engine *engine = &n->common;
	const struct arch *arch = arch_by_call(slot->notif.data.arch, (uint32_t)slot->notif.data.nr);
	bool done = false;

	if (slot->notif.pid == 0 || !arch)
		return GLANCED_MORE;
	if (pthread_mutex_trylock(&engine->lock))
		return GLANCED_BUSY;
	if (!engine->fast_path || taken_find(engine, (pid_t)slot->notif.pid)) {
		done = false;
	} else if (forward_takes(n, slot)) {
		done = true;
	} else {
		describe(n, slot, arch);
		done = engine->fast_path(engine->fast_path_user, &engine->rec);
		if (done) {
			receiver_answers(receiver);
			notify_pass(engine);
		} else {
			n->handed = slot->notif.id;
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
		notify_go_on(n, slot);
	else if (!expected(n, slot, ev) && !forward_takes(n, slot))
		report(n, slot, arch, ev);
}

static size_t take_numbers(struct notify *n)
{
	ssize_t got = read(n->common.launch->queue[0], n->queue, sizeof(n->queue));

	return got > 0 ? (size_t)got / sizeof(n->queue[0]) : 0;
}

static bool take_retry(struct engine *engine)
{
	bool retry = engine->retry;

	engine->retry = false;
	return retry;
}

/* What comes next in the pipe; NULL: nothing now. */
static struct slot *take_queued(struct notify *n)
{
	for (;;) {
		uint16_t number;

		if (n->at == n->queued) {
			n->at = 0;
			n->queued = take_numbers(n);
		}
		if (n->at == n->queued)
			return NULL;
		number = n->queue[n->at++];
		if (number < SLOTS)
			return &n->common.launch->shared->slot[number];
		n->ended += number == RECEIVER_ENDED;
		if (number == RECEIVER_CUT)
			forward_cut(n);
	}
}

static void *next_key(struct notify *n)
{
	void *key = deferred_next(&n->deferred, take_retry(&n->common));

	return key ? key : take_queued(n);
}

/* One whose look is done, if there is one; else what comes next. False: there is nothing now. */
static bool next_exec(struct notify *n, struct engine_event *ev)
{
	void *looked = engine_looked(&n->common);
	void *key = looked ? looked : next_key(n);

	if (key && seized_of_key(key))
		seized_report(&n->common, seized_of_key(key), ev);
	else if (key)
		look(n, key, ev);
	return key != NULL;
}

static int notify_next(struct engine *engine, struct engine_event *ev)
{
	struct notify *n = notify_of(engine);

	notify_count(n);
	if (n->forward.n)
		forward_look(n);
	*ev = (struct engine_event){.type = ENGINE_NONE};
	if (engine->seizes && seized_next(engine, ev))
		return 1;
	while (ev->type == ENGINE_NONE && next_exec(n, ev)) {
	}
	return ev->type != ENGINE_NONE;
}

/* Nobody's any more: it must not stay stopped. */
static int unknown(const struct wait_event *wait)
{
	if (wait->kind != WAIT_EXIT)
		(void)tracee_detach(wait->pid, wait_signal(wait));
	return 0;
}

static int notify_child(struct engine *engine, const struct wait_event *wait, struct engine_event *ev)
{
	struct notify *n = notify_of(engine);
	struct taken *taken = taken_find(engine, wait->pid);
	unsigned long former = 0;

	/* A thread that was no leader reports under its new pid; the message is the one it was seized by (ptrace(2)).
	 */
	if (wait->kind == WAIT_EVENT && wait->event == PTRACE_EVENT_EXEC && tracee_event_msg(wait->pid, &former) == 0 &&
	    former && (pid_t)former != wait->pid)
		taken = taken_find(engine, (pid_t)former);
	if (taken)
		taken_child(engine, taken, wait, ev);
	else if (!engine->seizes)
		return unknown(wait);
	else
		*ev = (struct engine_event){.type = ENGINE_NONE};
	if (wait->kind == WAIT_EXIT)
		deferred_drop(&n->deferred, seized_key(wait->pid));
	if (engine->seizes && (!taken || wait->kind == WAIT_EXIT))
		seized_child(engine, wait, ev);
	return 1;
}

static bool notify_current(struct engine *engine)
{
	const struct notify *n = notify_of(engine);

	return engine->stands || listener_valid(notify_listener(n, n->now), n->now->notif.id);
}

static void notify_pass(struct engine *engine)
{
	struct notify *n = notify_of(engine);

	if (engine->stands) {
		seized_pass(engine);
		return;
	}
	engine_settle(engine);
	if (!forward_exec(n, n->now))
		notify_go_on(n, n->now);
	n->now = NULL;
}

static void *notify_keep(struct engine *engine)
{
	struct notify *n = notify_of(engine);
	void *key = n->now;

	if (engine->stands)
		return seized_keep(engine);
	n->now = NULL;
	return key;
}

/*
 * The interrupt is pending while the caller waits (only a fatal signal ends the wait), so the next thing it does after
 * its execve is to stop: in the new program, or in the old one when the execve failed.
 */
static int notify_take(struct engine *engine, struct taken *taken)
{
	struct notify *n = notify_of(engine);
	int err = engine->stands ? 0 : tracee_seize(taken->seized, SEIZE_EXEC);

	if (err)
		return err;
	if (engine->stands)
		return seized_take(engine, taken);
	taken->state = TAKEN_WAITING;
	(void)tracee_interrupt(taken->seized);
	notify_go_on(n, n->now);
	n->now = NULL;
	return 0;
}

static void notify_defer(struct engine *engine)
{
	struct notify *n = notify_of(engine);
	void *key = engine->stands ? seized_key(engine->stands) : n->now;

	if (deferred_add(&n->deferred, key)) /* without memory an ordinal is not exact */
		notify_pass(engine);
	else
		(void)notify_keep(engine);
}

static void notify_answer(struct engine *engine, struct slot *slot, int answer)
{
	notify_give(notify_of(engine), slot, answer);
}

static void notify_again(struct engine *engine)
{
	struct notify *n = notify_of(engine);

	if (engine->stands) {
		seized_pass(engine);
		return;
	}
	notify_give(n, n->now, ANSWER_AGAIN);
	n->now = NULL;
}

static int notify_hold(struct engine *engine, struct taken *taken)
{
	struct notify *n = notify_of(engine);

	if (engine->stands) /* its execve is over */
		return -ENOTSUP;
	taken->state = TAKEN_HELD;
	taken->pub.call = n->now->notif.data.nr;
	taken->slot = n->now;
	atomic_store(&n->now->busy, SLOT_KEPT);
	n->now = NULL;
	return 0;
}

static void notify_resume(struct engine *engine, struct taken *taken, bool follow)
{
	(void)engine;
	seized_resume(taken, follow && taken->follows); /* else the filter stays with it */
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
	.keep = notify_keep,
	.again = notify_again,
	.hold = notify_hold,
	.answer = notify_answer,
	.resume = notify_resume,
	.park_kind = PARK_CALL,
	.adopt = notify_adopt,
	.finished = notify_finished,
	.lives_on = notify_lives_on,
	.end = notify_end,
};
