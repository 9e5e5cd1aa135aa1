/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attach.h"

#include "hold.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/kerrno.h>
#include <exectrace/base/pidfd.h>
#include <exectrace/pick/launch/listener.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/tracee/detour.h>
#include <exectrace/target/tracee/filters.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE (2 * NS_PER_S)  /* for a process that cannot be stopped, or not where it is, ... */
#define CLEARING (30 * NS_PER_S) /* ... and for one in which a former keeper has left something */
#define NOBODYS_FD 1023
#define LISTENER_LINK "anon_inode:seccomp notify" /* kernel/seccomp.c */

/* One process in our hands. */
struct attaching {
	const struct attach_order *order;
	const struct attach_user *user;
	int pidfd;
	int listener;            /* fetched before anything was stopped; -1 */
	const struct hold *hold; /* while it is held */
	struct detour detour;
};

bool attach_is_listener(pid_t pid, int fd)
{
	cleanup_buf struct buf target = BUF_INIT;
	char name[32];

	(void)snprintf(name, sizeof(name), "fd/%d", fd);
	return proc_link(pid, name, &target) == 0 && target.len == strlen(LISTENER_LINK) &&
	       memcmp(target.data, LISTENER_LINK, target.len) == 0;
}

static int see_fd(void *user, pid_t tid, int fd)
{
	int *found = user;

	if (!attach_is_listener(tid, fd))
		return 0;
	*found = fd;
	return 1;
}

int attach_find(pid_t pid)
{
	int found = -ENOENT;
	int err = proc_fds(pid, see_fd, &found);

	return err < 0 ? err : found;
}

/* Whether that may be done at all, and there is room for one, before it has to. */
static int may_fetch(const struct attaching *a)
{
	int fd = pidfd_fetch(a->pidfd, NOBODYS_FD);
	int one = fcntl(a->pidfd, F_DUPFD_CLOEXEC, 0);
	int other = fcntl(a->pidfd, F_DUPFD_CLOEXEC, 0); /* fd_high takes one more */
	int err = fd < 0 && fd != -EBADF ? fd : one < 0 || other < 0 ? -EMFILE : 0;

	fd_close(&fd);
	fd_close(&one);
	fd_close(&other);
	return err;
}

/* True when a filter has the mark of this run, or of one whose listeners were taken over. */
static bool has_a_mark(const struct attaching *a, const struct sock_filter *insns, size_t n)
{
	const struct shared *shared = a->user->shared;
	bool has = listener_is_marked(insns, n, a->order->mark);

	for (unsigned i = 1; i < SOURCES && !has && shared->watched[i].pid; i++)
		has = shared->watched[i].mark && listener_is_marked(insns, n, shared->watched[i].mark);
	return has;
}

/* Whether the index-th filter of a thread is one of ours: its first instruction has a mark. -ENOENT: no more. */
static int is_marked(const struct attaching *a, unsigned index, struct sock_filter *insns)
{
	int n = tracee_filter(a->detour.tid, index, insns);

	return n < 0 ? n : has_a_mark(a, insns, (size_t)n);
}

static int find_mark(const struct attaching *a)
{
	struct sock_filter *insns = calloc(BPF_MAXINSNS, sizeof(*insns));
	int err = insns ? 0 : -ENOMEM;

	for (unsigned i = 0; !err; i++)
		err = is_marked(a, i, insns);
	free(insns);
	return err == 1 ? -EEXIST : err == -ENOENT ? 0 : err;
}

/* A call that the thread's own filters do not let pass is not made. */
static int make(const struct attaching *a, struct detour_call *call, bool filtered)
{
	struct seccomp_data data;
	uint32_t action = SECCOMP_RET_ALLOW;
	int err = 0;

	detour_describe(&a->detour, call, &data);
	if (filtered)
		err = filters_judge(a->detour.tid, &data, &action);
	if (err || (action != SECCOMP_RET_ALLOW && action != SECCOMP_RET_LOG))
		return -EKEYREJECTED;
	err = detour_make(&a->detour, call);
	return err ? err : is_errno(call->result) ? (int)call->result : 0;
}

/* Closes it inside: then only we and exectrace have it. The filter lets that pass: its own allowed more. */
static void close_inside(const struct attaching *a, int fd)
{
	struct detour_call call = {.nr = SYS_close, .args = {(uint64_t)fd}};

	(void)make(a, &call, false);
}

/* The listener that is open inside as fd: to us, to exectrace, and out of the process. */
static int take_out(const struct attaching *a, int fd)
{
	int listener = pidfd_fetch(a->pidfd, fd);

	if (listener < 0)
		return listener;
	a->user->got(a->user->user, listener);
	close_inside(a, fd);
	return listener;
}

/* Whether its filters let all calls pass that have to be made. */
static int judge(const struct attaching *a, bool filtered)
{
	struct detour_call close = {.nr = SYS_close};
	struct seccomp_data data;
	uint32_t action = SECCOMP_RET_ALLOW;
	int err = 0;

	if (!filtered)
		return 0;
	err = find_mark(a);
	if (err == -EEXIST)
		return err;
	detour_describe(&a->detour, &close, &data);
	if (!err)
		err = filters_judge(a->detour.tid, &data, &action);
	return err || (action != SECCOMP_RET_ALLOW && action != SECCOMP_RET_LOG) ? -EKEYREJECTED : 0;
}

static int set_no_new_privs(const struct attaching *a, bool filtered)
{
	struct detour_call call = {.nr = SYS_prctl, .args = {PR_SET_NO_NEW_PRIVS, 1}};

	return make(a, &call, filtered);
}

/* The number of the listener inside, or -errno. */
static int install(const struct attaching *a, bool filtered)
{
	unsigned char data[DETOUR_DATA_MAX];
	struct detour_call call = {
		.nr = SYS_seccomp,
		.args = {SECCOMP_SET_MODE_FILTER, LISTENER_FLAGS_ALL, a->detour.data},
		.data = data,
	};
	long n = listener_lay_out(data, sizeof(data), a->detour.data, a->order->mark);
	int err = n < 0 ? (int)n : 0;

	call.n = err ? 0 : (size_t)n;
	if (!err)
		err = make(a, &call, filtered);
	if (err == -EACCES && a->order->nnp) {
		err = set_no_new_privs(a, filtered);
		if (!err)
			err = make(a, &call, filtered);
	}
	if (err == -ESRCH && call.result == -ESRCH)
		return -ENOTUNIQ;
	return err ? err : (int)call.result;
}

/*
 * The leader makes the calls: its descriptors are those that pidfd_getfd(2) finds. No thread may be in the code of a
 * former keeper.
 */
static int choose(struct attaching *a)
{
	bool leads = false;
	int err = detour_find(&a->detour, a->order->pid);

	for (size_t i = 0; i < a->hold->n && !err; i++) {
		const struct hold_thread *thread = &a->hold->threads[i];

		leads |= thread->stopped && thread->tid == a->order->pid;
		err = thread->stopped ? detour_has(&a->detour, thread->tid)
		                      : detour_has_waiting(&a->detour, thread->tid);
	}
	if (!err && !leads)
		return proc_has_ended(a->order->pid) ? -ENOTSUP : -EAGAIN;
	return err ? (err < 0 ? err : -EAGAIN) : detour_ready(&a->detour);
}

static int do_it(void *user, const struct hold *hold)
{
	struct attaching *a = user;
	struct proc_status status;
	int fd = a->order->again ? attach_find(a->order->pid) : -ENOENT;
	int err = 0;

	a->hold = hold;
	err = pidfd_exists(a->pidfd) ? choose(a) : -ESRCH;
	if (!err)
		err = proc_status(a->detour.tid, &status);
	if (err)
		return err;
	if (fd < 0) {
		err = judge(a, status.filters > 0);
		if (!err)
			err = may_fetch(a);
		fd = err ? err : install(a, status.filters > 0);
	}
	err = fd < 0 ? fd : take_out(a, fd);
	(void)detour_clean(&a->detour);
	return err;
}

/* One of these waits for an answer: so it has the filter, and cannot be stopped before. */
static int see_waiting(void *user, pid_t tid)
{
	const struct attaching *a = user;

	return shared_waits(a->user->shared, tid);
}

static bool is_waiting(struct attaching *a)
{
	return !a->order->again && proc_threads(a->order->pid, see_waiting, a) == 1;
}

static int try_it(struct attaching *a)
{
	int err = is_waiting(a) ? -EEXIST : hold_while(a->order->pid, do_it, a);

	return err == -EAGAIN && is_waiting(a) ? -EEXIST : err;
}

/* What a former keeper has left open inside is fetched first: nothing has to stop for that. */
static void fetch_early(struct attaching *a)
{
	int fd = a->order->again && a->listener < 0 ? attach_find(a->order->pid) : -ENOENT;

	if (fd < 0)
		return;
	a->listener = pidfd_fetch(a->pidfd, fd);
	if (a->listener >= 0)
		a->user->got(a->user->user, a->listener);
}

/* A thread that a former keeper has sent into the call may still be about to make it: then it must be waited for. */
static bool must_go_on(const struct attaching *a)
{
	return a->order->again && a->listener < 0 && pidfd_exists(a->pidfd);
}

int attach(const struct attach_order *order, const struct attach_user *user)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	struct attaching a = {.order = order, .user = user, .pidfd = pidfd_of(order->pid), .listener = -1};
	uint64_t end = clock_now() + (order->again ? CLEARING : PATIENCE);
	int err = a.pidfd < 0 ? a.pidfd : -EAGAIN;

	while (err == -EAGAIN && (clock_now() < end || must_go_on(&a))) {
		fetch_early(&a);
		/* A thread that is in vfork(2) until one of these goes on cannot be stopped. */
		if (a.listener >= 0)
			user->pass(user->user, order->source, a.listener);
		err = try_it(&a);
		if (err == -EAGAIN)
			nanosleep(&moment, NULL);
	}
	fd_close(&a.pidfd);
	if (err < 0 && a.listener >= 0)
		return a.listener;
	fd_close(&a.listener);
	return err;
}
