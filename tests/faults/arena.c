/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run: started, shot at, waited for until nothing of it is left, or ended by force when that takes too long. */
#include "faults.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_US 300
#define RELEASE_MS 700 /* between two attempts to let go what waits for somebody */
#define TIDY_MS 500
#define REAP_MS 20
#define SHOT_MS 2000 /* a process to be shot at that does not appear in this time does not come any more */

struct arena {
	struct run *run;
	pid_t main;
	bool ended; /* main has */
	bool empty; /* nothing is left */
	int master; /* of the terminal */
	int64_t begin;
	int64_t released;
	int releases;
	int64_t tidied;
	struct processes all;
};

int64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

static void sleep_us(long us)
{
	struct timespec t = {us / 1000000, us % 1000000 * 1000};

	nanosleep(&t, NULL);
}

static void file_as(const char *dir, const char *name, int fd)
{
	char path[PATH_MAX];
	int made = -1;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	made = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
	if (made < 0 || dup2(made, fd) < 0)
		_exit(99);
	if (made != fd)
		close(made);
}

static void be_program(const struct run *run, int master)
{
	int fd = -1;

	if (run->pty) {
		fd = open(ptsname(master), O_RDWR);
		setpgid(0, 0);
		signal(SIGTTOU, SIG_IGN);
		if (fd < 0 || tcsetpgrp(fd, getpid()))
			_exit(99);
		signal(SIGTTOU, SIG_DFL);
		signal(SIGHUP, SIG_DFL);
		dup2(fd, 2);
	} else {
		setsid();
		fd = open("/dev/null", O_RDONLY);
		file_as(run->dir, "err", 2);
	}
	dup2(fd, 0);
	file_as(run->dir, "out", 1);
	for (int i = 3; i < 64; i++)
		close(i);
	if (chdir(run->dir))
		_exit(99);
	if (run->prepare)
		run->prepare(run->user);
	if (run->trace)
		raise(SIGSTOP);
	if (run->env)
		execve(run->argv[0], run->argv, run->env);
	else
		execv(run->argv[0], run->argv);
	_exit(98);
}

static void drain(struct arena *arena)
{
	char path[PATH_MAX];
	char text[4096];
	ssize_t n = 0;
	int fd = -1;

	while (arena->master >= 0 && (n = read(arena->master, text, sizeof(text))) > 0) {
		snprintf(path, sizeof(path), "%s/err", arena->run->dir);
		fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
		if (fd >= 0 && write(fd, text, (size_t)n) == n)
			close(fd);
	}
}

static void say_problem(struct run *run, const char *problem)
{
	if (!run->problem[0])
		snprintf(run->problem, sizeof(run->problem), "%s", problem);
}

/* A process that came to us has ended, and is not yet reaped: nothing of exectrace may crash. */
static void look_at_end(struct arena *arena, pid_t pid, int sig)
{
	char path[64];
	char comm[64];
	char text[128];

	if (!arena->run->ours || (sig != SIGSEGV && sig != SIGABRT && sig != SIGBUS && sig != SIGILL && sig != SIGFPE))
		return;
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file_read(path, comm, sizeof(comm));
	comm[strcspn(comm, "\n")] = '\0';
	if (strncmp(comm, "exectrace", 9) && strcmp(comm, arena->all.program))
		return;
	snprintf(text, sizeof(text), "crash of %s: signal %d", comm, sig);
	say_problem(arena->run, text);
}

static void take_status(struct arena *arena, pid_t pid, int status)
{
	if (pid != arena->main || WIFSTOPPED(status))
		return;
	arena->ended = true;
	arena->run->status = status;
	arena->run->ms = (now_us() - arena->begin) / 1000;
}

/* Takes all statuses that are there; but a traced process in an endless loop always has another. */
static void reap(struct arena *arena)
{
	struct run *run = arena->run;
	int64_t until = now_us() + REAP_MS * 1000;
	int status = 0;

	while (now_us() < until) {
		int wait = __WALL | (run->trace && !arena->ended ? 0 : WNOHANG);
		siginfo_t info = {0};

		if (waitid(P_ALL, 0, &info, wait | WEXITED | WNOWAIT) || !info.si_pid)
			break;
		if (info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED)
			look_at_end(arena, info.si_pid, info.si_status);
		if (waitpid(info.si_pid, &status, __WALL | WNOHANG) != info.si_pid)
			continue;
		if (!run->trace || !run->trace(run->user, info.si_pid, status))
			take_status(arena, info.si_pid, status);
	}
	arena->empty = waitid(P_ALL, 0, &(siginfo_t){0}, __WALL | WNOHANG | WEXITED | WNOWAIT) < 0 && errno == ECHILD;
	drain(arena);
}

static void look(struct arena *arena)
{
	reap(arena);
	if (!arena->empty)
		processes_look(&arena->all);
}

/* All of that role; -1: simply all. True: there was one. */
static bool signal_role(struct arena *arena, int role, int sig)
{
	bool any = false;

	processes_look(&arena->all);
	for (int i = 0; i < arena->all.count; i++) {
		if (role < 0 || arena->all.at[i].role == (enum role)role)
			any |= process_signal(&arena->all.at[i], sig);
	}
	return any;
}

/* The handle of `stop` is a process whose number exectrace has printed; gdbserver is ended as somebody would who waits
 * for it no longer: by a signal for exectrace, or, where that has gone, for itself. */
static void release(struct arena *arena)
{
	static const char word[] = "release: kill ";
	char path[PATH_MAX];
	char text[16384];
	bool found = false;

	snprintf(path, sizeof(path), "%s/err", arena->run->dir);
	file_read(path, text, sizeof(text));
	for (const char *at = text; (at = strstr(at, word)); at += sizeof(word) - 1) {
		pid_t pid = (pid_t)atoi(at + sizeof(word) - 1);

		for (int i = 0; i < arena->all.count; i++) {
			if (arena->all.at[i].pid == pid && arena->all.at[i].role != ROLE_COMMAND)
				found |= process_signal(&arena->all.at[i], SIGTERM);
		}
	}
	if (found || ++arena->releases < 3)
		return;
	if (arena->run->end_all) {
		/* With -D what was started is the command. */
		bool any = arena->run->behind && signal_role(arena, ROLE_COMMAND, SIGTERM);

		if (signal_role(arena, ROLE_SUPERVISOR, SIGTERM) || any)
			return;
	}
	for (int i = 0; i < arena->all.count; i++) {
		if (strcmp(arena->all.at[i].comm, "gdbserver") == 0)
			process_signal(&arena->all.at[i], SIGTERM);
	}
}

static void release_at_times(struct arena *arena)
{
	if (!arena->run->release || now_us() - arena->released < RELEASE_MS * 1000)
		return;
	arena->released = now_us();
	processes_look(&arena->all);
	release(arena);
}

static bool has_leader(const struct processes *all, const struct process *process)
{
	for (int i = 0; i < all->count; i++) {
		if (all->at[i].pid == process->group)
			return true;
	}
	return false;
}

/*
 * strace and gdb try ptrace with children of their own when they start. Who kills them then leaves such a child behind,
 * asleep or stopped for ever; it may even have become our tracee (PTRACE_TRACEME). Each tool leads its process group.
 */
static void end_children_of_tools(struct arena *arena)
{
	static const char *const tools[] = {"strace", "gdb", "gdbserver"};

	if (now_us() - arena->tidied < TIDY_MS * 1000)
		return;
	arena->tidied = now_us();
	processes_look(&arena->all);
	for (int i = 0; i < arena->all.count; i++) {
		const struct process *process = &arena->all.at[i];
		bool tool = false;

		for (size_t k = 0; k < sizeof(tools) / sizeof(tools[0]); k++)
			tool |= strcmp(process->comm, tools[k]) == 0;
		if (tool && process->ppid == getpid() && !has_leader(&arena->all, process))
			process_signal(process, SIGKILL);
	}
}

/* Waits until there is nothing any more, or the time is over. */
static bool wait_for_end(struct arena *arena, int64_t until, bool letgo)
{
	for (;;) {
		reap(arena);
		if (arena->empty)
			return true;
		if (now_us() > until)
			return false;
		if (letgo)
			release_at_times(arena);
		end_children_of_tools(arena);
		if (!arena->run->trace || arena->ended)
			sleep_us(LOOK_US);
	}
}

static const struct process *await(struct arena *arena, enum role role)
{
	int64_t until = now_us() + SHOT_MS * 1000;

	while (!arena->empty && now_us() < until) {
		const struct process *found = NULL;

		look(arena);
		found = processes_find(&arena->all, role, &arena->run->rng);
		if (found)
			return found;
		release_at_times(arena);
		sleep_us(LOOK_US / 3);
	}
	return NULL;
}

/* NULL: the group of the run. Its number may be another's once its leader has been reaped: then each by itself. */
static bool fire(struct arena *arena, const struct process *process, int sig)
{
	bool any = false;

	if (process)
		return process_signal(process, sig);
	if (!arena->ended)
		return kill(-arena->main, sig) == 0;
	processes_look(&arena->all);
	for (int i = 0; i < arena->all.count; i++) {
		if (arena->all.at[i].group == arena->main)
			any |= process_signal(&arena->all.at[i], sig);
	}
	return any;
}

static void shoot(struct arena *arena, struct shot *shot)
{
	const struct process *process = NULL;
	struct process target = {0};
	int64_t at = now_us();

	if (shot->trigger >= 0 && !await(arena, (enum role)shot->trigger))
		return;
	if (shot->trigger >= 0)
		at = now_us();
	while (now_us() < at + shot->delay_us && !arena->empty) {
		reap(arena);
		if (at + shot->delay_us - now_us() > LOOK_US)
			sleep_us(LOOK_US / 2);
	}
	if (shot->target != ROLE_GROUP) {
		process = await(arena, shot->target);
		if (!process)
			return;
		target = *process;
		process = &target;
	}
	shot->hit = fire(arena, process, shot->sig == SIGNAL_PAUSE ? SIGSTOP : shot->sig);
	if (shot->sig == SIGNAL_PAUSE || shot->twice) {
		for (int64_t end = now_us() + shot->pause_us; now_us() < end; reap(arena))
			sleep_us(LOOK_US / 3);
		shot->hit |= fire(arena, process, shot->sig == SIGNAL_PAUSE ? SIGCONT : shot->sig);
	}
}

/* It has not ended in time. What ends it tells where it hangs. */
static void end_by_force(struct arena *arena)
{
	char path[PATH_MAX];
	const char *ends = "only the end of all";
	const char *what = arena->ended ? "left over" : "hang";
	char problem[128];

	snprintf(path, sizeof(path), "%s/states", arena->run->dir);
	processes_dump(&arena->all, path);
	sleep_us(200000);
	processes_dump(&arena->all, path);
	(void)signal_role(arena, ROLE_SUPERVISOR, SIGTERM);
	if (wait_for_end(arena, now_us() + 7000000, false)) {
		ends = "SIGTERM";
	} else {
		(void)signal_role(arena, ROLE_SUPERVISOR, SIGKILL);
		if (wait_for_end(arena, now_us() + 3000000, false))
			ends = "SIGKILL of the supervisor";
	}
	for (int i = 0; i < 200 && !arena->empty; i++) {
		(void)signal_role(arena, -1, SIGKILL);
		(void)wait_for_end(arena, now_us() + 20000, false);
	}
	snprintf(problem, sizeof(problem), "%s; ended by: %s", what, arena->empty ? ends : "nothing");
	say_problem(arena->run, problem);
}

static void on_alarm(int sig)
{
	(void)sig;
}

/* Waits of a tracer block; this lets them look at the clock. */
static void tick(bool on)
{
	const struct itimerval time = {{0, on ? 20000 : 0}, {0, on ? 20000 : 0}};
	struct sigaction action = {.sa_handler = on_alarm};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &time, NULL);
}

static int open_terminal(void)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && (grantpt(fd) || unlockpt(fd))) {
		close(fd);
		return -1;
	}
	/* Ours, as a shell has one: else the end of exectrace would be a hangup for all. */
	signal(SIGHUP, SIG_IGN);
	if (fd >= 0 && open(ptsname(fd), O_RDWR | O_CLOEXEC) < 0)
		return -1;
	return fd;
}

void run_do(struct run *run)
{
	struct arena *arena = calloc(1, sizeof(*arena));
	const char *name = strrchr(run->argv[0], '/');
	int64_t until = 0;

	*arena = (struct arena){.run = run, .master = run->pty ? open_terminal() : -1, .begin = now_us()};
	arena->all.program = run->ours ? (name ? name + 1 : run->argv[0]) : "";
	arena->all.behind = run->behind;
	arena->released = arena->begin;
	run->problem[0] = '\0';
	run->status = 99 << 8;
	arena->main = fork();
	if (arena->main == 0)
		be_program(run, arena->master);
	arena->all.main = arena->main;
	if (run->trace) {
		tick(true);
		run->trace(run->user, arena->main, RUN_BEGINS);
	}
	for (int i = 0; i < run->shot_count; i++)
		shoot(arena, &run->shots[i]);
	until = now_us() + run->limit_ms * 1000;
	if (!wait_for_end(arena, until, true))
		end_by_force(arena);
	tick(false);
	if (arena->master >= 0)
		close(arena->master);
	free(arena);
}
