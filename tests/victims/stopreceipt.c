/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stopreceipt PID
 * Stops the supervisor PID by SIGSTOP at the end of the call in which its thread receives a notification
 * (SECCOMP_IOCTL_NOTIF_RECV): it has been received, and nobody but the kernel knows of that. Says "waits" when the next
 * call will be met, and "stopped" when nothing of PID runs any more.
 */
#include "victim.h"
#include <dirent.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

/* Of a process or thread, as /proc shows it. */
static char state_of(pid_t pid)
{
	char path[64], text[512], *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	end = strrchr(text, ')');
	return end && end[1] ? end[2] : 0;
}

/* True when it sleeps in that ioctl. */
static bool receives(pid_t tid)
{
	char path[64], text[128] = "";
	unsigned long nr = 0, fd = 0, request = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)tid);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	return sscanf(text, "%lu %lx %lx", &nr, &fd, &request) == 3 && nr == SYS_ioctl &&
	       request == SECCOMP_IOCTL_NOTIF_RECV;
}

static pid_t receiver_of(pid_t pid)
{
	char path[64];
	struct dirent *entry;
	pid_t found = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		die(path);
	while (!found && (entry = readdir(dir))) {
		pid_t tid = (pid_t)atoi(entry->d_name);

		found = tid > 0 && receives(tid) ? tid : 0;
	}
	closedir(dir);
	return found;
}

static void next_stop(pid_t tid, int request)
{
	int status;

	if (request && ptrace((enum __ptrace_request)request, tid, NULL, NULL))
		die("ptrace");
	if (waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
		die("waitpid");
}

static struct __ptrace_syscall_info call_of(pid_t tid)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, (void *)sizeof(info), &info) <= 0)
		die("PTRACE_GET_SYSCALL_INFO");
	return info;
}

static bool begins_receipt(pid_t tid)
{
	struct __ptrace_syscall_info info = call_of(tid);

	return info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == SYS_ioctl &&
	       info.entry.args[1] == SECCOMP_IOCTL_NOTIF_RECV;
}

/* To the end of a receipt that has received something; "waits" is said in front of the first one. */
static void run_to_receipt(pid_t tid)
{
	bool received = false;

	for (bool said = false; !received;) {
		bool begins = begins_receipt(tid);

		if (begins && !said)
			puts("waits");
		said |= begins;
		next_stop(tid, PTRACE_SYSCALL);
		received = begins && call_of(tid).op == PTRACE_SYSCALL_INFO_EXIT && call_of(tid).exit.rval == 0;
	}
}

int main(int argc, char **argv)
{
	pid_t pid = argc == 2 ? (pid_t)atoi(argv[1]) : 0;
	pid_t tid = 0;

	if (pid <= 0)
		usage("stopreceipt PID");
	for (int i = 0; i < 1000 && !(tid = receiver_of(pid)); i++)
		sleep_ms(5);
	if (!tid || ptrace(PTRACE_SEIZE, tid, NULL, PTRACE_O_TRACESYSGOOD))
		die("PTRACE_SEIZE");
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL))
		die("PTRACE_INTERRUPT");
	next_stop(tid, 0);
	setvbuf(stdout, NULL, _IOLBF, 0);
	run_to_receipt(tid);
	kill(pid, SIGSTOP);
	for (int i = 0; i < 1000 && state_of(pid) != 'T'; i++)
		sleep_ms(1);
	if (ptrace(PTRACE_DETACH, tid, NULL, NULL))
		die("PTRACE_DETACH");
	for (int i = 0; i < 1000 && state_of(tid) != 'T'; i++)
		sleep_ms(1);
	puts(state_of(pid) == 'T' && state_of(tid) == 'T' ? "stopped" : "not stopped");
	return 0;
}
