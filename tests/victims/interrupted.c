/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupted SIGNALS THREADS
 * A timer interrupts whatever THREADS threads do, SIGNALS times, each 300 us after the last; the handler makes calls
 * itself, and leaves by longjmp now and then. Meanwhile all of them make calls that wait and calls that do not,
 * restarted ones and others, and look at each result: what a signal interrupts fails with EINTR or goes on, nothing
 * else.
 */
#include "victim.h"
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/syscall.h>
#include <sys/time.h>

#define PERIOD_US 300
#define SLACK_NS 1000000 /* by which a timer may be late, which counts as left */

static volatile unsigned handled, wrong, interrupted;
static unsigned most;
static pid_t self, parent;
static int ends[2], null;

static __thread sigjmp_buf out;
static __thread volatile bool may_leave;

/* Set again by each handler, for where that takes longer than the period, nothing else would run any more. */
static const struct itimerval soon = {.it_value = {0, PERIOD_US}};

static void count_wrong(bool is_wrong)
{
	if (is_wrong)
		__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

static bool has_ended(void)
{
	return handled >= most;
}

/* A byte for each signal, so that a read that is made again after one ends. */
static void handle(int sig)
{
	int before = errno;
	unsigned n = __atomic_add_fetch(&handled, 1, __ATOMIC_RELAXED);

	(void)sig;
	count_wrong(getppid() != parent);
	count_wrong(write(null, "handled", 7) != 7);
	count_wrong(read(-1, NULL, 1) != -1 || errno != EBADF);
	count_wrong(write(ends[1], "x", 1) != 1 && errno != EAGAIN);
	if (n < most)
		setitimer(ITIMER_REAL, &soon, NULL);
	errno = before;
	if (may_leave && n % 7 == 0) {
		may_leave = false;
		siglongjmp(out, 1);
	}
}

static void call_without_waiting(void)
{
	char bytes[16];

	for (int i = 0; i < 20; i++) {
		count_wrong(getppid() != parent);
		count_wrong(syscall(SYS_getpid) != self);
		count_wrong(write(null, bytes, sizeof(bytes)) != sizeof(bytes));
		count_wrong(close(-1) != -1 || errno != EBADF);
		count_wrong(fcntl(ends[0], F_GETFD) != 0);
	}
}

static void count_interrupted(void)
{
	__atomic_fetch_add(&interrupted, 1, __ATOMIC_RELAXED);
}

/* Never restarted, whatever the handler's flags. */
static void wait_a_moment(void)
{
	struct timespec moment = {0, 300000}, left = {9, 9};
	struct pollfd none = {-1, POLLIN, 0};
	int got = poll(&none, 1, 1);

	count_wrong(got != 0 && (got != -1 || errno != EINTR));
	got = nanosleep(&moment, &left);
	if (got == -1 && errno == EINTR) {
		count_interrupted();
		count_wrong(left.tv_sec != 0 || left.tv_nsec < 0 || left.tv_nsec > moment.tv_nsec + SLACK_NS);
	} else {
		count_wrong(got != 0); /* time is left, too, when another thread has taken the signal */
	}
	got = clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
	count_wrong(got != 0 && got != EINTR);
}

/* restarted: by SA_RESTART, so that it never fails. Whoever is not first waits for the next signal. */
static void wait_for_byte(bool restarted)
{
	char byte = 0;
	ssize_t got = read(ends[0], &byte, 1);

	if (got == -1 && errno == EINTR) {
		count_interrupted();
		count_wrong(restarted);
	} else {
		count_wrong(got != 1 || byte != 'x');
	}
}

/* Its mask is as ever, however handlers were left. */
static void look_at_mask(void)
{
	sigset_t set;

	count_wrong(pthread_sigmask(SIG_SETMASK, NULL, &set) || sigismember(&set, SIGALRM) ||
	            sigismember(&set, SIGSYS));
}

static bool restarts = true;

static void *call(void *restarted)
{
	while (!has_ended()) {
		if (sigsetjmp(out, 1) == 0) {
			may_leave = true;
			call_without_waiting();
			may_leave = false;
		}
		look_at_mask();
		wait_a_moment();
		wait_for_byte(restarted != NULL);
	}
	/* Who still waits for a byte gets one. */
	count_wrong(write(ends[1], "xxxxxxxx", 8) < 0 && errno != EAGAIN && errno != EINTR);
	return NULL;
}

static void run(bool restarted, unsigned threads)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = restarted ? SA_RESTART : 0};
	pthread_t others[16];

	handled = 0;
	sigaction(SIGALRM, &action, NULL);
	for (unsigned i = 1; i < threads; i++) {
		if (pthread_create(&others[i], NULL, call, restarted ? &restarts : NULL))
			die("pthread_create");
	}
	setitimer(ITIMER_REAL, &soon, NULL);
	call(restarted ? &restarts : NULL);
	for (unsigned i = 1; i < threads; i++)
		pthread_join(others[i], NULL);
}

int main(int argc, char **argv)
{
	unsigned threads;

	if (argc != 3 || atoi(argv[1]) < 1 || atoi(argv[2]) < 1 || atoi(argv[2]) > 16)
		usage("interrupted SIGNALS THREADS (1 to 16)");
	most = (unsigned)atoi(argv[1]);
	threads = (unsigned)atoi(argv[2]);
	self = getpid();
	parent = getppid();
	null = open("/dev/null", O_WRONLY);
	if (null < 0 || pipe(ends) || fcntl(ends[1], F_SETFL, O_NONBLOCK))
		die("open");
	run(false, threads);
	run(true, threads);
	printf("interrupted: %s, %u wrong\n", interrupted ? "calls were" : "no call was", wrong);
	return wrong != 0;
}
