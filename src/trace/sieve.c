/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sieve.h"

#include "guard.h"
#include "install.h"
#include <exectrace/tracee/procfs.h>

/* What the kernel says of calls that it makes anew (linux/errno.h): ERESTARTSYS to ERESTART_RESTARTBLOCK. */
#define RESTART_FIRST 512
#define RESTART_LAST 516

static bool wants_exec(const struct syscall_filter *filter)
{
	for (size_t i = 0; arch_at(i); i++) {
		if (syscall_filter_has(filter, arch_at(i), arch_at(i)->nr_execve) ||
		    syscall_filter_has(filter, arch_at(i), arch_at(i)->nr_execveat))
			return true;
	}
	return false;
}

void sieve_init(struct sieve *sieve, const struct syscall_filter *filter, pid_t pid)
{
	struct proc_status status;

	*sieve = (struct sieve){.filter = filter};
	if (!filter || proc_status(pid, &status))
		return;
	sieve->possible = !wants_exec(filter) || !status.filters;
	if (!sieve->possible)
		sieve->why = "it has execve or execveat, where a filter that the process has already comes first";
}

/* True at the end of a call that is not made anew when the thread runs on, and, if it is an execve, has gone well. */
static bool is_settled(const struct thread *thread)
{
	const struct syscall_call *call = &thread->call;
	int64_t error = thread->result.error ? -thread->result.value : 0;

	if (thread->in_call || !call->arch)
		return false;
	if (error && arch_is_exec(call->arch, call->nr))
		return false;
	return error < RESTART_FIRST || error > RESTART_LAST;
}

static int give(struct sieve *sieve, struct affinity *affinity, struct thread *thread)
{
	struct bpf_program program;
	int err = bpf_make(sieve->filter, &program);

	affinity_share(affinity, 0); /* the guard is to run anywhere */
	if (!err)
		err = guard_start(&sieve->guard);
	if (err)
		return err;
	sieve_add(sieve, thread);
	affinity_share(affinity, guard_watcher(sieve->guard));
	return install_filter(thread->tid, &program);
}

void sieve_try(struct sieve *sieve, struct affinity *affinity, struct thread *thread, bool outside)
{
	if (!sieve->possible || !(outside ? install_is_outside(thread->tid) : is_settled(thread)))
		return;
	sieve->possible = false;
	if (!give(sieve, affinity, thread))
		return;
	sieve->why = "no seccomp filter, or no guard for it, is allowed";
	if (sieve->guard) {
		affinity_share(affinity, 0);
		sieve_end(sieve, false);
	}
}

void sieve_too_late(struct sieve *sieve)
{
	if (sieve->possible)
		sieve->why = "the process has children or threads already";
	sieve->possible = false;
}

void sieve_add(struct sieve *sieve, struct thread *thread)
{
	thread->number = sieve->guard ? guard_add(sieve->guard, thread->tgid, thread->tid) : GUARD_NONE;
}

void sieve_remove(struct sieve *sieve, const struct thread *thread)
{
	if (sieve->guard)
		guard_remove(sieve->guard, thread->number);
}

void sieve_entered(struct sieve *sieve, const struct thread *thread)
{
	const struct syscall_call *call = &thread->call;

	if (sieve->guard)
		guard_forking(sieve->guard, thread->number, call->arch && bpf_is_fork(call->arch, call->nr));
}

void sieve_forked(struct sieve *sieve, const struct thread *thread)
{
	if (sieve->guard)
		guard_forking(sieve->guard, thread->number, false);
}

bool sieve_stops_at_all(const struct sieve *sieve, const struct thread *thread)
{
	return !sieve->guard || (thread->in_call && thread->wanted);
}

void sieve_end(struct sieve *sieve, bool left)
{
	if (sieve->guard && left)
		guard_leave(sieve->guard);
	else if (sieve->guard)
		guard_end(sieve->guard);
	sieve->guard = NULL;
}
