/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jail MODE ACTION NUMBERS COMMAND [ARG]...
 * Runs COMMAND under a seccomp filter of the tree's own, as sandboxes and container profiles do:
 *   only      all calls but NUMBERS (N,N,...) meet ACTION
 *   but       NUMBERS meet ACTION, all others are allowed
 *   pin       execve of another path pointer than this one's meets ACTION, and execveat
 *   execveat  execve meets ACTION: COMMAND is executed by execveat
 *   listen    a process of the tree's own is asked about NUMBERS (SECCOMP_RET_USER_NOTIF) and allows them
 * ACTION: errno, kill (the process), thread, trap, log. A filter for this machine's own calls; COMMAND is a path.
 */
#include "victim.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define MAX 400

static struct sock_filter code[MAX];
static unsigned short n;

static void put(uint16_t op, uint32_t k, uint8_t jt, uint8_t jf)
{
	if (n == MAX)
		die("too many numbers");
	code[n++] = (struct sock_filter){op, jt, jf, k};
}

static void load(size_t at)
{
	put(BPF_LD | BPF_W | BPF_ABS, (uint32_t)at, 0, 0);
}

static void answer(uint32_t action)
{
	put(BPF_RET | BPF_K, action, 0, 0);
}

/* The next instruction is for what is equal. */
static void if_equal(uint32_t k)
{
	put(BPF_JMP | BPF_JEQ | BPF_K, k, 0, 1);
}

static uint32_t action_of(const char *name)
{
	static const struct {
		const char *name;
		uint32_t action;
	} actions[] = {{"errno", SECCOMP_RET_ERRNO | EPERM},
	               {"kill", SECCOMP_RET_KILL_PROCESS},
	               {"thread", SECCOMP_RET_KILL_THREAD},
	               {"trap", SECCOMP_RET_TRAP},
	               {"log", SECCOMP_RET_LOG},
	               {"listen", SECCOMP_RET_USER_NOTIF}};

	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (strcmp(actions[i].name, name) == 0)
			return actions[i].action;
	}
	die(name);
}

static void numbers(char *list, uint32_t listed, uint32_t others)
{
	load(offsetof(struct seccomp_data, nr));
	for (char *number = strtok(list, ","); number; number = strtok(NULL, ",")) {
		if_equal((uint32_t)atoi(number));
		answer(listed);
	}
	answer(others);
}

static void pin(const char *path, uint32_t action)
{
	uint64_t pointer = (uint64_t)(uintptr_t)path;

	load(offsetof(struct seccomp_data, nr));
	if_equal(SYS_execveat);
	answer(action);
	put(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 1, 0);
	answer(SECCOMP_RET_ALLOW);
	load(offsetof(struct seccomp_data, args));
	put(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)pointer, 1, 0);
	answer(action);
	load(offsetof(struct seccomp_data, args) + 4);
	put(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(pointer >> 32), 1, 0);
	answer(action);
	answer(SECCOMP_RET_ALLOW);
}

static int install(unsigned flags)
{
	struct sock_fprog program = {n, code};
	int fd;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	fd = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
	if (fd < 0)
		die("seccomp");
	return fd;
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

/*
 * Allows all that it is asked about, until the child has ended. Before Linux 6.11 a receiver is not woken when the last
 * process with the filter ends, and who polls only when that has been waited for.
 */
static void serve(int listener, pid_t pid)
{
	struct seccomp_notif notif;
	struct pollfd ready = {.fd = listener, .events = POLLIN};

	for (;;) {
		struct seccomp_notif_resp reply = {.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};

		if (poll(&ready, 1, 10) != 1) {
			if (has_ended(pid))
				return;
			continue;
		}
		if (!(ready.revents & POLLIN))
			return;
		memset(&notif, 0, sizeof(notif));
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &notif)) {
			if (errno == EINTR)
				continue;
			return;
		}
		reply.id = notif.id;
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
	}
}

/* The filter is the child's alone; we have its listener, and end as it does. */
static void listen_to(char **argv)
{
	int status = 0;
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);

	if (pid < 0)
		die("clone");
	if (pid == 0) {
		install(SECCOMP_FILTER_FLAG_NEW_LISTENER); /* the lowest descriptor: 3, ours too */
		execv(argv[0], argv);
		die(argv[0]);
	}
	while (fcntl(3, F_GETFD) < 0 && waitpid(pid, &status, WNOHANG) == 0)
		sleep_ms(1);
	serve(3, pid);
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

int main(int argc, char **argv)
{
	const char *mode = argc > 4 ? argv[1] : "";
	uint32_t action = argc > 4 ? action_of(argv[2]) : 0;
	bool by_descriptor = strcmp(mode, "execveat") == 0;

	if (strcmp(mode, "only") == 0)
		numbers(argv[3], SECCOMP_RET_ALLOW, action);
	else if (strcmp(mode, "but") == 0)
		numbers(argv[3], action, SECCOMP_RET_ALLOW);
	else if (strcmp(mode, "listen") == 0)
		numbers(argv[3], SECCOMP_RET_USER_NOTIF, SECCOMP_RET_ALLOW);
	else if (strcmp(mode, "pin") == 0)
		pin(argv[4], action);
	else if (by_descriptor)
		numbers((char[]){"59"}, action, SECCOMP_RET_ALLOW);
	else
		usage("jail only|but|pin|execveat|listen ACTION NUMBERS COMMAND [ARG]...");
	if (strcmp(mode, "listen") == 0)
		listen_to(argv + 4);
	install(0);
	if (by_descriptor)
		syscall(SYS_execveat, AT_FDCWD, argv[4], argv + 4, environ, 0);
	else
		execve(argv[4], argv + 4, environ);
	die(argv[4]);
}
