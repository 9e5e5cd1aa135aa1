/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/executable/looks.h>

#include "header.h"
#include "looks_helper.h"
#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/parent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct helper {
	pid_t pid;         /* 0: none */
	int sock;          /* SOCK_SEQPACKET */
	struct look *look; /* that it is at; NULL: it is free */
};

struct looks {
	struct target_cache *cache;
	struct look *queue; /* the oldest first */
	struct look *done;
	uint64_t grown; /* clock_now() of the last try to have one helper more */
	struct helper helper[LOOKS_HELPERS];
};

struct looks *looks_new(struct target_cache *cache)
{
	struct looks *looks = calloc(1, sizeof(*looks));

	if (looks)
		looks->cache = cache;
	for (size_t i = 0; looks && i < LOOKS_HELPERS; i++)
		looks->helper[i].sock = -1;
	return looks;
}

void look_free(struct look *look)
{
	if (!look)
		return;
	target_release(&look->target);
	free(look->path);
	free(look);
}

/* Its end is reported to the caller's wait as that of any child. */
static void end_helper(struct helper *helper)
{
	if (helper->pid > 0)
		kill(helper->pid, SIGKILL);
	fd_close(&helper->sock);
	*helper = (struct helper){.sock = -1};
}

static void free_all(struct look **list)
{
	while (*list) {
		struct look *look = *list;

		*list = look->next;
		look_free(look);
	}
}

void looks_free(struct looks *looks)
{
	if (!looks)
		return;
	for (size_t i = 0; i < LOOKS_HELPERS; i++) {
		look_free(looks->helper[i].look);
		if (looks->helper[i].pid > 0)
			parent_end_child(looks->helper[i].pid);
		fd_close(&looks->helper[i].sock);
	}
	free_all(&looks->queue);
	free_all(&looks->done);
	free(looks);
}

static int start_helper(struct looks *looks, struct helper *helper)
{
	pid_t self = getpid();
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	ends[0] = fd_high(ends[0]);
	helper->pid = ends[0] < 0 ? -1 : fork();
	if (helper->pid == 0)
		looks_serve(ends[1], looks->cache, self);
	close(ends[1]);
	if (helper->pid < 0) {
		int err = ends[0] < 0 ? ends[0] : -errno;

		fd_close(&ends[0]);
		*helper = (struct helper){.sock = -1};
		return err;
	}
	helper->sock = ends[0];
	return 0;
}

static void append(struct look **list, struct look *look)
{
	while (*list)
		list = &(*list)->next;
	look->next = NULL;
	*list = look;
}

static void give_up(struct looks *looks, struct look *look)
{
	look->gave_up = true;
	append(&looks->done, look);
}

static bool is_free(const struct helper *helper)
{
	return helper->pid && !helper->look;
}

/* False when the helper is of no use any more. */
static bool ask(struct helper *helper, struct look *look)
{
	struct look_question question = {.tid = look->tid, .dirfd = look->dirfd};
	size_t n = strnlen(look->path, PATH_MAX - 1);

	memcpy(question.path, look->path, n);
	if (send(helper->sock, &question, offsetof(struct look_question, path) + n + 1, MSG_NOSIGNAL | MSG_DONTWAIT) <
	    0) {
		end_helper(helper);
		return false;
	}
	helper->look = look;
	return true;
}

/* Gives the queue's first to a free helper. False when there is none. */
static bool ask_any(struct looks *looks)
{
	for (size_t i = 0; i < LOOKS_HELPERS; i++) {
		struct helper *helper = &looks->helper[i];
		struct look *look = looks->queue;

		if (!is_free(helper) || !ask(helper, look))
			continue;
		looks->queue = look->next;
		look->next = NULL;
		return true;
	}
	return false;
}

/* 0; -EAGAIN when there are as many as may be; -errno. */
static int one_more(struct looks *looks)
{
	looks->grown = clock_now();
	for (size_t i = 0; i < LOOKS_HELPERS; i++) {
		if (!looks->helper[i].pid)
			return start_helper(looks, &looks->helper[i]);
	}
	return -EAGAIN;
}

static bool has_helper(const struct looks *looks)
{
	for (size_t i = 0; i < LOOKS_HELPERS; i++) {
		if (looks->helper[i].pid)
			return true;
	}
	return false;
}

static uint64_t waited(const struct look *look)
{
	return clock_now() - look->since;
}

/* How long the queue has stood still for want of a helper. */
static uint64_t stood_still(const struct looks *looks)
{
	uint64_t since = looks->queue->since > looks->grown ? looks->queue->since : looks->grown;

	return clock_now() - since;
}

static void look_here(struct looks *looks, struct look *look)
{
	target_resolve(looks->cache, look->tid, look->dirfd, look->path, &look->target);
	append(&looks->done, look);
}

/* Nobody else does. */
static void serve_here(struct looks *looks)
{
	while (looks->queue) {
		struct look *look = looks->queue;

		looks->queue = look->next;
		look_here(looks, look);
	}
}

/*
 * Hands out what is queued. A queue that stands still gets another helper, one at a time. What cannot even be asked of
 * a new one cannot be asked of the next either.
 */
static void serve_queue(struct looks *looks)
{
	while (looks->queue && ask_any(looks))
		;
	if (!looks->queue || (has_helper(looks) && stood_still(looks) < LOOKS_QUEUE_MS * NS_PER_MS))
		return;
	if (one_more(looks) == 0 && !ask_any(looks) && !has_helper(looks))
		serve_here(looks);
}

struct look *looks_begin(struct looks *looks, pid_t tid, int dirfd, const char *path)
{
	struct look *look = calloc(1, sizeof(*look));

	if (!look)
		return NULL;
	*look = (struct look){.tid = tid, .dirfd = dirfd, .path = strdup(path), .since = clock_now()};
	if (!look->path) {
		free(look);
		return NULL;
	}
	if (!has_helper(looks) && one_more(looks)) {
		look_here(looks, look);
		return look;
	}
	append(&looks->queue, look);
	serve_queue(looks);
	return look;
}

static void take_answer(struct looks *looks, struct look *look, const struct look_answer *answer)
{
	look->target = answer->target;
	look->target.exe = answer->has_exe ? strdup(answer->exe) : NULL;
	look->target.interp = answer->has_interp ? strdup(answer->interp) : NULL;
	for (size_t i = 0; i < answer->n_used && i < LOOK_DEPTH + 1; i++)
		header_learn(looks->cache, &answer->used[i]);
	append(&looks->done, look);
}

static void listen_to(struct looks *looks, struct helper *helper)
{
	struct look_answer answer;
	struct look *look = helper->look;
	ssize_t n = recv(helper->sock, &answer, sizeof(answer), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	helper->look = NULL;
	if (n != (ssize_t)sizeof(answer)) { /* somebody has ended it */
		end_helper(helper);
		if (look)
			give_up(looks, look);
	} else if (look) {
		take_answer(looks, look, &answer);
	}
}

/* Those who have waited for too long: their helper may never come back. */
static void expire(struct looks *looks)
{
	for (size_t i = 0; i < LOOKS_HELPERS; i++) {
		struct helper *helper = &looks->helper[i];
		struct look *look = helper->look;

		if (!look || waited(look) < LOOKS_PATIENCE)
			continue;
		end_helper(helper);
		give_up(looks, look);
	}
	while (looks->queue && waited(looks->queue) >= LOOKS_PATIENCE) {
		struct look *look = looks->queue;

		looks->queue = look->next;
		give_up(looks, look);
	}
}

struct look *looks_next(struct looks *looks)
{
	struct look *look = NULL;

	for (size_t i = 0; i < LOOKS_HELPERS; i++) {
		if (looks->helper[i].look)
			listen_to(looks, &looks->helper[i]);
	}
	expire(looks);
	serve_queue(looks);
	look = looks->done;
	if (look)
		looks->done = look->next;
	return look;
}

static void drop_from(struct look **list, const void *user)
{
	while (*list) {
		struct look *look = *list;

		if (look->user != user) {
			list = &look->next;
			continue;
		}
		*list = look->next;
		look_free(look);
	}
}

void looks_drop(struct looks *looks, const void *user)
{
	drop_from(&looks->queue, user);
	drop_from(&looks->done, user);
	for (size_t i = 0; i < LOOKS_HELPERS; i++) {
		struct helper *helper = &looks->helper[i];

		if (!helper->look || helper->look->user != user)
			continue;
		look_free(helper->look);
		end_helper(helper);
	}
}

size_t looks_poll(const struct looks *looks, struct pollfd *fds)
{
	size_t n = 0;

	for (size_t i = 0; i < LOOKS_HELPERS; i++) {
		if (looks->helper[i].look)
			fds[n++] = (struct pollfd){.fd = looks->helper[i].sock, .events = POLLIN};
	}
	return n;
}

static int sooner(int ms, uint64_t after, uint64_t limit)
{
	int left = after < limit ? (int)((limit - after) / NS_PER_MS) + 1 : 0;

	return ms < 0 || left < ms ? left : ms;
}

int looks_wait_ms(const struct looks *looks)
{
	int ms = looks->done ? 0 : -1;

	if (looks->queue)
		ms = sooner(ms, stood_still(looks), LOOKS_QUEUE_MS * NS_PER_MS);
	for (size_t i = 0; i < LOOKS_HELPERS; i++) {
		if (looks->helper[i].look)
			ms = sooner(ms, waited(looks->helper[i].look), LOOKS_PATIENCE);
	}
	return ms;
}
