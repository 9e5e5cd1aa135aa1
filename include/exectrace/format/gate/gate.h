/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A gate in a stream of calls: each call, return and interrupt goes in, what a control_config (format/gate/config.h)
 * wants comes out, in the same order, at once or, with shortest and longest times, as soon as it is decided. Pure:
 * where events come from and where they go is the caller's, a guest that runs or a recording.
 *
 * The stream is that of a recording: a GATE_SWITCH says on which stack and CPU what follows happens. What is put out is
 * again such a stream. A window is the time from a start to a stop; without triggers there is one, from the first
 * event. The start and the stop belong to it as one would draw it: the entry of a function that starts it and the
 * return from one that stops it are within, the return from one that starts it and the entry of one that stops it are
 * not. When the same function starts it by its entry and stops it by its exit, the exit is that of the same call.
 *
 * Calls that are open where a window begins are put out as if they began when their stack is used first in it; calls
 * that are open at its end are put out as GATE_UNWIND. What is left out within a call that is put out is told by a
 * GATE_FILTERED before it ends, so that its own time can be known.
 */
#ifndef EXECTRACE_FORMAT_GATE_GATE_H
#define EXECTRACE_FORMAT_GATE_GATE_H

#include <exectrace/format/gate/config.h>

enum gate_kind {
	GATE_CALL,      /* number: function */
	GATE_RETURN,    /* from the function called last on the stack */
	GATE_TAIL,      /* number: function that takes the place of the one called last */
	GATE_IRQ_ENTER, /* number: function that an interrupt or exception enters */
	GATE_IRQ_EXIT,  /* the return from it; what it called is over too */
	GATE_UNWIND,    /* the call or interrupt entered last is over, unseen */
	GATE_SWITCH,    /* number: stack; and cpu */
	GATE_OTHER,     /* whatever has to stay in its place: comes out as it went in, in a window or not */
	/* These only come out: */
	GATE_FILTERED, /* number: how many calls were left out in the call entered last, or see gate_tell_unattributed;
	                  ticks: how long they took */
	GATE_OPENED,   /* number: of the window that begins, from 1 */
	GATE_CLOSED,   /* number: of the window that ends */
};

struct gate_event {
	enum gate_kind kind;
	uint32_t cpu;    /* of a switch and of GATE_OTHER */
	uint64_t number; /* see above; of GATE_OTHER anything */
	uint64_t clock;  /* of the recording: comes out as it went in */
	uint64_t time;   /* for triggers and limits, in the ticks of gate_rules */
	uint64_t ticks;  /* of the clock */
	unsigned fires;  /* of a call or return: triggers whose comparisons hold for it (enum control_function) */
	void *values;    /* of a call or return: comes out with it, see gate_take_values */
};

/* What a gate does, in ticks. */
struct gate_rules {
	enum control_when start, stop;
	uint64_t start_time, stop_time;
	uint64_t min, max; /* 0: any */
	enum control_irq irq;
	uint64_t entries; /* 0: any number */
	bool autorepeat;
	bool start_compares, stop_compares; /* they fire only for events that say so */
};

/* Takes what comes out. 0, or what gate_take and gate_end are to return. */
typedef int gate_put_fn(void *user, const struct gate_event *event);

/* What was counted; KFI's "Filter Counters". */
struct gate_counts {
	uint64_t entries;   /* calls and interrupts put out */
	uint64_t functions; /* left out: no wanted function, or task */
	uint64_t irq;       /* left out: in an interrupt, or not */
	uint64_t times;     /* left out: too short, or too long */
	uint64_t strays;    /* returns without a call */
	uint64_t forced;    /* taken because too many calls waited for their end */
};

struct gate;

/* The rules of a configuration, for times of `hz` ticks a second. */
void gate_rules_of(struct gate_rules *rules, const struct control_config *config, uint64_t hz);

/* A new gate; gate_free frees it. NULL: no memory. */
struct gate *gate_new(const struct gate_rules *rules, gate_put_fn *put, void *user);
void gate_free(struct gate *gate);

/*
 * What a function is (enum control_function), before it is first in an event; others are CONTROL_WANTED. 0; -EINVAL for
 * a number above 2^24; -ENOMEM.
 */
int gate_function(struct gate *gate, uint64_t function, unsigned what);

/* Whether the task that a stack is of from now on is wanted; those that nothing is said of are. 0 or -ENOMEM. */
int gate_task(struct gate *gate, uint64_t stack, bool wanted);

/* Stacks that no gate_task has named are not wanted, but for a stack that belongs to one: it is as its owner. */
void gate_tasks_only(struct gate *gate);
int gate_owner(struct gate *gate, uint64_t stack, uint64_t owner);

/*
 * What is left out in no call that is put out is told as well, by a GATE_FILTERED on its stack when it is over; at the
 * end, what is left out in the innermost calls that are open. Before the first event.
 */
void gate_tell_unattributed(struct gate *gate);

/*
 * Events may have values, which live as long as somebody holds them: while an event waits the gate does. Before the
 * first event.
 */
void gate_take_values(struct gate *gate, void (*hold)(void *values), void (*drop)(void *values));

/* The next event. 0, -ENOMEM, or what put returned. */
int gate_take(struct gate *gate, const struct gate_event *event);

/* Puts out what waits: the stream ends. Calls that are open stay so. As gate_take. */
int gate_end(struct gate *gate);

/* True within a window: events of other kinds, such as system calls, are wanted. */
bool gate_is_open(const struct gate *gate);

/* True when calls on this stack are wanted, as far as tasks matter. */
bool gate_wants(struct gate *gate, uint64_t stack);

/* The function of the innermost call on the stack in use; 0: there is none. */
uint64_t gate_innermost(const struct gate *gate);

/* True when no window will ever come. */
bool gate_is_done(const struct gate *gate);

/* What was counted up to now. */
struct gate_counts gate_counts(const struct gate *gate);

#endif
