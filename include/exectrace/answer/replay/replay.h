/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calls of a guest (or of an imported log) as they were: a stack of open calls for each of the guest's stacks. A
 * call is given its own time and nothing else: while its stack does not run, because another one has the CPU, its time
 * stands still, and so it does while an interrupt runs on its stack. How long its task had no CPU is told apart.
 *
 * What files hold may be anything: returns without a call are passed over, what is too deep is counted with the call
 * that it is in. Times are ticks of what replay_clock says.
 */
#ifndef EXECTRACE_ANSWER_REPLAY_REPLAY_H
#define EXECTRACE_ANSWER_REPLAY_REPLAY_H

#include <exectrace/answer/recording/recording.h>
#include <exectrace/format/data/signature.h>
#include <exectrace/format/gate/config.h>

#define REPLAY_DEPTH_MAX 65536u /* open calls of a stack */
#define REPLAY_UNKNOWN 0u       /* the number of the function that stands for those without a record */

struct replay;

struct replay_function {
	uint32_t number;                   /* 0, 1, ... in the order in which they were defined */
	uint64_t address;                  /* 0: unknown */
	uint64_t size;                     /* bytes, 0: unknown */
	const char *name;                  /* demangled; "[unknown]" */
	const char *module;                /* its file without the directory, "[kernel]"; "" unknown */
	const struct signature *signature; /* what its arguments and result are; NULL: not known */
};

/* An open call or interrupt. */
struct replay_frame {
	uint32_t function; /* its number */
	bool interrupt;    /* it is the first function of one, ... */
	bool in_interrupt; /* ... or within one */
	bool outside;      /* it began behind options.until */
	bool asked;       /* it is within an interrupt, but itself, or a caller there, was asked for (see asked_only) */
	bool bare;        /* an interrupt in which nothing has been asked for yet, or what was left out in one */
	bool named;       /* the first function of the interrupt that it is, or is in, is in a list itself */
	uint8_t flags;    /* the sink's: 0 when the call begins */
	uint32_t called;  /* the function that was called, when that has jumped to this one; else REPLAY_UNKNOWN */
	uint64_t entered; /* tick */
	uint64_t before;  /* what its stack had run then */
	uint64_t inner;   /* of what its stack has run since then: in calls that it made and that are over */
	uint64_t mark;    /* the sink's */
	uint64_t waited;  /* what its task had waited then */
};

struct replay_stack {
	uint32_t number; /* 0, 1, ... */
	uint64_t id;     /* as recorded */
	uint32_t pid, tgid;
	const char *task;                 /* name of the task; "" unknown */
	uint32_t tasks;                   /* how often that was updated */
	uint32_t cpu;                     /* it runs there, or ran last */
	bool running;                     /* it does */
	uint64_t since;                   /* tick: `ran` has told, or will tell, of the time until or from then */
	uint32_t depth;                   /* open calls */
	struct replay_frame *frames;      /* `depth` of them, the outermost first; they move when there is a new one */
	const struct replay_stack *below; /* see replay_whole */
	void *user;                       /* the sink's */
};

/* A call that is over. */
struct replay_call {
	const struct replay_frame *frame; /* no longer among those of the stack, which are those around it */
	uint64_t left;                    /* tick */
	uint64_t total;                   /* what it ran, with the calls that it made */
	uint64_t self;                    /* without them */
	uint64_t elapsed;                 /* from its beginning to its end, of the time that is wanted */
	uint64_t waited;                  /* of that its task had no CPU for so long */
	bool outside;                     /* all of it is before or behind the time that is wanted */
	bool ended;                       /* false: it was still open at the end of the recording */
	bool seen;                        /* false: its end was not seen, only that it was over then */
};

/* What is told of each call. Functions return 0, or -errno to end the replay. Those that are NULL are not called. */
struct replay_sink {
	void *ctx;
	/* A call or interrupt began: stack->frames[stack->depth - 1]. */
	int (*enter)(void *ctx, struct replay_stack *stack);
	int (*leave)(void *ctx, struct replay_stack *stack, const struct replay_call *call);
	/* A stack, as the task that it is, has run for so long on a CPU; with the interrupts on it. */
	int (*ran)(void *ctx, struct replay_stack *stack, uint32_t cpu, uint64_t ticks);
	/* A stack that runs on this CPU (NULL: none is known) lets the task of another one run. */
	int (*woke)(void *ctx, struct replay_stack *stack, struct replay_stack *woken, bool is_new, uint64_t now);
	/* A stack that runs is about to wait for a lock, which is known by its address and held by another stack's
	 * task. */
	int (*held)(void *ctx, struct replay_stack *stack, struct replay_stack *holder, uint64_t lock, uint64_t now);
	/*
	 * The guest's kernel logged a message, which stays until the function returns; `now` is the tick of its CPU.
	 * stack: what logged it, NULL: none is known. Triggers and filters leave none out.
	 */
	int (*message)(void *ctx, struct replay_stack *stack, const struct data_message *m, uint64_t now);
	/* A task was made, or executed a program: a DATA_THREAD or DATA_EXEC record, which stays until it returns. */
	int (*process)(void *ctx, const struct data_event *event);
	/* The task of a stack changes: after `ran`, before it is so. */
	int (*task)(void *ctx, struct replay_stack *stack);
	/*
	 * Whether what a stack runs counts, as the task that it is: a call that was made while it did not starts
	 * over when it does. NULL: it always does.
	 */
	bool (*counts)(void *ctx, struct replay_stack *stack);
	bool unattributed; /* what was left out in no call is told as a call, too: for those that add up */
	/*
	 * Where the options list functions or modules, interrupts are told of only when a function of the lists is
	 * called in them, before that: their frames have the time at which they began.
	 */
	bool asked_only;
	/*
	 * With asked_only: an interrupt is over that was not told of. What it interrupted has not run meanwhile. The
	 * function of its frame is the one that stands for what is left out.
	 */
	int (*bare)(void *ctx, struct replay_stack *stack, const struct replay_call *call);
};

/* How to replay; all 0 is the default. */
struct replay_options {
	bool host_time; /* ticks are ns of the host, between the moments at which both clocks were recorded */
	bool timed;     /* only what ran in [from, until), ns since the start: calls are shortened to that */
	uint64_t from, until;
	const struct control_config
		*control; /* triggers and filters, as if they had been there when it was recorded; NULL: none */
};

/* What ticks are. */
struct replay_clock {
	uint32_t kind; /* enum data_clock_kind */
	uint64_t hz;   /* ticks a second; 0: they are no time */
};

/*
 * A replay of file number `file` of r, which must outlive it. *ret is set on success only. 0; -EINVAL with a line in
 * why when its clock cannot give what the options ask for; -ENOMEM.
 */
int replay_new(struct replay **ret, struct recording *r, size_t file, const struct replay_options *options,
               struct buf *why);

/* Frees it. NULL is allowed. */
void replay_free(struct replay *p);

/*
 * Goes through the file from its beginning; may be done again. At the end the calls that are still open are left, the
 * inner ones first. What is wrong with the file becomes a note of the recording. 0, -ENOMEM, or what the sink returned.
 */
int replay_run(struct replay *p, const struct replay_sink *sink);

/* Likewise without the triggers and filters of the options: what was recorded. */
int replay_run_all(struct replay *p, const struct replay_sink *sink);

/* The triggers and filters of the options; NULL when they leave nothing out. */
const struct control_config *replay_control(const struct replay *p);

struct replay_clock replay_clock(const struct replay *p);

/* The file that it is of. */
const struct recorded_file *replay_file(const struct replay *p);

/* The tick at which the recording began. */
uint64_t replay_start(const struct replay *p);

/* The ticks of options.from and until; of the start, and UINT64_MAX, when all is wanted. */
void replay_bounds(const struct replay *p, uint64_t *from, uint64_t *until);

/* The tick of a CPU, while something is told of it. */
uint64_t replay_now(const struct replay *p, uint32_t cpu);

/*
 * With options.host_time: the time of the host, in ns, when the recorded clock of a CPU was at `clock`. Without it, or
 * when the recorded clock counts time, `clock` itself.
 */
uint64_t replay_host_at(const struct replay *p, uint32_t cpu, uint64_t clock);

/* How long the CPUs were followed, together; and how long the longest of them. After replay_run. */
uint64_t replay_cpu_time(const struct replay *p);
uint64_t replay_length(const struct replay *p);

/* The functions known by now, by their numbers; at least the unknown one. They stay until replay_free. */
size_t replay_functions(const struct replay *p);
const struct replay_function *replay_function(const struct replay *p, uint32_t number);

/* Whether it is of a module of the guest's kernel. */
bool replay_in_module(const struct replay_function *f);

#define REPLAY_WHOLE 8u /* stacks that one whole stack is made of, at most */

/*
 * The stacks that a whole one is made of, this one first, then the one that it interrupted or, of a program, that
 * called the kernel, and so on: an interrupt may have a stack of its own, and so has a program. How many they are, up
 * to REPLAY_WHOLE. Those without open calls are not among them, but for the first. Valid while a sink is told
 * something.
 */
size_t replay_whole(const struct replay_stack *s, const struct replay_stack *list[REPLAY_WHOLE]);

/* The last one of these: that of the task that was interrupted, or of the program that called. */
const struct replay_stack *replay_bottom(const struct replay_stack *s);

/* The stacks known by now, by their numbers. They stay until replay_free, or the next replay_run. */
size_t replay_stacks(const struct replay *p);
struct replay_stack *replay_stack(const struct replay *p, uint32_t number);

/*
 * While a sink is told of a call that begins: its arguments; of one that is over: its result. NULL: not recorded. Valid
 * until the sink returns.
 */
const struct data_values *replay_args(const struct replay *p);
const struct data_values *replay_result(const struct replay *p);

/* What the recorder noted. */
const struct strv *replay_notes(const struct replay *p);

#endif
