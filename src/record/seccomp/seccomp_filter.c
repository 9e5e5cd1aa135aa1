/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/seccomp/seccomp_filter.h>

#include "install.h"
#include <exectrace/base/kerrno.h>
#include <exectrace/record/seccomp/guard.h>
#include <exectrace/target/process/procfs.h>
#include <linux/seccomp.h>
#include <unistd.h>

void seccomp_filter_init(struct seccomp_filter *filter, const struct syscall_filter *calls, int execs, int ends)
{
	*filter = (struct seccomp_filter){.filter = calls, .possible = calls != NULL, .ours = execs > 0};
	filter->handshake.fd = execs ? execs : ends;
	filter->tell = calls && execs && syscall_filter_has_exec(calls);
}

/*
 * True when the thread, which is stopped, has no filters but exectrace's and, under that, those that we have as well:
 * they come from where exectrace was started, and have let it install its own.
 */
static bool is_free(const struct seccomp_filter *filter, pid_t tid)
{
	struct proc_status status, own;

	if (proc_status(tid, &status) || proc_status(getpid(), &own))
		return false;
	return filter->ours ? status.filters == own.filters + filter->ours : !status.filters;
}

/* True at the end of a call that will not be restarted and that, if it is an execve, succeeded. */
static bool is_settled(const struct thread *thread)
{
	const struct syscall_call *call = &thread->call;
	bool failed = thread->result.error;

	if (thread->in_call || !call->arch || (failed && arch_is_exec(call->arch, call->nr)))
		return false;
	return !failed || !is_restart(thread->result.value);
}

static int give(struct seccomp_filter *filter, struct affinity *affinity, struct thread *thread, int *status)
{
	struct bpf_program program;
	int err = bpf_make(filter->filter, !filter->tell, &program);

	filter->why = "no guard for a filter is allowed: it needs a real-time priority and two processors";
	affinity_share(affinity, 0); /* the guard is to run anywhere */
	if (!err)
		err = guard_start(&filter->guard);
	if (err)
		return err;
	filter->why = "no seccomp filter is allowed";
	seccomp_filter_add(filter, thread, NULL);
	affinity_share(affinity, guard_watcher(filter->guard));
	if (filter->tell)
		err = handshake_begin(&filter->handshake);
	return err ? err : install_filter(guard_install(filter->guard), thread->tid, &program, status);
}

bool seccomp_filter_try(struct seccomp_filter *filter, struct affinity *affinity, struct thread *thread, bool outside,
                        int *status)
{
	*status = -1;
	if (!filter->possible || !(outside ? install_is_outside(thread->tid) : is_settled(thread)))
		return false;
	filter->possible = false;
	if (!is_free(filter, thread->tid)) {
		filter->why = "the process has a seccomp filter of its own";
		return false;
	}
	if (!give(filter, affinity, thread, status)) {
		filter->why = NULL;
		return false;
	}
	handshake_off(&filter->handshake);
	if (filter->guard) {
		affinity_share(affinity, 0);
		seccomp_filter_end(filter, false);
	}
	return *status != -1;
}

void seccomp_filter_too_late(struct seccomp_filter *filter)
{
	if (filter->possible)
		filter->why = "the process has children or threads already";
	filter->possible = false;
}

void seccomp_filter_add(struct seccomp_filter *filter, struct thread *thread, const struct thread *maker)
{
	thread->sandboxed |= filter->sandboxes && (!maker || maker->sandboxed);
	thread->number = filter->guard ? guard_add(filter->guard, thread->tgid, thread->tid) : GUARD_NONE;
}

void seccomp_filter_remove(struct seccomp_filter *filter, const struct thread *thread)
{
	if (filter->guard)
		guard_remove(filter->guard, thread->number);
}

void seccomp_filter_entered(struct seccomp_filter *filter, const struct thread *thread)
{
	const struct syscall_call *call = &thread->call;

	if (filter->guard)
		guard_forking(filter->guard, thread->number, call->arch && bpf_is_fork(call->arch, call->nr));
}

void seccomp_filter_forked(struct seccomp_filter *filter, const struct thread *thread)
{
	if (filter->guard)
		guard_forking(filter->guard, thread->number, false);
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

void seccomp_filter_left(struct seccomp_filter *filter, struct threads *threads, struct thread *thread)
{
	const struct syscall_call *call = &thread->call;

	if (!filter->guard || !bpf_is_sandbox(call))
		return;
	filter->sandboxes = true;
	thread->sandboxed = true;
	if (call->nr != call->arch->nr_prctl && (call->args[1] & SECCOMP_FILTER_FLAG_TSYNC))
		sandbox_all(threads, thread);
}

static bool is_exec(const struct syscall_call *call)
{
	return call->arch && arch_is_exec(call->arch, call->nr);
}

bool seccomp_filter_stops_at_all(const struct seccomp_filter *filter, const struct thread *thread)
{
	if (!filter->guard || thread->exec_due || thread->sandboxed || (filter->tell && !filter->handshake.on))
		return true;
	return thread->in_call && (thread->wanted || is_exec(&thread->call) || bpf_is_sandbox(&thread->call));
}

bool seccomp_filter_ignores(const struct seccomp_filter *filter, struct thread *thread, const struct syscall_stop *stop)
{
	const struct arch *arch = arch_by_call(stop->audit, (uint32_t)stop->nr);
	bool exec = arch && arch_is_exec(arch, (uint32_t)stop->nr);
	bool again = thread->entered && stop->op == SYSCALL_STOP_SECCOMP;
	bool useless = stop->op == SYSCALL_STOP_ENTRY && filter->guard && !thread->sandboxed && !exec;

	thread->entered = stop->op == SYSCALL_STOP_ENTRY && !useless;
	return again || useless;
}

void seccomp_filter_hear(struct seccomp_filter *filter, struct threads *threads, bool busy)
{
	if (filter->handshake.on && handshake_hear(&filter->handshake, threads, busy))
		filter->why = "it has execve or execveat, and nobody tells of them any more";
}

void seccomp_filter_asked(struct thread *thread)
{
	if (thread->exec_due && !install_is_restarting(thread->tid))
		thread->exec_due = false;
}

void seccomp_filter_end(struct seccomp_filter *filter, bool left)
{
	if (filter->guard && left)
		guard_leave(filter->guard);
	else if (filter->guard)
		guard_end(filter->guard);
	filter->guard = NULL;
}
