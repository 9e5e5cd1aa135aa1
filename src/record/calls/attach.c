/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The beginning: the process with all that it has by then. */
#include "source.h"
#include "usage_stops.h"
#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/tracee/ptrace.h>

/* Attaches to a thread that is not known yet; one that ends meanwhile is none. */
static int attach_thread(void *user, pid_t tid)
{
	struct stops *s = user;

	if (threads_find(&s->threads, tid) || tracee_seize(tid, s->flags))
		return 0;
	(void)tracee_interrupt(tid);
	return stops_begin(s, tid, s->config->pid, NULL) ? 0 : -ENOMEM;
}

/*
 * A process that has threads gets no filter: the call for it is put where the first thread stands, in code that the
 * others run. Threads that are not attached yet may make others, hence until none is new.
 */
static int attach_others(struct stops *s)
{
	struct proc_stat stat;
	size_t known = 0;
	int err = proc_stat(s->config->pid, &stat);

	if (err || stat.threads < 2)
		return 0;
	seccomp_filter_too_late(&s->filter);
	usage_stops_late(&s->threads, s->config->pid);
	while (!err && s->config->follow && s->threads.count > known) {
		known = s->threads.count;
		err = proc_threads(s->config->pid, attach_thread, s);
	}
	return err;
}

int stops_attach(struct stops *s)
{
	const struct stops_config *config = s->config;
	int err = 0;

	s->flags = SEIZE_EXEC | (config->follow ? SEIZE_FORKS : 0) | (config->usage ? SEIZE_EXIT : 0);
	if (s->inside)
		s->flags |= SEIZE_FORKS;
	seccomp_filter_init(&s->filter, config->filter, config->execs, config->ends);
	if (s->filter.possible)
		s->flags |= SEIZE_FORKS | SEIZE_SECCOMP;
	err = tracee_seize(config->pid, s->flags);
	if (err)
		return err;
	affinity_init(&s->affinity, config->pid);
	polling_init(&s->polling, affinity_processors(&s->affinity), clock_now(), clock_worked());
	err = tracee_interrupt(config->pid);
	if (!err && !stops_begin(s, config->pid, config->pid, NULL))
		err = -ENOMEM;
	return err ? err : attach_others(s);
}
