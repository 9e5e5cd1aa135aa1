/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sieve.h"

#include "guard.h"
#include "install.h"
#include <exectrace/tracee/procfs.h>

void sieve_init(struct sieve *sieve, const struct syscall_filter *filter, pid_t pid, int told)
{
	struct proc_status status;

	*sieve = (struct sieve){.filter = filter, .told.fd = told};
	if (!filter || proc_status(pid, &status))
		return;
	sieve->tell = syscall_filter_has_exec(filter) && status.filters;
	sieve->possible = !sieve->tell || told;
	if (!sieve->possible)
		sieve->why = "it has execve or execveat, where a filter that the process has already comes first";
}

/* True at the end of a call that is not made anew when the thread runs on, and, if it is an execve, has gone well. */
static bool is_settled(const struct thread *thread)
{
	const struct syscall_call *call = &thread->call;
	bool failed = thread->result.error;

	if (thread->in_call || !call->arch || (failed && arch_is_exec(call->arch, call->nr)))
		return false;
	return !failed || !install_is_restart(thread->result.value);
}

static int give(struct sieve *sieve, struct affinity *affinity, struct thread *thread)
{
	struct bpf_program program;
	int err = bpf_make(sieve->filter, !sieve->tell, &program);

	sieve->why = "no guard for a filter is allowed: it needs a real-time priority and two processors";
	affinity_share(affinity, 0); /* the guard is to run anywhere */
	if (!err)
		err = guard_start(&sieve->guard);
	if (err)
		return err;
	sieve->why = "no seccomp filter is allowed";
	sieve_add(sieve, thread);
	affinity_share(affinity, guard_watcher(sieve->guard));
	if (sieve->tell)
		err = told_begin(&sieve->told);
	return err ? err : install_filter(guard_install(sieve->guard), thread->tid, &program);
}

void sieve_try(struct sieve *sieve, struct affinity *affinity, struct thread *thread, bool outside)
{
	if (!sieve->possible || !(outside ? install_is_outside(thread->tid) : is_settled(thread)))
		return;
	sieve->possible = false;
	if (!give(sieve, affinity, thread)) {
		sieve->why = NULL;
		return;
	}
	told_end(&sieve->told);
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

static bool is_exec(const struct syscall_call *call)
{
	return call->arch && arch_is_exec(call->arch, call->nr);
}

bool sieve_stops_at_all(const struct sieve *sieve, const struct thread *thread)
{
	if (!sieve->guard || thread->exec_due || (sieve->tell && !sieve->told.on))
		return true;
	return thread->in_call && (thread->wanted || is_exec(&thread->call));
}

bool sieve_ignores(const struct sieve *sieve, const struct syscall_stop *stop)
{
	const struct arch *arch = arch_by_call(stop->audit, (uint32_t)stop->nr);

	return sieve->guard && stop->op == SYSCALL_STOP_ENTRY && !(arch && arch_is_exec(arch, (uint32_t)stop->nr));
}

void sieve_hear(struct sieve *sieve, struct threads *threads, bool busy)
{
	if (sieve->told.on && told_hear(&sieve->told, threads, busy))
		sieve->why = "it has execve or execveat, and nobody tells of them any more";
}

void sieve_asked(struct thread *thread)
{
	if (thread->exec_due && !install_is_restarting(thread->tid))
		thread->exec_due = false;
}

void sieve_end(struct sieve *sieve, bool left)
{
	if (sieve->guard && left)
		guard_leave(sieve->guard);
	else if (sieve->guard)
		guard_end(sieve->guard);
	sieve->guard = NULL;
}
