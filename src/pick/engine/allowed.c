/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "allowed.h"

#include <errno.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/tracee/filters.h>
#include <exectrace/target/tracee/wait.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef PR_SET_PTRACER
#define PR_SET_PTRACER 0x59616d61
#define PR_SET_PTRACER_ANY ((unsigned long)-1)
#endif

/* In a child: each call as it would be made in a process of the tree, with a result that only the call itself has. */
static void __attribute__((noreturn)) try_calls(void)
{
	const uint64_t none = 0;
	const struct timespec now = {0};
	bool good = true;

	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* a filter may kill us */
	good = syscall(SYS_execve, NULL, NULL, NULL) < 0 && errno == EFAULT;
	good = good && syscall(SYS_rt_sigtimedwait, &none, NULL, &now, sizeof(none)) < 0 && errno == EAGAIN;
	good = good && (prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0) == 0 || errno == EINVAL);
	_exit(good ? 0 : 1);
}

static bool are_free(void)
{
	struct wait_event ev = {.status = -1};
	pid_t pid = fork();

	if (pid == 0)
		try_calls();
	return pid > 0 && wait_for(pid, &ev) == 0 && ev.kind == WAIT_EXIT && ev.status == 0;
}

void allowed_init(struct allowed *allowed)
{
	struct proc_status status;

	*allowed = (struct allowed){.free = false};
	if (proc_status(getpid(), &status))
		return;
	allowed->base = status.filters;
	allowed->free = status.filters == 0 || are_free();
}

bool allowed_call(const struct allowed *allowed, const struct park *park, bool notified)
{
	struct proc_status status;
	struct seccomp_data call;
	uint32_t action = SECCOMP_RET_KILL_PROCESS;

	if (allowed->free && proc_status(park->tid, &status) == 0 && status.filters <= allowed->base + notified)
		return true;
	park_call(park, &call);
	if (filters_judge(park->tid, &call, &action))
		return false;
	if (notified && arch_is_exec(park->regs.arch, park->nr))
		return action == SECCOMP_RET_USER_NOTIF;
	return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG;
}
