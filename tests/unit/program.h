/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests of living processes: a scratch directory that goes away with the test, small programs compiled into it,
 * children that cannot outlive the test, and a program stopped at the end of its execve. Nothing here calls the code
 * under test.
 */
#ifndef EXECTRACE_TESTS_UNIT_PROGRAM_H
#define EXECTRACE_TESTS_UNIT_PROGRAM_H

#include "tap.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAYBE __attribute__((unused)) static

static pid_t scratch_owner;
static char scratch_dir[128];

static int scratch_unlink(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void scratch_remove(void)
{
	if (scratch_owner == getpid())
		nftw(scratch_dir, scratch_unlink, 16, FTW_DEPTH | FTW_PHYS);
}

/* Makes the scratch directory, and sees to it that the test ends: it is killed after so many seconds. */
MAYBE void scratch_begin(unsigned seconds)
{
	const char *tmp = getenv("TMPDIR");
	char *real;

	snprintf(scratch_dir, sizeof(scratch_dir), "%.90s/exectrace-unit.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	real = mkdtemp(scratch_dir) ? realpath(scratch_dir, NULL) : NULL;
	if (!real || strlen(real) >= sizeof(scratch_dir)) {
		perror(scratch_dir);
		_exit(1);
	}
	strcpy(scratch_dir, real);
	free(real);
	scratch_owner = getpid();
	atexit(scratch_remove);
	alarm(seconds);
}

struct place {
	char path[512];
};

/* The path of a file in the scratch directory; lives until the end of the full expression it is used in. */
MAYBE struct place place(const char *name)
{
	struct place p;

	snprintf(p.path, sizeof(p.path), "%s/%s", scratch_dir, name);
	return p;
}

MAYBE void nap(long ms)
{
	const struct timespec ts = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&ts, NULL);
}

/* fork(2); the child dies with the test, and with its parent. */
MAYBE pid_t child(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	return pid;
}

/* A child that does nothing. */
MAYBE pid_t idle_child(void)
{
	pid_t pid = child();

	while (pid == 0)
		pause();
	return pid;
}

/* An idle child with that pid, or -1. */
MAYBE pid_t child_with_pid(pid_t pid)
{
	struct clone_args args = {.exit_signal = SIGCHLD, .set_tid = (uint64_t)(uintptr_t)&pid, .set_tid_size = 1};
	pid_t got = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

	while (got == 0)
		pause();
	return got;
}

/* Waits for the end of a child: its status as wait(2) gives it, -1 when it is not ours. */
MAYBE int end_of(pid_t pid)
{
	int status = 0;
	pid_t got;

	do {
		got = waitpid(pid, &status, __WALL);
	} while ((got < 0 && errno == EINTR) || (got == pid && WIFSTOPPED(status)));
	return got == pid ? status : -1;
}

/* Ends a child. */
MAYBE void finish(pid_t pid)
{
	if (pid > 0) {
		kill(pid, SIGKILL);
		end_of(pid);
	}
}

/* The letter of a process's state, 0 when it is gone. */
MAYBE char state_of(pid_t pid)
{
	char name[64], text[1024] = "";
	int fd;
	ssize_t n;

	snprintf(name, sizeof(name), "/proc/%d/stat", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	return n > 0 && strrchr(text, ')') ? strrchr(text, ')')[2] : 0;
}

/* Waits, 5 s at most and not beyond its end, until the state is one of those. */
MAYBE bool reaches_state(pid_t pid, const char *states)
{
	for (int i = 0; i < 2500; i++) {
		char state = state_of(pid);

		if (state && strchr(states, state))
			return true;
		if (!state || state == 'Z')
			break;
		nap(2);
	}
	return false;
}

MAYBE void write_file(const char *path, const char *text, size_t n, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, text, n) != (ssize_t)n || fchmod(fd, mode) || close(fd))
		printf("# cannot write %s: %s\n", path, strerror(errno));
}

/* Writes a script or the like. */
MAYBE void write_text(const char *path, const char *text, mode_t mode)
{
	write_file(path, text, strlen(text), mode);
}

/* Compiles a C program to NAME in the scratch directory; says so when that does not work here. */
MAYBE bool build(const char *name, const char *source, const char *flags)
{
	char command[256], file[64];
	pid_t pid;

	snprintf(file, sizeof(file), "%s.c", name);
	write_text(place(file).path, source, 0600);
	snprintf(command, sizeof(command), "exec gcc -O1 -w -o \"$1\" \"$1.c\" %s >/dev/null 2>&1", flags);
	pid = child();
	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", command, "sh", place(name).path, (char *)NULL);
		_exit(127);
	}
	if (end_of(pid) == 0)
		return true;
	printf("# skipped: gcc %s does not work here\n", flags);
	return false;
}

/* Whether the file is an ELF file of 32 bits. */
static bool is_narrow(const char *path)
{
	unsigned char ident[EI_NIDENT] = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, ident, sizeof(ident));

	if (fd >= 0)
		close(fd);
	return n == sizeof(ident) && memcmp(ident, ELFMAG, SELFMAG) == 0 && ident[EI_CLASS] == ELFCLASS32;
}

/* The errno of an execve of the program, 0 when it succeeds; the program is killed then. */
static int exec_error(const char *path)
{
	char *argv[] = {(char *)path, NULL}, *envp[] = {NULL};
	int failed[2], err = 0;
	pid_t pid;

	if (pipe2(failed, O_CLOEXEC))
		return errno;
	pid = child();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		if (null >= 0 && dup2(null, 1) == 1 && execve(argv[0], argv, envp) < 0)
			err = errno;
		_exit(write(failed[1], &err, sizeof(err)) != sizeof(err));
	}
	close(failed[1]);
	if (pid < 0 || read(failed[0], &err, sizeof(err)) != sizeof(err))
		err = 0;
	close(failed[0]);
	finish(pid);
	return err;
}

/* False, with a case skipped, for a 32-bit program where the kernel runs none. The first such program tells for all. */
MAYBE bool runs_here(const char *name)
{
	static int refused = -1;

	if (!is_narrow(place(name).path))
		return true;
	if (refused < 0)
		refused = exec_error(place(name).path) == ENOEXEC;
	if (refused)
		SKIP(name, "the kernel runs no 32-bit programs");
	return !refused;
}

/* build, for a program that the test will start: false too, with a case skipped, where the kernel does not run it. */
MAYBE bool build_to_run(const char *name, const char *source, const char *flags)
{
	return build(name, source, flags) && runs_here(name);
}

/* A program stopped by ptrace, and what it will print. */
struct stopped {
	pid_t pid; /* 0: it could not be started */
	int out;   /* its standard output */
};

static bool wait_stop(pid_t pid, int want)
{
	int status = 0;

	return waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status) && status >> 8 == want;
}

/* Starts argv[0], traced by us with PTRACE_O_TRACEEXEC and TRACESYSGOOD, up to PTRACE_EVENT_EXEC. */
MAYBE struct stopped start_at_exec(char *const *argv, char *const *envp)
{
	struct stopped s = {0, -1};
	int out[2], go[2];
	char c = 0;

	if (pipe2(out, O_CLOEXEC) || pipe2(go, O_CLOEXEC))
		return s;
	s.pid = child();
	if (s.pid == 0) {
		if (read(go[0], &c, 1) == 1 && dup2(out[1], 1) == 1)
			execve(argv[0], argv, envp);
		_exit(126);
	}
	close(out[1]);
	close(go[0]);
	s.out = out[0];
	if (ptrace(PTRACE_SEIZE, s.pid, 0L, (long)(PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD)) ||
	    write(go[1], &c, 1) != 1 || !wait_stop(s.pid, SIGTRAP | PTRACE_EVENT_EXEC << 8)) {
		printf("# cannot start %s: %s\n", argv[0], strerror(errno));
		finish(s.pid);
		close(s.out);
		s = (struct stopped){0, -1};
	}
	close(go[1]);
	return s;
}

/* The same, on to the end of the execve: where registers can be changed. */
MAYBE struct stopped start_stopped(char *const *argv, char *const *envp)
{
	struct stopped s = start_at_exec(argv, envp);

	if (s.pid && (ptrace(PTRACE_SYSCALL, s.pid, 0L, 0L) || !wait_stop(s.pid, SIGTRAP | 0x80))) {
		printf("# %s does not come to the end of its execve\n", argv[0]);
		finish(s.pid);
		close(s.out);
		s = (struct stopped){0, -1};
	}
	return s;
}

/* True when nothing comes from fd for so long. */
MAYBE bool is_silent(int fd, int ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, ms) == 0;
}

/* Reads until the end, as a string of at most n - 1 bytes. */
MAYBE const char *output_of(int fd, char *text, size_t n)
{
	size_t at = 0;
	ssize_t got;

	while (at < n - 1 && (got = read(fd, text + at, n - 1 - at)) > 0)
		at += (size_t)got;
	text[at] = '\0';
	return text;
}

/* Reads the memory of a process through /proc/PID/mem. */
MAYBE bool peek(pid_t pid, unsigned long long addr, void *to, size_t n)
{
	char name[64];
	bool ok;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/mem", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	ok = fd >= 0 && pread(fd, to, n, (off_t)addr) == (ssize_t)n;
	if (fd >= 0)
		close(fd);
	return ok;
}

#endif
