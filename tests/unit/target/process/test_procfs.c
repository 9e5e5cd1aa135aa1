/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is read of a process in known states, against system calls that answer the same. */
#include "program.h"
#include "tap.h"
#include <elf.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/process/waiting.h>
#include <grp.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>

#define NO_PID ((pid_t)0x7ffffffe) /* above any pid_max */

static void own_status(void)
{
	struct proc_status st = {0};

	CHECK_INT(proc_status(getpid(), &st), 0);
	CHECK_INT(st.tgid, getpid());
	CHECK_INT(st.ppid, getppid());
	CHECK_INT(st.euid, geteuid());
	CHECK_INT(st.signals.state, 'R');
	CHECK(proc_in_group(getpid(), getegid()));
	CHECK(!proc_in_group(getpid(), (gid_t)-2));
	CHECK(!proc_in_group(NO_PID, getegid()));
	CHECK(proc_status(NO_PID, &st) < 0);
	CHECK(proc_tracer(NO_PID) < 0);
}

/* Each state that a process can be put into. */
static void states(void)
{
	struct proc_status st = {0};
	pid_t pid = idle_child();

	CHECK(reaches_state(pid, "S"));
	CHECK(proc_status(pid, &st) == 0 && st.signals.state == 'S' && st.tracer == 0 && st.ppid == getpid());
	kill(pid, SIGSTOP);
	CHECK(reaches_state(pid, "T"));
	CHECK(proc_status(pid, &st) == 0 && st.signals.state == 'T' && st.tracer == 0);
	kill(pid, SIGCONT);
	CHECK(reaches_state(pid, "S"));
	CHECK_INT(ptrace(PTRACE_SEIZE, pid, 0L, 0L), 0);
	CHECK_INT(proc_tracer(pid), getpid());
	ptrace(PTRACE_INTERRUPT, pid, 0L, 0L);
	CHECK(reaches_state(pid, "t"));
	CHECK(proc_status(pid, &st) == 0 && st.signals.state == 't' && st.tracer == getpid());
	kill(pid, SIGKILL);
	CHECK(reaches_state(pid, "Z"));
	CHECK(proc_status(pid, &st) == 0 && st.signals.state == 'Z' && st.tgid == pid);
	finish(pid);
	CHECK(proc_status(pid, &st) < 0);
}

/* In which call. */
static void calls(void)
{
	uint64_t pc = 0, sp = 0, at = 0;
	long nr = 0;
	pid_t pid = idle_child();

	CHECK(reaches_state(pid, "S"));
	CHECK_INT(proc_syscall(pid, &nr, &pc), 0);
	CHECK_INT(nr, SYS_pause);
	CHECK(pc != 0);
	CHECK_INT(proc_waits_at(pid, &sp, &at), 0);
	CHECK(at == pc);
	CHECK(sp < (uint64_t)(uintptr_t)environ && (uint64_t)(uintptr_t)environ - sp < 1u << 20); /* our copy's stack */
	finish(pid);
	CHECK(proc_waits_at(NO_PID, &sp, &at) < 0);
	CHECK(proc_syscall(NO_PID, &nr, &pc) < 0);
	pid = fork();
	while (pid == 0)
		;
	CHECK(reaches_state(pid, "R"));
	CHECK_INT(proc_syscall(pid, &nr, &pc), -EAGAIN);
	CHECK_INT(proc_waits_at(pid, &sp, &at), -EAGAIN);
	finish(pid);
}

/* A name made to look like other fields. */
static void names(void)
{
	static const char *const tricks[] = {"a\nPPid:\t1", "x) R 1 2 3", "\nTgid:\t1", "(", ")", " ", "a\nState:\tZ"};

	for (size_t i = 0; i < sizeof(tricks) / sizeof(tricks[0]); i++) {
		struct proc_status st = {0};
		pid_t pid = child();

		if (pid == 0) {
			prctl(PR_SET_NAME, tricks[i], 0, 0, 0);
			for (;;)
				pause();
		}
		nap(10);
		CHECK(reaches_state(pid, "S"));
		CHECK(proc_status(pid, &st) == 0 && st.tgid == pid && st.ppid == getpid() && st.signals.state == 'S');
		CHECK(proc_start_time(pid) >= proc_start_time(getpid()));
		CHECK_INT(proc_zombie_status(pid, &(int){0}), -EAGAIN);
		finish(pid);
	}
}

struct thread {
	pid_t tid;
	int ready[2], go[2];
};

static void *thread_main(void *arg)
{
	struct thread *t = arg;
	char c = 0;

	t->tid = (pid_t)syscall(SYS_gettid);
	(void)!write(t->ready[1], &c, 1);
	(void)!read(t->go[0], &c, 1);
	return NULL;
}

static void threads(void)
{
	struct thread t = {0};
	struct proc_status st = {0};
	pthread_t id;
	char c = 0;

	if (pipe(t.ready) || pipe(t.go) || pthread_create(&id, NULL, thread_main, &t))
		return;
	CHECK_INT(read(t.ready[0], &c, 1), 1);
	CHECK_INT(proc_status(t.tid, &st), 0);
	CHECK(t.tid != getpid() && st.tgid == getpid() && st.ppid == getppid());
	(void)!write(t.go[1], &c, 1);
	pthread_join(id, NULL);
	for (int i = 0; i < 2; i++) {
		close(t.ready[i]);
		close(t.go[i]);
	}
}

/* The effective user is not the real one. */
static void users(void)
{
	struct proc_status st = {0};
	pid_t pid;

	if (geteuid() != 0) {
		printf("# skipped: another effective user, which only root can take\n");
		return;
	}
	pid = child();
	while (pid == 0) {
		if (setresuid(0, 65534, 1) == 0)
			pause();
	}
	nap(10);
	CHECK(reaches_state(pid, "S"));
	CHECK_INT(proc_status(pid, &st), 0);
	CHECK_INT(st.euid, 65534);
	finish(pid);
}

static void handler(int sig)
{
	(void)sig;
}

/* A child that blocks HUP, catches USR1 and 64, and has HUP pending; of many groups, when `groups` is not 0. */
static pid_t signal_child(size_t groups)
{
	gid_t list[2000];
	sigset_t set;
	pid_t pid = child();

	if (pid)
		return pid;
	for (size_t i = 0; i < groups; i++)
		list[i] = (gid_t)(100000 + i);
	if (groups && setgroups(groups, list))
		_exit(1);
	for (int sig = 1; sig <= 64; sig++)
		signal(sig, SIG_DFL);
	signal(SIGUSR1, handler);
	signal(64, handler);
	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_SETMASK, &set, NULL);
	raise(SIGHUP);
	for (;;)
		pause();
}

#define BIT(sig) (UINT64_C(1) << ((sig)-1))
#define C_LIBRARY (BIT(32) | BIT(33)) /* which it catches for itself once there was a thread */

static void signals(size_t groups)
{
	struct proc_signals s = {0};
	pid_t pid = signal_child(groups);

	nap(20);
	CHECK(reaches_state(pid, "S"));
	CHECK_INT(proc_signals(pid, &s), 0);
	CHECK_INT(s.state, 'S');
	CHECK(s.blocked == BIT(SIGHUP));
	CHECK(s.pending == BIT(SIGHUP));
	CHECK((s.caught & ~C_LIBRARY) == (BIT(SIGUSR1) | BIT(64)));
	/* Pending for the process, not for one thread. */
	kill(pid, SIGSTOP);
	CHECK(reaches_state(pid, "T"));
	kill(pid, SIGUSR1);
	CHECK(proc_signals(pid, &s) == 0 && s.pending == (BIT(SIGHUP) | BIT(SIGUSR1)) && s.state == 'T');
	finish(pid);
	CHECK(proc_signals(NO_PID, &s) < 0);
}

static void children(void)
{
	char text[256], want[64];
	pid_t a = idle_child(), b = idle_child();

	if (access("/proc/self/task/self/children", F_OK) && access("/proc/thread-self/children", F_OK)) {
		printf("# skipped: this kernel does not list children\n");
	} else {
		snprintf(want, sizeof(want), "%d %d ", (int)a, (int)b);
		CHECK_INT(proc_children(getpid(), text, sizeof(text)), strlen(want));
		CHECK_STR(text, want);
		CHECK_INT(proc_children(a, text, sizeof(text)), 0);
		CHECK_STR(text, "");
	}
	CHECK(proc_children(NO_PID, text, sizeof(text)) < 0);
	finish(a);
	finish(b);
}

static void links(void)
{
	static const char *const same[] = {"cwd", "root", "exe", "fd/1"};
	char target[4200];

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		cleanup_buf struct buf out = BUF_INIT;
		char name[64];
		ssize_t n;

		snprintf(name, sizeof(name), "/proc/self/%s", same[i]);
		n = readlink(name, target, sizeof(target) - 1);
		target[n < 0 ? 0 : n] = '\0';
		buf_puts(&out, "+");
		CHECK_INT(proc_link(getpid(), same[i], &out), 0);
		CHECK_STR(out.data + 1, target);
	}
	cleanup_buf struct buf out = BUF_INIT;
	CHECK_INT(proc_link(getpid(), "fd/999", &out), -ENOENT);
	CHECK(proc_link(NO_PID, "cwd", &out) < 0);
	CHECK_INT(out.len, 0);
}

static void opening(void)
{
	struct stat want, got;
	int fd = proc_open(getpid(), "exe", O_RDONLY);

	CHECK(fd >= 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC);
	CHECK(stat("/proc/self/exe", &want) == 0 && fstat(fd, &got) == 0 && want.st_ino == got.st_ino);
	close(fd);
	CHECK_INT(proc_open(getpid(), "no such file", O_RDONLY), -ENOENT);
	CHECK(proc_open(NO_PID, "exe", O_RDONLY) < 0);
}

static void same_strings(const struct strv *got, char *const *want)
{
	size_t n = 0;

	while (want[n]) {
		if (n >= got->n || strcmp(got->items[n], want[n]) != 0)
			CHECK(!"a string differs");
		n++;
	}
	CHECK_INT(got->n, n);
}

/* argv and environment with empty strings, newlines, and more than a page. */
static void vectors(void)
{
	static char big[100001];
	char *argv[] = {(char *)"/bin/true", (char *)"", (char *)"two words", (char *)"new\nline", big,
	                (char *)"",          NULL};
	char *envp[] = {(char *)"A=1", (char *)"", (char *)"B", big, NULL};
	struct stopped s;
	cleanup_strv struct strv args = STRV_INIT, env = STRV_INIT;

	memset(big, 'b', sizeof(big) - 1);
	s = start_stopped(argv, envp);
	CHECK_INT(proc_strings(s.pid, "cmdline", &args), 0);
	same_strings(&args, argv);
	CHECK_INT(proc_strings(s.pid, "environ", &env), 0);
	same_strings(&env, envp);
	kill(s.pid, SIGKILL);
	CHECK(reaches_state(s.pid, "Z"));
	strv_release(&args);
	CHECK_INT(proc_strings(s.pid, "cmdline", &args), 0);
	CHECK_INT(args.n, 0);
	finish(s.pid);
	close(s.out);
	CHECK(proc_strings(NO_PID, "cmdline", &args) < 0);
}

static void aux(void)
{
	static const unsigned long types[] = {AT_PHDR,   AT_ENTRY, AT_PAGESZ,      AT_RANDOM,
	                                      AT_EXECFN, AT_UID,   AT_SYSINFO_EHDR};
	uint64_t value = 0;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (getauxval(types[i]) == 0 && types[i] != AT_UID)
			continue;
		CHECK_INT(proc_auxv(getpid(), types[i], &value), 0);
		CHECK_INT(value, getauxval(types[i]));
	}
	CHECK_INT(proc_auxv(getpid(), 0x7777, &value), -ENOENT);
	CHECK(proc_auxv(NO_PID, AT_PHDR, &value) < 0);
}

/* The same before and after a fork, another after an exec. */
static void images(void)
{
	char *argv[] = {(char *)"/bin/true", NULL}, *envp[] = {NULL};
	struct proc_image own, copy, other;
	struct stopped s = start_stopped(argv, envp);
	pid_t pid = idle_child();

	CHECK_INT(proc_image(getpid(), &own), 0);
	CHECK(memcmp(own.id, (const void *)getauxval(AT_RANDOM), 16) == 0);
	CHECK(proc_image(pid, &copy) == 0 && memcmp(&own, &copy, sizeof(own)) == 0);
	CHECK(proc_image(s.pid, &other) == 0 && memcmp(&own, &other, sizeof(own)) != 0);
	finish(pid);
	finish(s.pid);
	close(s.out);
	CHECK(proc_image(NO_PID, &own) < 0);
}

static void word_size(const char *name, const char *flags, unsigned want)
{
	char *argv[] = {(char *)name, NULL}, *envp[] = {NULL};
	struct place program = place(name);
	uint64_t value = 0;
	struct stopped s;

	argv[0] = program.path;
	if (!build_to_run(name, "int main(void) { return 0; }", flags))
		return;
	s = start_stopped(argv, envp);
	CHECK_INT(proc_word_size(s.pid), want);
	CHECK_INT(proc_auxv(s.pid, AT_PAGESZ, &value), 0);
	CHECK_INT(value, 4096);
	finish(s.pid);
	close(s.out);
}

static void words(void)
{
	CHECK_INT(proc_word_size(getpid()), sizeof(void *));
	CHECK_INT(proc_word_size(NO_PID), sizeof(long));
	word_size("word64", "", sizeof(void *));
#ifdef __x86_64__
	word_size("word32", "-m32", 4);
#endif
}

/* In ticks since boot: between ours and now. */
static void start_times(void)
{
	long hz = sysconf(_SC_CLK_TCK);
	struct timespec now;
	uint64_t own = proc_start_time(getpid()), later;
	pid_t pid;

	nap(30);
	pid = idle_child();
	later = proc_start_time(pid);
	clock_gettime(CLOCK_BOOTTIME, &now);
	CHECK(own > 0 && later > own);
	CHECK(later <= (uint64_t)now.tv_sec * (uint64_t)hz + (uint64_t)hz);
	CHECK(later + 5 * (uint64_t)hz >= (uint64_t)now.tv_sec * (uint64_t)hz);
	CHECK(proc_start_time(pid) == later);
	finish(pid);
	CHECK(proc_start_time(pid) == 0);
}

static void zombies(void)
{
	int status = -1;
	pid_t pid = child();

	if (pid == 0)
		_exit(7);
	CHECK(reaches_state(pid, "Z"));
	CHECK_INT(proc_zombie_status(pid, &status), 0);
	CHECK_INT(status, end_of(pid));
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	CHECK_INT(proc_zombie_status(pid, &status), -ESRCH);
	pid = idle_child();
	CHECK(reaches_state(pid, "S"));
	CHECK_INT(proc_zombie_status(pid, &status), -EAGAIN);
	kill(pid, SIGUSR1);
	CHECK(reaches_state(pid, "Z"));
	CHECK_INT(proc_zombie_status(pid, &status), 0);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1);
	finish(pid);
}

/* The kernel shows 0 in place of the status to those who may not know it: that is not an answer. */
static void foreign_zombie(void)
{
	int status = -1;
	pid_t pid, asker;

	if (geteuid() != 0) {
		printf("# skipped: a zombie of another user, which only root can make\n");
		return;
	}
	pid = child();
	if (pid == 0)
		_exit(7);
	CHECK(reaches_state(pid, "Z"));
	asker = child();
	if (asker == 0) {
		if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
			_exit(2);
		_exit(proc_zombie_status(pid, &status) == 0 && status == 0 ? 1 : 0);
	}
	CHECK_INT(end_of(asker), 0);
	finish(pid);
}

int main(void)
{
	scratch_begin(60);
	own_status();
	states();
	calls();
	names();
	threads();
	users();
	signals(0);
	if (geteuid() == 0)
		signals(2000);
	else
		printf("# skipped: a process of many groups, which only root can make\n");
	children();
	links();
	opening();
	vectors();
	aux();
	images();
	words();
	start_times();
	zombies();
	foreign_zombie();
	return TAP_DONE();
}
