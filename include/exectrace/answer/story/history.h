/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each process of a recording went through, gathered in one pass over its events: what it waited for, which calls
 * failed, what it wrote last, what it had open, which limits were set.
 */
#ifndef EXECTRACE_ANSWER_STORY_HISTORY_H
#define EXECTRACE_ANSWER_STORY_HISTORY_H

#include <exectrace/answer/calls/call.h>
#include <exectrace/answer/recording/recording.h>
#include <exectrace/answer/story/state/accesses.h>
#include <exectrace/answer/story/state/descriptors.h>
#include <exectrace/answer/story/state/last_calls.h>
#include <exectrace/answer/story/state/locks.h>
#include <exectrace/answer/story/state/objects.h>
#include <exectrace/answer/story/state/streams.h>

enum wait_kind {
	WAIT_CHILD,
	WAIT_DATA,    /* to read */
	WAIT_ROOM,    /* to write */
	WAIT_OPEN,    /* of a FIFO, whose other end nobody has open */
	WAIT_CONNECT, /* to be connected */
	WAIT_ACCEPT,  /* for somebody to connect */
	WAIT_LOCK,
	WAIT_FUTEX,
	WAIT_POLL, /* poll, select and epoll */
	WAIT_SIGNAL,
	WAIT_SLEEP,
	WAIT_CALL,    /* in a call that took its time */
	WAIT_STOPPED, /* by a signal, until SIGCONT */
};

/* A call in which a thread waited. */
struct wait {
	uint64_t from, to; /* ns, as events have it */
	enum wait_kind kind;
	bool timed_out;   /* its own time was over: nobody woke it */
	bool interrupted; /* by a signal */
	bool unfinished;  /* its call has not returned */
	bool at_end;      /* WAIT_DATA: there was no more; WAIT_STOPPED: it was not continued, but ended */
	bool walked;      /* by critical.c */
	uint32_t child; /* WAIT_CHILD: the process that was collected; WAIT_FUTEX: a thread that ended, perhaps; 0: none
	                 */
	uint32_t owner; /* WAIT_FUTEX: the thread that had the lock when the wait began; 0: unknown, or no lock */
	uint32_t first; /* of the objects waited for, in history.waited ... */
	uint32_t n;     /* ... so many */
	const char *call;
};

/* A signal that a thread got. */
struct signal_got {
	uint64_t time;
	uint32_t pid; /* who sent it; 0: the kernel */
	int number;
};

struct thread_history {
	struct thread_history *sibling; /* the next thread of the process */
	const struct recorded_thread *thread;
	struct wait *waits; /* by their ends */
	size_t n, cap;
	uint64_t stopped;    /* since when, ns; 0: it is not */
	uint64_t restarting; /* 1 + the number of its last call, when a signal interrupted it and it is made again; 0:
	                        it is not */
	struct signal_got *signals;
	size_t n_signals, cap_signals;
	char *stack;                   /* where it was when it was attached to, as failure.stack; NULL: unknown */
	size_t stack_wait;             /* that wait */
	struct last_calls *last_calls; /* of a guest's thread; NULL: none, or its process has ended by itself */
};

#define FAILURES_KEPT 48 /* of a process, the newest */

/* Calls of a process that failed in the same way: same call, file or address, and error. */
struct failure {
	uint64_t first, last; /* when they returned, ns */
	uint64_t count;
	int error;        /* positive */
	const char *call; /* its name */
	const char *what; /* the file, in full, or the address; "" for others */
	uint32_t object;  /* of that name (objects.h) */
	char *text;       /* the last one, as call_print has it */
	uint32_t closer;  /* EBADF: number of the process that had closed it, + 1; 0: unknown */
	uint64_t closed;  /* when; 0: an exec did, as O_CLOEXEC has it */
	uint32_t holder;  /* EAGAIN, ETXTBSY, EBUSY: number of the process that has what was refused, + 1; 0: unknown */
	char *stack;      /* where that was made, as own_functions has it; NULL: unknown */
};

/* Adds the text of a call in max bytes: the arguments lose their end, the result stays. False: it is no longer than
 * that, or has no such result. */
bool failure_text_cut(struct buf *out, const char *text, size_t max);

/* A resource limit that was set, or looked at. */
struct limit_set {
	bool only_seen; /* it is `now`, whoever set it */
	uint64_t time;
	uint32_t process;     /* number of the process that is limited from then on */
	const char *setter;   /* the command of the process at that time, ... */
	uint32_t pid;         /* ... and its number */
	const char *resource; /* "RLIMIT_NOFILE" */
	const char *now;      /* "32" */
	const char *before;   /* "1024"; "" unknown */
};

/* A signal that a process sent. */
struct kill_sent {
	uint64_t time;      /* of the call's return; of its entry where it never returned */
	const char *sender; /* as limit_set.setter */
	uint32_t pid;
	int32_t target; /* as kill(2) has it */
	int number;
};

/* The last signal of a process of which is known where it found it, or what it was about. */
struct signal_place {
	int number; /* 0: there was none */
	int code;   /* si_code */
	uint64_t address;
	char *stack;     /* as failure.stack */
	unsigned frames; /* SIGSEGV: how deep that is, as far as it is recorded */
	unsigned same;   /* frames of one function, at most */
};

/* A file that a process looked at or opened to read, and that another one of the run had made. */
struct found_file {
	uint64_t time;   /* when it did so last, ns */
	uint32_t object; /* of its name (objects.h) */
	uint32_t writer; /* number of another process that had it open to write then, + 1; 0: none */
};

#define FOUND_MAX 8       /* that are kept of a process, the last ones */
#define DIRECTORIES_MAX 4 /* the same of directories that it read */

enum { OUTPUT_STDOUT, OUTPUT_STDERR, OUTPUTS };

#define CLOSED_MAX 1024u /* descriptors that are followed */

/*
 * Descriptors that a process closed although it had closed them before (EBADF). What another thread opens in between
 * gets the number, and then it is that which is closed. Who closes one number after the other closes all.
 */
struct closes {
	uint64_t closed[CLOSED_MAX / 64]; /* those that it has closed, a bit each */
	uint64_t again;                   /* how often it closed one of these */
	uint64_t last;                    /* when it did so last, ns, ... */
	int fd;                           /* ... and which one */
	int before;                       /* that it closed, or tried to close, before: ... */
	uint64_t seen;                    /* ... again, at this time, unless it turns out to close all; 0: not so */
};

/* Calls of a process that look up names of files: stat, access, open, readlink and the like. */
struct lookups {
	uint64_t calls, failed, time; /* in all; ns */
	const char *call, *name;      /* the last one */
};

struct process_history {
	const struct recorded_process *process;
	struct thread_history *first_thread; /* NULL: nothing is known of it */
	struct thread_history *threads;      /* all, by `sibling` */
	struct descriptors descriptors;
	struct descriptors closed;    /* the last ones of their numbers; cloexec: by an exec */
	struct descriptors exhausted; /* as they were when there could be no more (EMFILE) */
	const char *cwd;              /* "" unknown */
	bool ended;
	struct lookups lookups;
	uint64_t collected;       /* children that had ended, and that it waited for */
	const char *left;         /* the last of its calls that did not return; NULL: none */
	uint64_t ending;          /* when it asked for its end; 0: it has not */
	struct failure *failures; /* by their last ones: the newest last */
	size_t n_failures, cap_failures;
	struct failure answered; /* EAGAIN or ECHILD, the last one; as a rule that is no failure; text NULL: none */
	struct found_file found[FOUND_MAX]; /* the newest last */
	unsigned n_found;
	uint32_t directories[DIRECTORIES_MAX]; /* names that it opened as directories */
	unsigned n_directories;                /* in all */
	struct accesses accesses;              /* empty unless history.keeps_accesses */
	struct buf output[OUTPUTS];            /* the last that it wrote there */
	uint64_t wrote[OUTPUTS];               /* when, ns; 0: never */
	uint32_t standard_input;               /* what it read last as descriptor 0; 0: nothing */
	uint32_t reader;                       /* number of a descendant that has read that since, + 1; 0: none */
	uint64_t calls;                        /* of it that were recorded */
	uint64_t began; /* when the exec returned that it was picked at: before that it was held; 0: unknown */
	bool sampled;
	struct closes closes;
	struct signal_place hit;
	struct streams streams; /* of the program that it runs, whose command line ... */
	const char *command;    /* ... and name are these, while there are streams */
	const char *program;
};

/* What grew from call to call, from pass to pass, or from process to process. */
struct stream_grown {
	uint32_t process;    /* number of the process that did it, + 1; 0: each process of a program did it */
	const char *command; /* the command line, or the name of that program */
	struct stream_key key;
	struct stream_fit fit; /* of processes: a call of it is a process */
};

/* A process made very many calls on one file, each for a few bytes. */
struct small_calls {
	uint32_t process;    /* its number, + 1 */
	const char *command; /* its command line */
	struct stream_key key;
	uint64_t calls, bytes, time; /* in all; ns */
};

/* A process read what another one reads, too: the lines of a shell's loop, perhaps; or both read from a FIFO in turns.
 */
struct shared_input {
	bool fifo;
	uint32_t reader, other; /* numbers of processes; other: unless it is a FIFO, one above the reader */
	uint32_t object;
};

#define SHARED_INPUTS_MAX 4 /* that are kept, the first ones */

struct history {
	struct recording *recording;
	bool keeps_accesses; /* set before the first event */
	struct objects objects;
	struct thread_history **threads; /* by number; NULL: nothing is known */
	size_t n_threads;
	struct process_history **processes; /* the same */
	size_t n_processes;
	uint32_t *waited;
	size_t n_waited, cap_waited;
	struct limit_set *limits;
	size_t n_limits, cap_limits;
	struct kill_sent *kills; /* by time */
	size_t n_kills, cap_kills;
	struct locks locks;
	uint32_t files; /* open file descriptions until now */
	struct shared_input inputs[SHARED_INPUTS_MAX];
	unsigned n_inputs;
	struct streams streams; /* of processes of one program that have ended */
	struct stream_grown *grown;
	size_t n_grown, cap_grown;
	struct small_calls *small;
	size_t n_small, cap_small;
	uint64_t calls;   /* system calls that were recorded */
	uint64_t samples; /* the same */
	uint64_t stacks;  /* of failing calls */
	int err;          /* sticky: the first failure */
	struct call_parts parts;
};

/* Takes an event. What fails is kept in h->err. */
void history_event(struct history *h, const struct recorded_event *event);

/* There are no more events, the last of which was at `end`. What fails is kept in h->err. */
void history_finish(struct history *h, uint64_t end);

/* What is known of a process or thread; NULL: nothing. */
struct process_history *history_process(const struct history *h, uint32_t number);
struct thread_history *history_thread(const struct history *h, uint32_t number);

/* The history of a process, made when it is new; NULL without memory (then h->err is set). */
struct process_history *history_of(struct history *h, const struct recorded_process *process);
struct thread_history *history_of_thread(struct history *h, const struct recorded_thread *thread);

/* The last wait of a thread, when the end of its process, at `end`, ended it, or came behind it in a time that is short
 * beside it: a busy machine needs long to say why it gives up. Calls that merely took long, as exit_group may, are not
 * what ends a process that is not killed. NULL: there is none, or t is NULL. */
const struct wait *thread_last_wait(const struct thread_history *t, uint64_t end, bool killed);

/*
 * The process that has what a call of another one waits for: a lock on a file, by flock(2) or (flock false) fcntl(2). A
 * lock that a child of its owner has got with the descriptor is the child's, too. *since: when it was locked. NULL: the
 * recording does not tell.
 */
const struct recorded_process *history_lock_holder(const struct history *h, const struct process_history *waiter,
                                                   uint32_t object, bool flock, uint64_t *since);

/* The last call before a wait for data that gave some to what it waits for, by whatever process; one that had begun
 * before it, and was over before it was. NULL: unknown, none. */
const struct wake *history_giver(const struct history *h, const struct wait *wait);

/* A file as the process names it, in full, in the recording's pool of names: "" without memory. */
const char *history_path(struct history *h, const struct process_history *p, const char *path, size_t n);

/* The command line of a process as it is now, to stay. "" without memory. */
const char *history_command(struct history *h, const struct process_history *p);

/* A text that stays. "" without memory. */
const char *history_text(struct history *h, const char *text, size_t n);

void history_release(struct history *h);

#endif
