/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hold.h"

#include <errno.h>
#include <exectrace/base/grow.h>
#include <exectrace/target/arch/arch.h>
#include <exectrace/target/process/procdir.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/process/waiting.h>
#include <exectrace/target/tracee/detour.h>
#include <exectrace/target/tracee/wait.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOOKS 5000  /* of 0.1 ms or more: by then what can be stopped has stopped */
#define PATIENT 100 /* looks: by then a thread that has not may be in a call that does not let it */
#define ROUNDS 50   /* looks at the list of threads */
#define STACK_BYTES (256u << 10)

struct seizing {
	struct hold *hold;
	bool fresh; /* one was new */
};

static struct hold_thread *find(struct hold *hold, pid_t tid)
{
	for (size_t i = 0; i < hold->n; i++) {
		if (hold->threads[i].tid == tid)
			return &hold->threads[i];
	}
	return NULL;
}

static int add(struct hold *hold, pid_t tid, bool stopped)
{
	if (grow_array((void **)&hold->threads, hold->n, &hold->cap, sizeof(*hold->threads)))
		return -ENOMEM;
	hold->threads[hold->n++] = (struct hold_thread){.tid = tid, .stopped = stopped};
	return 0;
}

static void drop(struct hold *hold, struct hold_thread *thread)
{
	*thread = hold->threads[--hold->n];
}

static int seize(void *user, pid_t tid)
{
	struct seizing *seizing = user;
	int err = 0;

	if (find(seizing->hold, tid))
		return 0;
	err = add(seizing->hold, tid, false);
	if (err)
		return err;
	err = tracee_seize(tid, SEIZE_EXEC);
	if (err) {
		seizing->hold->n--;
		/* Nobody can attach to a leader that has ended before the others (ptrace_attach, kernel/ptrace.c). */
		return err == -ESRCH || proc_has_ended(tid) ? 0 : err;
	}
	seizing->fresh = true;
	(void)tracee_interrupt(tid);
	return 0;
}

/* What has become of one that runs. True when it is there no longer. */
static bool look(struct hold_thread *thread)
{
	struct wait_event ev;
	int n = 0;

	while (!thread->stopped && (n = wait_peek_at(thread->tid, &ev)) > 0) {
		if (ev.kind == WAIT_EXIT)
			return true;
		if (ev.kind == WAIT_INTERRUPT || ev.kind == WAIT_GROUP_STOP) {
			thread->stopped = true;
			detour_resume_call(thread->tid);
		} else { /* its stop follows */
			(void)tracee_interrupt(thread->tid);
			(void)tracee_cont(thread->tid, wait_signal(&ev));
		}
	}
	return n < 0;
}

/* How many run still. */
static size_t look_at_all(struct hold *hold)
{
	size_t running = 0;

	for (size_t i = hold->n; i > 0; i--) {
		if (look(&hold->threads[i - 1]))
			drop(hold, &hold->threads[i - 1]);
		else if (!hold->threads[i - 1].stopped)
			running++;
	}
	return running;
}

/* In a call that is not to be interrupted, and that is none to be reported. */
static bool waits_elsewhere(pid_t tid)
{
	const struct arch *native = arch_native();
	uint64_t pc = 0;
	long nr = -1;

	return native && proc_syscall(tid, &nr, &pc) == 0 && nr >= 0 && proc_word_size(tid) == native->word &&
	       !arch_is_exec(native, (uint32_t)nr);
}

static bool all_wait(const struct hold *hold)
{
	for (size_t i = 0; i < hold->n; i++) {
		if (!hold->threads[i].stopped && !waits_elsewhere(hold->threads[i].tid))
			return false;
	}
	return true;
}

static bool any_stopped(const struct hold *hold)
{
	for (size_t i = 0; i < hold->n; i++) {
		if (hold->threads[i].stopped)
			return true;
	}
	return false;
}

/* The leader, which may be the only one, is to make the calls. */
static bool leader_runs(struct hold *hold, pid_t pid)
{
	const struct hold_thread *leader = find(hold, pid);

	return leader && !leader->stopped;
}

static int wait_for_all(struct hold *hold, pid_t pid)
{
	const struct timespec moment = {.tv_nsec = 100000};

	for (int i = 0; i < LOOKS; i++) {
		if (!look_at_all(hold) || (i >= PATIENT && !leader_runs(hold, pid) && all_wait(hold)))
			return 0;
		nanosleep(&moment, NULL);
	}
	return -EAGAIN;
}

static int stop_all(struct hold *hold, pid_t pid)
{
	struct seizing seizing = {.hold = hold, .fresh = true};
	int err = 0;

	/* Those that were not stopped yet may have made others. */
	for (int i = 0; i < ROUNDS && !err && seizing.fresh; i++) {
		seizing.fresh = false;
		err = proc_threads(pid, seize, &seizing);
		if (!err && seizing.fresh)
			err = wait_for_all(hold, pid);
	}
	if (err == -ENOENT || (!err && !hold->n))
		return -ESRCH;
	if (!err && (seizing.fresh || !any_stopped(hold)))
		return -EAGAIN;
	return err;
}

struct holding {
	pid_t pid, tracer;
	hold_held *held;
	void *user;
	int err;
};

static void *run(void *arg)
{
	struct holding *holding = arg;
	struct hold hold = {.n = 0};
	int err = 0;

	holding->tracer = (pid_t)syscall(SYS_gettid);
	err = stop_all(&hold, holding->pid);
	holding->err = err ? err : holding->held(holding->user, &hold);
	free(hold.threads);
	return NULL;
}

/* pthread_join(3) returns before the end of the thread, in which all are let go. */
static void wait_for_end(pid_t tid)
{
	const struct timespec moment = {.tv_nsec = 20000};

	while (syscall(SYS_tgkill, getpid(), tid, 0) == 0)
		nanosleep(&moment, NULL);
}

int hold_while(pid_t pid, hold_held *held, void *user)
{
	struct holding holding = {.pid = pid, .held = held, .user = user};
	pthread_attr_t attributes;
	pthread_t thread;
	int err = pthread_attr_init(&attributes);

	if (err)
		return -err;
	(void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
	err = pthread_create(&thread, &attributes, run, &holding);
	pthread_attr_destroy(&attributes);
	if (err)
		return -err;
	pthread_join(thread, NULL);
	wait_for_end(holding.tracer);
	return holding.err;
}
