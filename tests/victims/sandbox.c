/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandbox ACTION CALL COMMAND [ARG]...   a seccomp filter refuses a call to COMMAND: "errno" (EPERM) or "kill"
 * sandbox later FORM                     opens a file, refuses openat from then on, and tries again:
 *     seccomp, prctl   by that call, and in a child as well
 *     tsync            for all its threads; one that sleeps meanwhile tries
 *     kill             whoever tries dies of it: a child
 * Prints how each attempt ends.
 */
#include "victim.h"
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static void refuse(int nr, uint32_t action, bool by_prctl, unsigned flags)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
	long err;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (by_prctl)
		err = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	else
		err = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
	if (err != 0)
		die("seccomp");
}

static void try(const char *who)
{
	int fd = open("/dev/null", O_RDONLY);

	printf("%s: %s\n", who, fd < 0 ? errno_name(errno) : "opened");
	if (fd >= 0)
		close(fd);
}

static void try_in_child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		try("child");
		exit(3);
	}
	print_status(stdout, wait_status(pid));
}

/* Tries when it is told to. */
static void *sleeper(void *argument)
{
	const int *ends = argument;
	char byte;

	if (read(ends[0], &byte, 1) == 1)
		try("thread");
	return NULL;
}

static void later_all(void)
{
	pthread_t thread;
	int ends[2];

	if (pipe(ends) != 0 || pthread_create(&thread, NULL, sleeper, ends) != 0)
		die("thread");
	refuse(SYS_openat, SECCOMP_RET_ERRNO | EPERM, false, SECCOMP_FILTER_FLAG_TSYNC);
	if (write(ends[1], "", 1) != 1)
		die("write");
	pthread_join(thread, NULL);
}

static int later(const char *form)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	try("before");
	if (strcmp(form, "tsync") == 0)
		later_all();
	else if (strcmp(form, "kill") == 0)
		refuse(SYS_openat, SECCOMP_RET_KILL_PROCESS, false, 0);
	else
		refuse(SYS_openat, SECCOMP_RET_ERRNO | EPERM, strcmp(form, "prctl") == 0, 0);
	if (strcmp(form, "kill") != 0)
		try("after");
	try_in_child();
	return 5;
}

static int number(const char *name)
{
	static const struct {
		const char *name;
		int nr;
	} calls[] = {{"seccomp", SYS_seccomp}, {"getppid", SYS_getppid}, {"openat", SYS_openat}};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (strcmp(calls[i].name, name) == 0)
			return calls[i].nr;
	}
	return atoi(name);
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "later") == 0)
		return later(argv[2]);
	if (argc < 4)
		usage("sandbox errno|kill CALL COMMAND [ARG]... | sandbox later seccomp|prctl|tsync|kill");
	refuse(number(argv[2]), strcmp(argv[1], "kill") == 0 ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM,
	       false, 0);
	execvp(argv[3], argv + 3);
	return 127;
}
