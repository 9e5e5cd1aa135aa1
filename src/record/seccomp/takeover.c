/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "takeover.h"

#include "seize_timeout.h"
#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/record/seccomp/untraced.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/tracee/ptrace.h>
#include <exectrace/target/tracee/restart.h>
#include <exectrace/target/tracee/wait.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <time.h>

#define PATIENCE_NS (10 * NS_PER_S) /* for the tracer to be gone */
#define PAUSE_NS 20000              /* between two tries to attach */
#define ASK_EVERY 32u               /* tries between two looks at who cannot be attached to */
#define FORK_NS NS_PER_MS           /* for a fork that has begun */
#define CHILDREN_MAX 65536          /* bytes of the pids of a thread's children */
#define BATCH 1024                  /* stops that are looked at in a row, one a thread */

static int set_policy(int policy, int priority)
{
	const struct sched_param param = {.sched_priority = priority};

	return sched_setscheduler(0, policy, &param) ? -errno : 0;
}

int takeover_prepare(struct guard_takeover *takeover, struct guard_page *page)
{
	size_t size = GUARD_SLOTS * sizeof(*takeover->threads);
	int err;

	*takeover = (struct guard_takeover){.page = page};
	if (sched_getaffinity(0, sizeof(takeover->allowed), &takeover->allowed))
		return -errno;
	if (CPU_COUNT(&takeover->allowed) < 2)
		return -EPERM; /* the dying tracer needs one, too */
	/* Pages that are not used are not there. */
	takeover->threads = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (takeover->threads == MAP_FAILED)
		return -ENOMEM;
	err = seize_attempt_prepare(&takeover->attempt);
	return err ? err : set_policy(SCHED_FIFO, 1);
}

/* Binds a thread to the processor that is kept busy. One that was made by a bound one is so already. */
static void bind(struct guard_takeover *takeover, int number, int parent)
{
	struct takeover_thread *thread = &takeover->threads[number];
	pid_t tid = takeover->page->slots[number].tid;
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET(takeover->cpu, &here);
	if (sched_getaffinity(tid, sizeof(thread->allowed), &thread->allowed) < 0)
		return;
	if (CPU_EQUAL(&thread->allowed, &here) && parent >= 0 && takeover->threads[parent].bound)
		thread->allowed = takeover->threads[parent].allowed;
	thread->bound = seize_timeout_confine(tid, takeover->cpu) == 0;
}

/* A thread that the tracer did not get to know. True when it is new. */
static bool find(struct guard_takeover *takeover, pid_t tgid, pid_t tid, int parent)
{
	struct guard_page *page = takeover->page;

	if (seize_timeout_slot(takeover, tid) >= 0 || page->used >= GUARD_SLOTS)
		return false;
	page->slots[page->used++] = (struct guard_slot){.tid = tid, .tgid = tgid};
	bind(takeover, page->used - 1, parent);
	takeover->threads[page->used - 1].settled = seize_timeout_is_settled(takeover, tid);
	return true;
}

static bool find_children(struct guard_takeover *takeover, int parent)
{
	char text[CHILDREN_MAX];
	char *at = text;
	bool any = false;

	if (proc_children(takeover->page->slots[parent].tid, text, sizeof(text)) <= 0)
		return false;
	for (long child = strtol(at, &at, 10); child > 0; child = strtol(at, &at, 10))
		any |= find(takeover, (pid_t)child, (pid_t)child, parent);
	return any;
}

/* The threads of a slot's process. */
struct siblings {
	struct guard_takeover *takeover;
	int number; /* of the slot */
	bool any;   /* one was found */
};

static int find_sibling(void *user, pid_t tid)
{
	struct siblings *siblings = user;
	struct guard_takeover *takeover = siblings->takeover;

	siblings->any |= find(takeover, takeover->page->slots[siblings->number].tgid, tid, siblings->number);
	return 0;
}

static bool find_siblings(struct guard_takeover *takeover, int number)
{
	struct siblings siblings = {takeover, number, false};

	(void)proc_threads(takeover->page->slots[number].tgid, find_sibling, &siblings);
	return siblings.any;
}

/* Those that are being made. True when there may be some. */
static bool find_newborn(struct guard_takeover *takeover, int used)
{
	bool forks = false;

	for (int i = 0; i < used; i++) {
		const struct guard_slot *slot = &takeover->page->slots[i];

		if (!slot->tid || !slot->forking)
			continue;
		forks = true;
		(void)find_children(takeover, i);
		(void)find_siblings(takeover, i);
	}
	return forks;
}

/* Those that began while nobody looked. True when there are some. */
static bool find_all(struct guard_takeover *takeover)
{
	int used = takeover->page->used;
	bool any = false;

	for (int i = 0; i < used; i++) {
		const struct guard_slot *slot = &takeover->page->slots[i];

		if (!slot->tid)
			continue;
		any |= find_children(takeover, i);
		if (slot->tid == slot->tgid)
			any |= find_siblings(takeover, i);
	}
	return any;
}

/* While the kernel has not yet taken the tracer from them. */
static void bind_all(struct guard_takeover *takeover)
{
	int used = takeover->page->used;
	uint64_t end = 0;

	for (int i = 0; i < used; i++) {
		if (takeover->page->slots[i].tid)
			bind(takeover, i, -1);
	}
	end = clock_now() + FORK_NS;
	while (find_newborn(takeover, used) && clock_now() < end)
		;
}

/* The tracer goes on with its death, and quickly: somewhere else. */
static void let_die(const struct guard_takeover *takeover)
{
	const struct sched_param param = {.sched_priority = 1};
	cpu_set_t others = takeover->allowed;

	CPU_CLR(takeover->cpu, &others);
	(void)sched_setscheduler(takeover->page->tracer, SCHED_FIFO, &param);
	(void)sched_setaffinity(takeover->page->tracer, sizeof(others), &others);
}

static void seize_all(struct guard_takeover *takeover)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	uint64_t end = clock_now() + PATIENCE_NS;

	for (unsigned round = 1; seize_timeout_some(takeover, round % ASK_EVERY == 0) && clock_now() < end; round++)
		nanosleep(&pause, NULL);
}

/* Stays where it is, which is not where the watcher is. */
static void settle_down(struct guard_takeover *takeover)
{
	takeover->own = sched_getcpu();
	for (int i = 0; takeover->own == takeover->cpu && i < CPU_SETSIZE; i++) {
		if (i != takeover->cpu && CPU_ISSET(i, &takeover->allowed))
			takeover->own = i;
	}
	(void)seize_timeout_confine(0, takeover->own);
}

void takeover_take(struct guard_takeover *takeover, int cpu)
{
	takeover->cpu = cpu;
	settle_down(takeover);
	bind_all(takeover);
	let_die(takeover);
	do
		seize_all(takeover);
	while (find_all(takeover));
	/* The tracer's last deed was half of one: the thread must not get back to its program like that. */
	if (takeover->page->install.stage != INSTALL_NONE)
		(void)tracee_interrupt(takeover->page->install.tid);
}

static void release_all(struct guard_takeover *takeover)
{
	for (int i = 0; i < takeover->page->used; i++) {
		struct takeover_thread *thread = &takeover->threads[i];

		if (takeover->page->slots[i].tid && thread->bound)
			(void)sched_setaffinity(takeover->page->slots[i].tid, sizeof(thread->allowed),
			                        &thread->allowed);
	}
	(void)set_policy(SCHED_OTHER, 0);
	(void)sched_setaffinity(0, sizeof(takeover->allowed), &takeover->allowed);
}

/* A child that was in the making while its parent was bound, and was not found. */
static void release_child(const struct guard_takeover *takeover, const struct takeover_thread *parent, pid_t tid)
{
	unsigned long child = 0;
	cpu_set_t here, allowed;

	CPU_ZERO(&here);
	CPU_SET(takeover->cpu, &here);
	if (tracee_event_msg(tid, &child) || !child || sched_getaffinity((pid_t)child, sizeof(allowed), &allowed) < 0)
		return;
	if (CPU_EQUAL(&allowed, &here))
		(void)sched_setaffinity((pid_t)child, sizeof(parent->allowed), &parent->allowed);
}

/* Only its first stop may tell of a child that began before it was released. */
static void release_kin(struct guard_takeover *takeover, const struct wait_event *wait)
{
	int number = seize_timeout_slot(takeover, wait->pid);

	if (number < 0 || !takeover->threads[number].bound)
		return;
	if (wait->kind == WAIT_EVENT && wait->event != PTRACE_EVENT_EXEC && wait->event != PTRACE_EVENT_SECCOMP)
		release_child(takeover, &takeover->threads[number], wait->pid);
	takeover->threads[number].bound = false;
}

static void let_run(struct guard_takeover *takeover, const struct wait_event *wait)
{
	struct install *install = &takeover->page->install;

	release_kin(takeover, wait);
	if (install->stage != INSTALL_NONE && wait->pid == install->tid && wait->kind != WAIT_EXIT)
		(void)install_undo(install);
	if (wait->kind == WAIT_SIGNAL)
		(void)restart_exec(wait->pid);
	else if (wait->kind == WAIT_EVENT && wait->event == PTRACE_EVENT_SECCOMP)
		untraced_clear_stopped(wait->pid);
	if (wait->kind == WAIT_GROUP_STOP)
		(void)tracee_listen(wait->pid);
	else if (wait->kind != WAIT_EXIT)
		(void)tracee_cont(wait->pid, wait_signal(wait));
}

void takeover_run(struct guard_takeover *takeover)
{
	struct wait_event batch[BATCH];

	release_all(takeover);
	while (wait_any(&batch[0]) == 0) {
		size_t n = wait_more(batch, 1, BATCH);

		for (size_t i = 0; i < n; i++)
			let_run(takeover, &batch[i]);
	}
}
