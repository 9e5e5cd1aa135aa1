/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "seize_attempt.h"

#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/target/tracee/ptrace.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static void on_timer(int sig, siginfo_t *info, void *context)
{
	struct seize_attempt *attempt = info->si_value.sival_ptr;

	(void)sig;
	(void)context;
	if (info->si_code == SI_TIMER && attempt->armed)
		siglongjmp(attempt->out, 1);
}

int seize_attempt_prepare(struct seize_attempt *attempt)
{
	const struct sigaction action = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
	sigset_t alarm;

	attempt->armed = 0;
	event.sigev_value.sival_ptr = attempt;
	event._sigev_un._tid = gettid(); /* has a public name only since glibc 2.38 */
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	if (sigaction(SIGALRM, &action, NULL) || timer_create(CLOCK_MONOTONIC, &event, &attempt->timer))
		return -errno;
	return -pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
}

/* 0: not at all. */
static void set_timer(struct seize_attempt *attempt, uint64_t ns)
{
	const struct timespec at = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
	const struct itimerspec times = {.it_value = at};

	(void)timer_settime(attempt->timer, 0, &times, NULL);
}

int seize_attempt_seize(struct seize_attempt *attempt, pid_t tid, unsigned flags, uint64_t ns)
{
	volatile int err = -ETIMEDOUT; /* is kept by the jump */

	if (sigsetjmp(attempt->out, 1) == 0) {
		attempt->armed = 1;
		set_timer(attempt, ns);
		err = tracee_seize(tid, flags);
	}
	attempt->armed = 0;
	set_timer(attempt, 0);
	return err;
}
