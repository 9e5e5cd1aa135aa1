/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * execerr PROGRAM
 * Makes execve fail in every way it can, in a directory of its own (the current one), and prints the errno of each:
 * first by execve, then by posix_spawn, whose error comes back from the child. PROGRAM is a program that could be
 * executed.
 */
#include "victim.h"
#include <limits.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

struct seize_attempt {
	const char *name;
	const char *path;
	char **argv;
};

static void make_file(const char *name, const char *text, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) < 0 || fchmod(fd, mode) < 0)
		die(name);
	close(fd);
}

/* A copy of the program whose first occurrence of its loader's name is damaged. */
static void make_without_loader(const char *name, const char *program)
{
	static char image[4 << 20];
	int fd = open(program, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, image, sizeof(image));
	char *loader = n < 0 ? NULL : memmem(image, (size_t)n, "/ld-linux", 9);

	if (!loader)
		die("no loader's name in the program");
	loader[1] = 'X';
	close(fd);
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	if (fd < 0 || write(fd, image, (size_t)n) != n)
		die(name);
	close(fd);
}

static void make_files(const char *program)
{
	make_file("plain", "no program\n", 0644);
	make_file("badformat", "\177ELF no program at all\n", 0755);
	make_file("empty", "", 0755);
	make_file("nointerpreter", "#!/nonexistent/interpreter\n", 0755);
	make_file("badinterpreter", "#!./plain\n", 0755);
	make_file("itself", "#!./itself\n", 0755);
	make_file("busy", "#!/bin/sh\nexit 3\n", 0755);
	make_without_loader("noloader", program);
	if (symlink("loop2", "loop1") < 0 || symlink("loop1", "loop2") < 0 || mkdir("directory", 0755) < 0 ||
	    mkfifo("fifo", 0755) < 0)
		die("making files");
}

static void try(const struct seize_attempt *a)
{
	char *none[] = {(char *)a->name, NULL};
	char **argv = a->argv ? a->argv : none;
	pid_t pid;
	int err;

	execve(a->path, argv, environ);
	printf("%s: execve %s", a->name, errno_name(errno));
	fflush(stdout);
	err = posix_spawn(&pid, a->path, NULL, NULL, argv, environ);
	printf(", posix_spawn %s\n", errno_name(err));
	if (err == 0)
		wait_status(pid);
}

/* One argument beyond the limit of 32 pages, and 3 MB in arguments that are allowed one by one. */
static void try_too_big(const char *program)
{
	static char *many[32];
	char *big = malloc(200000);
	int i;

	memset(big, 'a', 199999);
	big[199999] = '\0';
	many[0] = big;
	try(&(struct seize_attempt){"one argument too long", program, many});
	big[100000] = '\0';
	for (i = 0; i < 31; i++)
		many[i] = big;
	setrlimit(RLIMIT_STACK, &(struct rlimit){1 << 20, 1 << 20});
	try(&(struct seize_attempt){"all arguments too long", program, many});
	free(big);
}

/* By the system call itself: the library looks at its arguments before it makes the call. */
static void try_address(const char *what, uintptr_t path, uintptr_t argv, uintptr_t env)
{
	syscall(SYS_execve, path, argv, env);
	printf("%s: execve %s\n", what, errno_name(errno));
}

static void try_bad_memory(const char *program)
{
	uintptr_t bad_string[] = {(uintptr_t)program, 16, 0}, path = (uintptr_t)program;

	try_address("bad path", 16, 0, 0);
	try_address("bad array", path, 16, 0);
	try_address("bad argument", path, (uintptr_t)bad_string, 0);
	try_address("bad environment", path, 0, (uintptr_t)bad_string);
}

static void try_busy(void)
{
	int fd = open("busy", O_WRONLY | O_CLOEXEC);

	try(&(struct seize_attempt){"open for writing", "./busy", NULL});
	close(fd);
}

int main(int argc, char **argv)
{
	char long_path[PATH_MAX + 10], long_name[300];

	if (argc != 2)
		usage("execerr PROGRAM");
	setvbuf(stdout, NULL, _IOLBF, 0);
	memset(long_path, '/', sizeof(long_path));
	long_path[sizeof(long_path) - 1] = '\0';
	memset(long_name, 'n', sizeof(long_name));
	long_name[sizeof(long_name) - 1] = '\0';
	make_files(argv[1]);
	try(&(struct seize_attempt){"missing", "./missing", NULL});
	try(&(struct seize_attempt){"empty name", "", NULL});
	try(&(struct seize_attempt){"not executable", "./plain", NULL});
	try(&(struct seize_attempt){"bad format", "./badformat", NULL});
	try(&(struct seize_attempt){"empty file", "./empty", NULL});
	try(&(struct seize_attempt){"below a file", "./plain/x", NULL});
	try(&(struct seize_attempt){"link loop", "./loop1", NULL});
	try(&(struct seize_attempt){"long path", long_path, NULL});
	try(&(struct seize_attempt){"long name", long_name, NULL});
	try(&(struct seize_attempt){"directory", "./directory", NULL});
	try(&(struct seize_attempt){"fifo", "./fifo", NULL});
	try(&(struct seize_attempt){"device", "/dev/null", NULL});
	try(&(struct seize_attempt){"no interpreter", "./nointerpreter", NULL});
	try(&(struct seize_attempt){"bad interpreter", "./badinterpreter", NULL});
	try(&(struct seize_attempt){"its own interpreter", "./itself", NULL});
	try(&(struct seize_attempt){"no loader", "./noloader", NULL});
	try_busy();
	try_bad_memory(argv[1]);
	try_too_big(argv[1]);
	return 0;
}
