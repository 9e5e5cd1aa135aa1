/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What processes wait for and wake each other with: pipes, sockets, addresses, locked files, futexes. Each is known by
 * its name, and has the list of the calls that may have ended a wait for it.
 */
#ifndef EXECTRACE_ANSWER_STORY_STATE_OBJECTS_H
#define EXECTRACE_ANSWER_STORY_STATE_OBJECTS_H

#include <exectrace/answer/recording/pool.h>
#include <stdbool.h>
#include <stdint.h>

/* What a call did with an object that others may wait for. */
enum wake_kind {
	WAKE_GIVES = 1 << 0,  /* wrote, connected, woke */
	WAKE_TAKES = 1 << 1,  /* read: there is room again */
	WAKE_OPENS = 1 << 3,  /* opened it */
	WAKE_CLOSES = 1 << 2, /* closed or unlocked it, also by the end of the process */
	WAKE_LOCKS = 1 << 4,  /* locked it: wakes nobody */
};

struct wake {
	uint64_t enter, exit; /* ns, as events have it */
	uint32_t thread;      /* number of the thread (recording.h) that called */
	enum wake_kind kind;
};

struct object {
	const char *name; /* "pipe:[4711]", "/tmp/lock", "127.0.0.1:80" */
	uint32_t peer;    /* of a socket: the number of that at its other end; 0: unknown */
	uint32_t address; /* of a socket: what it is bound to, or connects to; 0: unknown */
	/* Of a socket: to whom it connects, or has sent something, as "10.0.0.1:53"; of an address: that itself, where
	 * somebody connects to it; NULL: unknown */
	const char *server;
	uint64_t asked;   /* when it sent something last, ns, and has received nothing since; 0: it has not */
	bool wakes_count; /* of a file: it may be a FIFO, or was locked */
	bool is_fifo;     /* it was made as one, perhaps */
	bool is_plain;    /* of a file: it is a regular file or a directory, for which nobody waits ... */
	bool was_asked;   /* ... as far as the file system tells, which was asked */
	/* Of a path or an address: numbers of the processes that made (or bound) and removed it last, + 1; 0: nobody */
	uint32_t maker, remover;
	uint64_t made, removed; /* when, ns */
	const char *moved;      /* of one that was removed by being renamed: what it is called since; NULL: it is not */
	const char *bound;      /* of the address of a port: as it was bound last, "[::1]:80"; NULL: unknown */
	/* Of a file: the process that changed it last, + 1; 0: nobody. How, as "truncated", and when, ns */
	uint32_t changer;
	const char *change, *changed_by; /* changed_by: the command of that process then */
	uint64_t changed;
	uint32_t reader, reader_before; /* of a FIFO: numbers of the processes that read last from it, + 1 */
	struct wake *wakes;
	size_t n, cap;
	uint32_t *members; /* of an epoll: what it watches */
	size_t n_members, cap_members;
	uint32_t *queue; /* of an address: sockets that have connected and were not accepted yet */
	size_t queued, cap_queue;
	struct accepted *accepted; /* of an address: sockets that were accepted, and of what is not known yet */
	size_t n_accepted, cap_accepted;
};

struct accepted {
	uint32_t server;
	uint64_t time;
};

/* All 0 at first. Numbers begin at 1; 0 is none. */
struct objects {
	struct pool names;
	struct object *items;
	size_t n, cap;
};

/* The number of the object of that name, which is made when it is new; 0 without memory. */
uint32_t objects_number(struct objects *objects, const char *name, size_t n);

/* An object, until the next one is made. */
struct object *objects_at(const struct objects *objects, uint32_t number);

/* Adds a wake; they come by their exits. 0 or -ENOMEM. */
int objects_wake(struct objects *objects, uint32_t number, const struct wake *wake);

/*
 * The call that ended a wait of a thread for this object at a time: the last of these kinds (enum wake_kind) that had
 * begun by then, by another thread. NULL: none is known.
 */
const struct wake *objects_waker(const struct objects *objects, uint32_t number, uint32_t thread, uint64_t time,
                                 unsigned kinds);

/* An epoll watches something. 0 or -ENOMEM. */
int objects_watch(struct objects *objects, uint32_t epoll, uint32_t member);

/*
 * Sockets that are connected, in the order in which they were: the first that was not accepted yet is accepted now. An
 * accept may be over before the connect that it answers: enter is when that began, time when the accept was over.
 * 0 or -ENOMEM.
 */
int objects_connect(struct objects *objects, uint32_t address, uint32_t client, uint64_t enter);
int objects_accept(struct objects *objects, uint32_t address, uint32_t server, uint64_t time);

/* Two sockets that are each other's ends. */
void objects_pair(struct objects *objects, uint32_t a, uint32_t b);

void objects_release(struct objects *objects);

#endif
