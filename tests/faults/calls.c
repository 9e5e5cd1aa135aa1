/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls of exectrace that fail, one or all of a number, in one of its processes: this process is its tracer, and
 * lets go of what executes another program. A first run without a fault tells which calls there are.
 */
#include "faults.h"

#include "checks.h"
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/reg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NUMBERS 512
#define TARGETS 12
#define THREADS 64
#define OPTIONS \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC)

struct thread {
	pid_t tid;
	int target; /* processes are numbered in the order in which they were forked */
	bool known; /* the fork has been reported; not so: it waits, stopped, for that */
	int fails;  /* an errno: the call that it is in */
};

struct tracer {
	struct thread threads[THREADS];
	int forked;
	bool first_exec;
	bool begun; /* the loader of exectrace is done */
	bool ptrace_engine;
	/* What fails: */
	int target;
	long nr; /* or -1 */
	long at; /* the first, counted from 1 */
	bool all;
	int err;
	/* What happened: */
	long failed;
	long counts[TARGETS][NUMBERS];
};

static struct thread *thread_of(struct tracer *tracer, pid_t tid)
{
	struct thread *unused = NULL;

	for (int i = 0; i < THREADS; i++) {
		if (tracer->threads[i].tid == tid)
			return &tracer->threads[i];
		if (!tracer->threads[i].tid && !unused)
			unused = &tracer->threads[i];
	}
	if (!unused)
		abort();
	*unused = (struct thread){.tid = tid};
	return unused;
}

static void go_on(pid_t tid, int sig)
{
	(void)ptrace(PTRACE_SYSCALL, tid, NULL, (void *)(long)sig);
}

static void let_go(struct thread *thread)
{
	(void)ptrace(PTRACE_DETACH, thread->tid, NULL, NULL);
	thread->tid = 0;
}

/* A process or thread that is reported by the one that made it, and waits, or will. */
static void adopt(struct tracer *tracer, pid_t tid, int target)
{
	struct thread *thread = thread_of(tracer, tid);
	bool waits = thread->target == -1;
	int status = 0;

	thread->target = target;
	thread->known = true;
	while (!waits && waitpid(tid, &status, __WALL) != tid) {
		if (errno == EINTR) /* tick, in arena.c */
			continue;
		thread->tid = 0; /* it was killed at once */
		return;
	}
	if (!waits && !WIFSTOPPED(status)) {
		thread->tid = 0;
		return;
	}
	/* The engine wants the command for itself. */
	if (tracer->ptrace_engine && target == 1)
		let_go(thread);
	else
		go_on(tid, 0);
}

/* Is this a call that is to fail? */
static bool is_wanted(struct tracer *tracer, const struct thread *thread, long nr)
{
	long n = 0;

	if (!tracer->begun) {
		tracer->begun = nr == SYS_munmap; /* of the list of libraries: the last that the loader does */
		return false;
	}
	if (nr < 0 || nr >= NUMBERS || thread->target < 0 || thread->target >= TARGETS)
		return false;
	n = ++tracer->counts[thread->target][nr];
	return thread->target == tracer->target && nr == tracer->nr &&
	       (tracer->all ? n >= tracer->at : n == tracer->at);
}

static void in_call(struct tracer *tracer, struct thread *thread)
{
	struct __ptrace_syscall_info info = {0};

	if (ptrace(PTRACE_GET_SYSCALL_INFO, thread->tid, (void *)sizeof(info), &info) <= 0)
		return;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY && is_wanted(tracer, thread, (long)info.entry.nr)) {
		thread->fails = tracer->err;
		tracer->failed++;
		if (info.entry.nr != SYS_close) /* the descriptor is released all the same (close(2), NOTES) */
			(void)ptrace(PTRACE_POKEUSER, thread->tid, 8 * ORIG_RAX, -1L);
	} else if (info.op == PTRACE_SYSCALL_INFO_EXIT && thread->fails) {
		(void)ptrace(PTRACE_POKEUSER, thread->tid, 8 * RAX, (long)-thread->fails);
		thread->fails = 0;
	}
	go_on(thread->tid, 0);
}

static void event(struct tracer *tracer, struct thread *thread, int number, int sig)
{
	unsigned long child = 0;

	if (number == PTRACE_EVENT_EXEC && tracer->first_exec) {
		let_go(thread);
		return;
	}
	if (number == PTRACE_EVENT_EXEC)
		tracer->first_exec = true;
	if (number == PTRACE_EVENT_STOP && (sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU)) {
		(void)ptrace(PTRACE_LISTEN, thread->tid, NULL, NULL);
		return;
	}
	if (number == PTRACE_EVENT_CLONE || number == PTRACE_EVENT_FORK || number == PTRACE_EVENT_VFORK) {
		if (ptrace(PTRACE_GETEVENTMSG, thread->tid, NULL, &child) == 0)
			adopt(tracer, (pid_t)child, number == PTRACE_EVENT_CLONE ? thread->target : ++tracer->forked);
	}
	go_on(thread->tid, 0);
}

static bool begin(struct tracer *tracer, pid_t pid)
{
	int status = 0;
	struct thread *thread = thread_of(tracer, pid);

	thread->known = true;
	while (waitpid(pid, &status, WUNTRACED) < 0 && errno == EINTR)
		;
	if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)OPTIONS))
		perror("seize");
	kill(pid, SIGCONT);
	return true;
}

static bool trace(void *user, pid_t pid, int status)
{
	struct tracer *tracer = user;
	struct thread *thread = NULL;
	int sig = 0;

	if (status == RUN_BEGINS)
		return begin(tracer, pid);
	if (!WIFSTOPPED(status)) {
		for (int i = 0; i < THREADS; i++) {
			if (tracer->threads[i].tid == pid)
				tracer->threads[i].tid = 0;
		}
		return false;
	}
	sig = WSTOPSIG(status);
	thread = thread_of(tracer, pid);
	if (!thread->known)
		thread->target = -1;
	else if (status >> 16)
		event(tracer, thread, status >> 16, sig);
	else if (sig == (SIGTRAP | 0x80))
		in_call(tracer, thread);
	else
		go_on(pid, sig);
	return true;
}

static void child_waits(const void *user)
{
	(void)user;
}

/* Calls that cannot fail by their nature, or whose failure is the end of the C library. */
static bool may_fail(long nr)
{
	static const long never[] = {SYS_exit,
	                             SYS_exit_group,
	                             SYS_rt_sigreturn,
	                             SYS_restart_syscall,
	                             SYS_arch_prctl,
	                             SYS_set_tid_address,
	                             SYS_getpid,
	                             SYS_gettid,
	                             SYS_getppid,
	                             SYS_rseq,
	                             SYS_getuid,
	                             SYS_geteuid,
	                             SYS_getgid,
	                             SYS_getegid,
	                             SYS_set_robust_list,
	                             SYS_sched_yield,
	                             SYS_umask,
	                             SYS_futex, /* the C library aborts where a wake says what only a wait can */
	                             SYS_brk /* says no in another way */};

	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
		if (never[i] == nr)
			return false;
	}
	return true;
}

static int choose_errno(long nr, struct rng *rng)
{
	static const int common[] = {ENOMEM, EMFILE, EAGAIN, EPERM, ENOSYS};
	static const int files[] = {EINTR, ENOSPC, EIO, ENOMEM, EAGAIN};
	static const long file_calls[] = {SYS_read,   SYS_write, SYS_writev,    SYS_pread64, SYS_pwrite64, SYS_openat,
	                                  SYS_rename, SYS_mkdir, SYS_ftruncate, SYS_sendmsg, SYS_recvmsg,  SYS_sendto};
	static const long wait_calls[] = {SYS_poll,     SYS_ppoll,     SYS_wait4,
	                                  SYS_waitid,   SYS_nanosleep, SYS_clock_nanosleep,
	                                  SYS_recvfrom, SYS_ioctl,     SYS_rt_sigtimedwait};

	for (size_t i = 0; i < sizeof(file_calls) / sizeof(file_calls[0]); i++) {
		if (file_calls[i] == nr && rng_percent(rng, 50))
			return files[rng_below(rng, 5)];
	}
	for (size_t i = 0; i < sizeof(wait_calls) / sizeof(wait_calls[0]); i++) {
		if (wait_calls[i] == nr && rng_percent(rng, 50))
			return EINTR;
	}
	return common[rng_below(rng, 5)];
}

static void profile_path(const struct setup *setup, const struct scene *scene, char *path, size_t size)
{
	snprintf(path, size, "%s/calls-%d-%s-%d", setup->scratch, (int)(scene->action - actions), scene->engine,
	         scene->behind);
}

/* Counts the calls of a run without faults, once for each scene. */
static bool profile(const struct setup *setup, const struct scene *scene, struct tracer *counted)
{
	struct run run = {0};
	char path[PATH_MAX];
	char made[PATH_MAX + 16];
	FILE *file = NULL;
	bool ok = false;

	profile_path(setup, scene, path, sizeof(path));
	file = fopen(path, "re");
	if (file) {
		ok = fread(counted->counts, sizeof(counted->counts), 1, file) == 1;
		fclose(file);
		return ok;
	}
	scene_run(setup, scene, &run);
	counted->nr = -1;
	counted->ptrace_engine = strcmp(scene->engine, "ptrace") == 0;
	run.trace = trace;
	run.prepare = child_waits;
	run.user = counted;
	run_do(&run);
	scene_clean(scene);
	snprintf(made, sizeof(made), "%s.%d", path, getpid());
	file = fopen(made, "we");
	if (!file)
		return false;
	ok = fwrite(counted->counts, sizeof(counted->counts), 1, file) == 1;
	fclose(file);
	return ok && rename(made, path) == 0;
}

/* A number that occurs, and which of its calls. */
static void choose_call(struct tracer *tracer, const struct tracer *counted, const struct scene *scene, struct rng *rng)
{
	long numbers[NUMBERS];
	int n = 0;

	for (int tries = 0; !n && tries < 200; tries++) {
		tracer->target = rng_percent(rng, 55) ? (scene->behind ? 2 : 0) : (int)rng_below(rng, TARGETS);
		for (long nr = 0; nr < NUMBERS; nr++) {
			bool command = tracer->target == (scene->behind ? 0 : 1) && nr == SYS_execve;

			if (counted->counts[tracer->target][nr] && may_fail(nr) && !command)
				numbers[n++] = nr;
		}
	}
	tracer->nr = n ? numbers[rng_below(rng, (unsigned)n)] : -1;
	if (!n)
		return;
	tracer->all = rng_percent(rng, 15) && tracer->nr != SYS_write; /* by which a reason is said */
	tracer->at = tracer->all ? 1 : rng_log(rng, counted->counts[tracer->target][tracer->nr]);
	do /* what says "again" for ever is waited for with right */
		tracer->err = choose_errno(tracer->nr, rng);
	while (tracer->all && (tracer->err == EINTR || tracer->err == EAGAIN));
}

/* Into a file, too, before it happens: which calls there are differs from run to run, so no number of a trial tells. */
static void say_fault(const struct tracer *tracer, const char *dir, char *text, size_t size)
{
	char path[PATH_MAX];
	FILE *file = NULL;

	snprintf(text, size, "call %ld (%s) of process %d, %s %ld: %s", tracer->nr, call_name(tracer->nr),
	         tracer->target, tracer->all ? "all from" : "number", tracer->at, strerrorname_np(tracer->err));
	snprintf(path, sizeof(path), "%s/fault", dir);
	file = fopen(path, "we");
	if (!file)
		return;
	fprintf(file, "%s\n", text);
	fclose(file);
}

void calls_trial(const struct setup *setup, struct rng *rng, const char *dir, struct verdict *verdict)
{
	static struct tracer counted;
	static struct tracer tracer;
	struct scene scene = {.dir = dir};
	struct baseline baseline;
	struct run run = {0};
	char fault[200];

	scene_choose(&scene, rng);
	if (strcmp(scene.engine, "ptrace") == 0)
		scene.behind = false; /* the command is what we would have to let go of before it executes */
	snprintf(verdict->what, sizeof(verdict->what), "calls: %s, %s%s", scene.action->name, scene.engine,
	         scene.behind ? ", -D" : "");
	if (!profile(setup, &scene, &counted) || !baseline_get(setup, &scene, &baseline)) {
		verdict_say(verdict, "a run without a fault failed", "%s", baseline.why);
		return;
	}
	choose_call(&tracer, &counted, &scene, rng);
	say_fault(&tracer, dir, fault, sizeof(fault));
	tracer.ptrace_engine = strcmp(scene.engine, "ptrace") == 0;
	scene_run(setup, &scene, &run);
	run.trace = trace;
	run.user = &tracer;
	run_do(&run);
	scene_check(setup, &scene, &run, &baseline, verdict);
	describe(verdict, "%s; %ld failed", fault, tracer.failed);
}
