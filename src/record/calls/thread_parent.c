/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/calls/thread_parent.h>

#include <exectrace/target/process/mem.h>
#include <exectrace/target/process/procfs.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

/* The flags with which a thread makes another one; false when it does not. */
static bool making(const struct thread *thread, uint64_t *flags)
{
	const struct syscall_call *call = &thread->call;
	const struct syscall_desc *desc = NULL;

	if (!thread->in_call || !call->arch)
		return false;
	desc = syscall_by_nr(call->arch, call->nr);
	*flags = SIGCHLD;
	if (!desc)
		return false;
	if (strcmp(desc->name, "clone") == 0)
		*flags = call->args[0];
	else if (strcmp(desc->name, "clone3") == 0)
		return mem_read(thread->tid, call->args[0], flags, sizeof(*flags)) == 0;
	else if (strcmp(desc->name, "vfork") == 0)
		*flags = CLONE_VFORK | CLONE_VM | SIGCHLD;
	else if (strcmp(desc->name, "fork") != 0)
		return false;
	return true;
}

/* A thread of process pid that is making one, a thread of its own process or a child. */
static const struct thread *look_for(const struct threads *threads, const struct thread *child, pid_t pid)
{
	bool process = child->tid == child->tgid;
	uint64_t flags = 0;

	for (size_t i = 0; i < THREADS_BUCKETS; i++) {
		for (const struct thread *t = threads->bucket[i]; t; t = t->next) {
			if (t != child && t->tgid == pid && making(t, &flags) && process == !(flags & CLONE_THREAD))
				return t;
		}
	}
	return NULL;
}

void thread_parent_find(struct threads *threads, struct thread *thread, const struct thread *maker)
{
	bool process = thread->tid == thread->tgid;
	struct proc_status status;

	thread->parent_pid = thread->tgid;
	if (maker)
		thread->parent_pid = maker->tgid;
	else if (process)
		thread->parent_pid = proc_status(thread->tid, &status) ? 0 : status.ppid;
	if (!maker)
		maker = look_for(threads, thread, thread->parent_pid);
	thread->parent = maker ? maker->tid : thread->parent_pid;
	if (!maker || !making(maker, &thread->clone_flags))
		thread->clone_flags = process ? 0 : CLONE_VM | CLONE_SIGHAND | CLONE_THREAD;
}
