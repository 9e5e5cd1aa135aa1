/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "keeper.h"

#include "listener.h"
#include "priority.h"
#include <errno.h>
#include <exectrace/arch/arch.h>
#include <exectrace/base/fd.h>
#include <exectrace/tracee/park.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct keeper {
	struct shared *shared;
	int supervisor; /* pidfd */
	int sock;
	int listener;
	struct slot own; /* what the keeper itself receives */
};

static struct park_slot *park_of(struct shared *shared, pid_t tid)
{
	for (size_t i = 0; i < PARKS; i++) {
		if (atomic_load(&shared->park[i].state) != PARK_FREE && shared->park[i].park.tid == tid)
			return &shared->park[i];
	}
	return NULL;
}

/* Answers one notification: an exec goes on, a parked program begins, a stranger's park call is what it is everywhere.
 */
static void answer(struct keeper *keeper, const struct seccomp_notif *notif)
{
	const struct arch *arch = arch_by_call(notif->data.arch, (uint32_t)notif->data.nr);
	struct park_slot *park = NULL;

	if (!arch || (uint32_t)notif->data.nr != arch->nr_park) {
		(void)listener_continue(keeper->listener, notif->id);
		return;
	}
	park = park_of(keeper->shared, (pid_t)notif->pid);
	if (park) {
		if (atomic_load(&park->state) < PARK_UNDONE)
			(void)park_restore(&park->park);
		atomic_store(&park->state, PARK_FREE);
	}
	(void)listener_answer(keeper->listener, notif->id, 0, park ? 0 : -ENOSYS);
}

static void receive_one(struct keeper *keeper)
{
	slot_free(&keeper->own);
	if (listener_receive(keeper->listener, &keeper->own) == 0)
		answer(keeper, &keeper->own.notif);
}

/* What the supervisor left behind. */
static void settle(struct keeper *keeper)
{
	for (size_t i = 0; i < SLOTS && keeper->listener >= 0; i++) {
		struct slot *slot = &keeper->shared->slot[i];

		if (slot->notif.id)
			answer(keeper, &slot->notif);
		slot_free(slot);
	}
	/* Those that are parked and not in a notification that was received: before their stub, in it, or asleep. */
	for (size_t i = 0; i < PARKS; i++) {
		struct park_slot *park = &keeper->shared->park[i];
		int state = atomic_load(&park->state);

		if (state == PARK_FREE)
			continue;
		if (state != PARK_UNDONE || park->park.kind == PARK_SLEEP) /* restored is not yet awake */
			(void)park_undo(&park->park);
		atomic_store(&park->state, PARK_FREE);
	}
}

/* Answers until no process has the filter any more. */
static void serve_to_the_end(struct keeper *keeper)
{
	settle(keeper);
	priority_receiver(true);
	while (keeper->listener >= 0) {
		struct pollfd fd = {.fd = keeper->listener, .events = POLLIN};

		if (poll(&fd, 1, -1) <= 0)
			continue;
		if (fd.revents & POLLIN)
			receive_one(keeper);
		else
			break;
	}
}

static void get_listener(struct keeper *keeper)
{
	int fd = fd_recv(keeper->sock);

	if (fd == -EINTR)
		return;
	fd_close(&keeper->sock);
	keeper->listener = fd < 0 ? -1 : fd;
}

/* Waits for one thing to do. False when the supervisor has ended, or all that it watched. */
static bool keep_once(struct keeper *keeper)
{
	bool serving = atomic_load(&keeper->shared->suspended) != 0;
	struct pollfd fds[3] = {
		{.fd = keeper->supervisor, .events = POLLIN},
		{.fd = keeper->sock, .events = POLLIN},
		{.fd = keeper->listener, .events = serving ? POLLIN : 0},
	};
	sigset_t wake;
	int n = 0;

	sigfillset(&wake);
	sigdelset(&wake, SIGUSR1);
	n = ppoll(fds, 3, NULL, &wake);
	if (n <= 0)
		return true;
	if (fds[1].revents)
		get_listener(keeper);
	if (fds[0].revents)
		return false;
	if (fds[2].revents & POLLIN && atomic_load(&keeper->shared->suspended))
		receive_one(keeper);
	else if (fds[2].revents & (POLLHUP | POLLERR))
		_exit(0);
	return true;
}

static void woken(int sig)
{
	(void)sig;
}

static void __attribute__((noreturn)) keep(struct keeper *keeper)
{
	struct sigaction action = {.sa_handler = woken};
	const int fds[2] = {keeper->supervisor, keeper->sock};
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigaction(SIGUSR1, &action, NULL);
	setsid();
	if (chdir("/"))
		_exit(1);
	fd_close_all_but(fds, 2);
	prctl(PR_SET_NAME, "exectrace-keep", 0, 0, 0);
	while (keep_once(keeper)) {
	}
	/* The listener may still be on its way from a root that was faster than we. */
	if (keeper->sock >= 0)
		get_listener(keeper);
	serve_to_the_end(keeper);
	_exit(0);
}

pid_t keeper_start(struct shared *shared, int sock)
{
	struct keeper keeper = {.shared = shared, .sock = sock, .listener = -1, .supervisor = -1};
	pid_t pid = 0;

	keeper.supervisor = (int)syscall(SYS_pidfd_open, getpid(), 0);
	if (keeper.supervisor < 0)
		return -errno;
	keeper.supervisor = fd_high(keeper.supervisor);
	if (keeper.supervisor < 0)
		return keeper.supervisor;
	pid = fork();
	if (pid == 0)
		keep(&keeper);
	if (pid < 0)
		pid = -errno;
	fd_close(&keeper.supervisor);
	return pid;
}

void keeper_wake(pid_t keeper)
{
	if (keeper > 0)
		kill(keeper, SIGUSR1);
}
