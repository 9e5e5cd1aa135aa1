/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The beginning: the process with all that it has by then. */
#include "source.h"
#include "usage_stops.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/record/calls/exec_handshake.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/tracee/ptrace.h>
#include <exectrace/target/tracee/wait.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CHILDREN_MAX 65536 /* bytes of their numbers */
#define MOMENT 20000000    /* ns between two looks whether it has ended */

/* The threads of one process. */
struct attaching {
	struct stops *s;
	pid_t pid;
	int err; /* of its first thread; others may end meanwhile */
};

/* Attaches to a thread that is not known yet. */
static int attach_thread(void *user, pid_t tid)
{
	struct attaching *attaching = user;
	struct stops *s = attaching->s;
	int err = threads_find(&s->threads, tid) ? -EEXIST : tracee_seize(tid, s->flags);

	if (err) {
		if (err != -EEXIST && tid == attaching->pid && !proc_has_ended(tid))
			attaching->err = err;
		return 0;
	}
	(void)tracee_interrupt(tid);
	s->attaching = true;
	err = stops_begin(s, tid, attaching->pid, NULL) ? 0 : -ENOMEM;
	s->attaching = false;
	return err;
}

/* Threads that are not attached yet may make others, hence until none is new. */
static int attach_threads(struct stops *s, pid_t pid)
{
	struct attaching attaching = {.s = s, .pid = pid};
	size_t known = SIZE_MAX;
	int err = 0;

	while (!err && !attaching.err && s->threads.count != known) {
		known = s->threads.count;
		err = proc_threads(pid, attach_thread, &attaching);
	}
	return err ? err : attaching.err;
}

/* A process that has threads gets no filter: the call for it is put where the first thread stands, in code that the
 * others run. */
static int attach_others(struct stops *s)
{
	struct proc_stat stat;

	if (proc_stat(s->config->pid, &stat) || stat.threads < 2)
		return 0;
	seccomp_filter_too_late(&s->filter);
	usage_stops_late(&s->threads, s->config->pid);
	return s->config->follow ? attach_threads(s, s->config->pid) : 0;
}

/* Of several processes: others may do. What is left of the error. */
static int refused(struct stops *s, pid_t pid, int err)
{
	if (!err)
		return 0;
	s->refused = pid;
	if (!s->config->n_others || (err != -ESRCH && err != -EPERM))
		return err;
	if (s->why->refuses)
		s->why->refuses(pid, err);
	return 0;
}

static int attach_processes(struct stops *s)
{
	int last = 0, err = 0;

	for (size_t i = 0; i < s->config->n_others && !err; i++) {
		seccomp_filter_too_late(&s->filter);
		last = attach_threads(s, s->config->others[i]);
		err = refused(s, s->config->others[i], last);
	}
	if (!err && s->threads.count)
		s->refused = 0;
	return err || s->threads.count ? err : last ? last : -ESRCH;
}

/* The processes that a thread has made, and that are not known yet. */
static int attach_children(struct stops *s, pid_t tid)
{
	cleanup_free char *text = malloc(CHILDREN_MAX);
	char *at = text, *end = NULL;
	int err = text ? 0 : -ENOMEM;

	if (err || proc_children(tid, text, CHILDREN_MAX) <= 0)
		return err;
	for (pid_t pid = (pid_t)strtol(at, &end, 10); end != at && !err; pid = (pid_t)strtol(at, &end, 10)) {
		at = end;
		if (pid == getpid() || threads_find(&s->threads, pid))
			continue;
		seccomp_filter_too_late(&s->filter);
		err = attach_threads(s, pid);
		err = err == -ENOMEM ? err : 0; /* it may have ended, or be another tracer's */
	}
	return err;
}

/* Until there are no more: those that were looked at may have made others meanwhile. */
static int attach_below(struct stops *s)
{
	size_t known = 0;
	int err = 0;

	while (!err && s->threads.count != known) {
		known = s->threads.count;
		for (size_t i = 0; i < THREADS_BUCKETS && !err; i++) {
			for (struct thread *t = s->threads.bucket[i]; t && !err; t = t->next)
				err = attach_children(s, t->tid);
		}
	}
	return err;
}

/* The first process, and what it has. */
static int attach_first(struct stops *s)
{
	const struct stops_config *config = s->config;
	int err = tracee_seize(config->pid, s->flags);

	if (err == -EPERM && config->follow && proc_has_ended(config->pid)) { /* its other threads may run */
		seccomp_filter_too_late(&s->filter);
		err = attach_threads(s, config->pid);
		return err || s->threads.count ? err : -ESRCH;
	}
	if (err)
		return refused(s, config->pid, err);
	err = tracee_interrupt(config->pid);
	s->attaching = !config->ends; /* an action's process is held in its exec */
	if (!err && !stops_begin(s, config->pid, config->pid, NULL))
		err = -ENOMEM;
	s->attaching = false;
	return err ? err : attach_others(s);
}

bool stops_asked_for(const struct stops_config *config, pid_t tid, pid_t tgid)
{
	bool asked = tid == config->pid;

	for (size_t i = 0; i < config->n_others; i++)
		asked |= config->others[i] == tgid;
	return asked;
}

/*
 * A program that waits before its first instruction has other bytes there, which are put back while it is stopped: only
 * then can no processor see one of them late (target/tracee/park.h).
 */
static void wait_to_begin(const struct stops_config *config, const volatile sig_atomic_t *stop)
{
	const struct timespec moment = {.tv_nsec = MOMENT};
	struct pollfd fd = {.fd = config->parked, .events = POLLIN};
	struct handshake_exec word;

	while (!*stop && wait_until_changed(config->pid) == -EINTR) {
	}
	while (!*stop && ppoll(&fd, 1, &moment, NULL) <= 0 && !proc_has_ended(config->pid)) {
	}
	(void)recv(config->parked, &word, sizeof(word), MSG_DONTWAIT);
}

int stops_attach(struct stops *s, const volatile sig_atomic_t *stop)
{
	const struct stops_config *config = s->config;
	int err;

	s->flags =
		SEIZE_EXEC | (config->follow ? SEIZE_FORKS : 0) | (config->usage || config->leaving ? SEIZE_EXIT : 0);
	if (s->inside)
		s->flags |= SEIZE_FORKS;
	seccomp_filter_init(&s->filter, config->filter, config->execs, config->ends);
	if (s->filter.possible)
		s->flags |= SEIZE_FORKS | SEIZE_SECCOMP;
	affinity_init(&s->affinity, config->pid);
	polling_init(&s->polling, affinity_processors(&s->affinity), clock_now(), clock_worked());
	err = attach_first(s);
	if (!err && config->parked)
		wait_to_begin(config, stop);
	if (!err)
		err = attach_processes(s);
	return err || !config->below ? err : attach_below(s);
}
