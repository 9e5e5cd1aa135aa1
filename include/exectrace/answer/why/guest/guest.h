/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a recorded guest went through: the phases of its boot, what took most in each, what its tasks waited in, and
 * where its kernel warned, oopsed or panicked. Times are since its recording began: ns, or ticks of
 * a clock that counts no time.
 */
#ifndef EXECTRACE_ANSWER_WHY_GUEST_GUEST_H
#define EXECTRACE_ANSWER_WHY_GUEST_GUEST_H

#include <exectrace/answer/format/jsonl.h>
#include <exectrace/answer/recording/pool.h>
#include <exectrace/answer/recording/recording.h>
#include <exectrace/answer/report/shapes.h>
#include <exectrace/format/gate/outcome.h>

#define GUEST_PHASES 8u   /* at most */
#define GUEST_TOP 3u      /* of each sort, in a phase */
#define GUEST_TROUBLES 8u /* that are kept */
#define GUEST_LINEAGE 6u  /* processes, one the parent of the other */
#define GUEST_TALKS 4u    /* calls into a module that are kept */
#define GUEST_LINES 4u    /* of what the kernel logged, of a trouble, ... */
#define GUEST_LAST 3u     /* ... and those at the end */
#define GUEST_INNER 4u    /* functions of a program, the innermost ones */

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

/* Where a task waited; "" stands for none. */
struct guest_place {
	const char *function;
	const char *call;            /* the system call around it, as "__x64_sys_wait4" */
	const char *caller, *module; /* the function of a module around it; caller "": it is that itself */
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
	uint64_t rival_time;
	uint64_t at; /* the first one began */
	uint64_t time, count, min, max;
	struct guest_function
		functions[GUEST_TOP]; /* GUEST_RAN: that took most by themselves; GUEST_READY: of others */
	size_t n_functions;
};

/* What a process ran, ready for a shell. */
struct guest_command {
	uint32_t pid;
	const char *command;
	bool forked; /* it has executed nothing: the command is its parent's */
};

/* Why a task waits, those first that tell most. */
enum guest_stuck_kind {
	GUEST_FOR_LOCK,  /* for what another one has, or in a way that is not known */
	GUEST_FOR_OTHER, /* for what others write, read, or connect to */
	GUEST_FOR_TIME,  /* it sleeps */
	GUEST_FOR_CHILD, /* for a child that is among the others */
};

/* How it is with who has a lock that a thread waits for. */
enum guest_owner_how {
	GUEST_OWNER_UNKNOWN,
	GUEST_OWNER_HAS,    /* it has the lock */
	GUEST_OWNER_THEN,   /* it had it when the wait began; whether it still has is not known */
	GUEST_OWNER_ENDED,  /* it had it, and has ended */
	GUEST_OWNER_ITSELF, /* the thread that waits has it */
	GUEST_OWNER_JOINED, /* no lock: it is waited for its end */
};

struct guest_owner {
	enum guest_owner_how how;
	uint32_t pid;
	const char *task; /* how UNKNOWN: NULL */
};

/* Functions of a program that were open, the innermost first; n 0: unknown. */
struct guest_where {
	const char *functions[GUEST_INNER];
	const char *module;
	unsigned n;
};

/* A task that waited when the recording ended. */
struct guest_stuck {
	enum guest_stuck_kind kind;
	const char *task;
	uint32_t pid;
	struct guest_place place;
	struct guest_where where; /* in its program */
	uint64_t since;
	struct guest_command process; /* command NULL: a thread of the kernel, or unknown */
	const char *call;             /* the name of its system call; "" unknown */
	const char *text;             /* the whole call; "" unknown */
	const char *what;             /* the file, pipe or socket that it waits for; "" unknown */
	struct guest_command holder;  /* who has the lock; command NULL: unknown */
	uint64_t held;                /* since when */
	const char *server;           /* of what it waits for, at the other end: "10.0.0.1:53"; "" unknown */
	bool unanswered;              /* it connects to that server, or has sent it something, ... */
	uint64_t asked;               /* ... when; 0: unknown, it connects */
	struct guest_command giver;   /* who had written last what it waits for; command NULL: unknown */
	uint64_t gave;                /* when */
	struct guest_owner owner;     /* the thread that has the lock */
	uint32_t deadlock;            /* number of the circle of those that wait for each other; 0: it is in none */
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
	uint64_t at; /* the last of `count` that are alike and follow one another */
	uint64_t count;
	const char *task;
	uint32_t pid;
	bool interrupt;                /* in one of that task */
	const char *function, *caller; /* caller: "" none is known */
	bool open;                     /* it is on the stack of the trouble */
	const char *command;           /* that the task ran, ready for a shell; NULL: none */
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

#define GUEST_CALLS 3u /* system calls of a task that are kept */

/* What the task of a trouble had to do with the kernel. */
struct guest_calls {
	const char *current; /* the system call that it was in; "" none, unknown */
	int signal;          /* that its process ended by; 0: none */
	bool faulted;        /* the kernel logged the address of the fault */
	uint64_t address;
	const char *last[GUEST_CALLS]; /* its last calls before, as text; the first one first */
	size_t n;
	const char *change; /* how another process had changed the file that the last one read: "truncated"; "" it had
	                       not */
	struct guest_command changer;
	uint64_t before; /* so long before the call, ns */
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

#define GUEST_FAILED 5u /* programs that are kept */
#define GUEST_FAULTS 8u /* of programs, that are kept */

/* Processes of one command that failed. */
struct guest_failed {
	struct guest_command process; /* the last one */
	uint64_t at;                  /* when that ended */
	uint64_t count;
	int status;          /* as wait(2) gives it */
	const char *said;    /* the last line that it wrote to standard error, or ... */
	bool on_stdout;      /* ... when there was none, to standard output; "" none */
	const char *failure; /* its last failing system call; "" none */
	struct guest_calls calls;
	bool crashed; /* by a signal that is its own fault */
};

/* What the kernel logged of a signal for which a program's access to memory was the reason. */
struct guest_fault {
	uint32_t pid;
	uint64_t address;
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

/* A call that failed again and again. */
struct guest_poll {
	const char *call, *what, *error; /* "newfstatat", "/dev/sda", "ENOENT" */
	uint64_t count, from, to;
	uint32_t processes;      /* that made it */
	struct guest_command by; /* the first one */
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
	struct guest_said last; /* what its kernel logged last */
	/* What was done when it ended, but for a panic; n and n_handling 0: unknown. Its kind says nothing. */
	struct guest_trouble ender;
	bool own_will;                            /* by reboot(2) */
	struct guest_failed failed[GUEST_FAILED]; /* those that crashed first, then those that said why */
	size_t n_failed;
	uint64_t all_failed;                     /* commands */
	struct guest_fault faults[GUEST_FAULTS]; /* a ring: the last ones */
	uint64_t n_faults;
	struct guest_odd odd[GUEST_TOP]; /* the most telling first */
	size_t n_odd;
	struct guest_growth growth[GUEST_TOP]; /* what took most first */
	size_t n_growth;
	struct replay_clock clock; /* of costs that grow */
};

/*
 * Reads a file of a guest; r must outlive the story. tree: has the guest's processes; NULL: nothing does. *ret is set
 * on success only. 0; -EINVAL with a line in err; -ENOMEM.
 */
int guest_story_read(struct guest_story **ret, struct recording *r, size_t file, struct buf *err);

/*
 * Adds what the system calls of its processes tell of its end: who failed, who waited for what, who ended it. Reads the
 * file once more; adds nothing when it cannot be read. 0 or -ENOMEM.
 */
int guest_story_tell(struct guest_story *g);

/* NULL is allowed. */
void guest_story_free(struct guest_story *g);

/* Adds a time. */
void guest_story_time(struct buf *out, const struct guest_story *g, uint64_t time);

/* Adds "its kernel panicked at 4.1s", or how else it went. Failures of these stay in out->err. */
void guest_story_outcome(struct buf *out, const struct guest_story *g);

/*
 * Adds the part of the page. data: what commands that show more of it have behind them: " exectrace.data/guest-1-7.xtr"
 */
void guest_story_print(struct buf *out, const struct guest_story *g, const char *data);

/* Adds its members to an object. */
void guest_story_json(struct jsonl *j, const struct guest_story *g);

#endif
