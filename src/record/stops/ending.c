/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/stops/ending.h>

#include <errno.h>
#include <exectrace/base/clock.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#define AGAIN_NS (10 * NS_PER_MS)  /* from one end of a wait to the next */
#define TWICE_NS (200 * NS_PER_MS) /* what comes within that is the same request: timeout(1) sends two */
#define LIMIT_NS (2 * NS_PER_S)

/* A signal handler has nowhere else to write to. */
static volatile sig_atomic_t asked; /* the signal */
static volatile uint64_t asked_at;  /* clock_now() */
static timer_t timer;

static void die(int sig)
{
	sigset_t only;

	signal(sig, SIG_DFL);
	sigemptyset(&only);
	sigaddset(&only, sig);
	raise(sig);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	_exit(128 + sig);
}

static void on_signal(int sig)
{
	const struct timespec again = {.tv_nsec = AGAIN_NS};
	const struct itimerspec times = {again, again};
	uint64_t now = clock_now();
	int err = errno;

	if (sig == SIGALRM) {
		if (asked && now - asked_at > LIMIT_NS)
			die(asked);
	} else if (!asked) {
		asked_at = now;
		asked = sig;
		(void)timer_settime(timer, 0, &times, NULL);
	} else if (now - asked_at > TWICE_NS) {
		die(sig);
	}
	errno = err;
}

int ending_prepare(void)
{
	static const int signals[] = {SIGALRM, SIGINT, SIGTERM, SIGHUP};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	struct sigaction action = {.sa_handler = on_signal}; /* without SA_RESTART */

	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		return -errno;
	/* One at a time. */
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&action.sa_mask, signals[i]);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	return 0;
}

const volatile sig_atomic_t *ending_asked(void)
{
	return &asked;
}

void ending_finish(void)
{
	if (asked)
		die(asked);
}
