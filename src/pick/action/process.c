/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/action/process.h>

#include <errno.h>
#include <exectrace/target/executable/access.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/process/waiting.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

pid_t process_parent(pid_t pid)
{
	struct proc_status status;

	return proc_status(pid, &status) ? 0 : status.ppid;
}

pid_t process_tracer(pid_t pid)
{
	pid_t tracer = proc_tracer(pid);

	return tracer > 0 ? tracer : 0;
}

pid_t process_group(pid_t tid)
{
	struct proc_status status;

	return proc_status(tid, &status) ? 0 : status.tgid;
}

int process_call(pid_t tid, long *nr)
{
	uint64_t pc = 0;

	return proc_syscall(tid, nr, &pc);
}

int process_read_access(pid_t tid, const char *path)
{
	return access_read(tid, path);
}

int process_create_access(pid_t tid, const char *path)
{
	return access_create(tid, path);
}

bool process_leads(pid_t tid)
{
	return syscall(SYS_tgkill, tid, tid, 0) == 0 || errno == EPERM;
}

bool process_has_signal(pid_t pid, int sig)
{
	struct proc_signals signals;

	return proc_signals(pid, &signals) == 0 &&
	       (signals.state != 'S' || (signals.pending & UINT64_C(1) << (sig - 1)));
}

bool process_catches(pid_t pid, int sig)
{
	struct proc_signals signals;

	return proc_signals(pid, &signals) == 0 && (signals.caught & UINT64_C(1) << (sig - 1));
}

bool process_is_left_at(pid_t pid, uint64_t pc)
{
	const struct timespec moment = {.tv_nsec = 500000};
	struct proc_stat stat;
	uint64_t sp = 0, at = 0;

	for (int i = 0; i < 20 && pc && process_pends(pid, SIGSTOP) && proc_waits_at(pid, &sp, &at) == -EAGAIN; i++)
		nanosleep(&moment, NULL); /* it is on its way there */
	if (!pc || proc_waits_at(pid, &sp, &at) || at != pc || proc_stat(pid, &stat))
		return false;
	/* By which signal is known until its parent has waited for that. */
	return process_is_stopped(pid) ? !stat.stop || stat.stop == SIGSTOP : process_pends(pid, SIGSTOP);
}

bool process_is_stopped(pid_t pid)
{
	struct proc_signals signals;

	return proc_signals(pid, &signals) == 0 && (signals.state == 't' || signals.state == 'T');
}

bool process_pends(pid_t pid, int sig)
{
	struct proc_signals signals;

	return proc_signals(pid, &signals) == 0 && (signals.pending & UINT64_C(1) << (sig - 1));
}

bool process_was_continued(pid_t pid)
{
	struct proc_signals signals;

	return proc_signals(pid, &signals) || (signals.state != 't' && signals.state != 'T') ||
	       (signals.pending & UINT64_C(1) << (SIGCONT - 1));
}

bool process_image(pid_t tid, unsigned char id[16])
{
	struct proc_image image;

	if (proc_image(tid, &image))
		return false;
	memcpy(id, image.id, sizeof(image.id));
	return true;
}
