/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keeper's answers: for a supervisor that is stopped, and, when that has ended, to the end of the tree. */
#ifndef EXECTRACE_SRC_PICK_LAUNCH_STANDIN_H
#define EXECTRACE_SRC_PICK_LAUNCH_STANDIN_H

#include <exectrace/pick/launch/shared.h>
#include <exectrace/pick/launch/sources.h>
#include <stdbool.h>
#include <sys/types.h>

/* Where others ask for listeners (door.h). */
struct door {
	int inner; /* takes struct ask; -1: there is none */
	int line;  /* to whom a source is offered; -1: nobody */
	unsigned offered;
};

/* Other keepers, which may be asked (handover.h). */
struct keepers {
	pid_t *pids; /* 0: not any more */
	size_t n, cap;
	bool looked;
};

struct keeper {
	struct shared *shared;
	pid_t pid;       /* the supervisor's */
	int supervisor;  /* its pidfd */
	int sock;        /* on which the listener of the command's tree comes */
	int orders;      /* struct attach_order, from the supervisor */
	int queue;       /* to the supervisor; -1 when it has ended */
	int wake;        /* an eventfd, written to by who finds shared->armed, or leaves something to us (shared_owe) */
	int receipts;    /* receipts_listen; -1: it cannot be had, and we look all the time */
	int ready;       /* an epoll of all sources but the first; -1: there are none */
	bool alert;      /* there was an exec: it is to be seen that it is answered */
	bool owes;       /* the supervisor has left something to us that is not done yet */
	bool stopped;    /* the supervisor was last seen stopped */
	unsigned left;   /* parks that are not undone yet */
	struct slot own; /* what the keeper itself receives at the end */
	struct door door;
	struct keepers others;
	struct sources sources;
};

/* Has the keeper listen to one more, which is its own then. 0 or -errno: then the sources are as before. */
int standin_add(struct keeper *keeper, unsigned source, int listener);

/* It gives up a source, if it has that: others answer. */
void standin_drop(struct keeper *keeper, unsigned source);

/* The next source whose listener has something to receive; -1: none. Those that have ended are closed. */
int standin_next(struct keeper *keeper);

/* Answers what waits for a listener that is to be a source, and nobody receives from yet. */
void standin_pass(struct keeper *keeper, unsigned source, int listener);

/* True while the supervisor is stopped. */
bool standin_is_due(const struct keeper *keeper);

/* Receives from a source while the supervisor is stopped. It may be continued at any moment. */
void standin_receive(struct keeper *keeper, unsigned source);

/* Answers what it has received and not answered, but for what is picked. */
void standin_answer(const struct keeper *keeper);

/* True when there is a call that nobody has answered yet, other than by intent. */
bool standin_calls_wait(struct keeper *keeper);

/* The supervisor has ended: answers until no process has the filter any more. */
void standin_to_the_end(struct keeper *keeper);

#endif
