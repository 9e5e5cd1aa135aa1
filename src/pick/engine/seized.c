/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "seized.h"

#include <dirent.h>
#include <errno.h>
#include <exectrace/target/process/procdir.h>
#include <exectrace/target/process/procfs.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>

#define PID_LIMIT (1u << 22) /* PID_MAX_LIMIT, include/linux/threads.h: no slot lies below that */

struct seizing {
	int err;    /* why the first that could not be had was not; 0: all could */
	bool fresh; /* one was new, in the last look, ... */
	bool any;   /* ... or before */
};

static int seize_thread(void *user, pid_t tid)
{
	struct seizing *seizing = user;
	int err = tracee_seize(tid, SEIZE_EXEC | SEIZE_FORKS);

	seizing->fresh |= !err;
	/* One that a thread of ours has made since has us already. */
	if (!err || err == -ESRCH || proc_tracer(tid) == getpid() || seizing->err)
		return 0;
	seizing->err = err;
	return 0;
}

/* Threads that are not attached yet may make others, hence until none is new. */
int seized_adopt(pid_t pid)
{
	struct seizing seizing = {.fresh = true};
	int err = 0;

	while (!err && !seizing.err && seizing.fresh) {
		seizing.fresh = false;
		err = proc_threads(pid, seize_thread, &seizing);
		seizing.any |= seizing.fresh;
	}
	if (!err && !seizing.err && !seizing.any)
		err = -EEXIST;
	if (!err && !seizing.err && proc_tracer(pid) != getpid())
		err = -ESRCH;
	return err ? err : seizing.err;
}

void *seized_key(pid_t pid)
{
	return (void *)(intptr_t)pid;
}

pid_t seized_of_key(const void *key)
{
	return (uintptr_t)key <= PID_LIMIT ? (pid_t)(intptr_t)key : 0;
}

void seized_report(struct engine *engine, pid_t pid, struct engine_event *ev)
{
	engine_describe(engine, seized_key(pid));
	capture_started(&engine->rec, pid, &engine->capture);
	engine->stands = pid;
	*ev = (struct engine_event){.type = ENGINE_EXEC, .rec = &engine->rec};
}

/* The take of an exec that has happened already is done at once. */
int seized_next(struct engine *engine, struct engine_event *ev)
{
	for (struct taken *taken = engine->taken; taken; taken = taken->next) {
		if (!taken->owed)
			continue;
		taken->owed = false;
		taken_executed(engine, taken, taken->pub.tid, ev);
		return 1;
	}
	return 0;
}

/* It died, perhaps while its file was looked at. */
static void forget(struct engine *engine, pid_t pid)
{
	looks_drop(engine->looks, seized_key(pid));
	engine_drop_look(engine, seized_key(pid));
}

void seized_child(struct engine *engine, const struct wait_event *wait, struct engine_event *ev)
{
	if (wait->kind == WAIT_EXIT)
		forget(engine, wait->pid);
	else if (wait->kind == WAIT_EVENT && wait->event == PTRACE_EVENT_EXEC)
		seized_report(engine, wait->pid, ev);
	else if (wait->kind == WAIT_GROUP_STOP)
		taken_group_stop(engine, wait, ev);
	else
		(void)tracee_cont(wait->pid, wait_signal(wait));
}

void seized_pass(struct engine *engine)
{
	pid_t pid = engine->stands;

	engine_settle(engine);
	engine_drop_look(engine, seized_key(pid));
	engine->stands = 0;
	(void)tracee_cont(pid, 0);
}

void *seized_keep(struct engine *engine)
{
	void *key = seized_key(engine->stands);

	engine->stands = 0;
	return key;
}

int seized_take(struct engine *engine, struct taken *taken)
{
	engine_drop_look(engine, seized_key(engine->stands));
	engine->stands = 0;
	taken->follows = true;
	taken->state = TAKEN_STANDS;
	taken->owed = true;
	return 0;
}

void seized_resume(const struct taken *taken, bool follow)
{
	if (follow)
		(void)tracee_cont(taken->pub.tid, 0);
	else
		(void)tracee_detach(taken->pub.tid, 0);
}

/* Those that we trace: the kernel has no list of them but all processes. */
bool seized_live(void)
{
	DIR *dir = opendir("/proc");
	const struct dirent *entry = NULL;
	bool lives = false;

	while (dir && !lives && (entry = readdir(dir))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		lives = pid > 0 && proc_tracer(pid) == getpid();
	}
	if (dir)
		closedir(dir);
	return lives;
}
