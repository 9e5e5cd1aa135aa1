/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks at files of the tree's that may have to wait: for a server (NFS, FUSE), for a program that a file system or a
 * scanner asks first, which may be of the tree itself. They are made by helper processes, and whoever asks goes on:
 *
 *   looks_begin → a free helper, else the queue → looks_next: the answer, or none after LOOKS_PATIENCE
 *
 * Processes, not threads: one that waits for a FUSE server cannot even be killed (request_wait_answer, fs/fuse/dev.c),
 * and a process ends only when its last thread has. A helper is started when one is needed and none is free, has no
 * descriptor but its socket, and ends when that is closed.
 */
#ifndef EXECTRACE_TARGET_EXECUTABLE_LOOKS_H
#define EXECTRACE_TARGET_EXECUTABLE_LOOKS_H

#include <exectrace/target/executable/target.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>

#define LOOKS_HELPERS 32                     /* at most */
#define LOOKS_QUEUE_MS 3                     /* that the queue may stand still before there is another helper */
#define LOOKS_PATIENCE UINT64_C(10000000000) /* ns that one may take from its beginning */

struct looks;

/* One that is asked for, or done. */
struct look {
	struct look *next;
	pid_t tid;
	int dirfd;
	char *path;
	void *user;     /* the caller's */
	uint64_t since; /* clock_now() */
	bool gave_up;   /* there was no answer: target is empty */
	struct target target;
};

/* Without helpers yet. What they find out of files goes into `cache`, too. NULL without memory. */
struct looks *looks_new(struct target_cache *cache);

/* Ends the helpers, also those in the middle of a look, as parent_end_child does. Frees all; NULL is allowed. */
void looks_free(struct looks *looks);

/*
 * Asks for target_resolve(tid, dirfd, path). What is returned stays ours; only its `user` is to be set. Where not even
 * one helper can be had, or be asked, it is looked at here and now, whatever that takes. NULL without memory.
 */
struct look *looks_begin(struct looks *looks, pid_t tid, int dirfd, const char *path);

/* The next that is done, to be given to look_free; NULL when there is none now. */
struct look *looks_next(struct looks *looks);

/* Forgets those for `user` that are under way: nobody wants them any more. */
void looks_drop(struct looks *looks, const void *user);

void look_free(struct look *look);

/* The descriptors that tell when looks_next has something: up to LOOKS_HELPERS. How many. */
size_t looks_poll(const struct looks *looks, struct pollfd *fds);

/* ms until looks_next has something to do without being told; -1: nothing. */
int looks_wait_ms(const struct looks *looks);

#endif
