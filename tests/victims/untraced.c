/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * untraced clone|clone3|thread
 * Makes a child that asks not to be traced (CLONE_UNTRACED), which opens a file and prints how that ended; a thread
 * with `thread`. Prints as well when a register or the memory that the call was given is not as it was before.
 */
#include "victim.h"
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/syscall.h>

#define FLAGS (CLONE_UNTRACED | SIGCHLD)
#define THREAD_FLAGS                                                                                         \
	(CLONE_UNTRACED | CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | \
	 CLONE_CHILD_CLEARTID)

static int report(const char *what)
{
	int fd = open("/dev/null", O_RDONLY);
	int status = fd < 0;

	dprintf(1, "%s: %s\n", what, fd < 0 ? errno_name(errno) : "opened");
	return status;
}

static void end(bool changed)
{
	if (changed)
		dprintf(1, "the child sees a change\n");
	_exit(report("child") ? 1 : 4);
}

#ifdef __x86_64__
/* With the register of the flags looked at on both sides of the call. */
static pid_t by_clone(void)
{
	uint64_t flags = FLAGS;
	long result;

	__asm__ volatile("syscall"
	                 : "=a"(result), "+D"(flags)
	                 : "0"((long)SYS_clone), "S"(0L), "d"(0L)
	                 : "rcx", "r11", "memory");
	if (result == 0)
		end(flags != FLAGS);
	if (flags != FLAGS)
		dprintf(1, "the parent sees a change\n");
	return (pid_t)result;
}
#else
static pid_t by_clone(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, (long)FLAGS, NULL, NULL, NULL, NULL);

	if (pid == 0)
		end(false);
	return pid;
}
#endif

static pid_t by_clone3(void)
{
	/* In memory that may not be written. */
	static const struct clone_args args = {.flags = CLONE_UNTRACED, .exit_signal = SIGCHLD};
	volatile const uint64_t *flags = (volatile const uint64_t *)&args.flags;
	pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

	if (pid == 0)
		end(*flags != CLONE_UNTRACED);
	if (*flags != CLONE_UNTRACED)
		dprintf(1, "the parent sees a change\n");
	return pid;
}

static int thread_main(void *argument)
{
	(void)argument;
	report("thread");
	return 0;
}

static int by_thread(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	static pid_t tid = 1;
	int now;

	if (clone(thread_main, stack + sizeof(stack), THREAD_FLAGS, NULL, NULL, NULL, &tid) < 0)
		die("clone");
	while ((now = __atomic_load_n(&tid, __ATOMIC_ACQUIRE)))
		syscall(SYS_futex, &tid, FUTEX_WAIT, now, NULL, NULL, 0);
	return 0;
}

int main(int argc, char **argv)
{
	pid_t pid = 0;

	if (argc != 2)
		usage("untraced clone|clone3|thread");
	if (strcmp(argv[1], "thread") == 0)
		return by_thread();
	pid = strcmp(argv[1], "clone") == 0 ? by_clone() : by_clone3();
	if (pid < 0)
		die(argv[1]);
	print_status(stdout, wait_status(pid));
	return 6;
}
