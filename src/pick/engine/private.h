/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the engines share: the common part of struct engine, and the picked processes in our hands. */
#ifndef EXECTRACE_SRC_PICK_ENGINE_PRIVATE_H
#define EXECTRACE_SRC_PICK_ENGINE_PRIVATE_H

#include "allowed.h"
#include <exectrace/pick/engine/engine.h>
#include <exectrace/pick/launch/listener.h>
#include <exectrace/pick/launch/shared.h>
#include <exectrace/target/executable/capture.h>
#include <exectrace/target/executable/looks.h>
#include <exectrace/target/process/yama.h>
#include <pthread.h>

/*
 * While it is attached to, whatever ends it is reported by wait. From TAKEN_ENTERING on, and while its execve is held,
 * nobody tells us: engine_sweep looks after the former, the caller, who has a pidfd, after the others (engine_forget).
 */
enum taken_state {
	TAKEN_HELD,      /* not attached: waits in its execve, unanswered */
	TAKEN_RESTARTED, /* not attached: told to restart its exec, whose next notification is not news */
	TAKEN_WAITING,   /* attached, execve let go: event or failure to come */
	TAKEN_STANDS,    /* stopped at PTRACE_EVENT_EXEC */
	TAKEN_PARKING,   /* attached, on its way to the end of execve, to be parked there */
	TAKEN_ALLOWING,  /* ... on its way into a call that lets tools attach (PR_SET_PTRACER) */
	TAKEN_ALLOWED,   /* ... in it */
	TAKEN_FALLING,   /* ... on its way into its sleep (PARK_SLEEP) */
	TAKEN_ENTERING,  /* not attached, on its way into the notification that it is parked in (PARK_CALL) */
	TAKEN_PARKED,    /* not attached, waits */
	TAKEN_WRAPPING,  /* attached, on its way to the end of execve, to be given another execve */
	TAKEN_CALLING,   /* ... on its way into that execve */
	TAKEN_CALLED,    /* ... in it */
};

/* A picked process in our hands. */
struct taken {
	struct tracee pub; /* first: the caller has a pointer to this */
	struct taken *next;
	enum taken_state state;
	pid_t group;            /* its process, when it was taken */
	pid_t seized;           /* thread that was seized: another than pub.tid before a non-leader's exec */
	bool follows;           /* it is one of those that stay attached (seized.h) */
	bool owed;              /* TAKEN_STANDS: the caller is to be told (ptrace engine) */
	bool anew;              /* TAKEN_WAITING: its execve was interrupted, and will be notified again */
	bool unwanted;          /* TAKEN_ENTERING: let go meanwhile; to be released as soon as it has come */
	struct slot *slot;      /* its unanswered notification, NULL when there is none */
	struct park_slot *park; /* what is changed in it, NULL when nothing is */
	struct strv front;      /* to be executed instead */
	size_t keep;            /* ... with so many of its last arguments */
};

struct engine_ops {
	const char *name;
	/* Makes the engine for a waiting root. 0 or -errno, then `why` says why in one clause. */
	int (*start)(struct engine **ret, struct launch *launch, struct buf *why);
	int (*fd)(const struct engine *engine);
	int (*next)(struct engine *engine, struct engine_event *ev);
	int (*child)(struct engine *engine, const struct wait_event *wait, struct engine_event *ev);
	bool (*current)(struct engine *engine); /* NULL: always */
	void (*pass)(struct engine *engine);
	int (*take)(struct engine *engine, struct taken *taken);
	void (*defer)(struct engine *engine);
	/* Keeps the exec reported last, to be reported again. Its key, as for engine_describe. */
	void *(*keep)(struct engine *engine);
	void (*again)(struct engine *engine);                    /* NULL: cannot */
	int (*hold)(struct engine *engine, struct taken *taken); /* NULL: cannot */
	/* NULL without hold and PARK_CALL. Answers an unanswered notification (listener_give), or has the keeper do
	 * that. */
	void (*answer)(struct engine *engine, struct slot *slot, int answer);
	/* Lets a stopped, taken process run. follow: its children are still to be seen. */
	void (*resume)(struct engine *engine, struct taken *taken, bool follow);
	/* NULL: cannot. Has the execs of a running process, by all its threads, reported. 0; -EEXIST: they are already;
	 * or -errno. *since is 0, or becomes the time (launch_ticks) after which all that it has started is watched,
	 * too. */
	int (*adopt)(struct engine *engine, pid_t pid, uint64_t *since);
	enum park_kind park_kind;
	bool (*finished)(struct engine *engine);
	bool (*lives_on)(struct engine *engine);
	void (*end)(struct engine *engine);
};

extern const struct engine_ops engine_notify;
extern const struct engine_ops engine_ptrace;

struct engine {
	const struct engine_ops *ops;
	struct launch *launch;
	enum yama yama; /* YAMA_NOBODY: there is no engine */
	struct allowed allowed;
	struct lineage *lineage;
	struct target_cache *cache;
	struct looks *looks;
	struct look *looked;            /* those that are done, of execs without an answer: few, mostly none */
	struct look *look;              /* that of the exec reported last; NULL: none */
	struct exec_record rec;         /* the exec reported last */
	struct capture capture;         /* of it */
	pid_t stands;                   /* it is of a process that stands there (seized.h); 0: it has a notification */
	const struct engine_sees *sees; /* while processes that run already are looked for */
	bool seizes;                    /* there are such beside those with a listener (notify engine) */
	struct taken *taken;
	struct taken *gone;          /* freed at the next call */
	bool retry;                  /* deferred execs are to be reported again */
	pthread_mutex_t lock;        /* the caller has it, but for the time it spends in engine_poll */
	engine_fast_path *fast_path; /* NULL: none */
	void *fast_path_user;
	struct engine_counts counts;
};

/* Sets up the common part. 0 or -ENOMEM. */
int engine_init(struct engine *engine, const struct engine_ops *ops, struct launch *launch);
void engine_release_common(struct engine *engine);

/* To be called before an exec is described in engine->rec: `key` names it among those that have no answer. */
void engine_describe(struct engine *engine, const void *key);

/* The key of an exec that is to be reported again, because its look is done; NULL: none. */
void *engine_looked(struct engine *engine);

/* To be called when an exec has its answer, or died. NULL: all. */
void engine_drop_look(struct engine *engine, const void *key);

/* To be called before the exec reported last is passed: what could not be read of it is counted. */
void engine_settle(struct engine *engine);

/* A new entry for a thread, put on the list. NULL without memory. */
struct taken *taken_new(struct engine *engine, pid_t tid);

/* Takes it off the list, with what is on record of it; it is freed once the caller has seen the event. */
void taken_drop(struct engine *engine, struct taken *taken);

/* The entry of a thread, as it is known now or was when seized; NULL when there is none. */
struct taken *taken_find(struct engine *engine, pid_t tid);

/* What a wait event means for an entry: drives the states above. */
void taken_child(struct engine *engine, struct taken *taken, const struct wait_event *wait, struct engine_event *ev);

/* A stop of its own, of one that may have no entry: it stays stopped. That of the root is the event. */
void taken_group_stop(const struct engine *engine, const struct wait_event *wait, struct engine_event *ev);

/* The exec of entry has happened: pid is its pid now. */
void taken_executed(struct engine *engine, struct taken *taken, pid_t pid, struct engine_event *ev);

/* Gives the parked process back: text, registers, answer. The entry is dropped. 0 or -errno. */
int taken_release(struct engine *engine, struct taken *taken);

/* True when the call of a notification is the one that the entry is parked in. */
bool taken_parks_in(const struct taken *taken, const struct seccomp_data *call);

/* Drops the entry and makes that the event. */
void taken_event(struct engine *engine, struct taken *taken, enum engine_event_type type, int err,
                 struct engine_event *ev);

#endif
