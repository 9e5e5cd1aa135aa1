/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What processes and tasks of a guest did that the page tells of: they waited, failed, were stopped. Times are as in
 * story.h. */
#ifndef EXECTRACE_ANSWER_WHY_GUEST_STORY_TASKS_H
#define EXECTRACE_ANSWER_WHY_GUEST_STORY_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GUEST_INNER 4u /* functions of a program, the innermost ones */

/* Where a task waited; "" stands for none. */
struct guest_place {
	const char *function;
	const char *purpose;         /* a function around it that says what for, as synchronize_rcu */
	const char *call;            /* the system call around it, as "__x64_sys_wait4" */
	const char *caller, *module; /* the function of a module around it; caller "": it is that itself */
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
	bool crashed;                /* by a signal that is its own fault */
	struct guest_command killer; /* who sent the signal that ended it; command NULL: nobody that is known */
	const char *pipe;            /* of SIGPIPE: what it wrote to; "" unknown */
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
	int stop;                     /* the signal by which it was stopped; 0: it was not, or nobody is known */
	uint64_t stopped_at;
	struct guest_failed stopper; /* who had sent that; `at` 0: that one has not ended */
	uint32_t deadlock;           /* number of the circle of those that wait for each other; 0: it is in none */
};

#define GUEST_STEPS 5u /* from an end back to its reason */

/* A process that did not wait for its children when they had ended. */
struct guest_unreaped {
	struct guest_command parent; /* command NULL: there is none, or it does not matter */
	uint64_t ended, collected;   /* its children that had ended; of these it had waited for so many */
};

/* What the kernel logged of a signal for which a program's access to memory was the reason. */
struct guest_fault {
	uint32_t pid;
	uint64_t address;
};

/* A call that failed again and again. */
struct guest_poll {
	const char *call, *what, *error; /* "newfstatat", "/dev/sda", "ENOENT" */
	uint64_t count, from, to;
	uint32_t processes;      /* that made it */
	struct guest_command by; /* the first one */
};

#define GUEST_CROWDS 2u

/* Many children of one process. */
struct guest_crowd {
	struct guest_command parent;
	const char *name; /* that most of them had */
	uint64_t named;   /* so many */
	uint64_t count;   /* all of them */
	uint64_t time;    /* how long at least one of them was there, ... */
	uint64_t sum;     /* ... and all of them together, ns */
};

#define GUEST_IGNORED 3u

/* A process that ended well although a call of it failed by which what it wrote was lost. */
struct guest_ignored {
	struct guest_command process;
	uint64_t at;
	const char *call;
};

/* A process that closed descriptors that it had closed before. */
struct guest_closer {
	struct guest_command by;
	uint64_t count; /* how often; 0: none did */
	uint64_t at;    /* when last, ... */
	int fd;         /* ... and which one */
};

#define GUEST_CLOCK_SETS 8u

/* The realtime clock was set. */
struct guest_clock_set {
	uint64_t at;
	struct guest_command by;
};

#endif
