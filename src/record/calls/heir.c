/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "heir.h"

#include "seizing.h"
#include "untraced.h"
#include <errno.h>
#include <exectrace/base/clock.h>
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

int heir_prepare(struct heir *heir, struct guard_page *page)
{
	size_t size = GUARD_SLOTS * sizeof(*heir->threads);
	int err;

	*heir = (struct heir){.page = page};
	if (sched_getaffinity(0, sizeof(heir->allowed), &heir->allowed))
		return -errno;
	if (CPU_COUNT(&heir->allowed) < 2)
		return -EPERM; /* the dying tracer needs one, too */
	/* Pages that are not used are not there. */
	heir->threads = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (heir->threads == MAP_FAILED)
		return -ENOMEM;
	err = attempt_prepare(&heir->attempt);
	return err ? err : set_policy(SCHED_FIFO, 1);
}

/* Binds a thread to the processor that is kept busy. One that was made by a bound one is so already. */
static void bind(struct heir *heir, int number, int parent)
{
	struct heir_thread *thread = &heir->threads[number];
	pid_t tid = heir->page->slots[number].tid;
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET(heir->cpu, &here);
	if (sched_getaffinity(tid, sizeof(thread->allowed), &thread->allowed) < 0)
		return;
	if (CPU_EQUAL(&thread->allowed, &here) && parent >= 0 && heir->threads[parent].bound)
		thread->allowed = heir->threads[parent].allowed;
	thread->bound = seizing_confine(tid, heir->cpu) == 0;
}

/* A thread that the tracer did not get to know. True when it is new. */
static bool find(struct heir *heir, pid_t tgid, pid_t tid, int parent)
{
	struct guard_page *page = heir->page;

	if (seizing_slot(heir, tid) >= 0 || page->used >= GUARD_SLOTS)
		return false;
	page->slots[page->used++] = (struct guard_slot){.tid = tid, .tgid = tgid};
	bind(heir, page->used - 1, parent);
	heir->threads[page->used - 1].settled = seizing_is_settled(heir, tid);
	return true;
}

static bool find_children(struct heir *heir, int parent)
{
	char text[CHILDREN_MAX];
	char *at = text;
	bool any = false;

	if (proc_children(heir->page->slots[parent].tid, text, sizeof(text)) <= 0)
		return false;
	for (long child = strtol(at, &at, 10); child > 0; child = strtol(at, &at, 10))
		any |= find(heir, (pid_t)child, (pid_t)child, parent);
	return any;
}

/* The threads of a slot's process. */
struct siblings {
	struct heir *heir;
	int number; /* of the slot */
	bool any;   /* one was found */
};

static int find_sibling(void *user, pid_t tid)
{
	struct siblings *siblings = user;
	struct heir *heir = siblings->heir;

	siblings->any |= find(heir, heir->page->slots[siblings->number].tgid, tid, siblings->number);
	return 0;
}

static bool find_siblings(struct heir *heir, int number)
{
	struct siblings siblings = {heir, number, false};

	(void)proc_threads(heir->page->slots[number].tgid, find_sibling, &siblings);
	return siblings.any;
}

/* Those that are being made. True when there may be some. */
static bool find_newborn(struct heir *heir, int used)
{
	bool forks = false;

	for (int i = 0; i < used; i++) {
		const struct guard_slot *slot = &heir->page->slots[i];

		if (!slot->tid || !slot->forking)
			continue;
		forks = true;
		(void)find_children(heir, i);
		(void)find_siblings(heir, i);
	}
	return forks;
}

/* Those that began while nobody looked. True when there are some. */
static bool find_all(struct heir *heir)
{
	int used = heir->page->used;
	bool any = false;

	for (int i = 0; i < used; i++) {
		const struct guard_slot *slot = &heir->page->slots[i];

		if (!slot->tid)
			continue;
		any |= find_children(heir, i);
		if (slot->tid == slot->tgid)
			any |= find_siblings(heir, i);
	}
	return any;
}

/* While the kernel has not yet taken the tracer from them. */
static void bind_all(struct heir *heir)
{
	int used = heir->page->used;
	uint64_t end = 0;

	for (int i = 0; i < used; i++) {
		if (heir->page->slots[i].tid)
			bind(heir, i, -1);
	}
	end = clock_now() + FORK_NS;
	while (find_newborn(heir, used) && clock_now() < end)
		;
}

/* The tracer goes on with its death, and quickly: somewhere else. */
static void let_die(const struct heir *heir)
{
	const struct sched_param param = {.sched_priority = 1};
	cpu_set_t others = heir->allowed;

	CPU_CLR(heir->cpu, &others);
	(void)sched_setscheduler(heir->page->tracer, SCHED_FIFO, &param);
	(void)sched_setaffinity(heir->page->tracer, sizeof(others), &others);
}

static void seize_all(struct heir *heir)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	uint64_t end = clock_now() + PATIENCE_NS;

	for (unsigned round = 1; seizing_some(heir, round % ASK_EVERY == 0) && clock_now() < end; round++)
		nanosleep(&pause, NULL);
}

/* Stays where it is, which is not where the watcher is. */
static void settle_down(struct heir *heir)
{
	heir->own = sched_getcpu();
	for (int i = 0; heir->own == heir->cpu && i < CPU_SETSIZE; i++) {
		if (i != heir->cpu && CPU_ISSET(i, &heir->allowed))
			heir->own = i;
	}
	(void)seizing_confine(0, heir->own);
}

void heir_take(struct heir *heir, int cpu)
{
	heir->cpu = cpu;
	settle_down(heir);
	bind_all(heir);
	let_die(heir);
	do
		seize_all(heir);
	while (find_all(heir));
	/* The tracer's last deed was half of one: the thread must not get back to its program like that. */
	if (heir->page->install.stage != INSTALL_NONE)
		(void)tracee_interrupt(heir->page->install.tid);
}

static void release_all(struct heir *heir)
{
	for (int i = 0; i < heir->page->used; i++) {
		struct heir_thread *thread = &heir->threads[i];

		if (heir->page->slots[i].tid && thread->bound)
			(void)sched_setaffinity(heir->page->slots[i].tid, sizeof(thread->allowed), &thread->allowed);
	}
	(void)set_policy(SCHED_OTHER, 0);
	(void)sched_setaffinity(0, sizeof(heir->allowed), &heir->allowed);
}

/* A child that was in the making while its parent was bound, and was not found. */
static void release_child(const struct heir *heir, const struct heir_thread *parent, pid_t tid)
{
	unsigned long child = 0;
	cpu_set_t here, allowed;

	CPU_ZERO(&here);
	CPU_SET(heir->cpu, &here);
	if (tracee_event_msg(tid, &child) || !child || sched_getaffinity((pid_t)child, sizeof(allowed), &allowed) < 0)
		return;
	if (CPU_EQUAL(&allowed, &here))
		(void)sched_setaffinity((pid_t)child, sizeof(parent->allowed), &parent->allowed);
}

/* Only its first stop may tell of a child that began before it was released. */
static void release_kin(struct heir *heir, const struct wait_event *wait)
{
	int number = seizing_slot(heir, wait->pid);

	if (number < 0 || !heir->threads[number].bound)
		return;
	if (wait->kind == WAIT_EVENT && wait->event != PTRACE_EVENT_EXEC && wait->event != PTRACE_EVENT_SECCOMP)
		release_child(heir, &heir->threads[number], wait->pid);
	heir->threads[number].bound = false;
}

static void let_run(struct heir *heir, const struct wait_event *wait)
{
	struct install *install = &heir->page->install;

	release_kin(heir, wait);
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

void heir_run(struct heir *heir)
{
	struct wait_event batch[BATCH];

	release_all(heir);
	while (wait_any(&batch[0]) == 0) {
		size_t n = wait_more(batch, 1, BATCH);

		for (size_t i = 0; i < n; i++)
			let_run(heir, &batch[i]);
	}
}
