/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How execs are seen. One contract for both engines: every exec is reported before or at its completion; `take` gives
 * the thread stopped at PTRACE_EVENT_EXEC in its new program; `pass` leaves it as it was.
 *
 * The engine never blocks on one process: between any two events of a process another's exec may have to be answered
 * first. The caller waits in engine_poll, for engine_fd among others, hands every wait event to engine_child, and takes
 * events from both until there are none.
 */
#ifndef EXECTRACE_PICK_ENGINE_ENGINE_H
#define EXECTRACE_PICK_ENGINE_ENGINE_H

#include <exectrace/pick/launch/launch.h>
#include <exectrace/target/exec/record.h>
#include <exectrace/target/tracee/wait.h>
#include <poll.h>
#include <stdbool.h>

struct engine;

/* A picked process, from engine_take or engine_hold on until an event says that it is out of our hands. The engine owns
 * it. */
struct tracee {
	pid_t tid;   /* to be asked for: the thread group's id once it has executed */
	long call;   /* engine_hold: the number of its execve, as /proc/PID/syscall has it */
	bool closed; /* parked: Yama lets no tool attach to it, and its seccomp filter may not allow it to change that
	              */
	void *user;  /* the caller's */
};

enum engine_event_type {
	ENGINE_NONE,   /* nothing for the caller */
	ENGINE_EXEC,   /* an exec, described by `rec`: answer with engine_pass, engine_take, engine_hold or engine_defer
	                */
	ENGINE_TAKEN,  /* `tracee` stands at the beginning of its new program: answer with engine_let_go, engine_park or
	                  engine_wrap, and before that it can be changed with engine_edit */
	ENGINE_FAILED, /* the exec of a taken process failed after all; it runs on; the tracee is freed after this event
	                */
	ENGINE_PARKED, /* engine_park is done; answer with engine_release when the time has come */
	ENGINE_PARK_FAILED, /* `err`: it runs on without; freed after this event */
	ENGINE_WRAPPED,     /* engine_wrap is done; freed after this event */
	ENGINE_WRAP_FAILED, /* `err`: the program runs on without its wrapper; freed after this event */
	ENGINE_RESTARTED,   /* engine_restart: the exec has restarted under the tool; freed after this event */
	ENGINE_GONE,        /* it died in our hands; freed after this event */
	ENGINE_STOPPED,     /* ptrace engine: the root command was stopped by signal `err` */
};

struct engine_event {
	enum engine_event_type type;
	struct exec_record *rec; /* ENGINE_EXEC; valid until the answer; the engine's */
	struct tracee *tracee;
	int err;         /* -errno */
	const char *why; /* ENGINE_WRAP_FAILED: one clause, where err does not say it; else NULL */
};

/* How many things the engine saw, for messages. */
struct engine_counts {
	unsigned long unreadable; /* execs whose arguments or file could not be read, by `why` (another user's, Yama) */
	unsigned long slow;       /* ... whose file did not answer in time */
	int why;                  /* -errno of the first that was unreadable */
	bool yama;                /* ... which Yama has refused, as its parent had ended */
	unsigned long lost;       /* notifications whose caller was gone, or interrupted, before they were received */
	unsigned long rescued;    /* ... of those, interrupted by a signal and restarted */
	bool cut;                 /* an outer exectrace has reported them, and has ended */
};

/*
 * Waits for the keeper, makes the engine and prepares the launched root for it. name: "notify", "ptrace", or NULL for
 * the first that works. 0; -errno, with in `why` one clause on why an engine could not be had (also when another was
 * taken instead).
 */
int engine_start(struct engine **ret, const char *name, struct launch *launch, struct buf *why);

/* The name of the i-th engine, from 0 on, the preferred one first; NULL behind the last. */
const char *engine_at(size_t i);

/* What is told while processes that run already are looked for. */
struct engine_sees {
	/*
	 * Of each. rec describes it, as one that stands in its program, until this returns; NULL: it is not watched,
	 * and why is one clause on that.
	 */
	void (*adopted)(void *user, pid_t pid, struct exec_record *rec, const char *why);
	/* Between two of them, and while one is waited for: those that are watched already may wait for us. */
	void (*events)(void *user);
	/* Whether no more are to be looked for. */
	bool (*enough)(void *user);
	void *user;
};

/*
 * Watches a process that runs already and all below it, looked for again until none is new: their execs are reported
 * from then on. Those that have started exectrace, between that process and us, are left out unless `all`; we ourselves
 * and what we start always are. 0, also where some could not be had, and when it was not to be had itself: then nothing
 * was done; -ENOTSUP when the engine cannot; -ESRCH: there is no such process; -ENOMEM.
 *
 * The notify engine has the keeper give each a listener of its own, which those have, too, that it starts from then on
 * (launch_adopt); the ptrace engine attaches to them.
 */
int engine_adopt(struct engine *engine, pid_t pid, bool all, const struct engine_sees *sees);

/* Which one it is. */
const char *engine_name(const struct engine *engine);

/*
 * Remembers the exec reported last as an ancestor of what is to come, for when it has ended. `leads`: its thread is
 * known to lead its process, which spares a look into /proc. 0 or -ENOMEM.
 */
int engine_note(struct engine *engine, bool leads);

/* A descriptor that is readable when engine_next has something; -1: only wait events matter. */
int engine_fd(const struct engine *engine);

/*
 * Looks at an exec that nobody may want, in a thread of the engine's own, while the caller is in engine_poll. True: it
 * was looked at, and is to be left as it is. False: it will be reported as an event of ENGINE_EXEC; nothing was
 * changed. It must not wait for anything.
 */
typedef bool engine_fast_path(void *user, struct exec_record *rec);

/* Sets it; an engine without such a thread never calls it. */
void engine_set_fast_path(struct engine *engine, engine_fast_path *fast_path, void *user);

/* poll(2). Only while it waits may the engine's thread fast_path at execs: all else the caller does has the engine, and
 * what the fast_path uses, for itself. Does not wait while deferred execs are to be reported again (engine_retry). */
int engine_poll(struct engine *engine, struct pollfd *fds, size_t n, int timeout_ms);

/* The next event that is not a child's. 1 with *ev, 0 when there is none now. */
int engine_next(struct engine *engine, struct engine_event *ev);

/*
 * The next change of any child or tracee: 1 with *wait, 0 when there is none now, -ECHILD without children. used: of
 * one that has ended, and the descendants that it and they have waited for.
 */
int engine_wait(struct wait_event *wait, struct rusage *used);

/*
 * True for the event of a process that is stopped as by a terminal (signal(7)), and not only at a signal because the
 * engine is attached to it for a moment. wait->sig is the signal that stopped it.
 */
bool engine_saw_stop(const struct wait_event *wait);

/* Looks at a wait event. 1 with *ev when the process was one of the engine's tracees; 0 when it is not known to it. */
int engine_child(struct engine *engine, const struct wait_event *wait, struct engine_event *ev);

/* Looks after processes in our hands that vanished without a wait event. To be called every 100 ms while there are
 * tracees. 1 with *ev, else 0. */
int engine_sweep(struct engine *engine, struct engine_event *ev);

/* True while the caller of the exec reported last still waits: what was read of it is its own (seccomp_unotify(2)). */
bool engine_current(struct engine *engine);

/* Leaves the exec reported last as it is. */
void engine_pass(struct engine *engine);

/* Takes it: ENGINE_TAKEN, ENGINE_FAILED or ENGINE_GONE follows. 0 with *tracee, or -errno (-EPERM: traced already, or
 * not allowed): then it must be passed. */
int engine_take(struct engine *engine, struct tracee **tracee);

/* Keeps the exec reported last waiting, to be reported again after engine_retry. */
void engine_defer(struct engine *engine);
void engine_retry(struct engine *engine);

/*
 * True when the exec reported last (an event, or a fast_path's) cannot be decided about yet: what was asked of its
 * record takes a look at a file that may have to wait (rec->later). To be asked when all that a decision needs was
 * wanted, and before anything is counted, said or done; an event is then answered with engine_look.
 */
bool engine_must_look(const struct engine *engine);

/*
 * Has that looked at elsewhere. The exec is reported again when it is known, or will not be: others go on meanwhile,
 * and the record may have fields that were filled before. Bounded (LOOKS_PATIENCE).
 */
void engine_look(struct engine *engine);

/*
 * Restarts the exec reported last: its thread has a stop pending (PTRACE_INTERRUPT), which comes first, and
 * without one its execve would fail with an error that does not exist. An engine that cannot passes it.
 */
void engine_again(struct engine *engine);

/*
 * Leaves the caller in its execve, unanswered, for a tool to attach to. 0 with *tracee; -ENOTSUP when the engine or
 * this exec cannot (a thread that is not the leader, ptrace engine). Answer later with engine_restart, or engine_let_go
 * to let it execute as it was.
 */
int engine_hold(struct engine *engine, struct tracee **tracee);

/* Restarts a held execve under the tool that has attached and waits (seccomp_unotify(2), error
 * -ERESTARTNOINTR). ENGINE_RESTARTED or ENGINE_GONE follows. */
void engine_restart(struct engine *engine, struct tracee *tracee);

/* Lets a taken, held or parked process, in whatever state, run as if nothing had been. The tracee is freed. */
void engine_let_go(struct engine *engine, struct tracee *tracee);

/* What a program is to get: its first `keep` arguments, then args; and variables. */
struct engine_edit {
	size_t keep; /* SIZE_MAX: all */
	struct strv args;
	struct strv env;
};

/* Changes a taken process's arguments and variables; it is still to be let go. 0 or -errno (then it is as it was). */
int engine_edit(struct tracee *tracee, const struct engine_edit *what);

/* Parks a taken process before its first instruction. ENGINE_PARKED, ENGINE_PARK_FAILED or ENGINE_GONE follows. */
void engine_park(struct engine *engine, struct tracee *tracee);

/* Lets a parked process run into its first instruction. The tracee is freed. 0 or -errno. */
int engine_release(struct engine *engine, struct tracee *tracee);

/* True while a parked process is asleep so that its tool, which is attached, has to wake it: engine_release is for
 * then. */
bool engine_sleeps(const struct tracee *tracee);

/* The address at which a parked program begins. */
uint64_t engine_entry(const struct tracee *tracee);

/* True when a parked process executes bytes that engine_release changes, unless it sleeps or is stopped. */
bool engine_spins(const struct tracee *tracee);

/* Wakes such a one, for a tool that does not: by a signal, which the tool sees. */
void engine_wake(const struct tracee *tracee);

/* Forgets a process that has died, in whatever state: nothing is owed to it any more. The tracee is freed. */
void engine_forget(struct engine *engine, struct tracee *tracee);

/*
 * Adds a path by which a taken process can execute its program, described by rec, again: where that has no name in a
 * file system (memfd_create(2), deleted files) that of a descriptor of its own. 0 or -errno; -ENOENT: none.
 */
int engine_program(const struct tracee *tracee, const struct exec_record *rec, struct buf *path);

/*
 * Re-executes a taken process in place as front[0] with arguments front..., the last `keep` of its arguments.
 * ENGINE_WRAPPED, ENGINE_WRAP_FAILED or ENGINE_GONE follows. front is copied.
 */
void engine_wrap(struct engine *engine, struct tracee *tracee, const struct strv *front, size_t keep);

/* The keeper was killed: starts another. 0 or -errno: then nobody answers the tree's execs once we have ended. */
int engine_keep(struct engine *engine);

/* True when the engine can see no further exec: the last process of the tree has ended. */
bool engine_finished(struct engine *engine);

/* True while a file is looked at for an exec that waits for it (engine_look). */
bool engine_is_looking(const struct engine *engine);

/* Whether there are processes that ran already and have a listener of ours, which somebody has to answer. */
bool engine_has_adopted(const struct engine *engine);

/* Whether a picked process has our seccomp filter. */
bool engine_has_filter(const struct engine *engine, const struct tracee *tracee);

/* True when the whole tree is attached: while we are stopped ourselves, none of it gets far. */
bool engine_holds_tree(const struct engine *engine);

/*
 * To be asked when the command has ended: true when processes of the tree live on, at whose execs nobody will look. May
 * take 20 ms, for those that are just ending.
 */
bool engine_lives_on(struct engine *engine);

struct engine_counts engine_counts(const struct engine *engine);

/*
 * Ends the work: gives back what is parked, leaves what lives on to the keeper, waits a moment for the keeper when
 * nothing lives. Frees all.
 */
void engine_end(struct engine *engine);

#endif
