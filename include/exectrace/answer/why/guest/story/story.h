/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a recorded guest went through: the phases of its boot, what took most in each, what its tasks waited in, and
 * where its kernel warned, oopsed or panicked. Times are since its recording began: ns, or ticks of
 * a clock that counts no time. Each of the folders beside this one finds a part of it, and puts that on the page.
 */
#ifndef EXECTRACE_ANSWER_WHY_GUEST_STORY_STORY_H
#define EXECTRACE_ANSWER_WHY_GUEST_STORY_STORY_H

#include <exectrace/answer/format/jsonl.h>
#include <exectrace/answer/recording/pool.h>
#include <exectrace/answer/recording/recording.h>
#include <exectrace/answer/report/shapes.h>
#include <exectrace/answer/why/guest/story/tasks.h>
#include <exectrace/format/gate/outcome.h>

#define GUEST_PHASES 8u   /* at most */
#define GUEST_TOP 3u      /* of each sort, in a phase */
#define GUEST_TROUBLES 8u /* that are kept */
#define GUEST_LINEAGE 6u  /* processes, one the parent of the other */
#define GUEST_TALKS 6u    /* calls into a module that are kept */
#define GUEST_LINES 4u    /* of what the kernel logged, of a trouble, ... */
#define GUEST_LAST 3u     /* ... and those at the end */

/* All names stay as long as the recording and the story. */
struct guest_function {
	const char *name, *module;          /* module: "" unknown */
	uint64_t time;                      /* that it took by itself, in interrupts too */
	const char *caller, *caller_module; /* the function of another module that had it run mostly; NULL: none */
};

/* An initcall (also of a module), or a program. */
struct guest_item {
	const char *name;
	uint32_t pid;  /* of a program */
	uint64_t time; /* of an initcall: from its beginning to its end; of a program: that it ran */
	bool ended;
};

/* What a task that belongs to a program waited in. */
struct guest_wait {
	const char *task;
	uint32_t pid;
	const char *function; /* of the kernel, ... */
	const char *call;     /* ... within this one, as "__x64_sys_wait4"; "" none */
	uint64_t time;
};

enum guest_delay_kind {
	GUEST_RAN,
	GUEST_WAITED,
	GUEST_READY, /* it had no processor */
};

/* Links of the chain of who waited for whom that are alike. */
struct guest_delay {
	enum guest_delay_kind kind;
	const char *task; /* the first of `tasks` that ran the same command for one parent */
	uint32_t pid;
	uint32_t tasks;
	const char *command;      /* that it ran, ready for a shell; NULL: unknown */
	struct guest_place place; /* in which it waited */
	const char *end;          /* who ended it: "a timer" */
	const char *waiter;       /* the task that waited for it longest meanwhile, ... */
	uint32_t waiter_pid;
	const char *waiter_command;
	uint64_t waiter_time;
	const char *waiter_in, *waiter_call; /* ... and what in */
	const char *rival;                   /* GUEST_READY: who had the processor longest meanwhile; "" unknown */
	uint32_t rival_pid;
	const char *rival_command;
	const char *rival_policy; /* of a real-time task: "SCHED_FIFO"; "" of others */
	uint64_t rival_time;
	uint32_t others; /* GUEST_READY: so many more commands, or tasks without any, did not get it because of that one
	                  */
	uint64_t at;     /* the first one began */
	uint64_t time, count, min, max;
	struct guest_function
		functions[GUEST_TOP]; /* GUEST_RAN: that took most by themselves; GUEST_READY: of others */
	size_t n_functions;
	struct guest_function inside; /* the function of a program that took most, with what that had the kernel do;
	                                 name NULL: there is none */
};

struct guest_phase {
	const char *name;
	uint64_t from, to;
	uint64_t busy, idle; /* of all its processors together */
	struct guest_function functions[GUEST_TOP];
	size_t n_functions;
	struct guest_item initcalls[GUEST_TOP], programs[GUEST_TOP];
	size_t n_initcalls, n_programs;
	struct guest_wait waits[GUEST_TOP];
	size_t n_waits;
};

enum guest_trouble_kind {
	GUEST_WARNING,
	GUEST_OOM,  /* a task was killed for lack of memory */
	GUEST_HANG, /* it logged that a task or a processor hangs */
	GUEST_OOPS,
	GUEST_PANIC,
	GUEST_TROUBLE_KINDS,
};

/* A process, its parent, and so on. */
struct guest_lineage {
	struct guest_command list[GUEST_LINEAGE];
	size_t n;
};

/* A call into a module from elsewhere. */
struct guest_talk {
	uint64_t at;    /* the last of `count` that are alike: ... */
	uint64_t count; /* ... the same function and caller, by one task, or in interrupts of any */
	const char *task;
	uint32_t pid;
	bool interrupt;                /* in one of that task */
	const char *function, *caller; /* caller: "" none is known */
	bool open;                     /* it is on the stack of the trouble */
	const char *command;           /* that the task ran, ready for a shell; NULL: none */
	const char *call, *text;       /* the system call in which that was, by name and whole; "" none, unknown */
};

/* A line of what the kernel logged. */
struct guest_line {
	uint64_t stamp; /* ns, by the kernel's own clock, as on its console */
	uint32_t level;
	const char *task; /* that logged it; "" unknown, as in an interrupt */
	uint32_t pid;
	char text[256]; /* cut, when it is longer */
};

struct guest_said {
	struct guest_line lines[GUEST_LINES]; /* the first ones, or the last ones, in their order */
	size_t n;
	bool open, dumped, over; /* private */
	uint64_t entered;        /* private */
};

struct guest_frame {
	const char *name, *module;
	bool interrupt; /* it interrupted the one before */
	bool jumped; /* it did not call the one behind it, but jumped there in the end: it is no longer on the stack */
};

struct guest_trouble {
	enum guest_trouble_kind kind;
	uint64_t at;
	const char *task; /* the one that was interrupted, where it is in an interrupt */
	uint32_t pid, cpu;
	bool interrupt; /* it is in one */
	struct guest_lineage lineage;
	struct guest_frame *frames; /* the outermost first, up to where it happened, ... */
	size_t n;
	struct guest_frame *handling; /* ... and those behind it, up to the one that tells the kind */
	size_t n_handling;
	const char *module;                   /* the innermost one of these frames; "" none */
	struct guest_talk talks[GUEST_TALKS]; /* into it, the last one first */
	size_t n_talks;
	uint32_t stack,
		handler; /* private: the number of its stack, and of the first frame there that handles it, ... */
	uint32_t led;    /* ... and of the whole stack */
	struct guest_said said; /* the lines that tell the reason */
	struct guest_calls calls;
};

#define GUEST_DIFFERENCES 2u /* of an odd call */

/* One call of a function among many, or a few, that call others than those do. */
struct guest_odd {
	const char *function, *module;
	uint64_t calls, odd; /* all of them, and those that differ */
	uint64_t at;         /* of the first one that does, ... */
	const char *task;    /* ... and who made it; "" unknown */
	uint32_t pid;
	struct {
		const char *function;
		enum shapes_how how;
	} differences[GUEST_DIFFERENCES];
	size_t n;
	const char *result, *others; /* what it returned, and all others did; "": the same, or not recorded */
};

/* A function whose calls cost more and more. */
struct guest_growth {
	const char *function, *module;
	struct growth_fit fit; /* costs are by the guest's own clock: ns when that counts time */
	const char *often;     /* the function that its late calls call most often; "" none */
	double share;          /* of its phase: its calls, with those that they made */
	size_t phase;          /* of its last call */
};

struct guest_story {
	const struct recorded_file *file;
	struct replay *replay;     /* private: it has the names */
	struct pool commands;      /* private */
	struct timeline *timeline; /* private */
	bool ns;                   /* times are ns ... */
	bool host;                 /* ... of the host's clock */
	uint64_t length;
	unsigned cpus;
	uint64_t calls;         /* that were recorded */
	size_t boots;           /* how often its kernel started; phases are those of the first */
	bool kernel;            /* functions of a kernel were recorded */
	bool programs;          /* and of programs */
	bool noted;             /* the recorder noted a panic */
	enum guest_outcome end; /* what its kernel did last: GUEST_RUNS, GUEST_POWERED_OFF, GUEST_HALTED, GUEST_RESET */
	uint64_t ended;         /* when that began; of GUEST_RUNS nothing */
	uint64_t last_busy;     /* of the last tenth of the recording: its processors together computed so long, ... */
	uint64_t last_known;    /* ... and were followed so long */
	struct guest_phase phases[GUEST_PHASES];
	size_t n_phases;
	struct guest_delay *delays; /* those that took most first */
	size_t n_delays, cap_delays;
	uint64_t chain;            /* how long the chain is */
	struct guest_stuck *stuck; /* who waited for something at the end, those that did longest first; ... */
	size_t n_stuck, cap_stuck;
	size_t n_deadlocks;
	bool off;                       /* ... which is of interest unless the guest switched itself off */
	struct guest_trouble *troubles; /* the worst first; of equal ones the first */
	size_t n_troubles, cap_troubles;
	uint64_t count[GUEST_TROUBLE_KINDS]; /* all of them */
	struct guest_poll polls[GUEST_TOP];  /* those that went on for longest first */
	size_t n_polls;
	struct guest_crowd crowds[GUEST_CROWDS]; /* those that were there longest first */
	size_t n_crowds;
	struct guest_ignored ignored[GUEST_IGNORED]; /* the first ones */
	size_t n_ignored;
	struct guest_closer closer;                          /* the one that did it most often */
	struct guest_clock_set clock_sets[GUEST_CLOCK_SETS]; /* the first ones */
	size_t n_clock_sets;
	struct guest_said last; /* what its kernel logged last */
	/* What was done when it ended, but for a panic; n and n_handling 0: unknown. Its kind says nothing. */
	struct guest_trouble ender;
	bool own_will;                            /* by reboot(2) */
	struct guest_failed failed[GUEST_FAILED]; /* those that crashed first, then those that said why */
	size_t n_failed;
	uint64_t all_failed;                    /* commands */
	struct guest_failed steps[GUEST_STEPS]; /* of a panic for which a process ended: that one, then the one that
	                                           was the reason for that, and so on */
	size_t n_steps;
	struct guest_unreaped unreaped;          /* where one of these could start no process */
	struct guest_fault faults[GUEST_FAULTS]; /* a ring: the last ones */
	uint64_t n_faults;
	struct guest_odd odd[GUEST_TOP]; /* the most telling first */
	size_t n_odd;
	struct guest_growth growth[GUEST_TOP]; /* what took most first */
	size_t n_growth;
	struct replay_clock clock; /* of costs that grow */
};

#endif
