/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How processes end that are neither children nor tracees, where their pidfds do not tell that (before Linux 6.15): the
 * kernel's process events (NETLINK_CONNECTOR, drivers/connector/cn_proc.c) say it of every thread of the machine. They
 * are for root, and since Linux 6.6 for everybody, in the first user, process and network namespace only.
 */
#ifndef EXECTRACE_PICK_ACTION_EXITS_H
#define EXECTRACE_PICK_ACTION_EXITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A process that is followed. */
struct exits_entry {
	pid_t pid;
	unsigned users;
	unsigned made; /* threads beside the first one */
	unsigned gone; /* ... of them */
	bool led;      /* the first thread has ended, with `code` */
	bool differs;  /* another thread has ended otherwise, with `other` */
	bool unclear;
	int code;
	int other;
};

struct exits {
	int fd;                    /* -1: there are no events */
	unsigned users;            /* of all entries */
	struct exits_entry *entry; /* by pid */
};

/* An event, as far as it matters here. */
struct exits_event {
	pid_t tid;
	pid_t pid;
	bool ended; /* with `code`, as wait(2) gives it; else the thread was made */
	int code;
};

/* True when pidfds tell how a process has ended, or nobody needs to: tried on a child. */
bool exits_are_told(void);

/* Begins to listen, and makes sure by a child that events come. 0 or -errno (-EPERM, -EPROTONOSUPPORT, -ENODATA: they
 * do not); fd is -1 then. */
int exits_open(struct exits *exits);

/* From here on the events of a process count. It has just one thread, and is alive. False: not followed. */
bool exits_follow(struct exits *exits, pid_t pid);

/* To be called once for each exits_follow that was true. */
void exits_leave(struct exits *exits, pid_t pid);

/* Takes in what has come. Does not wait. */
void exits_hear(struct exits *exits);

/*
 * True when it is known how a process that has ended, which is for the caller to know, has done so. Its last event may
 * come a little later than its pidfd says so (do_exit, kernel/exit.c).
 */
bool exits_know(const struct exits *exits, pid_t pid, int *status);

/* The event of a datagram of n bytes. False: it has none, or it does not matter. */
bool exits_parse(const void *data, size_t n, struct exits_event *event);

/* Takes note of an event. */
void exits_note(struct exits *exits, const struct exits_event *event);

void exits_close(struct exits *exits);

#endif
