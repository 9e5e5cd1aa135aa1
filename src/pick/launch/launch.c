/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/launch/launch.h>

#include "command.h"

#include "keeper.h"
#include "orders.h"
#include <errno.h>
#include <exectrace/base/err.h>
#include <exectrace/base/fd.h>
#include <exectrace/pick/launch/shared.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/process/procself.h>
#include <exectrace/target/process/state.h>
#include <exectrace/target/tracee/wait.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int blame(struct buf *why, const char *what, int err)
{
	(void)buf_puts(why, what);
	return err;
}

/* The root's side: obeys until told to go, then becomes the command. */
static void __attribute__((noreturn)) become_command(struct launch *launch)
{
	int n = 0;

	orders_obey(launch);
	setrlimit(RLIMIT_NOFILE, &launch->files);
	sigaction(SIGCHLD, &launch->chld, NULL);
	sigprocmask(SIG_SETMASK, &launch->mask, NULL);
	n = -command_execute(launch);
	err_say(ERR_ERROR, "cannot run %s: %s", launch->command[0], strerror(n));
	_exit(n == ENOENT ? 127 : 126);
}

/* A parent that wanted its child to die with it must not find the command surviving us. */
static void inherit_death_signal(int sig)
{
	if (sig > 0)
		prctl(PR_SET_PDEATHSIG, (unsigned long)sig, 0, 0, 0);
}

static int block_signals(struct launch *launch)
{
	struct sigaction dfl = {.sa_handler = SIG_DFL};
	static const int synchronous[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
	sigset_t all;

	sigfillset(&all);
	for (size_t i = 0; i < sizeof(synchronous) / sizeof(synchronous[0]); i++)
		sigdelset(&all, synchronous[i]);
	if (sigprocmask(SIG_BLOCK, &all, &launch->mask))
		return -errno;
	/* With SIGCHLD ignored, children vanish without a status (wait(2), Notes). */
	return sigaction(SIGCHLD, &dfl, &launch->chld) ? -errno : 0;
}

/* Ours is as high as may be: a watched process each needs a descriptor. The command and tools get the caller's. */
static void raise_files(struct launch *launch)
{
	struct rlimit high;

	if (getrlimit(RLIMIT_NOFILE, &launch->files))
		return;
	high = launch->files;
	high.rlim_cur = high.rlim_max;
	setrlimit(RLIMIT_NOFILE, &high);
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

static pid_t fork_keeper(struct launch *launch, int sock)
{
	struct keeper_ends ends = {.sock = sock, .orders = -1, .queue = launch->queue[1], .wake = launch->wake};
	int orders[2] = {-1, -1};
	pid_t pid = launch->adopts ? fd_socketpair(orders) : 0;

	fd_close(&launch->orders);
	ends.orders = orders[1];
	if (!pid) {
		(void)madvise(launch->shared, sizeof(*launch->shared), MADV_DOFORK);
		pid = keeper_start(launch->shared, &ends, &launch->sources);
		(void)madvise(launch->shared, sizeof(*launch->shared), MADV_DONTFORK);
	}
	launch->orders = orders[0];
	fd_close(&orders[1]);
	return pid;
}

/* It has started nothing yet: all that it will has its filter. */
static struct watched command_watched(pid_t root)
{
	uint64_t start = proc_start_time(root);

	return (struct watched){.pid = root, .top = root, .start = start, .top_start = start, .since = start};
}

/* What is shared is mapped after the root was forked, and by no later child of ours but the keeper. */
static int be_supervisor(struct launch *launch, struct ends *ends, struct buf *why)
{
	pid_t pid = 0;
	int err = 0;

	fd_close(&ends->root);
	launch->sock = ends->ours;
	launch->keeper_sock = ends->root_to_keeper;
	/* Now that the command is another process, which keeps the one that it has. */
	if (launch->foreign_proc && proc_make_ours())
		return -EXDEV;
	buf_reset(why, 0);
	launch->shared = shared_map();
	if (!launch->shared)
		return blame(why, "no memory to share with the keeper", -ENOMEM);
	(void)madvise(launch->shared, sizeof(*launch->shared), MADV_DONTDUMP);
	err = fd_pipe(launch->queue, O_NONBLOCK);
	if (err)
		return blame(why, "no pipe", err);
	launch->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	launch->wake = launch->wake < 0 ? -errno : fd_high(launch->wake);
	if (launch->wake < 0)
		return blame(why, "no eventfd", launch->wake);
	if (getrandom(&launch->shared->mark, sizeof(launch->shared->mark), GRND_NONBLOCK) < 0)
		launch->shared->mark = (uint32_t)getpid();
	launch->shared->begun = launch_ticks();
	if (launch->root)
		launch->shared->watched[0] = command_watched(launch->root);
	pid = fork_keeper(launch, ends->keeper);
	fd_close(&ends->keeper);
	if (pid < 0)
		return blame(why, "no keeper process", pid);
	launch->keeper = pid;
	return 0;
}

int launch_keep(struct launch *launch)
{
	unsigned standing = atomic_exchange(&launch->shared->standing, 0);
	uint16_t number = (uint16_t)(standing - 1);
	pid_t pid = 0;

	/* What it had received for us, and not handed over. */
	if (standing && launch->shared->slot[number].notif.id)
		(void)fd_write_all(launch->queue[1], &number, sizeof(number));
	else if (standing)
		slot_free(&launch->shared->slot[number]);
	pid = fork_keeper(launch, -1);
	launch->keeper = pid > 0 ? pid : 0;
	return pid > 0 ? 0 : pid;
}

bool launch_keeper_killed(struct launch *launch)
{
	struct wait_event ev;

	if (launch->keeper <= 0 || wait_try(launch->keeper, &ev) != 1 || ev.kind != WAIT_EXIT)
		return false;
	launch->keeper = 0;
	return WIFSIGNALED(ev.status);
}

void launch_wait_for_keeper(struct launch *launch)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	struct wait_event ev;

	for (int i = 0; i < 200 && launch->keeper; i++) {
		if (!wait_has(launch->keeper) || (wait_try(launch->keeper, &ev) == 1 && ev.kind == WAIT_EXIT))
			launch->keeper = 0;
		else
			nanosleep(&moment, NULL);
	}
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
static int step_behind(struct launch *launch, struct ends *ends, struct buf *why)
{
	struct wait_event ev = {0};
	pid_t between = 0;

	launch->root = getpid();
	between = fork();
	if (between < 0)
		return blame(why, "no second process", -errno);
	if (between > 0) {
		(void)wait_for(between, &ev);
		swallow_chld(between);
		if (ev.status)
			return blame(why, "no second process",
			             WIFEXITED(ev.status) ? -WEXITSTATUS(ev.status) : -ECHILD);
		be_root(launch, ends);
	}
	between = fork();
	if (between != 0)
		_exit(between < 0 ? errno : 0);
	setpgid(0, 0);
	return be_supervisor(launch, ends, why);
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

static int stand_before(struct launch *launch, struct ends *ends, struct buf *why)
{
	struct itimerval timers[3] = {0};
	int sig = 0;

	if (!launch->command[0]) {
		launch->root = 0;
		fd_close(&ends->root);
		return be_supervisor(launch, ends, why);
	}
	prctl(PR_GET_PDEATHSIG, &sig, 0, 0, 0);
	move_timers(timers, false);
	launch->root = fork();
	if (launch->root < 0) {
		launch->root = 0;
		return blame(why, "no second process", -errno);
	}
	if (launch->root == 0) {
		move_timers(timers, true);
		inherit_death_signal(sig);
		be_root(launch, ends);
	}
	return be_supervisor(launch, ends, why);
}

int launch_given(const struct launch *launch, struct strv *lines)
{
	return launch->base ? state_base_lines(launch->base, lines) : 0;
}

void launch_release(struct launch *launch)
{
	state_base_free(launch->base);
	launch->base = NULL;
}

int launch_start(struct launch *launch, struct buf *why)
{
	struct ends ends;
	int err = 0;

	launch->sock = launch->keeper_sock = launch->queue[0] = launch->queue[1] = launch->wake = -1;
	launch->orders = -1;
	launch->sources.n = 0;
	launch->sources.feed = -1;
	err = proc_is_ours(why);
	launch->foreign_proc = err == -EXDEV;
	if (err && !launch->foreign_proc)
		return err;
	err = launch->foreign_proc ? 0 : state_base_new(&launch->base);
	if (err)
		return blame(why, "no memory", err);
	raise_files(launch);
	err = make_ends(&ends);
	if (err)
		return blame(why, "no sockets", err);
	err = block_signals(launch);
	if (err)
		return blame(why, "signals cannot be blocked", err);
	return launch->behind ? step_behind(launch, &ends, why) : stand_before(launch, &ends, why);
}
