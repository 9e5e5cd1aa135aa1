/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/engine/engine.h>

#include "private.h"
#include <errno.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/process/program.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct engine_ops *const engines[] = {&engine_notify, &engine_ptrace};

static struct taken *taken_of(struct tracee *tracee)
{
	return (struct taken *)tracee; /* its first member */
}

int engine_init(struct engine *engine, const struct engine_ops *ops, struct launch *launch)
{
	engine->ops = ops;
	engine->launch = launch;
	engine->yama = yama_restricts(NULL);
	allowed_init(&engine->allowed);
	engine->lineage = lineage_new(launch->root);
	engine->cache = target_cache_new();
	engine->looks = engine->cache ? looks_new(engine->cache) : NULL;
	engine->capture = (struct capture){.cache = engine->cache, .lineage = engine->lineage, .base = launch->base};
	pthread_mutex_init(&engine->lock, NULL);
	pthread_mutex_lock(&engine->lock);
	return engine->lineage && engine->looks ? 0 : -ENOMEM;
}

static void free_gone(struct engine *engine)
{
	while (engine->gone) {
		struct taken *next = engine->gone->next;

		strv_release(&engine->gone->front);
		free(engine->gone);
		engine->gone = next;
	}
}

void engine_release_common(struct engine *engine)
{
	while (engine->taken) {
		struct taken *taken = engine->taken;

		if (taken->state == TAKEN_PARKED) {
			(void)taken_release(engine, taken);
			continue;
		}
		taken->park = NULL; /* it stays on record: the keeper undoes it */
		taken_drop(engine, taken);
	}
	free_gone(engine);
	exec_record_release(&engine->rec);
	looks_free(engine->looks);
	engine_drop_look(engine, NULL);
	lineage_free(engine->lineage);
	target_cache_free(engine->cache);
}

/* Another engine would not find more. */
static bool is_shortage(int err)
{
	return err == -EAGAIN || err == -EMFILE || err == -ENFILE || err == -ENOMEM;
}

int engine_start(struct engine **ret, const char *name, struct launch *launch, struct buf *why)
{
	int scope = 0;
	int err = launch_ready(launch, why);

	if (err)
		return err;
	if (yama_restricts(&scope) == YAMA_NOBODY) {
		(void)buf_printf(why, "kernel.yama.ptrace_scope is %d: %s may read or trace another process", scope,
		                 scope == 2 ? "only root" : "nobody");
		return -EPERM;
	}
	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		if (name && strcmp(name, engines[i]->name) != 0)
			continue;
		err = engines[i]->start(ret, launch, why);
		if (!err || launch->filtered || is_shortage(err))
			return err;
	}
	return err;
}

const char *engine_at(size_t i)
{
	return i < sizeof(engines) / sizeof(engines[0]) ? engines[i]->name : NULL;
}

const char *engine_name(const struct engine *engine)
{
	return engine->ops->name;
}

int engine_note(struct engine *engine, bool leads)
{
	if (!leads)
		exec_record_want(&engine->rec, EXEC_IDS);
	return lineage_note(engine->lineage, &engine->rec);
}

int engine_fd(const struct engine *engine)
{
	return engine->ops->fd ? engine->ops->fd(engine) : -1;
}

void engine_set_fast_path(struct engine *engine, engine_fast_path *fast_path, void *user)
{
	engine->fast_path_user = user;
	engine->fast_path = fast_path;
}

int engine_next(struct engine *engine, struct engine_event *ev)
{
	free_gone(engine);
	return engine->ops->next ? engine->ops->next(engine, ev) : 0;
}

int engine_wait(struct wait_event *wait, struct rusage *used)
{
	return wait_next_used(wait, used);
}

bool engine_saw_stop(const struct wait_event *wait)
{
	struct proc_signals signals;

	return wait->kind == WAIT_GROUP_STOP ||
	       (wait->kind == WAIT_SIGNAL && proc_signals(wait->pid, &signals) == 0 && signals.state == 'T');
}

int engine_child(struct engine *engine, const struct wait_event *wait, struct engine_event *ev)
{
	free_gone(engine);
	return engine->ops->child(engine, wait, ev);
}

/*
 * A leader that another thread's exec has replaced vanishes without a wait event (de_thread, fs/exec.c). But a thread
 * that has itself become the leader is gone under its old number, too, and about to report: then its process is traced
 * by us.
 */
static bool was_replaced(const struct taken *taken)
{
	return taken->state == TAKEN_WAITING && !wait_has(taken->pub.tid) && proc_tracer(taken->group) != getpid();
}

/*
 * Killed where nobody is attached to it: on its way into its park, or there before the caller could watch it, and then
 * reaped.
 */
static bool was_killed(const struct taken *taken)
{
	if (taken->state == TAKEN_PARKED)
		return kill(taken->pub.tid, 0) && errno == ESRCH;
	return taken->state == TAKEN_ENTERING && proc_has_ended(taken->pub.tid);
}

int engine_sweep(struct engine *engine, struct engine_event *ev)
{
	free_gone(engine);
	for (struct taken *taken = engine->taken; taken; taken = taken->next) {
		if (!was_replaced(taken) && !was_killed(taken))
			continue;
		taken_event(engine, taken, ENGINE_GONE, 0, ev);
		return 1;
	}
	return 0;
}

bool engine_current(struct engine *engine)
{
	return !engine->ops->current || engine->ops->current(engine);
}

void engine_pass(struct engine *engine)
{
	engine->ops->pass(engine);
}

int engine_take(struct engine *engine, struct tracee **tracee)
{
	struct taken *taken = taken_new(engine, engine->rec.tid);
	int err = 0;

	exec_record_want(&engine->rec, EXEC_IDS);
	if (taken)
		taken->group = engine->rec.pid;
	err = taken ? engine->ops->take(engine, taken) : -ENOMEM;

	if (err && taken)
		taken_drop(engine, taken);
	else if (!err)
		*tracee = &taken->pub;
	return err;
}

void engine_defer(struct engine *engine)
{
	if (engine->ops->defer)
		engine->ops->defer(engine);
	else
		engine_pass(engine); /* an engine whose takes are done at once never has to */
}

void engine_retry(struct engine *engine)
{
	engine->retry = engine->ops->defer != NULL; /* else nothing is ever deferred */
}

void engine_again(struct engine *engine)
{
	if (engine->ops->again)
		engine->ops->again(engine);
	else
		engine_pass(engine);
}

int engine_hold(struct engine *engine, struct tracee **tracee)
{
	struct taken *taken = NULL;
	int err = -ENOTSUP;

	/* Under Yama the process has to allow its tool first: it must have got as far as its park. */
	if (!engine->ops->hold || engine->rec.tid != engine->rec.pid || engine->yama != YAMA_ANY)
		return err;
	taken = taken_new(engine, engine->rec.tid);
	err = taken ? engine->ops->hold(engine, taken) : -ENOMEM;
	if (err && taken)
		taken_drop(engine, taken);
	else if (!err)
		*tracee = &taken->pub;
	return err;
}

void engine_restart(struct engine *engine, struct tracee *tracee)
{
	struct taken *taken = taken_of(tracee);

	engine->ops->answer(engine, taken->slot, ANSWER_AGAIN);
	taken->slot = NULL;
	taken->state = TAKEN_RESTARTED;
}

void engine_let_go(struct engine *engine, struct tracee *tracee)
{
	struct taken *taken = taken_of(tracee);

	tracee->user = NULL;
	if (taken->state == TAKEN_PARKED) {
		(void)taken_release(engine, taken);
	} else if (taken->state == TAKEN_HELD) {
		engine->ops->answer(engine, taken->slot, ANSWER_CONTINUE);
		taken->slot = NULL;
		taken_drop(engine, taken);
	} else if (taken->state == TAKEN_STANDS) {
		engine->ops->resume(engine, taken, true);
		taken_drop(engine, taken);
	} else {
		taken->unwanted = true;
	}
}

int engine_release(struct engine *engine, struct tracee *tracee)
{
	return taken_release(engine, taken_of(tracee));
}

bool engine_sleeps(const struct tracee *tracee)
{
	const struct taken *taken = (const struct taken *)tracee;

	return taken->park && park_sleeps(&taken->park->park);
}

uint64_t engine_entry(const struct tracee *tracee)
{
	const struct taken *taken = (const struct taken *)tracee;

	return taken->park ? park_entry(&taken->park->park) : 0;
}

bool engine_spins(const struct tracee *tracee)
{
	const struct taken *taken = (const struct taken *)tracee;

	return taken->park && !taken->slot;
}

void engine_wake(const struct tracee *tracee)
{
	park_wake(&((const struct taken *)tracee)->park->park);
}

int engine_program(const struct tracee *tracee, const struct exec_record *rec, struct buf *path)
{
	return program_path(tracee->tid, rec->path, rec->exe, path);
}

void engine_park(struct engine *engine, struct tracee *tracee)
{
	(void)engine;
	taken_of(tracee)->state = TAKEN_PARKING;
	(void)tracee_to_syscall(tracee->tid, 0);
}

void engine_wrap(struct engine *engine, struct tracee *tracee, const struct strv *front, size_t keep)
{
	(void)engine;
	(void)strv_extend(&taken_of(tracee)->front, front);
	taken_of(tracee)->keep = keep;
	taken_of(tracee)->state = TAKEN_WRAPPING;
	(void)tracee_to_syscall(tracee->tid, 0);
}

void engine_forget(struct engine *engine, struct tracee *tracee)
{
	struct taken *taken = taken_of(tracee);

	if (taken->slot)
		slot_free(taken->slot);
	taken_drop(engine, taken);
}

bool engine_finished(struct engine *engine)
{
	return engine->ops->finished(engine);
}

bool engine_has_adopted(const struct engine *engine)
{
	const struct sources *sources = &engine->launch->sources;
	bool has = false;

	for (unsigned i = 1; i < sources->n && !has; i++)
		has = sources->fd[i] >= 0 && !listener_ended(sources->fd[i]);
	return has;
}

bool engine_has_filter(const struct engine *engine, const struct tracee *tracee)
{
	return engine->ops->answer && !((const struct taken *)tracee)->follows;
}

int engine_keep(struct engine *engine)
{
	return launch_keep(engine->launch);
}

bool engine_holds_tree(const struct engine *engine)
{
	return !engine->ops->answer;
}

bool engine_lives_on(struct engine *engine)
{
	return engine->ops->lives_on(engine);
}

struct engine_counts engine_counts(const struct engine *engine)
{
	return engine->counts;
}

/* From now on all depends on it. */
static void see_to_keeper(struct engine *engine)
{
	if (launch_keeper_killed(engine->launch))
		(void)engine_keep(engine);
}

void engine_end(struct engine *engine)
{
	struct launch *launch = engine->launch;
	bool finished = engine_finished(engine);
	bool answers = engine->ops->answer != NULL;

	if (!finished)
		see_to_keeper(engine);
	engine->ops->end(engine);
	/* Without a listener there is nothing to keep once we let go, but what is half done. */
	if (!answers && launch->keeper > 0 && parks_free(launch->shared, finished))
		kill(launch->keeper, SIGKILL);
	if (finished)
		launch_wait_for_keeper(launch);
}
