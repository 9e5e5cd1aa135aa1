/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/seccomp/guard.h>

#include "takeover.h"
#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/fd.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/process/yama.h>
#include <exectrace/target/tracee/wait.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LINK_WORD offsetof(struct guard_link, word)
#define START_NS (2 * NS_PER_S)
#define BUSY_NS (500 * NS_PER_MS) /* less than what the kernel allows (sched_rt_runtime_us, sched(7)) */

struct guard {
	struct guard_page *page; /* stays as long as the process: the kernel looks at it in the end */
	pid_t pid;
	int next; /* the slot to look at first for a free one */
};

static long futex_for(uint32_t *word, int op, uint32_t value, const struct timespec *limit)
{
	return syscall(SYS_futex, word, op, value, limit, NULL, 0);
}

static long futex(uint32_t *word, int op, uint32_t value)
{
	return futex_for(word, op, value, NULL);
}

/* All futexes of the list belong to the calling thread. The first tells the guard. */
static int hold(struct guard *guard)
{
	struct guard_page *page = guard->page;

	for (unsigned i = 0; i < GUARD_LINKS; i++) {
		page->links[i].word = (uint32_t)gettid() | FUTEX_WAITERS;
		page->links[i].list.next = i + 1 < GUARD_LINKS ? &page->links[i + 1].list : &page->head.list;
	}
	page->head.list.next = &page->links[0].list;
	page->head.futex_offset = LINK_WORD;
	return syscall(SYS_set_robust_list, &page->head, sizeof(page->head)) ? -errno : 0;
}

/* Waits until the tracer dies: true; or says that it needs nobody any more: false. */
static bool wait_for_death(struct guard_page *page)
{
	for (;;) {
		uint32_t word = __atomic_load_n(&page->links[0].word, __ATOMIC_ACQUIRE);

		if (__atomic_load_n(&page->done, __ATOMIC_ACQUIRE))
			return false;
		if (word & FUTEX_OWNER_DIED)
			return true;
		(void)futex(&page->links[0].word, FUTEX_WAIT, word);
	}
}

/* The two threads of the guard. */
struct guard_exit_watch {
	struct guard_page *page;
	uint32_t dead;  /* the tracer is about to end */
	uint32_t taken; /* its threads have been */
	int cpu;        /* that is kept busy */
};

/* Keeps the processor busy from the moment when the tracer begins to die, until all its threads are in good hands. */
static void *watcher_main(void *user)
{
	struct guard_exit_watch *watch = user;
	uint64_t end = 0;

	watch->page->watcher = gettid();
	__atomic_store_n(&watch->page->ready, GUARD_READY, __ATOMIC_RELEASE);
	(void)futex(&watch->page->ready, FUTEX_WAKE, 1);
	if (!wait_for_death(watch->page))
		_exit(0);
	watch->cpu = sched_getcpu();
	__atomic_store_n(&watch->dead, 1, __ATOMIC_RELEASE);
	(void)futex(&watch->dead, FUTEX_WAKE, 1);
	end = clock_now() + BUSY_NS;
	while (!__atomic_load_n(&watch->taken, __ATOMIC_ACQUIRE) && clock_now() < end)
		;
	return NULL;
}

static void guard_run(struct guard_page *page)
{
	struct guard_exit_watch watch = {.page = page};
	struct guard_takeover takeover;
	pthread_t watcher;

	if (takeover_prepare(&takeover, page) || pthread_create(&watcher, NULL, watcher_main, &watch))
		return;
	while (!__atomic_load_n(&watch.dead, __ATOMIC_ACQUIRE))
		(void)futex(&watch.dead, FUTEX_WAIT, 0);
	takeover_take(&takeover, watch.cpu);
	__atomic_store_n(&watch.taken, 1, __ATOMIC_RELEASE);
	pthread_join(watcher, NULL);
	takeover_run(&takeover);
}

/* Nothing that is meant for the tracer, its group or its session ends the guard, and it keeps nothing open or busy. */
static void guard_main(struct guard_page *page)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	(void)setsid();
	(void)chdir("/");
	fd_close_all_but(NULL, 0);
	prctl(PR_SET_NAME, "exectrace-guard", 0, 0, 0);
	guard_run(page);
	if (page->ready == GUARD_STARTING) {
		__atomic_store_n(&page->ready, GUARD_FAILED, __ATOMIC_RELEASE);
		(void)futex(&page->ready, FUTEX_WAKE, 1);
	}
}

/* False: it failed, was killed, or was stopped, and is to go then. */
static bool wait_until_ready(struct guard *guard)
{
	const struct timespec moment = {.tv_nsec = 10 * NS_PER_MS};
	uint32_t *ready = &guard->page->ready;
	uint64_t end = clock_now() + START_NS;

	while (__atomic_load_n(ready, __ATOMIC_ACQUIRE) == GUARD_STARTING && clock_now() < end &&
	       !proc_has_ended(guard->pid))
		(void)futex_for(ready, FUTEX_WAIT, GUARD_STARTING, &moment);
	if (__atomic_load_n(ready, __ATOMIC_ACQUIRE) == GUARD_READY)
		return true;
	kill(guard->pid, SIGKILL);
	return false;
}

int guard_start(struct guard **made)
{
	struct guard *guard = NULL;
	int err = 0;

	if (yama_restricts(NULL) != YAMA_ANY)
		return -EPERM;
	guard = calloc(1, sizeof(*guard));
	if (!guard)
		return -ENOMEM;
	guard->page = mmap(NULL, sizeof(*guard->page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (guard->page == MAP_FAILED) {
		free(guard);
		return -ENOMEM;
	}
	guard->page->tracer = getpid();
	err = hold(guard);
	guard->pid = err ? -1 : fork();
	if (guard->pid == 0) {
		guard_main(guard->page);
		_exit(0);
	}
	if (guard->pid < 0)
		err = err ? err : -errno;
	else if (!wait_until_ready(guard))
		err = -EPERM;
	if (err) {
		guard_end(guard);
		return err;
	}
	*made = guard;
	return 0;
}

pid_t guard_watcher(const struct guard *guard)
{
	return guard->page->watcher;
}

bool guard_is(const struct guard *guard, pid_t pid)
{
	return guard->pid == pid;
}

struct install *guard_install(struct guard *guard)
{
	return &guard->page->install;
}

int guard_add(struct guard *guard, pid_t tgid, pid_t tid)
{
	for (int tries = 0; tries < GUARD_SLOTS; tries++) {
		int number = (guard->next + tries) % GUARD_SLOTS;
		struct guard_slot *slot = &guard->page->slots[number];

		if (slot->tid)
			continue;
		slot->tgid = tgid;
		slot->forking = false;
		__atomic_store_n(&slot->tid, tid, __ATOMIC_RELEASE);
		if (number >= guard->page->used)
			__atomic_store_n(&guard->page->used, number + 1, __ATOMIC_RELEASE);
		guard->next = (number + 1) % GUARD_SLOTS;
		return number;
	}
	return GUARD_NONE;
}

void guard_remove(struct guard *guard, int number)
{
	if (number == GUARD_NONE)
		return;
	__atomic_store_n(&guard->page->slots[number].tid, 0, __ATOMIC_RELEASE);
	if (number < guard->next)
		guard->next = number; /* low numbers first: the guard looks at all up to the highest */
}

void guard_forking(struct guard *guard, int number, bool forking)
{
	if (number != GUARD_NONE)
		__atomic_store_n(&guard->page->slots[number].forking, forking, __ATOMIC_RELEASE);
}

void guard_end(struct guard *guard)
{
	struct wait_event ev;

	(void)syscall(SYS_set_robust_list, NULL, sizeof(guard->page->head));
	__atomic_store_n(&guard->page->done, 1, __ATOMIC_RELEASE);
	/* Its wait is over also when it has not begun: the word is another one then. */
	__atomic_store_n(&guard->page->links[0].word, 0, __ATOMIC_RELEASE);
	(void)futex(&guard->page->links[0].word, FUTEX_WAKE, 1);
	if (guard->pid > 0)
		(void)wait_for(guard->pid, &ev);
	munmap(guard->page, sizeof(*guard->page));
	free(guard);
}

void guard_leave(struct guard *guard)
{
	free(guard);
}
