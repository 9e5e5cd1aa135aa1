/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What processes used that are neither children nor tracees: the statistics of each thread that ends (taskstats
 * over generic netlink, Documentation/accounting/taskstats.rst; struct taskstats of linux/taskstats.h). They are for
 * root (CAP_NET_ADMIN) in the first user, process and network namespace only, and come from all of the machine.
 */
#ifndef EXECTRACE_PICK_ACTION_EXIT_STATS_H
#define EXECTRACE_PICK_ACTION_EXIT_STATS_H

#include <exectrace/target/exec/print.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A process that is followed: the sum of its threads that have ended. */
struct exit_stats_entry {
	pid_t pid;
	unsigned users;
	unsigned ended; /* threads */
	bool led;       /* the first one has, with `code` */
	bool unclear;   /* something is missing */
	int code;
	struct exec_usage usage;
};

struct exit_stats {
	int fd; /* -1: there are none */
	uint16_t family;
	uint64_t tick;                  /* of the kernel's clock, ns */
	unsigned users;                 /* of all entries */
	struct exit_stats_entry *entry; /* by pid */
};

/* What one message tells of one thread. */
struct exit_stats_event {
	pid_t tid;
	pid_t pid;  /* 0: not told, before version 12 (Linux 5.18) */
	pid_t more; /* the process of which this was the last of several threads; 0: it is not said to be that */
	int code;   /* of a first thread: as wait(2) gives it */
	struct exec_usage usage;
};

/* Begins to listen, and makes sure by a child that messages come. 0 or -errno; fd is -1 then. */
int exit_stats_open(struct exit_stats *stats);

/* From here on the threads of a process count. It has just one, which is alive. False: not followed. */
bool exit_stats_follow(struct exit_stats *stats, pid_t pid);

/* To be called once for each exit_stats_follow that was true. */
void exit_stats_leave(struct exit_stats *stats, pid_t pid);

/* How many threads of a process have ended since it is followed, as far as was heard. */
unsigned exit_stats_ended(const struct exit_stats *stats, pid_t pid);

/* Takes in what has come. Does not wait. */
void exit_stats_hear(struct exit_stats *stats);

/*
 * Adds to *end what is known of a process that has ended, as its pidfd says, and is not known there: all its messages
 * have come then (do_exit, kernel/exit.c), and were heard. How it ended is known of a process that had one thread; the
 * processor time when it was many ticks; bytes moved without what is less than 1024 of each thread.
 */
void exit_stats_know(const struct exit_stats *stats, pid_t pid, struct exec_end *end);

/* The event of a datagram of n bytes: a message of the family. False: it has none, or is damaged. */
bool exit_stats_parse(const void *data, size_t n, uint16_t family, struct exit_stats_event *event);

/* Takes note of an event. */
void exit_stats_note(struct exit_stats *stats, const struct exit_stats_event *event);

void exit_stats_close(struct exit_stats *stats);

#endif
