/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/engine/launch.h>

#include "keeper.h"
#include "listener.h"
#include "shared.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/err.h>
#include <exectrace/tracee/wait.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#ifndef PR_SET_PTRACER
#define PR_SET_PTRACER 0x59616d61
#endif

/* What the supervisor tells the waiting root. The end of the connection means go, too: the command runs whatever
 * becomes of us. */
enum order { ORDER_GO = 'G', ORDER_LISTEN = 'L', ORDER_PTRACER = 'P', ORDER_QUIT = 'Q' };

struct reply {
	int err; /* 0 or -errno; a descriptor follows when it belongs to the order */
	bool no_new_privs;
};

static void send_reply(int sock, int err, bool nnp)
{
	struct reply reply = {err, nnp};

	(void)send(sock, &reply, sizeof(reply), MSG_NOSIGNAL);
}

/* The keeper gets the listener first: from then on the supervisor may die without harm. */
static void install_listener(struct launch *launch)
{
	bool nnp = false;
	cleanup_fd int listener = listener_install(&nnp);

	if (listener < 0) {
		send_reply(launch->sock, listener, false);
		listener = -1;
		return;
	}
	(void)fd_send(launch->keeper_sock, listener);
	send_reply(launch->sock, 0, nnp);
	(void)fd_send(launch->sock, listener);
}

static void allow_tracer(struct launch *launch, pid_t supervisor)
{
	int err = prctl(PR_SET_PTRACER, (unsigned long)supervisor, 0, 0, 0) ? -errno : 0;

	send_reply(launch->sock, err == -EINVAL ? 0 : err, false); /* EINVAL: no Yama */
}

/* The root's side: obeys until told to go, then becomes the command. */
static void __attribute__((noreturn)) become_command(struct launch *launch)
{
	struct {
		char order;
		pid_t supervisor;
	} message;
	ssize_t n = 0;

	for (;;) {
		n = recv(launch->sock, &message, sizeof(message), 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n != (ssize_t)sizeof(message) || message.order == ORDER_GO)
			break;
		if (message.order == ORDER_QUIT)
			_exit(125);
		if (message.order == ORDER_LISTEN)
			install_listener(launch);
		else
			allow_tracer(launch, message.supervisor);
	}
	sigaction(SIGCHLD, &launch->chld, NULL);
	sigprocmask(SIG_SETMASK, &launch->mask, NULL);
	execvp(launch->command[0], launch->command);
	n = errno;
	err_say(ERR_ERROR, "cannot run %s: %s", launch->command[0], strerror((int)n));
	_exit(n == ENOENT ? 127 : 126);
}

/* A parent that wanted its child to die with it must not find the command surviving us. */
static void inherit_death_signal(int sig)
{
	if (sig > 0)
		prctl(PR_SET_PDEATHSIG, (unsigned long)sig, 0, 0, 0);
}

static void block_signals(struct launch *launch)
{
	struct sigaction dfl = {.sa_handler = SIG_DFL};
	static const int synchronous[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
	sigset_t all;

	sigfillset(&all);
	for (size_t i = 0; i < sizeof(synchronous) / sizeof(synchronous[0]); i++)
		sigdelset(&all, synchronous[i]);
	sigprocmask(SIG_BLOCK, &all, &launch->mask);
	/* With SIGCHLD ignored, children vanish without a status (wait(2), Notes). */
	sigaction(SIGCHLD, &dfl, &launch->chld);
}

static void unblock_signals(struct launch *launch)
{
	sigaction(SIGCHLD, &launch->chld, NULL);
	sigprocmask(SIG_SETMASK, &launch->mask, NULL);
}

/* Forks the keeper from the supervisor; it takes its end of the connection with it. */
static int start_keeper(struct launch *launch, int *keeper_end)
{
	pid_t pid = keeper_start(launch->shared, *keeper_end);

	fd_close(keeper_end);
	if (pid < 0)
		return pid;
	launch->keeper = pid;
	return 0;
}

/* The four ends of the two connections. */
struct ends {
	int ours;
	int root;
	int keeper;
	int root_to_keeper;
};

static int make_ends(struct ends *ends)
{
	int a[2];
	int b[2];
	int err = fd_socketpair(a);

	if (err)
		return err;
	err = fd_socketpair(b);
	if (err) {
		fd_close(&a[0]);
		fd_close(&a[1]);
		return err;
	}
	*ends = (struct ends){.ours = a[0], .root = a[1], .keeper = b[0], .root_to_keeper = b[1]};
	return 0;
}

static void __attribute__((noreturn)) be_root(struct launch *launch, struct ends *ends)
{
	fd_close(&ends->ours);
	fd_close(&ends->keeper);
	launch->sock = ends->root;
	launch->keeper_sock = ends->root_to_keeper;
	become_command(launch);
}

static int be_supervisor(struct launch *launch, struct ends *ends)
{
	fd_close(&ends->root);
	fd_close(&ends->root_to_keeper);
	launch->sock = ends->ours;
	return start_keeper(launch, &ends->keeper);
}

/* The SIGCHLD of the process in between must not reach the command. */
static void swallow_chld(pid_t pid)
{
	sigset_t chld;
	siginfo_t info;
	struct timespec none = {0};

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	if (sigtimedwait(&chld, &info, &none) == SIGCHLD && info.si_pid != pid)
		raise(SIGCHLD); /* somebody else's: pending again */
}

/* -D: the supervisor is a grandchild whose parent has gone, in a process group of its own, so that stops and signals
 * for the command pass it by. */
static int step_behind(struct launch *launch, struct ends *ends)
{
	struct wait_event ev;
	pid_t between = 0;

	launch->root = getpid();
	between = fork();
	if (between < 0)
		return -errno;
	if (between > 0) {
		(void)wait_for(between, &ev);
		swallow_chld(between);
		be_root(launch, ends);
	}
	between = fork();
	if (between != 0)
		_exit(between < 0 ? 1 : 0);
	setpgid(0, 0);
	return be_supervisor(launch, ends);
}

/* Interval timers that the caller set survive an exec but no fork (setitimer(2)): they are the command's. */
static void move_timers(struct itimerval *timers, bool to_command)
{
	const struct itimerval none = {0};

	for (int which = ITIMER_REAL; which <= ITIMER_PROF; which++) {
		if (to_command)
			setitimer((__itimer_which_t)which, &timers[which], NULL);
		else
			setitimer((__itimer_which_t)which, &none, &timers[which]);
	}
}

static int stand_before(struct launch *launch, struct ends *ends)
{
	struct itimerval timers[3] = {0};
	int sig = 0;

	prctl(PR_GET_PDEATHSIG, &sig, 0, 0, 0);
	move_timers(timers, false);
	launch->root = fork();
	if (launch->root < 0)
		return -errno;
	if (launch->root == 0) {
		move_timers(timers, true);
		inherit_death_signal(sig);
		be_root(launch, ends);
	}
	return be_supervisor(launch, ends);
}

int launch_start(struct launch *launch)
{
	struct ends ends;
	int err = 0;

	launch->shared = shared_map();
	if (!launch->shared)
		return -ENOMEM;
	err = make_ends(&ends);
	if (err)
		return err;
	block_signals(launch);
	err = launch->behind ? step_behind(launch, &ends) : stand_before(launch, &ends);
	if (err)
		unblock_signals(launch);
	return err;
}

static int give_order(struct launch *launch, enum order order)
{
	struct {
		char order;
		pid_t supervisor;
	} message = {.order = (char)order, .supervisor = getpid()};

	return send(launch->sock, &message, sizeof(message), MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static int ask(struct launch *launch, enum order order, struct reply *reply)
{
	int err = give_order(launch, order);
	ssize_t n = 0;

	if (err)
		return err;
	do
		n = recv(launch->sock, reply, sizeof(*reply), 0);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(*reply))
		return n < 0 ? -errno : -EPIPE;
	return reply->err;
}

int launch_install_listener(struct launch *launch)
{
	struct reply reply = {0};
	int err = ask(launch, ORDER_LISTEN, &reply);

	launch->no_new_privs = reply.no_new_privs;
	return err ? err : fd_recv(launch->sock);
}

int launch_prepare_ptrace(struct launch *launch)
{
	struct reply reply = {0};

	return ask(launch, ORDER_PTRACER, &reply);
}

int launch_go(struct launch *launch)
{
	int err = give_order(launch, ORDER_GO);

	fd_close(&launch->sock);
	return err;
}

void launch_quit(struct launch *launch)
{
	if (launch->sock >= 0)
		(void)give_order(launch, ORDER_QUIT);
	fd_close(&launch->sock);
}
