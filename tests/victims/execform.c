/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * execform FORM PROGRAM [ARG]...
 * Executes PROGRAM (a path) in its own process by one of the many ways there are. A form that fails prints its errno.
 */
#include "victim.h"
#include <limits.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* glibc has execveat since 2.34 only */
static int exec_at(int fd, const char *path, char **argv, int flags)
{
	return (int)syscall(SYS_execveat, fd, path, argv, environ, flags);
}

static int open_program(const char *path, int flags)
{
	int fd = open(path, flags);

	if (fd < 0)
		die(path);
	return fd;
}

/* A copy of the program that has no name any more: in memory, or deleted. */
static int nameless(const char *path, int fd)
{
	char buf[65536];
	int from = open_program(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	while ((n = read(from, buf, sizeof(buf))) > 0)
		if (write(fd, buf, (size_t)n) != n)
			die("write");
	close(from);
	return fd;
}

static void form_execve(char **argv)
{
	execve(argv[0], argv, environ);
}

static void form_execvp(char **argv)
{
	execvp(argv[0], argv);
}

static void form_execveat_cwd(char **argv)
{
	exec_at(AT_FDCWD, argv[0], argv, 0);
}

static void form_execveat_dir(char **argv)
{
	char *slash = strrchr(argv[0], '/');
	char directory[PATH_MAX];

	snprintf(directory, sizeof(directory), "%.*s", (int)(slash - argv[0]), argv[0]);
	exec_at(open_program(directory, O_RDONLY | O_DIRECTORY), slash + 1, argv, 0);
}

static void form_execveat_fd(char **argv)
{
	exec_at(open_program(argv[0], O_RDONLY), "", argv, AT_EMPTY_PATH);
}

static void form_opath(char **argv)
{
	exec_at(open_program(argv[0], O_PATH | O_CLOEXEC), "", argv, AT_EMPTY_PATH);
}

static void form_fexecve(char **argv)
{
	fexecve(open_program(argv[0], O_RDONLY | O_CLOEXEC), argv, environ);
}

static void form_procfd(char **argv)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", open_program(argv[0], O_RDONLY | O_CLOEXEC));
	execve(name, argv, environ);
}

static void form_memfd(char **argv)
{
	fexecve(nameless(argv[0], memfd_create("victim", MFD_CLOEXEC)), argv, environ);
}

static void form_deleted(char **argv)
{
	char name[] = "deleted-XXXXXX";
	int fd = mkostemp(name, O_CLOEXEC), reader;

	if (fd < 0)
		die(name);
	nameless(argv[0], fd);
	fchmod(fd, 0755);
	reader = open_program(name, O_RDONLY | O_CLOEXEC);
	close(fd); /* else ETXTBSY */
	unlink(name);
	fexecve(reader, argv, environ);
}

static void form_symlink(char **argv)
{
	char name[64];

	snprintf(name, sizeof(name), "link-%d", (int)getpid());
	if (symlink(argv[0], name) < 0)
		die("symlink");
	execve(name, argv, environ);
}

static void form_null_argv(char **argv)
{
	syscall(SYS_execve, argv[0], NULL, environ);
}

static void form_empty_argv(char **argv)
{
	char *none[] = {NULL};

	syscall(SYS_execve, argv[0], none, environ);
}

static void form_null_env(char **argv)
{
	syscall(SYS_execve, argv[0], argv, NULL);
}

static void form_undumpable(char **argv)
{
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		die("prctl");
	execve(argv[0], argv, environ);
}

/* Gives up root on the way: what the kernel then calls undumpable is so until the exec. */
static void form_setuid(char **argv)
{
	if (setresgid(65534, 65534, 65534) < 0 || setresuid(65534, 65534, 65534) < 0)
		die("setresuid");
	execve(argv[0], argv, environ);
}

static const struct form {
	const char *name;
	void (*run)(char **argv);
} forms[] = {
	{"deleted", form_deleted},
	{"empty-argv", form_empty_argv},
	{"execve", form_execve},
	{"execveat-cwd", form_execveat_cwd},
	{"execveat-dir", form_execveat_dir},
	{"execveat-fd", form_execveat_fd},
	{"execvp", form_execvp},
	{"fexecve", form_fexecve},
	{"memfd", form_memfd},
	{"null-argv", form_null_argv},
	{"null-env", form_null_env},
	{"opath", form_opath},
	{"procfd", form_procfd},
	{"setuid", form_setuid},
	{"symlink", form_symlink},
	{"undumpable", form_undumpable},
};

int main(int argc, char **argv)
{
	size_t i;

	if (argc < 3)
		usage("execform FORM PROGRAM [ARG]...");
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (strcmp(argv[1], forms[i].name) == 0)
			forms[i].run(argv + 2);
	printf("execform %s: %s\n", argv[1], errno_name(errno));
	return 1;
}
