/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * masked ROUNDS [now]
 * Waits with another mask than its own, in each of the calls that take one, until a signal ends it, ROUNDS times with
 * each mask of its own, each mask of the call and each mask of the handler, with SIGSYS in it and without. The signal
 * is pending already, or comes later (not with `now`); every third time one comes before that has no handler. Says for
 * each what the program has seen of SIGSYS in masks; all of it is the same without a tracer.
 */
#include "victim.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <ucontext.h>

static volatile sig_atomic_t came, in_frame, in_handler;
static int epoll;
static bool at_once;

static bool has_sys(const sigset_t *set)
{
	return sigismember(set, SIGSYS) == 1;
}

static void handle(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	sigset_t now;

	(void)sig;
	(void)info;
	getppid();
	in_frame += has_sys(&uc->uc_sigmask);
	in_handler += sigprocmask(SIG_SETMASK, NULL, &now) == 0 && has_sys(&now);
	came = 1;
}

static int by_sigsuspend(const sigset_t *mask)
{
	return sigsuspend(mask);
}

static int by_ppoll(const sigset_t *mask)
{
	return ppoll(NULL, 0, NULL, mask);
}

static int by_pselect(const sigset_t *mask)
{
	return pselect(0, NULL, NULL, NULL, NULL, mask);
}

static int by_epoll_pwait(const sigset_t *mask)
{
	struct epoll_event event;

	return epoll_pwait(epoll, &event, 1, -1, mask);
}

static const struct {
	const char *name;
	int (*wait)(const sigset_t *mask);
} calls[] = {
	{"sigsuspend", by_sigsuspend},
	{"ppoll", by_ppoll},
	{"pselect", by_pselect},
	{"epoll_pwait", by_epoll_pwait},
};

static void fill(sigset_t *set, bool with)
{
	sigfillset(set);
	if (!with)
		sigdelset(set, SIGSYS);
}

static void wait_rounds(size_t call, unsigned rounds, unsigned form)
{
	const struct itimerval soon = {.it_value = {0, 200}};
	struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
	unsigned ended = 0, after = 0;
	sigset_t own, other, now;

	fill(&own, form & 1);
	sigemptyset(&other);
	if (form & 2)
		sigaddset(&other, SIGSYS);
	if (form & 4)
		fill(&action.sa_mask, form & 8);
	in_frame = in_handler = 0;
	sigaction(SIGALRM, &action, NULL);
	sigprocmask(SIG_SETMASK, &own, NULL);
	for (unsigned i = 0; i < rounds; i++) {
		came = 0;
		if (i % 3 == 0)
			raise(SIGWINCH);
		if (i % 2 == 0 || at_once)
			raise(SIGALRM);
		else
			setitimer(ITIMER_REAL, &soon, NULL);
		while (!came)
			ended += calls[call].wait(&other) == -1 && errno == EINTR;
		after += sigprocmask(SIG_SETMASK, NULL, &now) == 0 && has_sys(&now);
	}
	printf("%s, form %u: %s, SIGSYS in %d frames, %d handlers, %u times afterwards\n", calls[call].name, form,
	       ended >= rounds ? "ended" : "not ended", (int)in_frame, (int)in_handler, after);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 0;

	if (!rounds)
		usage("masked ROUNDS [now]");
	at_once = argc > 2;
	epoll = epoll_create1(EPOLL_CLOEXEC);
	for (size_t call = 0; call < sizeof(calls) / sizeof(calls[0]); call++) {
		for (unsigned form = 0; form < 16; form++)
			wait_rounds(call, rounds, form);
	}
	return 0;
}
