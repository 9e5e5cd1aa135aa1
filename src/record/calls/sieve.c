/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sieve.h"

#include "guard.h"
#include "install.h"
#include <exectrace/base/kerrno.h>
#include <exectrace/target/process/procfs.h>
#include <linux/seccomp.h>
#include <unistd.h>

void sieve_init(struct sieve *sieve, const struct syscall_filter *filter, int execs, int ends)
{
	*sieve = (struct sieve){.filter = filter, .possible = filter != NULL, .ours = execs > 0};
	sieve->told.fd = execs ? execs : ends;
	sieve->tell = filter && execs && syscall_filter_has_exec(filter);
}

/*
 * True when the thread, which is stopped, has no filters but exectrace's and, under that, those that we have as well:
 * they come from where exectrace was started, and have let it install its own.
 */
static bool is_free(const struct sieve *sieve, pid_t tid)
{
	struct proc_status status, own;

	if (proc_status(tid, &status) || proc_status(getpid(), &own))
		return false;
	return sieve->ours ? status.filters == own.filters + sieve->ours : !status.filters;
}

/* True at the end of a call that is not made anew when the thread runs on, and, if it is an execve, has gone well. */
static bool is_settled(const struct thread *thread)
{
	const struct syscall_call *call = &thread->call;
	bool failed = thread->result.error;

	if (thread->in_call || !call->arch || (failed && arch_is_exec(call->arch, call->nr)))
		return false;
	return !failed || !is_restart(thread->result.value);
}

static int give(struct sieve *sieve, struct affinity *affinity, struct thread *thread, int *status)
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
	sieve_add(sieve, thread, NULL);
	affinity_share(affinity, guard_watcher(sieve->guard));
	if (sieve->tell)
		err = told_begin(&sieve->told);
	return err ? err : install_filter(guard_install(sieve->guard), thread->tid, &program, status);
}

bool sieve_try(struct sieve *sieve, struct affinity *affinity, struct thread *thread, bool outside, int *status)
{
	*status = -1;
	if (!sieve->possible || !(outside ? install_is_outside(thread->tid) : is_settled(thread)))
		return false;
	sieve->possible = false;
	if (!is_free(sieve, thread->tid)) {
		sieve->why = "the process has a seccomp filter of its own";
		return false;
	}
	if (!give(sieve, affinity, thread, status)) {
		sieve->why = NULL;
		return false;
	}
	told_off(&sieve->told);
	if (sieve->guard) {
		affinity_share(affinity, 0);
		sieve_end(sieve, false);
	}
	return *status != -1;
}

void sieve_too_late(struct sieve *sieve)
{
	if (sieve->possible)
		sieve->why = "the process has children or threads already";
	sieve->possible = false;
}

void sieve_add(struct sieve *sieve, struct thread *thread, const struct thread *maker)
{
	thread->sandboxed |= sieve->sandboxes && (!maker || maker->sandboxed);
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

/* Those of its process that run are asked to stop, for they are to stop at every call from now on. */
static void sandbox_all(struct threads *threads, const struct thread *thread)
{
	for (size_t i = 0; i < THREADS_BUCKETS; i++) {
		for (struct thread *other = threads->bucket[i]; other; other = other->next) {
			if (other->tgid != thread->tgid || other->sandboxed)
				continue;
			other->sandboxed = true;
			(void)tracee_interrupt(other->tid);
		}
	}
}

void sieve_left(struct sieve *sieve, struct threads *threads, struct thread *thread)
{
	const struct syscall_call *call = &thread->call;

	if (!sieve->guard || !bpf_is_sandbox(call))
		return;
	sieve->sandboxes = true;
	thread->sandboxed = true;
	if (call->nr != call->arch->nr_prctl && (call->args[1] & SECCOMP_FILTER_FLAG_TSYNC))
		sandbox_all(threads, thread);
}

static bool is_exec(const struct syscall_call *call)
{
	return call->arch && arch_is_exec(call->arch, call->nr);
}

bool sieve_stops_at_all(const struct sieve *sieve, const struct thread *thread)
{
	if (!sieve->guard || thread->exec_due || thread->sandboxed || (sieve->tell && !sieve->told.on))
		return true;
	return thread->in_call && (thread->wanted || is_exec(&thread->call) || bpf_is_sandbox(&thread->call));
}

bool sieve_ignores(const struct sieve *sieve, struct thread *thread, const struct syscall_stop *stop)
{
	const struct arch *arch = arch_by_call(stop->audit, (uint32_t)stop->nr);
	bool exec = arch && arch_is_exec(arch, (uint32_t)stop->nr);
	bool again = thread->entered && stop->op == SYSCALL_STOP_SECCOMP;
	bool useless = stop->op == SYSCALL_STOP_ENTRY && sieve->guard && !thread->sandboxed && !exec;

	thread->entered = stop->op == SYSCALL_STOP_ENTRY && !useless;
	return again || useless;
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
