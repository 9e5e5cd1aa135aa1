/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records filled from a caller that waits (a child that has our memory, so its addresses are ours), and from real
 * programs at their beginning.
 */
#include "program.h"
#include "tap.h"
#include <exectrace/target/arch/arch.h>
#include <exectrace/target/executable/capture.h>
#include <linux/limits.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define ALL (EXEC_ARGV | EXEC_TARGET | EXEC_CWD | EXEC_ENV | EXEC_IDS | EXEC_USER | EXEC_ANCESTORS)

static struct target_cache *cache;

static uint64_t at(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static void calls(void)
{
	const uint64_t args[6] = {(uint64_t)-100, 22, 33, 44, 55, 66};
	const struct arch *wide = arch_by_name("x86_64"), *narrow = arch_by_name("i386");
	struct exec_call call = capture_call(wide, 7, wide->nr_execve, args);

	CHECK(call.arch == wide && call.tid == 7);
	CHECK_INT(call.dirfd, AT_FDCWD);
	CHECK(call.path == args[0] && call.argv == 22 && call.envp == 33);
	call = capture_call(wide, 7, wide->nr_execveat, args);
	CHECK_INT(call.dirfd, -100);
	CHECK(call.path == 22 && call.argv == 33 && call.envp == 44);
	call = capture_call(narrow, 8, narrow->nr_execveat, (uint64_t[6]){0xffffff9c, 1, 2, 3, 4, 5});
	CHECK_INT(call.dirfd, AT_FDCWD);
	CHECK(call.path == 1 && call.argv == 2 && call.envp == 3);
	call = capture_call(narrow, 8, narrow->nr_execve, (uint64_t[6]){9, 1, 2, 3, 4, 5});
	CHECK(call.dirfd == AT_FDCWD && call.path == 9 && call.argv == 1 && call.envp == 2);
}

/* Has the fields filled; what files have to be touched for is looked at as it is elsewhere, and then all is filled
 * again. */
static void want(struct exec_record *rec, struct capture *c, unsigned fields)
{
	static struct target looked;
	pid_t tid = rec->tid;
	int dirfd = 0;

	exec_record_want(rec, fields);
	if (!rec->later)
		return;
	CHECK_INT(rec->error & rec->later, rec->later);
	target_release(&looked);
	target_resolve(cache, tid, AT_FDCWD, capture_path(rec, c, &dirfd), &looked);
	CHECK_INT(dirfd, AT_FDCWD);
	exec_record_release(rec);
	c->known = &looked;
	if (c->call.tid)
		capture_waiting(rec, c);
	else
		capture_started(rec, tid, c);
	exec_record_want(rec, fields);
	CHECK_INT(rec->later, 0);
	c->known = NULL;
}

static struct capture waiting_call(pid_t pid, const char *path, char *const *argv, char *const *envp)
{
	struct capture c = {.call = {.arch = arch_native(), .tid = pid, .dirfd = AT_FDCWD}, .cache = cache};

	c.call.path = at(path);
	c.call.argv = at(argv);
	c.call.envp = at(envp);
	return c;
}

static pid_t child_in(const char *dir)
{
	pid_t pid = child();

	while (pid == 0) {
		if (chdir(dir) == 0)
			pause();
	}
	reaches_state(pid, "S");
	nap(5);
	return pid;
}

static void same(const struct strv *got, char *const *want)
{
	size_t n = 0;

	for (; want[n]; n++)
		if (n >= got->n || strcmp(got->items[n], want[n]) != 0)
			CHECK(!"a string differs");
	CHECK_INT(got->n, n);
}

static void waiting(void)
{
	char *argv[] = {(char *)"./prog", (char *)"-l", (char *)"", (char *)"a b", NULL};
	char *envp[] = {(char *)"HOME=/nowhere", (char *)"X", NULL};
	pid_t pid = child_in("/bin");
	struct capture c = waiting_call(pid, "../bin/cat", argv, envp);
	struct exec_record rec = {0};
	char *real = realpath("/bin/cat", NULL), *bin = realpath("/bin", NULL);

	capture_waiting(&rec, &c);
	CHECK(rec.tid == pid && rec.when && rec.when_wall && !rec.have);
	exec_record_want(&rec, EXEC_ARGV);
	CHECK(rec.have == EXEC_ARGV && !rec.error);
	same(&rec.argv, argv);
	CHECK_STR(rec.cmdline.data, "./prog -l  a b");
	CHECK(!rec.cwd && !rec.path && !rec.env.n);
	want(&rec, &c, ALL);
	CHECK(rec.have == (ALL | EXEC_OUTCOME) && rec.error == EXEC_ANCESTORS);
	CHECK_STR(rec.path, "../bin/cat");
	CHECK_STR(rec.exe, real);
	CHECK_STR(rec.interp, NULL);
	CHECK_INT(rec.outcome, 0);
	CHECK_STR(rec.cwd, bin);
	same(&rec.env, envp);
	CHECK(rec.pid == pid && rec.ppid == getpid() && rec.uid == geteuid());
	exec_record_release(&rec);
	finish(pid);
	free(real);
	free(bin);
}

/* What is asked for, of a call with such arguments. */
static struct exec_record fill(const char *path, char *const *argv, char *const *envp, unsigned fields)
{
	pid_t pid = child_in("/");
	struct capture c = waiting_call(pid, path, argv, envp);
	struct exec_record rec = {0};

	capture_waiting(&rec, &c);
	want(&rec, &c, fields);
	finish(pid);
	rec.fill = NULL;
	return rec;
}

/* No argv at all, a path in its place; and arguments that point to nowhere. */
static void odd(void)
{
	char *none[] = {NULL}, *bad[] = {(char *)"good", (char *)16, NULL};
	static char longpath[PATH_MAX + 100];
	struct exec_record rec = fill("/bin/true", none, NULL, EXEC_ARGV | EXEC_ENV);

	CHECK(rec.argv.n == 0 && !rec.error && rec.env.n == 0);
	CHECK_STR(rec.cmdline.data, "/bin/true");
	exec_record_release(&rec);
	rec = fill("/bin/true", NULL, NULL, EXEC_ARGV);
	CHECK_STR(rec.cmdline.data, "/bin/true");
	CHECK_STR(rec.path, "/bin/true");
	exec_record_release(&rec);
	rec = fill("/bin/true", bad, bad, ALL);
	CHECK_INT(rec.error, EXEC_ARGV | EXEC_ENV | EXEC_ANCESTORS);
	CHECK_INT(rec.outcome, 0);
	exec_record_release(&rec);
	rec = fill((const char *)16, none, NULL, EXEC_TARGET | EXEC_ARGV);
	CHECK_INT(rec.error, EXEC_TARGET | EXEC_ARGV);
	CHECK_INT(rec.outcome, -EFAULT);
	CHECK_STR(rec.path, NULL);
	exec_record_release(&rec);
	memset(longpath, '/', sizeof(longpath) - 1);
	rec = fill(longpath, none, NULL, EXEC_TARGET);
	CHECK_INT(rec.outcome, -ENAMETOOLONG);
	exec_record_release(&rec);
	longpath[PATH_MAX] = '\0';
	rec = fill(longpath, none, NULL, EXEC_TARGET);
	CHECK_INT(rec.outcome, -ENAMETOOLONG);
	exec_record_release(&rec);
	rec = fill("/no/such/file", none, NULL, EXEC_TARGET);
	CHECK_INT(rec.outcome, -ENOENT);
	CHECK_STR(rec.path, "/no/such/file");
	exec_record_release(&rec);
}

/* A 32-bit caller's pointers. */
static void narrow(void)
{
	char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	struct exec_record rec = {0};
	struct capture c;
	uint32_t *argv;
	pid_t pid;

	if (low == MAP_FAILED)
		return;
	argv = (uint32_t *)(void *)(low + 1024);
	strcpy(low, "first");
	strcpy(low + 64, "second");
	argv[0] = (uint32_t)at(low);
	argv[1] = (uint32_t)at(low + 64);
	pid = child_in("/");
	c = waiting_call(pid, "/bin/true", (char *const *)(void *)argv, NULL);
	c.call.arch = arch_by_name("i386");
	capture_waiting(&rec, &c);
	exec_record_want(&rec, EXEC_ARGV);
	CHECK_STR(rec.cmdline.data, "first second");
	exec_record_release(&rec);
	finish(pid);
	munmap(low, 4096);
}

/* Nobody there: nothing known, nothing said to fail. */
static void gone(void)
{
	char *argv[] = {(char *)"x", NULL};
	pid_t pid = idle_child();
	struct capture c = waiting_call(pid, "/bin/true", argv, argv);
	struct exec_record rec = {0};

	finish(pid);
	capture_waiting(&rec, &c);
	exec_record_want(&rec, ALL);
	CHECK_INT(rec.have, ALL | EXEC_OUTCOME);
	CHECK_INT(rec.error, ALL);
	CHECK_INT(rec.outcome, 0);
	CHECK_INT(rec.pid, pid);
	exec_record_release(&rec);
	capture_started(&rec, pid, &c);
	exec_record_want(&rec, ALL);
	CHECK_INT(rec.have, ALL | EXEC_OUTCOME);
	CHECK_INT(rec.error & ~(unsigned)EXEC_TARGET, ALL & ~EXEC_TARGET);
	exec_record_release(&rec);
}

struct second {
	int fd;
	char *argv[2];
};

static void *second_thread(void *arg)
{
	struct second *s = arg;
	pid_t tid = (pid_t)syscall(SYS_gettid);

	nap(20);
	(void)!write(s->fd, &tid, sizeof(tid));
	for (;;)
		pause();
	return NULL;
}

/* The caller is a thread whose leader has exited. */
static void orphan_thread(void)
{
	struct second s = {-1, {(char *)"threaded", NULL}};
	struct exec_record rec = {0};
	struct capture c;
	int ends[2];
	pid_t pid, tid = 0;

	if (pipe2(ends, O_CLOEXEC))
		return;
	s.fd = ends[1];
	pid = child();
	if (pid == 0) {
		pthread_t id;

		if (chdir("/usr") || pthread_create(&id, NULL, second_thread, &s))
			_exit(1);
		syscall(SYS_exit, 0);
	}
	CHECK_INT(read(ends[0], &tid, sizeof(tid)), sizeof(tid));
	CHECK(reaches_state(pid, "Z"));
	c = waiting_call(tid, "bin/env", s.argv, NULL);
	capture_waiting(&rec, &c);
	want(&rec, &c, ALL);
	CHECK_INT(rec.error, EXEC_ANCESTORS);
	CHECK_INT(rec.pid, pid);
	CHECK_STR(rec.cmdline.data, "threaded");
	CHECK_STR(rec.cwd, "/usr");
	CHECK(rec.exe && strstr(rec.exe, "/bin/env"));
	exec_record_release(&rec);
	finish(pid);
	close(ends[0]);
	close(ends[1]);
}

/* The record of a program that has just been started with argv. */
static struct exec_record started(char *const *argv, char *const *envp, struct stopped *s, struct capture *c)
{
	struct exec_record rec = {0};

	*s = start_stopped(argv, envp);
	*c = (struct capture){.cache = cache};
	capture_started(&rec, s->pid, c);
	want(&rec, c, ALL);
	return rec;
}

static void stop(struct exec_record *rec, struct stopped *s)
{
	exec_record_release(rec);
	finish(s->pid);
	close(s->out);
}

static void program(void)
{
	static char big[50000];
	char *argv[] = {(char *)"/bin/cat", (char *)"", (char *)"two\nlines", big, NULL};
	char *envp[] = {(char *)"A=1", big, (char *)"", (char *)"Z", NULL};
	char cwd[PATH_MAX], *real = realpath("/bin/cat", NULL);
	struct stopped s;
	struct capture c;
	struct exec_record rec;

	memset(big, 'w', sizeof(big) - 1);
	rec = started(argv, envp, &s, &c);
	same(&rec.argv, argv);
	same(&rec.env, envp);
	CHECK_STR(rec.path, "/bin/cat");
	CHECK_STR(rec.exe, real);
	CHECK_STR(rec.interp, NULL);
	CHECK_STR(rec.cwd, getcwd(cwd, sizeof(cwd)));
	CHECK(rec.pid == s.pid && rec.tid == s.pid && rec.ppid == getpid() && rec.uid == geteuid());
	CHECK_INT(rec.error, EXEC_ANCESTORS);
	CHECK_INT(rec.outcome, 0);
	stop(&rec, &s);
	free(real);
}

/* A script with that first line: its own path stands for the argv[0] that is lost. */
static void script(const char *name, const char *line)
{
	struct place path = place(name);
	char *argv[] = {path.path, (char *)"one", (char *)"", (char *)"two words", NULL}, *envp[] = {NULL};
	struct stopped s;
	struct capture c;
	struct exec_record rec;

	printf("# %s\n", name);
	write_text(path.path, line, 0755);
	rec = started(argv, envp, &s, &c);
	same(&rec.argv, argv);
	CHECK_STR(rec.path, path.path);
	CHECK_STR(rec.exe, path.path);
	CHECK(rec.interp != NULL);
	CHECK_INT(rec.error, EXEC_ANCESTORS);
	stop(&rec, &s);
}

static void scripts(void)
{
	char line[600];

	snprintf(line, sizeof(line), "#!/bin/cat\n");
	script("plain", line);
	snprintf(line, sizeof(line), "#!/bin/cat -u  -v \nrest\n");
	script("argument", line);
	snprintf(line, sizeof(line), "#!%s\n", place("plain").path);
	script("nested", line);
	snprintf(line, sizeof(line), "#!%s x\n", place("argument").path);
	script("nested-argument", line);
	snprintf(line, sizeof(line), "#!%s y\n", place("nested-argument").path);
	script("nested-twice", line);
	snprintf(line, sizeof(line), "#!/bin/cat ");
	script("blank-at-end", line);
}

/* A script without arguments; a program without even a name. */
static void short_ones(void)
{
	struct place path = place("plain");
	char *argv[] = {path.path, NULL}, *envp[] = {NULL}, *none[] = {NULL};
	struct stopped s;
	struct capture c;
	struct exec_record rec = started(argv, envp, &s, &c);
	int status;
	pid_t pid;

	same(&rec.argv, argv);
	CHECK_STR(rec.cmdline.data, path.path);
	stop(&rec, &s);
	pid = child();
	if (pid == 0) {
		raise(SIGSTOP);
		execve("/bin/cat", none, envp);
		_exit(1);
	}
	waitpid(pid, &status, WUNTRACED);
	CHECK_INT(ptrace(PTRACE_SEIZE, pid, 0L, (long)PTRACE_O_TRACEEXEC), 0);
	kill(pid, SIGCONT);
	for (int i = 0; i < 10 && waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status) &&
	                status >> 8 != (SIGTRAP | PTRACE_EVENT_EXEC << 8);
	     i++)
		ptrace(PTRACE_CONT, pid, 0L, 0L);
	capture_started(&rec, pid, &c);
	exec_record_want(&rec, EXEC_ARGV);
	CHECK_INT(rec.argv.n, 0);
	CHECK_STR(rec.cmdline.data, "/bin/cat");
	exec_record_release(&rec);
	finish(pid);
}

/* By a relative path, after a change of directory, and by a descriptor. */
static void by_other_names(void)
{
	char *argv[] = {(char *)"plain", (char *)"x", NULL}, *envp[] = {NULL};
	struct stopped s;
	struct capture c;
	struct exec_record rec;
	int fd = open("/bin/cat", O_RDONLY);
	char name[32];

	if (chdir(scratch_dir) == 0) {
		rec = started(argv, envp, &s, &c);
		same(&rec.argv, argv);
		CHECK_STR(rec.path, "plain");
		CHECK_STR(rec.exe, place("plain").path);
		CHECK_STR(rec.cwd, scratch_dir);
		stop(&rec, &s);
	}
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	argv[0] = name;
	rec = started(argv, envp, &s, &c);
	same(&rec.argv, argv);
	CHECK_STR(rec.path, name);
	CHECK(rec.exe && strstr(rec.exe, "/bin/cat"));
	stop(&rec, &s);
	close(fd);
}

int main(void)
{
	scratch_begin(60);
	cache = target_cache_new();
	calls();
	waiting();
	odd();
	narrow();
	gone();
	orphan_thread();
	program();
	scripts();
	short_ones();
	by_other_names();
	target_cache_free(cache);
	return TAP_DONE();
}
