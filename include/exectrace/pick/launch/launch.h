/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starting the command: fork, or step behind (-D), with a keeper beside; everything that a process inherits stays what
 * the caller gave.
 *
 *   parent model:  caller -> exectrace -> command          exectrace is the parent
 *   behind (-D):   caller -> command; exectrace apart      the calling process becomes the command
 *
 * The command is executed when all else is there, or not at all: what can fail is done before launch_go.
 */
#ifndef EXECTRACE_PICK_LAUNCH_LAUNCH_H
#define EXECTRACE_PICK_LAUNCH_LAUNCH_H

#include <exectrace/base/buf.h>
#include <exectrace/base/strv.h>
#include <exectrace/pick/launch/sources.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct shared;
struct state_base;

struct launch {
	char **command; /* ended by NULL; empty: there is no root */
	char **changes; /* of its environment: NAME=VALUE, or NAME to take that away */
	size_t n_changes;
	const struct passwd *user; /* that it runs as; NULL: ours */
	bool behind;               /* -D */
	pid_t root;                /* the command's process; 0 when it has ended, or there is none */
	pid_t keeper;              /* 0 when there is none, or it has ended */
	int sock;                  /* to the root, until it executes */
	int keeper_sock;           /* to the keeper, until then */
	int queue[2];   /* a pipe of slot numbers (uint16_t) to the supervisor, from its receiver and the keeper */
	int wake;       /* an eventfd that wakes the keeper */
	int orders;     /* to the keeper, for launch_adopt; -1: none */
	bool adopts;    /* launch_adopt will be asked for */
	bool may_seize; /* what cannot have a listener may be attached to instead */
	/* Called while launch_adopt waits: what is watched already may have to be answered first. NULL: nothing. */
	void (*meanwhile)(void *user);
	void *meanwhile_user;
	pid_t top;               /* that of --pid, below which launch_adopt has found what it is asked for */
	struct shared *shared;   /* with the keeper */
	struct sources sources;  /* ours */
	sigset_t mask;           /* what the caller had */
	struct sigaction chld;   /* what the caller had */
	struct rlimit files;     /* RLIMIT_NOFILE that the caller had; ours is raised */
	struct state_base *base; /* what the caller gave us, for what programs begin with; NULL: unknown */
	bool no_new_privs;       /* had to be set */
	bool allow_nnp;          /* it may be set in what runs already */
	bool foreign_proc;       /* /proc is that of another pid namespace: the supervisor has its own */
	bool filtered;           /* the root has the filter: no other engine can be tried */
};

/*
 * Forks. In the process that is to supervise returns 0 with the root waiting; the root's side never returns but
 * executes the command when told to. All signals but the synchronous ones are blocked in the supervisor from here on.
 * -errno with one clause in `why`: then launch_quit has to be called.
 */
int launch_start(struct launch *launch, struct buf *why);

/* Waits until the keeper is ready. 0 or -errno with one clause in `why`. */
int launch_ready(struct launch *launch, struct buf *why);

/*
 * Has the root install a seccomp listener, which the keeper gets, too. no_new_privs is set in the root only after a
 * child has shown that it is not in vain. The listener or -errno (-EBUSY: there is one already).
 */
int launch_install_listener(struct launch *launch);

/* Has the root allow us to attach where Yama is in the way, and wait until told to go on. 0 or -errno. */
int launch_prepare_ptrace(struct launch *launch);

/*
 * The keeper was killed: starts another one, which has the listeners from the beginning, and takes over what the first
 * had in hand. 0 or -errno.
 */
int launch_keep(struct launch *launch);

/*
 * Has the keeper get a listener for a process that runs already, which is not changed otherwise; its number in
 * `sources` or -errno, see attach.h. The keeper of an exectrace that has ended gives it the one that it has.
 * -EADDRINUSE: shared->rival watches that process. Whatever becomes of us or the keeper meanwhile, what the process
 * executes is answered; a keeper that is stopped is killed, another does it. -ENFILE: there are too many.
 */
int launch_adopt(struct launch *launch, pid_t pid);

/* Likewise for another one that a former keeper has of what was found below launch->top then. -ENOENT: there is none.
 */
int launch_adopt_rest(struct launch *launch);

/* The source that was made for a running process (shared->watched); -ENOENT. */
int launch_watches(const struct launch *launch, pid_t pid);

/* Now, in the ticks of proc_start_time. */
uint64_t launch_ticks(void);

/* There will be no more. */
void launch_adopted(struct launch *launch);

/* True when the keeper was killed and nobody has seen that yet: it is reaped. */
bool launch_keeper_killed(struct launch *launch);

/*
 * Nothing is left to keep: then it ends at once, and is not left to be reaped by others. Nobody else is waited for: a
 * tracee whose stop has been fetched would lose its signal when we end.
 */
void launch_wait_for_keeper(struct launch *launch);

/* The command is not run: the root, which ends with status 125 with -D, and the keeper are gone after this. */
void launch_quit(struct launch *launch);

/* Adds what the caller gave us, as lines (state_base_lines of target/process/state.h). 0 or -ENOMEM. */
int launch_given(const struct launch *launch, struct strv *lines);

/* Frees what it holds. */
void launch_release(struct launch *launch);

/* Kills a child that nobody needs, and reaps it. 0 is none. */
void launch_end_child(pid_t pid);

#define LAUNCH_CLOSES 2u /* descriptors that are free after launch_go */

/* Lets the root execute the command. */
int launch_go(struct launch *launch);

#endif
