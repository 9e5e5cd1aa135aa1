/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machinery of `make check-faults`: see "Faults" in tests/README.md. */
#ifndef EXECTRACE_TESTS_FAULTS_FAULTS_H
#define EXECTRACE_TESTS_FAULTS_FAULTS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* --- Numbers from a seed (random.c) --- */

struct rng {
	uint64_t state;
};

/* A stream of its own for each pair of numbers. */
struct rng rng_of(uint64_t seed, uint64_t number);
uint64_t rng_next(struct rng *rng);
/* 0 to n - 1; n is not 0. */
unsigned rng_below(struct rng *rng, unsigned n);
/* True in so many of 100 cases. */
bool rng_percent(struct rng *rng, unsigned percent);
/* 1 to MAX, each power of two as probable as any other. */
long rng_log(struct rng *rng, long max);

/* --- Processes, as /proc shows them (proc.c) --- */

/* What a process is in a run; ROLE_GROUP stands for all of the process group of the run. */
enum role {
	ROLE_SUPERVISOR,
	ROLE_KEEPER,
	ROLE_SENTINEL,
	ROLE_LOOK, /* there while files had to be looked at */
	ROLE_TOOL,
	ROLE_GUARD,
	ROLE_PICK,
	ROLE_OTHER,
	ROLE_COMMAND,
	ROLE_GROUP,
	ROLE_NONE, /* before it has executed anything */
	ROLES
};

extern const char *const role_names[ROLES];

struct process {
	pid_t pid;
	pid_t ppid;
	pid_t group;
	uint64_t start; /* clock ticks since the boot: with the pid, a process and no other */
	enum role role;
	char comm[32];
};

#define PROCESSES 512

struct processes {
	pid_t main;          /* the process that was started as the run */
	bool behind;         /* it becomes the command */
	const char *program; /* the comm of exectrace */
	struct process at[PROCESSES];
	int count;
};

/* All descendants of this process. */
void processes_look(struct processes *all);
/* A process of that role, or NULL. Of several one at random. */
const struct process *processes_find(const struct processes *all, enum role role, struct rng *rng);
/* Sends the signal to that process and surely to no other that has its number now. False: it is gone. */
bool process_signal(const struct process *process, int sig);
/* Reads a file of /proc, or another small one: a string, never NULL; cut at SIZE - 1. */
char *file_read(const char *path, char *text, size_t size);
/* Looks again, and adds what is known of their states to the file. */
void processes_dump(struct processes *all, const char *path);

/* --- One run (arena.c) --- */

#define SHOTS 4
#define WORDS 48

enum { SIGNAL_PAUSE = -1 }; /* SIGSTOP, and SIGCONT after a pause */
enum { RUN_BEGINS = -1 };   /* no status of wait(2) */

/* A signal to be sent: TRIGGER has been seen, DELAY later, to a process with the role TARGET. */
struct shot {
	int trigger; /* a role, or -1: the start of the run */
	long delay_us;
	enum role target;
	int sig;       /* or SIGNAL_PAUSE */
	long pause_us; /* until SIGCONT */
	bool twice;
	/* Afterwards: */
	bool hit;
};

struct run {
	char *argv[WORDS]; /* ends with NULL */
	char **env;        /* or NULL: that of the driver */
	const char *dir;   /* where it runs: standard output goes to "out" there, standard error to "err" */
	bool pty;          /* it has a terminal, which standard input and standard error are then */
	bool release;      /* a tool waits for somebody: it is let go when nothing happens any more */
	bool end_all;      /* by SIGTERM for exectrace, and with -D for the command, again and again */
	bool ours;         /* exectrace, not the plain command */
	bool behind;       /* with -D */
	struct shot shots[SHOTS];
	int shot_count;
	long limit_ms;
	struct rng rng;
	/* Called in the child before it executes. May be NULL. */
	void (*prepare)(const void *user);
	/* Called with RUN_BEGINS and the child, which stops itself before it executes, and again with each status of
	 * wait(2). True: the status was for the tracer. May be NULL. */
	bool (*trace)(void *user, pid_t pid, int status);
	void *user;
	/* Afterwards: */
	int status;        /* of wait(2) */
	long ms;           /* how long it took */
	char problem[160]; /* what must not happen: a hang, something left over, a crash; or "" */
};

/* Runs it in a process group and session of its own. This process has to be a subreaper without other children. */
void run_do(struct run *run);

/* --- Results --- */

/* What a trial says: a problem of one kind, or none. */
struct verdict {
	bool skipped;
	char kind[160];   /* what must not be, for the table; "" when all is well */
	char what[96];    /* the action, engine and so on: a line of the table */
	char detail[600]; /* of this trial */
};

/* Where things are and what is wanted. */
struct setup {
	const char *exectrace;
	const char *program; /* its last part, as a comm */
	const char *build;   /* with the programs: work, pick, other, node */
	const char *scratch;
	uint64_t seed;
	long limit_ms;
	bool verbose;
};

/* One trial of each generator, in the directory DIR, which is there and empty. */
void signals_trial(const struct setup *setup, struct rng *rng, const char *dir, struct verdict *verdict);
void calls_trial(const struct setup *setup, struct rng *rng, const char *dir, struct verdict *verdict);
void limits_trial(const struct setup *setup, struct rng *rng, const char *dir, struct verdict *verdict);
void trees_trial(const struct setup *setup, struct rng *rng, const char *dir, struct verdict *verdict);

/* --- What the generators share (actions.c, output.c) --- */

struct action {
	const char *name;  /* as the table shows it */
	const char *run;   /* the argument of --run */
	const char *tool;  /* that has to be in PATH, or NULL */
	const char *files; /* the file that it makes for a match has this in its name; NULL: none */
	bool pty;          /* wants a terminal */
	bool release;      /* somebody has to let it go */
	bool breakpoints;  /* a tool that is killed leaves breakpoints behind: SIGTRAP */
	bool records;      /* makes a recording */
	bool attaches;     /* another process has to do with it: a tool, or the handle of `stop` */
};

extern const struct action actions[];
extern const int action_count;
/* Actions that are good for a purpose: no terminal, nobody has to let them go. */
bool action_plain(const struct action *action);
bool have_tool(const char *name);

/* Adds words to an argument vector that ends with NULL; the words are copies. */
void words_add(char **argv, const char *word);
void words_addf(char **argv, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The words as one line that a shell reads back. */
void words_line(char *const *argv, char *text, size_t size);

/* Lines in order of their bytes. */
struct lines {
	char *text;
	char **at;
	int count;
};

void lines_split(struct lines *lines, const char *text);
void lines_read(struct lines *lines, const char *path);
void lines_free(struct lines *lines);
bool lines_have(const struct lines *lines, const char *line);
/* Does standard error say anything but what a run without faults says? */
bool says_why(const char *path);
/* A line of the output of `work` without the number behind the last blank; for "child pick 1 exit 11": "child pick 1".
 */
bool about_same_child(const char *a, const char *b);

/* A wait status as text. */
const char *status_text(int status);
/* Says it in the verdict: the first problem stays. */
void verdict_say(struct verdict *verdict, const char *kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Reads what was recorded in DIR with exectrace itself. False: it could not; WHY says what it said. */
bool recording_reads(const struct setup *setup, const char *dir, char *why, size_t size);

/* Monotonic, since any time. */
int64_t now_us(void);

#endif
