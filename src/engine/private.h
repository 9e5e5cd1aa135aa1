/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the engines share: the common part of struct engine, and the picked processes in our hands. */
#ifndef EXECTRACE_SRC_ENGINE_PRIVATE_H
#define EXECTRACE_SRC_ENGINE_PRIVATE_H

#include "shared.h"
#include <exectrace/engine/engine.h>
#include <exectrace/tracee/capture.h>
#include <exectrace/tracee/inject.h>
#include <exectrace/tracee/yama.h>
#include <pthread.h>

enum taken_state {
	TAKEN_HELD,      /* waits in its execve, unanswered */
	TAKEN_RESTARTED, /* told to execute anew: its next notification is not news */
	TAKEN_WAITING,   /* seized, execve let go: event or failure to come */
	TAKEN_STANDS,    /* stopped at PTRACE_EVENT_EXEC */
	TAKEN_PARKING,   /* on its way to the end of execve, to be parked there */
	TAKEN_ENTERING,  /* detached, on its way into the park call */
	TAKEN_PARKED,    /* attached to nobody, waits */
	TAKEN_WRAPPING,  /* on its way to the end of execve, to be given another execve */
	TAKEN_CALLING,   /* on its way into that execve */
	TAKEN_CALLED,    /* in it */
};

/* A picked process in our hands. */
struct taken {
	struct tracee pub; /* first: the caller has a pointer to this */
	struct taken *next;
	enum taken_state state;
	pid_t group;            /* its process, when it was taken */
	pid_t seized;           /* thread that was seized: another than pub.tid before a non-leader's exec */
	bool root;              /* it is the root command */
	bool anew;              /* TAKEN_WAITING: its execve was interrupted, and will be notified again */
	struct slot *slot;      /* its unanswered notification, NULL when there is none */
	struct park_slot *park; /* NULL when not parked */
	struct inject inject;   /* while wrapping */
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
	void (*again)(struct engine *engine);                    /* NULL: cannot */
	int (*hold)(struct engine *engine, struct taken *taken); /* NULL: cannot */
	/* NULL without hold and PARK_CALL. Answers an unanswered notification: ANSWER_CONTINUE, a negative errno value,
	 * or 0; and whether it still waits. */
	int (*answer)(struct engine *engine, struct slot *slot, int error);
	bool (*waits)(struct engine *engine, const struct slot *slot);
	/* Lets a stopped, taken process run. follow: its children are still to be seen. */
	void (*resume)(struct engine *engine, struct taken *taken, bool follow);
	enum park_kind park_kind;
	bool (*finished)(struct engine *engine);
	void (*end)(struct engine *engine);
};

extern const struct engine_ops engine_notify;
extern const struct engine_ops engine_ptrace;

struct engine {
	const struct engine_ops *ops;
	struct launch *launch;
	enum yama yama; /* YAMA_NOBODY: there is no engine */
	struct lineage *lineage;
	struct target_cache *cache;
	struct exec_record rec; /* the exec reported last */
	struct capture capture; /* of it */
	struct taken *taken;
	struct taken *gone;    /* freed at the next call */
	bool retry;            /* deferred execs are to be reported again */
	pthread_mutex_t lock;  /* the caller has it, but for the time it spends in engine_poll */
	engine_glance *glance; /* NULL: none */
	void *glance_user;
	struct engine_counts counts;
};

#define ANSWER_CONTINUE 1 /* for answer: the call goes on */
#define ANSWER_AGAIN -513 /* it begins anew: -ERESTARTNOINTR (include/linux/errno.h of the kernel) */

/* Sets up the common part. 0 or -ENOMEM. */
int engine_init(struct engine *engine, const struct engine_ops *ops, struct launch *launch);
void engine_release_common(struct engine *engine);

/* A new entry for a thread, put on the list. NULL without memory. */
struct taken *taken_new(struct engine *engine, pid_t tid);

/* Takes it off the list; it is freed once the caller has seen the event. */
void taken_drop(struct engine *engine, struct taken *taken);

/* The entry of a thread, as it is known now or was when seized; NULL when there is none. */
struct taken *taken_find(struct engine *engine, pid_t tid);

/* What a wait event means for an entry: drives the states above. */
void taken_child(struct engine *engine, struct taken *taken, const struct wait_event *wait, struct engine_event *ev);

/* The exec of entry has happened: pid is its pid now. */
void taken_executed(struct engine *engine, struct taken *taken, pid_t pid, struct engine_event *ev);

/* Looks for a parked thread that has got into its sleep: only there can it be woken. 1 with *ev, else 0. */
int taken_asleep(struct engine *engine, struct engine_event *ev);

/* Drops the entry and makes that the event. */
void taken_event(struct engine *engine, struct taken *taken, enum engine_event_type type, int err,
                 struct engine_event *ev);

#endif
