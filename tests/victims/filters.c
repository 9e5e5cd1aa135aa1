/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filters MODE COMMAND [ARG]...
 * Puts a seccomp filter of the tree's own around COMMAND's exec:
 *   errno   execve fails with EPERM, execveat with EXDEV: prints both
 *   trap    execve raises SIGSYS, whose handler prints the number
 *   kill    a child's execve kills it: prints its status
 *   other   an unrelated filter (getppid says EDOM), then COMMAND runs with it
 *   tsync   the same, put on all threads of a process with four
 *   strict  a child enters strict mode and ends by _exit: prints its status
 */
#include "victim.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* Answers `nr` (and `second`) with actions of their own, all else is allowed. */
static void install(int nr, uint32_t action, int second, uint32_t second_action)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)second, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, second_action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
		die("seccomp");
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	(void)context;
	printf("signal %d, system call %s\n", sig, info->si_syscall == SYS_execve ? "execve" : "another");
	exit(0);
}

static void mode_errno(char **argv)
{
	install(SYS_execve, SECCOMP_RET_ERRNO | EPERM, SYS_execveat, SECCOMP_RET_ERRNO | EXDEV);
	execv(argv[0], argv);
	printf("execve: %s\n", errno_name(errno));
	syscall(SYS_execveat, AT_FDCWD, argv[0], argv, environ, 0);
	printf("execveat: %s\n", errno_name(errno));
}

static void mode_trap(char **argv)
{
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};

	sigaction(SIGSYS, &action, NULL);
	install(SYS_execve, SECCOMP_RET_TRAP, SYS_execveat, SECCOMP_RET_TRAP);
	execv(argv[0], argv);
	printf("execve came back: %s\n", errno_name(errno));
}

static void mode_kill(char **argv)
{
	pid_t pid = fork();

	if (pid == 0) {
		install(SYS_execve, SECCOMP_RET_KILL_PROCESS, SYS_execveat, SECCOMP_RET_KILL_PROCESS);
		execv(argv[0], argv);
		_exit(1);
	}
	print_status(stdout, wait_status(pid));
}

static void mode_other(char **argv)
{
	install(SYS_getppid, SECCOMP_RET_ERRNO | EDOM, SYS_sched_yield, SECCOMP_RET_ERRNO | EDOM);
	execv(argv[0], argv);
	printf("execve: %s\n", errno_name(errno));
}

static void *sleeper(void *argument)
{
	sleep_ms(10000);
	return argument;
}

static void mode_tsync(char **argv)
{
	pthread_t thread;
	int i;

	for (i = 0; i < 3; i++)
		if (pthread_create(&thread, NULL, sleeper, NULL) != 0)
			die("pthread_create");
	mode_other(argv);
}

static void mode_strict(char **argv)
{
	pid_t pid = fork();

	(void)argv;
	if (pid == 0) {
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) < 0)
			syscall(SYS_exit, 1);
		syscall(SYS_exit, 42);
	}
	print_status(stdout, wait_status(pid));
}

static const struct mode {
	const char *name;
	void (*run)(char **argv);
} modes[] = {
	{"errno", mode_errno},   {"kill", mode_kill}, {"other", mode_other},
	{"strict", mode_strict}, {"trap", mode_trap}, {"tsync", mode_tsync},
};

int main(int argc, char **argv)
{
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; argc > 2 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(argv[1], modes[i].name) == 0) {
			modes[i].run(argv + 2);
			return 0;
		}
	usage("filters errno|trap|kill|other|tsync|strict COMMAND [ARG]...");
}
