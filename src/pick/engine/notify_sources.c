/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The listeners of the notify engine: that of the command's tree, and one for each process that ran already. */
#include "notify.h"

#include "seized.h"

#include <errno.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/grow.h>
#include <exectrace/pick/launch/nested.h>
#include <exectrace/target/process/procfs.h>
#include <stdlib.h>
#include <unistd.h>

int notify_listener(const struct notify *n, const struct slot *slot)
{
	return sources_fd(&n->common.launch->sources, slot->source);
}

void notify_give(struct notify *n, struct slot *slot, int answer)
{
	const struct launch *launch = n->common.launch;

	engine_drop_look(&n->common, slot);
	if (answer == ANSWER_AGAIN && launch->sources.feed >= 0 && slot->source == 0)
		nested_say_again(launch->sources.feed, (pid_t)slot->notif.pid);
	if (!listener_settle(notify_listener(n, slot), slot, answer))
		shared_owe(launch->shared, launch->wake);
}

void notify_go_on(struct notify *n, struct slot *slot)
{
	notify_give(n, slot, ANSWER_CONTINUE);
}

static void add_counts(struct engine_counts *counts, struct receiver *receiver)
{
	counts->lost += atomic_load(&receiver->lost);
	counts->rescued += receiver->rescue.saved;
}

void notify_count(struct notify *n)
{
	struct engine_counts *counts = &n->common.counts;

	counts->lost = counts->rescued = 0;
	add_counts(counts, &n->receiver);
	for (size_t i = 0; i < n->n_adopted; i++)
		add_counts(counts, n->adopted[i]);
}

/* A receiver for one more listener, which is there before the listener: a process is not changed in vain. */
static struct receiver *add_receiver(struct notify *n, pid_t pid)
{
	struct receiver *receiver = calloc(1, sizeof(*receiver));

	if (!receiver || grow_array((void **)&n->adopted, n->n_adopted, &n->cap, sizeof(struct receiver *)) ||
	    receiver_start(receiver, n->common.launch)) {
		free(receiver);
		return NULL;
	}
	receiver->fast_path = notify_fast_path;
	receiver->owner = n;
	receiver->polls = true;
	receiver->memory = receiver;
	receiver->rescue.root = pid;
	return receiver;
}

/* What ran already may have as many filters as we were started with, and others. */
static void trust_no_filter(struct engine *engine)
{
	if (engine->allowed.base)
		engine->allowed.free = false;
}

/* While the keeper has an order. */
static void meanwhile(void *user)
{
	struct engine *engine = user;

	pthread_mutex_lock(&engine->lock);
	engine->sees->events(engine->sees->user);
	pthread_mutex_unlock(&engine->lock);
}

/* The listener of a process, or of another one that was watched with it. Its number or -errno. */
static int adopt(struct engine *engine, pid_t pid, bool rest)
{
	struct notify *n = notify_of(engine);
	struct launch *launch = engine->launch;
	struct receiver *receiver = add_receiver(n, pid);
	int source = 0;

	if (!receiver)
		return -ENOMEM;
	/* Meanwhile others execute, whom we watch already. */
	launch->meanwhile = meanwhile;
	launch->meanwhile_user = engine;
	pthread_mutex_unlock(&engine->lock);
	source = rest ? launch_adopt_rest(launch) : launch_adopt(launch, pid);
	pthread_mutex_lock(&engine->lock);
	if (source < 0) {
		receiver_stop(receiver);
		free(receiver);
		return source;
	}
	trust_no_filter(engine);
	receiver->source = (unsigned)source;
	n->adopted[n->n_adopted++] = receiver;
	n->receiver.memory = NULL; /* theirs, too, to the end */
	receiver_listen(receiver, launch->sources.fd[source], -1);
	return source;
}

/* One that we have a listener for, by now. */
static int note(struct engine *engine, int source, uint64_t *since)
{
	struct watched *watched = &engine->launch->shared->watched[source];

	*since = watched->since;
	if (watched->told)
		return -EEXIST;
	watched->told = true;
	return 0;
}

/* Where no listener can be had for a process that we may attach to, as it is itself. */
static bool can_be_seized(int err)
{
	return err == -EBUSY || err == -EKEYREJECTED || err == -ENOTUNIQ || err == -ENOTSUP || err == -ENFILE ||
	       err == -EAGAIN || err == -EACCES || err == -EINVAL ||
	       err == -ENOSYS; /* the last two: before Linux 5.19 */
}

static int seize_instead(struct engine *engine, pid_t pid, int err)
{
	if (!engine->launch->may_seize || !can_be_seized(err))
		return err;
	err = seized_adopt(pid);
	engine->seizes |= !err;
	trust_no_filter(engine);
	return err;
}

int notify_adopt(struct engine *engine, pid_t pid, uint64_t *since)
{
	struct launch *launch = engine->launch;
	int source = launch_watches(launch, pid);
	uint64_t now = launch_ticks();
	int err = 0;

	if (source >= 0)
		return note(engine, source, since);
	if (engine->seizes && proc_tracer(pid) == getpid())
		return -EEXIST;
	source = adopt(engine, pid, false);
	if (source < 0)
		return seize_instead(engine, pid, source);
	err = note(engine, source, since);
	/* What has been watched below it stays so, wherever it is now. */
	if (pid == launch->top && *since < now) {
		while (adopt(engine, pid, true) >= 0) {
		}
	}
	return err;
}

bool notify_finished(struct engine *engine)
{
	const struct notify *n = notify_of(engine);
	int in = sources_in(&engine->launch->sources, 0);

	/* Nothing tells that ours has ended, of the tree of an outer one; where ours has no keeper that one answers. */
	if (engine->launch->sources.nested && engine->launch->keeper <= 0)
		return true;
	return (in < 0 || listener_ended(in)) && n->ended == n->n_adopted && (!engine->seizes || !seized_live());
}

bool notify_lives_on(struct engine *engine)
{
	const struct notify *n = notify_of(engine);
	int listener = sources_fd(&engine->launch->sources, 0);

	if (engine->launch->sources.nested) /* nobody knows */
		return false;
	if (listener >= 0)
		return listener_lives_on(listener);
	return n->ended < n->n_adopted || (engine->seizes && seized_live());
}

/* False when one ends with us only, and then the keeper takes over. */
static bool all_leave(struct notify *n)
{
	bool left = !n->common.launch->root || receiver_leaves(&n->receiver);

	for (size_t i = 0; i < n->n_adopted; i++) {
		if (!receiver_leaves(n->adopted[i]))
			left = false;
		else
			free(n->adopted[i]);
	}
	n->n_adopted = 0;
	return left;
}

void notify_end(struct engine *engine)
{
	struct notify *n = notify_of(engine);
	struct launch *launch = engine->launch;

	engine_release_common(engine);
	forward_release(&n->forward);
	if (!all_leave(n))
		return;
	for (unsigned i = 0; i < launch->sources.n; i++)
		fd_close(&launch->sources.fd[i]);
	fd_close(&launch->queue[0]);
	fd_close(&launch->queue[1]);
	fd_close(&launch->wake);
	free(n->deferred.keys);
	free(n->adopted);
	free(n);
}
