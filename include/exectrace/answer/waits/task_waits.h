/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tasks of a guest's kernel waited in, and who let them run again: gathered by the sink of a replay, which
 * tells of all that it is told. Times are ticks of the replay. Only Linux is known: a task waits where it has called
 * schedule(), and not where its processor is only taken away (kernel/sched/core.c).
 */
#ifndef EXECTRACE_ANSWER_WAITS_TASK_WAITS_H
#define EXECTRACE_ANSWER_WAITS_TASK_WAITS_H

#include <exectrace/answer/replay/replay.h>

#define WAITS_MAX (4u << 20) /* of all tasks; later ones are not kept */
#define WAITS_NOBODY UINT32_MAX

enum wait_end {
	WAIT_NOT_ENDED,    /* nobody was seen to end it */
	WAIT_BY_TASK,      /* another task ended it, */
	WAIT_BY_TIMER,     /* a timer, */
	WAIT_BY_INTERRUPT, /* or an interrupt of something else */
};

struct task_wait {
	uint64_t from, to; /* to: UINT64_MAX when it lasts until the recording ends */
	uint64_t woken;    /* when it was ended; it then had to wait for a processor */
	uint32_t waker;    /* WAIT_BY_TASK: the number of that task */
	uint32_t function; /* of the kernel, in which it waits: the caller of schedule() and its like, ... */
	uint32_t purpose;  /* the first function around, or that itself, which says what for; as synchronize_rcu */
	uint32_t caller;   /* ... and the nearest function of a module around that; REPLAY_UNKNOWN: there is none */
	uint32_t call;     /* the function of the system call around it; REPLAY_UNKNOWN: there is none */
	uint64_t before;   /* its task waited so long before */
	const char *task;  /* its name then; it stays as long as the recording */
	enum wait_end end;
	uint16_t cpu;       /* on which it ran then */
	bool preempted : 1; /* it did not wait, its processor was taken away */
	bool for_child : 1; /* a parent waits for a child */
	bool idle : 1;      /* a thread of the kernel waits for work: who gives it some is not waited for */
};

/* A task: what runs on a kernel stack under one process id. */
struct waits_task {
	uint32_t pid, tgid;      /* 0: of an idle one */
	uint32_t stack;          /* number of its kernel stack */
	const char *name;        /* the last one */
	uint32_t parent;         /* number of the task that made it; WAITS_NOBODY: not known */
	uint64_t began;          /* when it was made, or seen first */
	bool ended;              /* it has */
	bool kernel;             /* a thread of the kernel */
	uint32_t previous;       /* the task that had the process id before; WAITS_NOBODY: none */
	struct task_wait *waits; /* in the order of time */
	size_t n, cap;
};

struct task_waits;

/* *ret is set on success only. 0 or -ENOMEM. */
int task_waits_new(struct task_waits **ret, struct replay *p);

/* NULL is allowed. */
void task_waits_free(struct task_waits *w);

/* For each `enter`, and `leave` of a call that ended. */
void task_waits_goes_on(struct task_waits *w, const struct replay_stack *stack);

/* What `ran` and `woke` of a sink are told. 0 or -ENOMEM. */
int task_waits_ran(struct task_waits *w, const struct replay_stack *stack, uint64_t ticks);
int task_waits_woke(struct task_waits *w, const struct replay_stack *stack, const struct replay_stack *woken,
                    bool is_new, uint64_t now);

/* A sink that does nothing else. */
struct replay_sink task_waits_sink(struct task_waits *w);

/* The tasks by their numbers: 0, 1, ... */
size_t task_waits_count(const struct task_waits *w);
const struct waits_task *task_waits_at(const struct task_waits *w, uint32_t number);

/* The task whose stack that was last; WAITS_NOBODY: none. */
uint32_t task_waits_on(const struct task_waits *w, uint32_t stack);

/* The last wait of a task that began before a tick; NULL: none. */
const struct task_wait *waits_task_before(const struct waits_task *task, uint64_t tick);

/* How long until a tick the task with a process id had waited; of an idle one, that with a kernel stack. */
uint64_t task_waits_until(const struct task_waits *w, uint32_t pid, uint32_t stack, uint64_t tick);

/* The task that ran last and was no idle one; WAITS_NOBODY: none. */
uint32_t task_waits_last(const struct task_waits *w);

/* Whether a function is of the scheduler: what waits in it is its caller. */
bool task_waits_is_scheduler(struct task_waits *w, uint32_t function);

/* The last tick at which something ran. */
uint64_t task_waits_end(const struct task_waits *w);

/* True when it was recorded who lets which task run. */
bool task_waits_has_wakes(const struct task_waits *w);

#endif
