/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files behind answer/replay/replay.h share. */
#ifndef EXECTRACE_ANSWER_REPLAY_REPLAY_STATE_H
#define EXECTRACE_ANSWER_REPLAY_REPLAY_STATE_H

#include <exectrace/answer/recording/parts.h>
#include <exectrace/answer/replay/replay.h>

#define REPLAY_CPUS 4096u        /* higher numbers are taken for the last one */
#define REPLAY_STACKS (1u << 18) /* more are taken for one */
#define REPLAY_DENSE (1u << 20)  /* identifiers of functions below that have a place in a table */
#define REPLAY_NOTES 16u
#define REPLAY_FILTERED UINT64_MAX /* the function that stands for what the gate leaves out; no recorder numbers so */

/* A task, which may have a stack in the kernel and one of its program; or a stack whose task is not known. */
struct rtask {
	uint64_t waited; /* it had no CPU for so long, until `left` */
	uint64_t left;   /* tick: it does not run since then */
	bool seen;       /* it has run */
	bool running;
};

/* A stack: what others see first. */
struct rstack {
	struct replay_stack public;
	struct rtask *task;
	struct rtask own; /* when no other stack is known to be of its task */
	uint64_t ran;     /* while it does not run: ticks until then, interrupts on it left out */
	uint64_t offset;  /* while it runs: ran is the CPU's clock plus this, modulo 2^64 */
	uint32_t over;    /* calls that are too deep to be followed */
	uint32_t cap;
};

/* Both clocks at one moment. */
struct moment {
	uint64_t clock, ns;
};

/* Between two of them. */
struct moment_cursor {
	size_t at;
	double rate; /* ns a tick behind moments[at] */
};

struct rcpu {
	struct rstack *stack; /* runs there; NULL: not known */
	struct rtask *task;   /* the same; where an interrupt has a stack of its own, the one that was interrupted */
	uint64_t last;        /* by the clock of the records */
	uint64_t start, now;  /* ticks: of its first record, of the last one */
	bool any;
	struct moment *moments; /* in order of both; only when host time is asked for */
	size_t n, cap;
	struct moment_cursor here, gate; /* of the records that are replayed; of those that the gate takes */
};

struct replay {
	struct recording *recording;
	struct source *source;
	struct replay_options options;
	struct replay_clock clock;
	bool bounded; /* from and until are ticks */
	uint64_t from, until;
	uint64_t exact; /* ticks of the record at hand, not moved into from ... until */
	int where;      /* the record at hand is before (-1), within (0) or behind (1) these */
	const struct replay_sink *sink;
	struct replay_kept *kept; /* of the record that is next: what its call was given, or gave; NULL: not known */
	size_t notes_before;      /* of the recording: those of others */
	/* where it is */
	struct rcpu *cpus;
	size_t n_cpus, cap_cpus;
	uint32_t cpu;
	struct rstack *stack; /* of that CPU */
	/* stacks */
	struct rstack **stacks;
	size_t n_stacks, cap_stacks;
	struct idmap stacks_by_id;
	struct idmap tasks; /* struct rtask by process id */
	/* functions */
	struct replay_function *functions;
	size_t n_functions, cap_functions;
	uint32_t *dense; /* by identifier: number */
	size_t n_dense;
	struct idmap sparse; /* by identifier: number, as a pointer */
	struct idmap files;  /* by identifier: name of the module, in the pool of the recording */
	struct strv notes;
	struct replay_gate *gate; /* NULL: all is wanted; what comes out of it is in ticks of `clock` */
	uint8_t *listed; /* by number of a function: 2 when it is in a list of the options, 1 when not; 0: not known */
	size_t n_listed;
};

/*
 * A record that has come through the gate; functions are numbers of the replay. 0, -ENOMEM, or what the sink returned.
 */
int replay_apply(struct replay *p, const struct data_event *event);

/* --- replay_names.c ------------------------------------------------------------------------------------------------
 */

/* Takes what a FUNCTION or FILE record defines. 0 or -ENOMEM. */
int replay_define(struct replay *p, const struct data_event *event);

/* Begins with the unknown function only. 0 or -ENOMEM. */
int replay_names_init(struct replay *p);
void replay_names_release(struct replay *p);

/* The number of a function. */
static inline uint32_t replay_number(const struct replay *p, uint64_t id)
{
	if (__builtin_expect(id < p->n_dense, 1))
		return p->dense[id];
	return (uint32_t)(uintptr_t)idmap_get(&p->sparse, id, 0);
}

/* --- replay_clock.c ------------------------------------------------------------------------------------------------
 */

/* Settles what ticks are, which may take a look at all of the file. 0; -EINVAL with a line in why; -ENOMEM. */
int replay_clock_init(struct replay *p, struct buf *why);

/* Whether the time of the host was looked for, and found on some CPU. */
bool replay_knows_host_time(const struct replay *p);

/* Back to the first moment. */
void replay_clock_rewind(struct rcpu *cpu);

/* A value of the recorded clock of a CPU, not lower than the one before of this cursor, as ns of the host. */
uint64_t replay_host_time(const struct rcpu *cpu, struct moment_cursor *cursor, uint64_t clock);

/* --- replay_switch.c -----------------------------------------------------------------------------------------------
 */

/* Makes room for more calls on a stack; false: it is too deep, or no memory. */
bool replay_deepen(struct rstack *s);

/* The CPU of a number. NULL: no memory. */
struct rcpu *replay_cpu(struct replay *p, uint32_t number);

/* The stack of an identifier, made when it is new. NULL: no memory. */
struct rstack *replay_stack_of(struct replay *p, uint64_t id);

/* The records that follow are of another stack or CPU. 0, -ENOMEM, or what the sink returned; so do the others. */
int replay_on_switch(struct replay *p, uint64_t clock, uint64_t id, uint32_t number);

/* A task is about to wait for another one. */
int replay_on_held(struct replay *p, const struct data_event *event);

/* A task may run again. */
int replay_on_wake(struct replay *p, const struct data_event *event);

/* The text of a record that is not one of a call: the name of a task, or what was logged. NULL: it has none. */
struct data_text *replay_text_of(struct data_event *event);

/* The CPU that a record names; `otherwise` when it names none. */
uint32_t replay_cpu_of(const struct data_event *event, uint32_t otherwise);

/* The guest's kernel logged something. */
int replay_on_message(struct replay *p, const struct data_event *event);

/* A stack is another task. */
int replay_on_task(struct replay *p, const struct data_event *event);

/* Forgets all stacks. */
void replay_forget_stacks(struct replay *p);

/* A stack does not run any more. */
int replay_sched_out(struct replay *p, struct rstack *s, uint64_t now);

/* The end of the recording: until when the task of a stack has waited that does not run. */
void replay_waits_end(struct rstack *s, uint64_t end);

/* Forgets the tasks. */
void replay_tasks_release(struct replay *p);

/* The clock of a CPU goes on; what it is in ticks. It never goes back. */
static inline uint64_t replay_go_on(struct replay *p, struct rcpu *cpu, uint64_t clock)
{
	bool first = !cpu->any;

	if (__builtin_expect(clock < cpu->last, 0))
		clock = cpu->last;
	cpu->last = clock;
	p->exact = clock;
	if (__builtin_expect(p->bounded || p->options.host_time, 0)) {
		if (p->clock.kind != p->source->public.guest_clock && !p->gate)
			p->exact = clock = replay_host_time(cpu, &cpu->here, clock);
		p->where = p->bounded ? (clock >= p->until) - (clock < p->from) : 0;
		if (p->where)
			clock = p->where < 0 ? p->from : p->until;
		if (clock < cpu->now)
			clock = cpu->now;
	}
	if (__builtin_expect(first, 0)) {
		cpu->any = true;
		cpu->start = clock;
	}
	return cpu->now = clock;
}

/* --- replay_lists.c ------------------------------------------------------------------------------------------------
 */

/* Whether functions or modules are asked for; when there is a gate. */
bool replay_has_lists(const struct replay *p);

/*
 * The innermost call of a stack is new: settles whether a list asks for it, and tells the sink of the interrupts that
 * it is in. 1: the sink is to be told of it; 0; -ENOMEM, or what the sink returned.
 */
int replay_list_enter(struct replay *p, struct rstack *s);

/* The innermost call of a stack, which is bare, is over, and no longer among its frames. 0, or what the sink returned.
 */
int replay_list_leave(const struct replay *p, struct rstack *s, const struct replay_call *call);

/* --- replay.c ------------------------------------------------------------------------------------------------------
 */

/* Before the file is read from its beginning: forgets what was wrong with it. */
void replay_rewind(struct replay *p);

#endif
