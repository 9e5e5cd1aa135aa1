/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ptrace engine, for where no listener can be had: the whole tree stays attached. */
#include "private.h"

#include <dirent.h>
#include <errno.h>
#include <exectrace/target/process/procdir.h>
#include <exectrace/target/process/procfs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

struct tracer {
	struct engine common; /* first */
	pid_t now;            /* of the exec reported last: stands at PTRACE_EVENT_EXEC */
	bool root_ended;
};

static struct tracer *tracer_of(struct engine *engine)
{
	return (struct tracer *)engine;
}

static void explain(struct buf *why, pid_t root, int err)
{
	pid_t tracer = proc_tracer(root);

	(void)buf_printf(why, "%scannot ptrace: ", why->len ? "; " : "");
	if (err == -EPERM && tracer > 0)
		(void)buf_printf(why, "this process tree is traced already (by process %d)", (int)tracer);
	else
		(void)buf_puts(why, strerror(-err));
}

static int ptracer_start(struct engine **ret, struct launch *launch, struct buf *why)
{
	struct tracer *t = calloc(1, sizeof(*t));
	int err = t ? engine_init(&t->common, &engine_ptrace, launch) : -ENOMEM;

	if (!err && launch->root)
		err = launch_prepare_ptrace(launch);
	if (!err && launch->root)
		err = tracee_seize(launch->root, SEIZE_EXEC | SEIZE_FORKS);
	if (!err) {
		*ret = &t->common;
		return 0;
	}
	explain(why, launch->root, err);
	if (t)
		engine_release_common(&t->common);
	free(t);
	return err;
}

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
static int ptracer_adopt(struct engine *engine, pid_t pid, uint64_t *since)
{
	struct seizing seizing = {.fresh = true};
	int err = 0;

	(void)engine;
	(void)since; /* from now on */
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

static void *key_of(pid_t pid)
{
	return (void *)(intptr_t)pid;
}

static void report(struct tracer *t, pid_t pid, struct engine_event *ev)
{
	struct engine *engine = &t->common;

	engine_describe(engine, key_of(pid));
	capture_started(&engine->rec, pid, &engine->capture);
	t->now = pid;
	*ev = (struct engine_event){.type = ENGINE_EXEC, .rec = &engine->rec};
}

static void group_stop(struct tracer *t, const struct wait_event *wait, struct engine_event *ev)
{
	(void)tracee_listen(wait->pid);
	if (wait->pid == t->common.launch->root)
		*ev = (struct engine_event){.type = ENGINE_STOPPED, .err = wait->sig};
}

/* It died, perhaps while its file was looked at. */
static void forget(struct engine *engine, pid_t pid)
{
	looks_drop(engine->looks, key_of(pid));
	engine_drop_look(engine, key_of(pid));
}

static int ptracer_child(struct engine *engine, const struct wait_event *wait, struct engine_event *ev)
{
	struct tracer *t = tracer_of(engine);
	struct taken *taken = taken_find(engine, wait->pid);

	*ev = (struct engine_event){.type = ENGINE_NONE};
	if (wait->kind == WAIT_EXIT)
		forget(engine, wait->pid);
	if (wait->kind == WAIT_EXIT && wait->pid == engine->launch->root)
		t->root_ended = true;
	if (taken) {
		taken_child(engine, taken, wait, ev);
		return 1;
	}
	if (wait->kind == WAIT_EVENT && wait->event == PTRACE_EVENT_EXEC)
		report(t, wait->pid, ev);
	else if (wait->kind == WAIT_GROUP_STOP)
		group_stop(t, wait, ev);
	else if (wait->kind == WAIT_SIGNAL)
		(void)tracee_cont(wait->pid, wait->sig);
	else if (wait->kind == WAIT_EVENT || wait->kind == WAIT_INTERRUPT || wait->kind == WAIT_SYSCALL)
		(void)tracee_cont(wait->pid, 0);
	return 1;
}

/* The take of an exec that has happened already is done at once. */
static int ptracer_next(struct engine *engine, struct engine_event *ev)
{
	void *looked = NULL;

	for (struct taken *taken = engine->taken; taken; taken = taken->next) {
		if (!taken->owed)
			continue;
		taken->owed = false;
		taken_executed(engine, taken, taken->pub.tid, ev);
		return 1;
	}
	looked = engine_looked(engine);
	if (looked)
		report(tracer_of(engine), (pid_t)(intptr_t)looked, ev);
	return looked != NULL;
}

static void ptracer_pass(struct engine *engine)
{
	pid_t pid = tracer_of(engine)->now;

	engine_settle(engine);
	engine_drop_look(engine, key_of(pid));
	(void)tracee_cont(pid, 0);
}

static void *ptracer_keep(struct engine *engine)
{
	return key_of(tracer_of(engine)->now);
}

static int ptracer_take(struct engine *engine, struct taken *taken)
{
	engine_drop_look(engine, key_of(tracer_of(engine)->now));
	taken->state = TAKEN_STANDS;
	taken->owed = true;
	return 0;
}

static void ptracer_resume(struct engine *engine, struct taken *taken, bool follow)
{
	(void)engine;
	if (follow)
		(void)tracee_cont(taken->pub.tid, 0);
	else
		(void)tracee_detach(taken->pub.tid, 0);
}

static bool ptracer_finished(struct engine *engine)
{
	/* The end of the supervisor detaches the rest; nobody has to be answered. */
	return tracer_of(engine)->root_ended;
}

/* Those that we trace: the kernel has no list of them but all processes. */
static bool ptracer_lives_on(struct engine *engine)
{
	DIR *dir = opendir("/proc");
	const struct dirent *entry = NULL;
	bool lives = false;

	(void)engine;
	while (dir && !lives && (entry = readdir(dir))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		lives = pid > 0 && proc_tracer(pid) == getpid();
	}
	if (dir)
		closedir(dir);
	return lives;
}

static void ptracer_end(struct engine *engine)
{
	engine_release_common(engine);
	free(engine);
}

const struct engine_ops engine_ptrace = {
	.name = "ptrace",
	.start = ptracer_start,
	.adopt = ptracer_adopt,
	.next = ptracer_next,
	.child = ptracer_child,
	.pass = ptracer_pass,
	.keep = ptracer_keep,
	.take = ptracer_take,
	.resume = ptracer_resume,
	.park_kind = PARK_SLEEP,
	.finished = ptracer_finished,
	.lives_on = ptracer_lives_on,
	.end = ptracer_end,
};
