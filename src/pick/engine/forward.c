/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "forward.h"

#include "notify.h"
#include <errno.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/grow.h>
#include <exectrace/pick/launch/nested.h>
#include <exectrace/target/process/procfs.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#define AGAIN_MAX 4096u

struct inner {
	int feed;
	unsigned source;
	pid_t root;
	pid_t supervisor; /* what is below that one is not below the root */
	uint64_t start;   /* of the root */
	uid_t euid;       /* of the root: no other user's execs are for it, unless it is root's */
	unsigned filters; /* that what is below the root has at least */
	bool apart;       /* the process that is looked for is below the supervisor */
	struct slot **sent;
	size_t n, cap;
	pid_t *again; /* threads that are to restart their call */
	size_t n_again, cap_again;
};

/* --- Whose it is -------------------------------------------------------------------------------------------------- */

/* A process on the way up from the one that is looked for. */
static struct inner *met(struct forward *forward, unsigned source, pid_t pid)
{
	for (size_t i = 0; i < forward->n; i++) {
		struct inner *inner = &forward->items[i];

		inner->apart |= inner->supervisor == pid;
		if (inner->source == source && inner->root == pid && !inner->apart &&
		    proc_start_time(pid) == inner->start)
			return inner;
	}
	return NULL;
}

/* A process whose parent has ended is below the last one whose filters it has. */
static struct inner *by_filters(struct forward *forward, unsigned source, unsigned filters)
{
	struct inner *found = NULL;

	for (size_t i = 0; i < forward->n; i++) {
		struct inner *inner = &forward->items[i];

		if (inner->source == source && inner->filters <= filters &&
		    (!found || inner->filters >= found->filters))
			found = inner;
	}
	return found;
}

static struct inner *above(struct notify *n, const struct proc_status *status, unsigned source)
{
	const pid_t top = n->common.launch->shared->watched[source].pid;
	struct forward *forward = &n->forward;
	struct inner *inner = NULL;
	struct proc_stat stat;

	for (size_t i = 0; i < forward->n; i++)
		forward->items[i].apart = false;
	for (pid_t pid = status->tgid; pid > 1; pid = proc_stat(pid, &stat) ? 0 : stat.ppid) {
		inner = met(forward, source, pid);
		if (inner || pid == top || pid == getpid())
			return inner;
	}
	return by_filters(forward, source, status->filters);
}

/* NULL: it is nobody's. */
static struct inner *find(struct notify *n, const struct slot *slot)
{
	struct inner *inner = NULL;
	struct proc_status status;

	if (!n->forward.n || proc_status((pid_t)slot->notif.pid, &status))
		return NULL;
	inner = above(n, &status, slot->source);
	return inner && (inner->euid == 0 || inner->euid == status.euid) ? inner : NULL;
}

/* --- To and fro --------------------------------------------------------------------------------------------------- */

/* What was answered is nobody's any more. */
static void sweep(struct notify *n, struct inner *inner)
{
	size_t left = 0;

	for (size_t i = 0; i < inner->n; i++) {
		struct slot *slot = inner->sent[i];

		if (listener_valid(notify_listener(n, slot), slot->notif.id))
			inner->sent[left++] = slot;
		else
			slot_free(slot);
	}
	inner->n = left;
}

bool forward_exec(struct notify *n, struct slot *slot)
{
	struct inner *inner = find(n, slot);

	if (!inner)
		return false;
	sweep(n, inner);
	if (grow_array((void **)&inner->sent, inner->n, &inner->cap, sizeof(*inner->sent)))
		return false;
	/* While we are stopped it is not the keeper's to answer. */
	atomic_store(&slot->busy, SLOT_KEPT);
	if (nested_send(inner->feed, slot)) {
		atomic_store(&slot->busy, SLOT_USED);
		return false;
	}
	engine_drop_look(&n->common, slot);
	inner->sent[inner->n++] = slot;
	return true;
}

/* From now on its end wakes us. */
static void wait_for_end(struct notify *n, int feed)
{
	struct epoll_event queue = {.events = EPOLLIN}, end = {.events = 0}; /* EPOLLHUP is told of always */
	const uint16_t number = RECEIVER_NOTHING; /* the main thread is to wait for this from now on */

	if (!n->forward.fd) {
		int fd = epoll_create1(EPOLL_CLOEXEC);

		n->forward.fd = fd < 0 ? 0 : fd_high(fd);
		if (n->forward.fd > 0 && epoll_ctl(n->forward.fd, EPOLL_CTL_ADD, n->common.launch->queue[0], &queue))
			fd_close(&n->forward.fd);
		if (n->forward.fd < 0)
			n->forward.fd = 0;
		(void)fd_write_all(n->common.launch->queue[1], &number, sizeof(number));
	}
	if (n->forward.fd)
		(void)epoll_ctl(n->forward.fd, EPOLL_CTL_ADD, feed, &end);
}

/* False: it gets no answer but its error. */
static bool begin(struct notify *n, struct slot *slot, pid_t supervisor)
{
	struct forward *forward = &n->forward;
	struct inner inner = {.source = slot->source, .root = (pid_t)slot->notif.pid, .supervisor = supervisor};
	struct proc_status status;

	inner.start = proc_start_time(inner.root);
	if (!inner.start || proc_status(inner.root, &status) || status.tgid != inner.root ||
	    grow_array((void **)&forward->items, forward->n, &forward->cap, sizeof(*forward->items)))
		return false;
	inner.filters = status.filters + 1;
	inner.euid = status.euid;
	inner.feed = nested_answer(notify_listener(n, slot), slot);
	if (inner.feed < 0)
		return false;
	forward->items[forward->n++] = inner;
	wait_for_end(n, inner.feed);
	slot_free(slot);
	return true;
}

/* True once when the call of a thread was made to be restarted. */
static bool restarts(struct inner *inner, pid_t tid)
{
	for (pid_t heard = nested_hear(inner->feed); heard; heard = nested_hear(inner->feed)) {
		if (inner->n_again == AGAIN_MAX ||
		    grow_array((void **)&inner->again, inner->n_again, &inner->cap_again, sizeof(*inner->again)))
			break;
		inner->again[inner->n_again++] = heard;
	}
	for (size_t i = 0; i < inner->n_again; i++) {
		if (inner->again[i] != tid)
			continue;
		inner->again[i] = inner->again[--inner->n_again];
		return true;
	}
	return false;
}

void forward_cut(struct notify *n)
{
	n->common.counts.cut = true;
	fd_close(&n->common.launch->sources.feed);
}

/* Where the outer one has ended, its tree's execs come, too. */
static bool is_foreign(const struct notify *n, const struct slot *slot)
{
	struct proc_status status;
	struct proc_stat stat;
	pid_t pid = 0;

	if (!n->common.counts.cut || slot->source)
		return false;
	if (proc_status((pid_t)slot->notif.pid, &status) == 0)
		pid = status.tgid;
	while (pid > 1 && pid != n->common.launch->root)
		pid = proc_stat(pid, &stat) ? 0 : stat.ppid;
	return pid <= 1;
}

bool forward_takes(struct notify *n, struct slot *slot)
{
	struct forward *forward = &n->forward;
	const struct seccomp_data *call = &slot->notif.data;
	pid_t supervisor = 0;
	bool asks = nested_asks(call, &supervisor);
	bool takes = asks || nested_parks(call) || is_foreign(n, slot);

	for (size_t i = 0; i < forward->n; i++)
		takes |= restarts(&forward->items[i], (pid_t)slot->notif.pid);
	if (takes && !forward_exec(n, slot) && !(asks && begin(n, slot, supervisor)))
		notify_go_on(n, slot);
	return takes;
}

static void release(struct inner *inner)
{
	free(inner->sent);
	free(inner->again);
	fd_close(&inner->feed);
}

void forward_look(struct notify *n)
{
	struct forward *forward = &n->forward;
	size_t left = 0;

	for (size_t i = 0; i < forward->n; i++) {
		struct inner *inner = &forward->items[i];

		if (!listener_ended(inner->feed)) {
			forward->items[left++] = *inner;
			continue;
		}
		for (size_t k = 0; k < inner->n; k++)
			notify_go_on(n, inner->sent[k]);
		release(inner);
	}
	forward->n = left;
}

void forward_release(struct forward *forward)
{
	for (size_t i = 0; i < forward->n; i++)
		release(&forward->items[i]);
	free(forward->items);
	if (forward->fd > 0)
		fd_close(&forward->fd);
	*forward = (struct forward){0};
}
