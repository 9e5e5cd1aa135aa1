/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spawnform FORM PROGRAM [ARG]...
 * Starts PROGRAM as a child by one of the many ways there are, and prints what its parent sees: the errno of the start,
 * what the child wrote into memory that both share, and the wait status.
 */
#include "victim.h"
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#define STACK_SIZE (256 * 1024)

static volatile int shared; /* written by children that share memory */

static void print_end(pid_t pid)
{
	int status = wait_status(pid);

	printf("child: ");
	print_status(stdout, status);
}

static void form_fork(char **argv)
{
	pid_t pid = fork();

	if (pid == 0) {
		execv(argv[0], argv);
		_exit(127);
	}
	print_end(pid);
}

/* The parent's memory carries what the child found, and the parent sleeps until the exec. */
static void form_vfork(char **argv)
{
	pid_t pid = vfork();

	if (pid == 0) {
		shared = 1;
		execv(argv[0], argv);
		shared = errno + 1000;
		_exit(127);
	}
	print_end(pid);
	printf("shared: %d\n", shared);
}

static void form_spawn(char **argv)
{
	pid_t pid;
	int err = posix_spawn(&pid, argv[0], NULL, NULL, argv, environ);

	if (err == 0)
		print_end(pid);
	printf("posix_spawn: %s\n", errno_name(err));
}

static void form_spawnp(char **argv)
{
	pid_t pid;
	int err = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);

	if (err == 0)
		print_end(pid);
	printf("posix_spawnp: %s\n", errno_name(err));
}

/* posix_spawn with everything changed that its attributes can change. */
static void form_spawnattr(char **argv)
{
	posix_spawnattr_t attr;
	sigset_t all;
	pid_t pid;
	int err;

	sigfillset(&all);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attr, &all);
	posix_spawnattr_setsigdefault(&attr, &all);
	err = posix_spawn(&pid, argv[0], NULL, &attr, argv, environ);
	if (err == 0)
		print_end(pid);
	printf("posix_spawn: %s\n", errno_name(err));
	posix_spawnattr_destroy(&attr);
}

static int child(void *argument)
{
	char **argv = argument;

	shared = 1;
	execv(argv[0], argv);
	shared = errno + 1000;
	_exit(127);
}

static void form_clone(char **argv, int flags)
{
	char *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	pid_t pid;

	if (stack == MAP_FAILED)
		die("mmap");
	pid = clone(child, stack + STACK_SIZE, flags | SIGCHLD, argv);
	if (pid < 0)
		die("clone");
	print_end(pid);
	if (flags & CLONE_VFORK)
		printf("shared: %d\n", shared);
}

static void form_clone_vfork(char **argv)
{
	form_clone(argv, CLONE_VM | CLONE_VFORK);
}

/* Both run at the same time in one memory. */
static void form_clone_vm(char **argv)
{
	form_clone(argv, CLONE_VM);
}

static void form_clone_untraced(char **argv)
{
	form_clone(argv, CLONE_VM | CLONE_UNTRACED);
}

/* The parent of the program has ended when it starts; this process is the reaper. */
static void form_orphan(char **argv)
{
	pid_t pid;
	int ends[2];
	char byte;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 || pipe2(ends, O_CLOEXEC) < 0)
		die("prctl, pipe");
	pid = fork();
	if (pid == 0) {
		if (fork() > 0)
			_exit(0);
		if (read(ends[0], &byte, 1) != 1) /* its parent has been reaped */
			_exit(126);
		execv(argv[0], argv);
		_exit(127);
	}
	print_end(pid);
	fflush(stdout);
	if (write(ends[1], "", 1) != 1)
		die("write");
	print_end(-1);
	printf("more children: %s\n", waitpid(-1, NULL, WNOHANG) < 0 ? errno_name(errno) : "yes");
}

/* The program is to die with its parent. */
static void form_pdeathsig(char **argv)
{
	pid_t pid;

	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	pid = fork();
	if (pid == 0) {
		pid = fork();
		if (pid == 0) {
			prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
			execv(argv[0], argv);
			_exit(127);
		}
		sleep_ms(300);
		_exit(0);
	}
	print_end(pid);
	print_end(-1);
}

static const struct form {
	const char *name;
	void (*run)(char **argv);
} forms[] = {
	{"clone-untraced", form_clone_untraced},
	{"clone-vfork", form_clone_vfork},
	{"clone-vm", form_clone_vm},
	{"fork", form_fork},
	{"orphan", form_orphan},
	{"pdeathsig", form_pdeathsig},
	{"spawn", form_spawn},
	{"spawnattr", form_spawnattr},
	{"spawnp", form_spawnp},
	{"vfork", form_vfork},
};

int main(int argc, char **argv)
{
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; argc > 2 && i < sizeof(forms) / sizeof(forms[0]); i++)
		if (strcmp(argv[1], forms[i].name) == 0) {
			forms[i].run(argv + 2);
			return 0;
		}
	usage("spawnform FORM PROGRAM [ARG]...");
}
