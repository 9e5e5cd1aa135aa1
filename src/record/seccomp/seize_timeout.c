/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "seize_timeout.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/tracee/ptrace.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define SEIZE_FLAGS (SEIZE_EXEC | SEIZE_FORKS | SEIZE_SECCOMP)
#define SEIZE_NS NS_PER_MS        /* for an attempt to attach */
#define EXEC_NS (200 * NS_PER_MS) /* for an execve that has begun */

int seize_timeout_slot(const struct guard_takeover *takeover, pid_t tid)
{
	for (int i = 0; i < takeover->page->used; i++) {
		if (takeover->page->slots[i].tid == tid)
			return i;
	}
	return -1;
}

int seize_timeout_confine(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(tid, sizeof(set), &set) ? -errno : 0;
}

bool seize_timeout_is_settled(const struct guard_takeover *takeover, pid_t tid)
{
	struct proc_status status;

	if (proc_status(tid, &status) || proc_status_ended(&status))
		return true;
	return status.tracer && status.tracer != takeover->page->tracer;
}

/* As for proc_threads: whether there is more than one. */
static int is_second(void *user, pid_t tid)
{
	bool *first = user, second = !*first;

	(void)tid;
	*first = false;
	return second;
}

static bool is_alone(pid_t tgid)
{
	bool first = true;

	return proc_threads(tgid, is_second, &first) == 0;
}

/* What it does in the kernel tells (proc(5), /proc/PID/stack); for which nobody must be in the second half of one. */
static bool is_executing(pid_t tid)
{
	char text[4096];
	cleanup_fd int fd = proc_open(tid, "stack", O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));

	return n > 0 && memmem(text, (size_t)n, "execve", strlen("execve"));
}

static bool is_dying(pid_t tid)
{
	struct proc_signals signals;

	return proc_signals(tid, &signals) == 0 && (signals.pending >> (SIGKILL - 1) & 1);
}

/*
 * Nobody can attach to a thread of a process that executes a program, before that is done or has failed: lets the
 * thread that does it run, and those that have to end for it. It does so where we are, who go first: when we wait, and
 * no further than until we need not. Returns its number; 0: it is not known.
 */
static pid_t let_execute(const struct guard_takeover *takeover, pid_t tgid)
{
	bool alone = is_alone(tgid);
	pid_t executing = 0;

	for (int i = 0; i < takeover->page->used; i++) {
		const struct guard_slot *slot = &takeover->page->slots[i];

		if (!slot->tid || slot->tgid != tgid)
			continue;
		if (alone || is_executing(slot->tid))
			executing = slot->tid;
		else if (!is_dying(slot->tid))
			continue;
		(void)seize_timeout_confine(slot->tid, takeover->own);
	}
	return executing;
}

/* What an attempt to attach has come to. True when there is to be another one. */
static bool conclude(struct guard_takeover *takeover, int number, int err, bool ask)
{
	struct guard_slot *slot = &takeover->page->slots[number];

	if (err == -ESRCH)
		slot->tid = 0;
	else if ((err != -EPERM && err != -ETIMEDOUT) || (ask && seize_timeout_is_settled(takeover, slot->tid)))
		takeover->threads[number].settled = true; /* and stays known, or it would be found again and again */
	else
		return true;
	return false;
}

static int attempt(struct guard_takeover *takeover, pid_t tid)
{
	return seize_attempt_seize(&takeover->attempt, tid, SEIZE_FLAGS, SEIZE_NS);
}

/* Attaches to the thread that executes a program, which may go on as another one: as the first of its process. */
static void seize_executing(struct guard_takeover *takeover, pid_t tgid, pid_t tid)
{
	uint64_t end = clock_now() + EXEC_NS;
	int err = -ETIMEDOUT, number;

	while (err == -ETIMEDOUT && clock_now() < end) {
		pid_t executing = let_execute(takeover, tgid);

		tid = executing ? executing : tid;
		err = attempt(takeover, tid);
		number = seize_timeout_slot(takeover, tid);
		if (err != -ETIMEDOUT && number >= 0)
			(void)conclude(takeover, number, err, true);
		if (err == -ESRCH && tid != tgid) {
			tid = tgid;
			err = -ETIMEDOUT;
		}
	}
	/* The tracer still has it: it must not get back to its program. */
	if (err == -EPERM)
		(void)seize_timeout_confine(tid, takeover->cpu);
}

int seize_timeout_some(struct guard_takeover *takeover, bool ask)
{
	int left = 0;

	for (int i = 0; i < takeover->page->used; i++) {
		const struct guard_slot slot = takeover->page->slots[i];
		int err;

		if (!slot.tid || takeover->threads[i].settled)
			continue;
		err = attempt(takeover, slot.tid);
		left += conclude(takeover, i, err, ask);
		if (err == -ETIMEDOUT)
			seize_executing(takeover, slot.tgid, slot.tid);
	}
	return left;
}
