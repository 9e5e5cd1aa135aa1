/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node SEED ID DEPTH
 * A process of a random tree. What it does comes from SEED and ID alone: it changes its own state, starts children in
 * all ways there are, and writes one line about itself, with the ends of its children. Children of node N are 4N + 1 to
 * 4N + 3. A p behind DEPTH: it is in a process namespace, whose end would be the end of a daemon.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct node {
	uint64_t random;
	const char *seed;
	long id;
	int depth;
	bool pidns;
	char exe[4096];
	char did[512]; /* what it did, for the record */
};

static volatile sig_atomic_t got[3];

static unsigned below(struct node *node, unsigned n)
{
	uint64_t z = node->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (unsigned)((z ^ (z >> 31)) % n);
}

static void did(struct node *node, const char *what, long result)
{
	size_t len = strlen(node->did);

	snprintf(node->did + len, sizeof(node->did) - len, " %s:%ld", what, result);
}

static void on_signal(int sig)
{
	got[sig == SIGUSR1 ? 0 : sig == SIGUSR2 ? 1 : 2]++;
}

/* --- What it changes in itself --- */

/* A sandbox as programs make them: calls that it does not need are refused, some of which exectrace would like. */
static int sandbox(struct node *node)
{
	static const unsigned calls[] = {236, 317, 128, 101, 135, 175};
	unsigned first = calls[below(node, 6)];
	unsigned second = calls[below(node, 6)];
	unsigned action = below(node, 2) ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_KILL_PROCESS;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, second, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	did(node, "first", first);
	did(node, "second", second);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return errno;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? errno : 0;
}

static int block(int sig)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	return sigprocmask(SIG_BLOCK, &set, NULL) ? errno : 0;
}

static void change_limit(struct node *node)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = 64 + below(node, 100);
	did(node, "limit", setrlimit(RLIMIT_NOFILE, &limit) ? errno : 0);
}

static void change(struct node *node)
{
	unsigned what = below(node, 14);

	if (what == 0 && node->id)
		did(node, "setsid", setsid() < 0 ? errno : 0);
	else if (what == 1 && node->id)
		did(node, "setpgid", setpgid(0, 0) ? errno : 0);
	else if (what == 2)
		did(node, "umask", umask(027));
	else if (what == 3)
		did(node, "nice", nice((int)below(node, 3)));
	else if (what == 4)
		change_limit(node);
	else if (what == 5)
		did(node, "block", block(SIGRTMIN + 3));
	else if (what == 6)
		did(node, "nnp", prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? errno : 0);
	else if (what == 7 || what == 10 || what == 11)
		did(node, "sandbox", sandbox(node));
	else if (what == 8)
		did(node, "ignore", signal(SIGPIPE, SIG_IGN) == SIG_ERR);
	else if (what == 9)
		did(node, "open", open("/dev/null", O_RDONLY));
}

/* --- How it starts children --- */

struct start {
	struct node *node;
	char id[24];
	char depth[16];
	char *argv[6];
	bool daemon;
};

static void *exec_in_thread(void *user)
{
	struct start *start = user;

	execv(start->node->exe, start->argv);
	_exit(90);
}

static void by_thread(struct start *start)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, exec_in_thread, start))
		_exit(89);
	pthread_join(thread, NULL);
}

static void by_path(struct start *start)
{
	char path[9000];
	char dir[4096];

	snprintf(dir, sizeof(dir), "%s", start->node->exe);
	*strrchr(dir, '/') = '\0';
	snprintf(path, sizeof(path), "/nowhere:/etc/passwd:.:%s", dir);
	setenv("PATH", path, 1);
	execvp("node", start->argv);
}

/* A file of this name with that text; executable. */
static bool script(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return written;
}

/* #! with the program itself, with a shell, or nothing that the kernel knows: execvp takes a shell then. */
static void by_script(struct start *start, int kind)
{
	static char name[64];
	char text[9000];

	snprintf(name, sizeof(name), "./s.%s", start->id);
	snprintf(text, sizeof(text),
	         kind == 0   ? "#!%s\n"
	         : kind == 1 ? "#!/bin/sh -e\nexec %s \"$@\"\n"
	                     : "exec %s \"$@\"\n",
	         start->node->exe);
	if (!script(name, text))
		_exit(88);
	start->argv[0] = name;
	execvp(name, start->argv);
}

static void by_memfd(struct start *start)
{
	int fd = memfd_create("node", MFD_CLOEXEC);
	int from = open(start->node->exe, O_RDONLY | O_CLOEXEC);
	char bytes[65536];
	ssize_t n = 0;

	while (fd >= 0 && (n = read(from, bytes, sizeof(bytes))) > 0) {
		if (write(fd, bytes, (size_t)n) != n)
			_exit(87);
	}
	fexecve(fd, start->argv, environ);
}

/* What fails: the error is the status. */
static void by_failure(struct start *start, unsigned kind)
{
	static char big[1 << 18];
	char bad[64];
	char *argv[] = {(char *)"node", big, NULL};

	if (kind == 0) {
		execv("/nowhere/node", start->argv);
	} else if (kind == 1) {
		execv("/etc", start->argv);
	} else if (kind == 2) {
		memset(big, 'x', sizeof(big) - 1);
		execv(start->node->exe, argv);
	} else {
		snprintf(bad, sizeof(bad), "./bad.%s", start->id);
		if (!script(bad, "\001\002\003 nothing\n"))
			_exit(88);
		execv(bad, start->argv);
	}
	_exit(100 + errno % 100);
}

static void in_namespace(struct start *start, int flags)
{
	int status = 0;
	pid_t pid = 0;

	if (unshare(flags))
		_exit(100 + errno % 100);
	if (!(flags & CLONE_NEWPID)) {
		execv(start->node->exe, start->argv);
		_exit(91);
	}
	strcat(start->depth, "p");
	pid = fork();
	if (pid == 0) {
		execv(start->node->exe, start->argv);
		_exit(91);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

/* Nobody's child when it begins. */
static void as_daemon(struct start *start)
{
	pid_t between = getpid();

	setsid();
	if (fork())
		_exit(0);
	while (getppid() == between)
		sched_yield();
	execv(start->node->exe, start->argv);
	_exit(91);
}

static void kill_itself(unsigned kind)
{
	static const int signals[] = {SIGTERM, SIGKILL, SIGSEGV, SIGXCPU};
	const struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	raise(signals[kind]);
	_exit(92);
}

static void become(struct start *start, unsigned form, unsigned detail)
{
	switch (form) {
	case 0:
		by_thread(start);
		break;
	case 1:
		by_path(start);
		break;
	case 2:
		by_script(start, (int)(detail % 3));
		break;
	case 3:
		by_memfd(start);
		break;
	case 4:
		by_failure(start, detail % 4);
		break;
	case 5:
		in_namespace(start, detail % 2 ? CLONE_NEWUSER | CLONE_NEWPID : CLONE_NEWNS);
		break;
	case 6:
		kill_itself(detail % 4);
		break;
	case 7:
		if (!start->node->pidns)
			as_daemon(start);
		break;
	}
	execv(start->node->exe, start->argv);
	_exit(91);
}

static pid_t begin_child(struct node *node, struct start *start, int number)
{
	unsigned form = below(node, 13);
	unsigned detail = below(node, 12);
	pid_t pid = 0;

	*start = (struct start){.node = node};
	snprintf(start->id, sizeof(start->id), "%ld", 4 * node->id + number);
	snprintf(start->depth, sizeof(start->depth), "%d%s", node->depth + 1, node->pidns ? "p" : "");
	start->argv[0] = (char *)"node";
	start->argv[1] = (char *)node->seed;
	start->argv[2] = start->id;
	start->argv[3] = start->depth;
	did(node, "form", (long)form);
	if (form == 8)
		return posix_spawn(&pid, node->exe, NULL, NULL, start->argv, environ) ? -1 : pid;
	pid = form == 9 ? vfork() : fork();
	if (pid == 0 && form == 9) {
		execv(node->exe, start->argv);
		_exit(91);
	}
	if (pid == 0) {
		if (form == 10)
			kill(getppid(), SIGUSR1);
		become(start, form, detail);
	}
	return pid;
}

static void end_child(struct node *node, pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	did(node, WIFEXITED(status) ? "exit" : "signal", WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

static void have_children(struct node *node)
{
	struct start starts[3];
	pid_t pids[3];
	int count = node->depth >= 4 ? 0 : node->depth ? (int)below(node, 4) : 3;
	bool at_once = below(node, 2);

	for (int i = 0; i < count; i++) {
		pids[i] = begin_child(node, &starts[i], i + 1);
		if (!at_once && pids[i] > 0)
			end_child(node, pids[i]);
	}
	for (int i = 0; i < count && at_once; i++) {
		if (pids[i] > 0)
			end_child(node, pids[i]);
	}
}

/* --- The record --- */

static unsigned long long hash(const char *text)
{
	unsigned long long h = 1469598103934665603ull;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211ull;
	return h;
}

static unsigned long long environment(void)
{
	unsigned long long sum = 0;

	for (char **entry = environ; *entry; entry++)
		sum += hash(*entry);
	return sum;
}

/* The fields of /proc/self/status that show how we were left. */
static size_t add_status(char *text, size_t size)
{
	static const char *const wanted[] = {"Umask:", "SigBlk:", "SigIgn:", "SigCgt:", "NoNewPrivs:", "TracerPid:"};
	char line[512];
	size_t len = 0;
	FILE *file = fopen("/proc/self/status", "re");

	while (file && fgets(line, sizeof(line), file)) {
		for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
			if (strncmp(line, wanted[i], strlen(wanted[i])) == 0) {
				line[strcspn(line, "\n")] = '\0';
				len += (size_t)snprintf(text + len, size - len, " %s%s", wanted[i],
				                        strrchr(line, '\t') + 1);
			}
		}
	}
	if (file)
		fclose(file);
	return len;
}

static size_t add_descriptors(char *text, size_t size)
{
	size_t len = (size_t)snprintf(text, size, " fds:");

	for (int fd = 0; fd < 64; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			len += (size_t)snprintf(text + len, size - len, "%d,", fd);
	}
	return len;
}

static void write_record(struct node *node, const char *before, char **argv)
{
	char line[4096];
	char stat[512] = "";
	int numbers[4] = {0};
	size_t len = 0;
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);

	/* Of a process namespace, too, as those outside see it. */
	if (fd < 0 || read(fd, stat, sizeof(stat) - 1) < 0 || !strrchr(stat, ')'))
		_exit(93);
	close(fd);
	numbers[0] = atoi(stat);
	sscanf(strrchr(stat, ')') + 1, " %*c %d %d %d", &numbers[1], &numbers[2], &numbers[3]);
	len = (size_t)snprintf(line, sizeof(line), "%ld %d %d %d %d%s env:%llx nice:%d got:%d%d argv:", node->id,
	                       numbers[0], numbers[1], numbers[2], numbers[3], before, environment(),
	                       getpriority(PRIO_PROCESS, 0), got[0] > 0, got[1] > 0);
	for (; *argv && len < sizeof(line) - 600; argv++)
		len += (size_t)snprintf(line + len, sizeof(line) - len, "%.100s,", *argv);
	len += (size_t)snprintf(line + len, sizeof(line) - len, "%s\n", node->did);
	if (write(1, line, len) != (ssize_t)len)
		_exit(94);
}

int main(int argc, char **argv)
{
	static struct node node;
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	char before[1024];
	size_t len = 0;

	if (argc < 4 || readlink("/proc/self/exe", node.exe, sizeof(node.exe) - 1) < 0)
		return 95;
	if (strstr(node.exe, "memfd:") && getenv("NODE"))
		snprintf(node.exe, sizeof(node.exe), "%s", getenv("NODE"));
	node.seed = argv[argc - 3];
	node.id = atol(argv[argc - 2]);
	node.depth = atoi(argv[argc - 1]);
	node.pidns = strchr(argv[argc - 1], 'p');
	node.random = strtoull(node.seed, NULL, 10) * 1000003 + (uint64_t)node.id;
	len = add_status(before, sizeof(before));
	(void)add_descriptors(before + len, sizeof(before) - len);
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	change(&node);
	if (below(&node, 4) == 0)
		raise(SIGUSR2);
	have_children(&node);
	write_record(&node, before, argv);
	return (int)(node.id % 50);
}
