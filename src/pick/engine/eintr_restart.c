/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "eintr_restart.h"

#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/tracee/ptrace.h>
#include <exectrace/target/tracee/restart.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STOP_LIMIT (2 * NS_PER_MS)
#define HOLD_LIMIT (300 * NS_PER_MS) /* without a call: the machine may have more to do than processors */
#define HOLD_BUSY (5 * NS_PER_MS)    /* since the last call, in which the next is soon expected */
#define HOLD_LOOK (NS_PER_MS / 20)   /* how long a signal of a held thread may wait then; later ten times as long */
#define ALERT (10 * NS_PER_S)        /* since signals met a caller, in which more are expected to */
#define SEARCH_LIMIT (NS_PER_MS / 5) /* the handler has begun by then, and others wait for us */
#define TREE_MAX 256u                /* processes looked at */

static void owe(struct eintr_restart *rescue, pid_t tid)
{
	for (unsigned i = 0; i < RESCUE_OWED; i++) {
		if (!rescue->owed[i]) {
			rescue->owed[i] = tid;
			return;
		}
	}
}

static bool room(const struct eintr_restart *rescue)
{
	for (unsigned i = 0; i < RESCUE_OWED; i++) {
		if (!rescue->owed[i])
			return true;
	}
	return false;
}

static bool is_owed(const struct eintr_restart *rescue, pid_t tid)
{
	for (unsigned i = 0; i < RESCUE_OWED; i++) {
		if (rescue->owed[i] == tid)
			return true;
	}
	return false;
}

bool eintr_holds(const struct eintr_restart *rescue, pid_t tid)
{
	return (rescue->held && rescue->held == tid) || is_owed(rescue, tid);
}

static void unhold(struct eintr_restart *rescue)
{
	rescue->held = 0;
	if (rescue->foreseen < 0)
		rescue->foreseen = 0;
}

bool eintr_release(struct eintr_restart *rescue, pid_t tid)
{
	if (is_owed(rescue, tid)) /* it has been asked to stop already */
		return true;
	if (!eintr_holds(rescue, tid) || !room(rescue))
		return false;
	(void)tracee_interrupt(tid);
	owe(rescue, tid);
	unhold(rescue);
	return true;
}

/*
 * Only the first thread of a process, for it keeps its number in an execve, and only one that an EINTR can meet: it
 * catches signals.
 */
static void hold(struct eintr_restart *rescue, pid_t tid)
{
	struct proc_signals signals;

	if (tgkill(tid, tid, 0) == 0 && proc_signals(tid, &signals) == 0 && signals.caught && tracee_seize(tid, 0) == 0)
		rescue->held = tid;
}

/* Is it to be tried to hold the thread that has called last? It is no use to ask each time. */
static bool is_due(struct eintr_restart *rescue)
{
	if (rescue->repeats < RESCUE_TRIES)
		return false;
	if (rescue->met || (rescue->repeats == RESCUE_TRIES && eintr_alert(rescue))) {
		rescue->met = false;
		return true;
	}
	return rescue->repeats % RESCUE_HOLD == 0;
}

bool eintr_alert(const struct eintr_restart *rescue)
{
	return rescue->alert && clock_now() < rescue->alert;
}

void eintr_note(struct eintr_restart *rescue, pid_t tid)
{
	rescue->repeats = tid == rescue->last ? rescue->repeats + 1 : 0;
	rescue->last = tid;
	if (rescue->held && rescue->held != tid)
		(void)eintr_release(rescue, rescue->held);
	if (!rescue->held && is_due(rescue))
		hold(rescue, tid);
	if (rescue->held)
		rescue->called = clock_now();
	for (unsigned i = 0; i < RESCUE_RECENT; i++) {
		if (rescue->recent[i] == tid)
			return;
	}
	rescue->recent[rescue->at++ % RESCUE_RECENT] = tid;
}

bool eintr_repeats(const struct eintr_restart *rescue)
{
	return rescue->repeats >= RESCUE_REPEATS;
}

bool eintr_tries(const struct eintr_restart *rescue)
{
	return rescue->repeats >= RESCUE_TRIES;
}

/* On its way to a handler: runnable, with a signal pending that it catches and does not block. One that is gone is
 * forgotten. */
static bool about_to_handle(pid_t *tid)
{
	struct proc_signals signals;

	if ((kill(*tid, 0) && errno == ESRCH) ||
	    proc_signals(*tid, &signals)) { /* the former takes a tenth of the time */
		*tid = 0;
		return false;
	}
	return signals.state == 'R' && (signals.pending & signals.caught & ~signals.blocked);
}

/* 1 when an attached thread is stopped, 0 when it is not, -ESRCH when it is gone. Without wait(2), which belongs to the
 * main thread. */
static int stopped(pid_t tid)
{
	struct regs regs;
	int err = tracee_regs(tid, &regs);

	if (err == -ESRCH && kill(tid, 0) == 0)
		return 0;
	return err ? -ESRCH : 1;
}

/* Looks whether an attached thread has stopped. True when it is settled. */
static bool look_at(struct eintr_restart *rescue, pid_t tid)
{
	int state = stopped(tid);
	int sig = 0;

	if (state > 0 && restart_exec(tid))
		rescue->saved++;
	if (!state)
		return false;
	/* It may have come to its signal before it was asked to stop. */
	sig = tracee_pending_signal(tid);
	(void)tracee_detach(tid, sig > 0 ? sig : 0);
	return true;
}

/* The trap comes before the signal is taken (get_signal, kernel/signal.c): nothing of the thread's own is disturbed. */
static void eintr_thread(struct eintr_restart *rescue, pid_t tid)
{
	const struct timespec moment = {.tv_nsec = 20000};
	uint64_t limit = clock_now() + STOP_LIMIT;

	if (!room(rescue) || tracee_seize(tid, 0))
		return;
	(void)tracee_interrupt(tid);
	while (!look_at(rescue, tid)) {
		if (clock_now() > limit) {
			owe(rescue, tid);
			return;
		}
		nanosleep(&moment, NULL);
	}
}

/* A held thread may have stopped for a signal, or for something that is none of our business. True when it was saved.
 */
static bool attend(struct eintr_restart *rescue)
{
	int state = rescue->held ? stopped(rescue->held) : -ESRCH;
	int sig = state > 0 ? tracee_pending_signal(rescue->held) : 0;
	bool saved = false;

	if (sig > 0) {
		saved = restart_exec(rescue->held);
		rescue->saved += saved;
		(void)tracee_cont(rescue->held, sig);
	} else if (state) {
		(void)tracee_detach(rescue->held, 0);
		unhold(rescue);
	} else if (clock_now() - rescue->called > HOLD_LIMIT) {
		(void)eintr_release(rescue, rescue->held);
	}
	return saved;
}

/* Adds the children of pid to list. */
static unsigned add_children(pid_t pid, pid_t *list, unsigned n)
{
	char text[4096];
	char *at = text;
	char *end = NULL;

	if (proc_children(pid, text, sizeof(text)) <= 0)
		return n;
	while (n < TREE_MAX) {
		long child = strtol(at, &end, 10);

		if (end == at)
			break;
		list[n++] = (pid_t)child;
		at = end;
	}
	return n;
}

/* On another processor the thread is in its handler sooner than /proc can be read: so the likeliest is taken unseen. */
static bool eintr_last(struct eintr_restart *rescue, bool waits)
{
	unsigned long before = rescue->saved;

	if (!waits && eintr_repeats(rescue))
		eintr_thread(rescue, rescue->last);
	return rescue->saved != before;
}

static bool eintr_recent(struct eintr_restart *rescue, uint64_t limit)
{
	bool any = false;

	for (unsigned i = 1; i <= RESCUE_RECENT && clock_now() < limit; i++) {
		pid_t *tid = &rescue->recent[(rescue->at - i) % RESCUE_RECENT];

		if (*tid && about_to_handle(tid)) {
			eintr_thread(rescue, *tid);
			any = true;
		}
	}
	return any;
}

/* Looks for the one that was interrupted where no thread is held. */
static void find_lost(struct eintr_restart *rescue, bool waits)
{
	uint64_t limit = clock_now() + SEARCH_LIMIT;
	pid_t list[TREE_MAX];
	unsigned n = 1;

	if (eintr_last(rescue, waits) || eintr_recent(rescue, limit))
		return;
	list[0] = rescue->root;
	for (unsigned i = 0; i < n && clock_now() < limit; i++) {
		if (about_to_handle(&list[i])) {
			eintr_thread(rescue, list[i]);
			return;
		}
		if (list[i])
			n = add_children(list[i], list, n);
	}
}

void eintr_lost(struct eintr_restart *rescue, bool waits)
{
	if (rescue->foreseen > 0) {
		rescue->foreseen--;
		return;
	}
	rescue->alert = clock_now() + ALERT;
	rescue->met = true;
	if (!rescue->held)
		find_lost(rescue, waits);
	else if (!attend(rescue))
		rescue->foreseen--; /* it is about to stop */
}

void eintr_attend(struct eintr_restart *rescue)
{
	rescue->foreseen += attend(rescue);
}

uint64_t eintr_settle(struct eintr_restart *rescue)
{
	uint64_t again = 0;

	for (unsigned i = 0; i < RESCUE_OWED; i++) {
		if (rescue->owed[i] && look_at(rescue, rescue->owed[i]))
			rescue->owed[i] = 0;
		if (rescue->owed[i])
			again = NS_PER_MS;
	}
	if (!rescue->held)
		return again;
	return clock_now() - rescue->called < HOLD_BUSY ? HOLD_LOOK : 10 * HOLD_LOOK;
}
