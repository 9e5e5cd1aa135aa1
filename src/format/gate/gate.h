/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files behind format/gate/gate.h share. */
#ifndef EXECTRACE_SRC_FORMAT_GATE_GATE_H
#define EXECTRACE_SRC_FORMAT_GATE_GATE_H

#include <exectrace/format/gate/gate.h>

#define GATE_DEPTH_MAX 65536u      /* calls of a stack that are followed */
#define GATE_STACKS_MAX (1u << 18) /* more are taken for one */
#define GATE_CPUS_MAX 4096u        /* the same */
#define GATE_FUNCTIONS_MAX (1u << 24)
#define GATE_QUEUE_MAX (1u << 20) /* events that wait */

enum gate_state {
	GATE_DROPPED, /* left out, or not yet told of in this window */
	GATE_PENDING, /* may be too short, or too long */
	GATE_KEPT,
};

struct gate_frame {
	uint64_t function;
	uint64_t time;    /* of its entry */
	uint64_t ran;     /* what its stack had run then */
	uint64_t covered; /* of it: in calls that are put out, ticks */
	uint64_t left;    /* of it: in calls that are left out, and not covered by others within those */
	uint32_t lefts;   /* how many */
	uint8_t state;    /* enum gate_state */
	bool wanted;      /* no list and no rule about interrupts leaves it out */
	bool interrupt;
	bool in_interrupt;
	uint64_t item; /* of a pending one: where it is in the queue */
};

struct gate_stack {
	uint64_t id, owner; /* owner: 0: none */
	uint32_t depth, cap, over;
	struct gate_frame *frames;
	uint64_t ran;     /* ticks in all, up to the last event of its CPU */
	uint64_t window;  /* in which it was used last */
	uint32_t running; /* on this CPU, plus 1; 0: on none */
	bool named;       /* gate_task has named it */
	bool wanted;
};

struct gate_cpu {
	struct gate_stack *stack, *before; /* in use, and before that; NULL: none */
	uint64_t last, time;               /* of its last event */
	bool begun;                        /* there was one */
};

/* What waits for the calls before it to be decided. */
struct gate_item {
	struct gate_event event;
	struct gate_stack *stack; /* of a pending call, or of what is left out in no call */
	uint32_t depth;           /* and where it is there, from 1 */
	uint8_t state;
	bool instead; /* a tail call that is a return when it is left out */
};

struct gate {
	struct gate_rules rules;
	gate_put_fn *put;
	void *user;
	void (*hold)(void *values); /* NULL: events have no values; both are */
	void (*drop)(void *values);
	struct gate_counts counts;
	/* windows */
	uint64_t window; /* number of the last one */
	bool open, done, full;
	bool begun;                /* there was an event */
	uint64_t now, base, since; /* times: of the last event, of the first one, of the start of the window */
	struct gate_stack *opener; /* the call that has started the window, if its exit is what stops it */
	uint32_t opener_depth;
	/* where it is */
	struct gate_cpu *cpus;
	uint32_t n_cpus, cpu;
	struct gate_stack **stacks; /* open addressing */
	uint32_t n_stacks, cap_stacks;
	bool tasks_only;
	bool unattributed;  /* gate_tell_unattributed */
	uint8_t *functions; /* flags, plus 1; 0: none given */
	uint64_t n_functions;
	/* the queue: positions only grow */
	struct gate_item *items;
	uint64_t head, tail, cap;
};

/* From one time to another; 0 when it is before, as with clocks of several CPUs. */
static inline uint64_t gate_passed(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

/* What time it is on a stack: on its CPU, whose events may come behind those of others. */
static inline uint64_t gate_now(const struct gate *g, const struct gate_stack *s)
{
	return s->running ? g->cpus[s->running - 1].time : g->now;
}

/* gate_stacks.c: the stack of a number. NULL: no memory. */
struct gate_stack *gate_stack(struct gate *g, uint64_t id);

/* gate_stacks.c: the CPU of a number. NULL: no memory. */
struct gate_cpu *gate_cpu(struct gate *g, uint32_t number);

/* gate_stacks.c: whether calls on a stack are wanted. */
bool gate_stack_wanted(struct gate *g, const struct gate_stack *s);

void gate_stacks_release(struct gate *g);

/* gate_queue.c: forgets all that waits. */
void gate_queue_release(struct gate *g);

/* gate_queue.c: adds an event that is decided. 0, -ENOMEM, or what put returned; so do the others. */
int gate_emit(struct gate *g, const struct gate_event *event);

/* gate_queue.c: adds what was left out on a stack in no call that is put out, to what of it was added last. */
int gate_emit_unattributed(struct gate *g, struct gate_stack *s, const struct gate_event *event);

/* gate_queue.c: decides all that waits, as far as it is known, and puts it out. */
int gate_drain(struct gate *g);

/* gate_window.c: at the end, see gate_tell_unattributed. */
int gate_tell_left(struct gate *g);

/* gate_queue.c: adds a call that is not, the innermost one of a stack. instead: see struct gate_item. */
int gate_wait(struct gate *g, const struct gate_event *event, struct gate_stack *s, bool instead);

/* gate_queue.c: a call that waited is put out, or left out. */
void gate_decide(struct gate *g, struct gate_frame *frame, bool keep);

/* gate_queue.c: decides the calls that are old enough, and puts out what need not wait any longer. */
int gate_flush(struct gate *g);

/* gate_window.c: a window begins, or ends; at an event, which is not put out itself. */
int gate_open(struct gate *g, const struct gate_event *event);
int gate_close(struct gate *g, const struct gate_event *event);

/* gate_window.c: before a stack is used in the window: the calls that are open on it. */
int gate_tell_open(struct gate *g, struct gate_stack *s, const struct gate_event *event);

/* gate_calls.c: a call or interrupt, or the end of one, on the stack in use. 0, -ENOMEM, or what put returned. */
int gate_on_call(struct gate *g, struct gate_stack *s, const struct gate_event *event);

/* gate_calls.c: decides a call that is over by now, if it is pending. */
void gate_end_wait(struct gate *g, struct gate_frame *frame, uint64_t time);

/* Whether a wanted call begins as pending. */
static inline enum gate_state gate_first_state(const struct gate *g, bool wanted)
{
	if (!wanted)
		return GATE_DROPPED;
	return g->rules.min || g->rules.max ? GATE_PENDING : GATE_KEPT;
}

/*
 * gate_calls.c: the innermost call of the depth given ends: what it was goes to the one around it, and what was left
 * out in it is put out if it is told of itself.
 */
int gate_settle(struct gate *g, struct gate_stack *s, uint32_t depth, const struct gate_event *event);

/* gate_queue.c: the longer it was, the more is known of a call: true when it is decided, and how in *keep. */
bool gate_known(const struct gate_rules *rules, uint64_t taken, bool ended, bool *keep);

#endif
