/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The supervisor's own data: one run, its matches (jobs), its terminal. */
#ifndef EXECTRACE_SRC_PICK_SUPERVISE_PRIVATE_H
#define EXECTRACE_SRC_PICK_SUPERVISE_PRIVATE_H

#include "attempts.h"
#include "decide.h"
#include "shutdown.h"
#include <exectrace/format/gate/outcome.h>
#include <exectrace/pick/action/action.h>
#include <exectrace/pick/action/exit_stats.h>
#include <exectrace/pick/action/exit_watch.h>
#include <exectrace/pick/action/exits.h>
#include <exectrace/pick/action/start.h>
#include <exectrace/pick/engine/engine.h>
#include <exectrace/pick/rules/nearest.h>
#include <exectrace/pick/run/log.h>
#include <exectrace/pick/run/pgrp_probe.h>
#include <exectrace/pick/run/rundir.h>
#include <exectrace/pick/run/terminal.h>
#include <exectrace/pick/supervise/supervisor.h>
#include <sys/resource.h>
#include <time.h>

/*
 * The states of a job, and what each is left by. From before its process is taken until that has ended, a job has a
 * pidfd (`watch`): so each state has the exit "process ends" beside those below, and none waits for one event only.
 *
 *            engine_hold                    engine_take
 *                 |                              |
 *              HOLDING                        TAKING --exec fails--> DONE (not counted)
 *   tool has it   |   tool ends, or        executes |
 *                 |   ATTACH_LIMIT     .------------+----------.-----------.
 *            RESTARTING    |        PARKING     WRAPPING     (args,     (log)
 *      executes,  |        |           |            |         guest)       |
 *  RESTART_LIMIT  |        |    QUEUED | terminal   |            |         |
 *                 |        |       `-> | is free    |            |         |
 *                 |        |       ATTACHING        |            |         |
 *                 |        |  tool has | it, ends,  | executes   |         |
 *                 |        |     limit |            | or fails   |         |
 *                 v        v           v            v            v         v
 *                RUNNING (its tool is alive) --tool ends--> WATCHED (it is not)
 *
 *   process ends   TAKING, HOLDING, RESTARTING: what was counted is settled; all: the engine forgets it; to RUNNING
 *                  while the tool is alive, else DONE
 *   told to end    (shutdown.c) HOLDING, QUEUED, ATTACHING: it is released, its tool is told; RUNNING: its tool is
 *                  told, and killed when that does not help; TAKING, PARKING, WRAPPING, RESTARTING: the engine's end
 *                  leaves them to the keeper
 */
enum job_state {
	JOB_TAKING,     /* engine_take is under way */
	JOB_HOLDING,    /* waits in its execve; the tool is attaching to it there */
	JOB_RESTARTING, /* its execve restarts under the tool; not yet sure that it succeeds */
	JOB_PARKING,
	JOB_QUEUED,    /* parked, until the terminal is free */
	JOB_ATTACHING, /* parked; the tool is attaching */
	JOB_RUNNING,   /* the process runs; its tool is alive */
	JOB_WRAPPING,
	JOB_WATCHED, /* nothing is owed but its end */
	JOB_DONE,
};

/* The file that a tool is to write, as it was before that was started. */
struct output_before {
	bool there;
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed;
	uint64_t since; /* of all files of -ff: those that are newer are its own; ns since 1970 */
};

/* One match. */
struct job {
	struct job *next;
	enum job_state state;
	unsigned long n; /* match number, 0 until it is certain */
	int rule;
	const struct action *action;
	struct verdict verdict; /* what was counted, to be taken back when the exec fails */
	struct exec_record rec;
	struct tracee *tracee;   /* while it is in the engine's hands */
	struct exit_watch watch; /* of the process, from before it is taken */
	struct exec_end end;
	bool followed;           /* in supervisor.exits, too */
	bool counted;            /* in supervisor.exit_stats */
	unsigned heard;          /* threads of which that has told that they end, when ... */
	struct exec_usage early; /* ... the processor time was this */
	pid_t tool;              /* 0: none, or it has ended */
	uint64_t since;          /* clock_now of the last change of state */
	bool wrapped;            /* its descendants are not wrapped again */
	uint64_t seized; /* JOB_ATTACHING: clock_now when it was first seen to have a tracer and no stop; 0: not so */
	uint64_t tracer_worked; /* CPU time of its tracer then, ns */
	bool unsettled;         /* counted in supervisor.unsettled */
	bool has_terminal;
	unsigned char image[16]; /* JOB_HOLDING, JOB_RESTARTING: the old program, see process_image */
	long call;               /* JOB_RESTARTING: the number of its execve */
	uint64_t worked;         /* CPU time of the process when it was looked at, ns (JOB_RESTARTING, shutdown.c) */
	uint64_t still;          /* shutdown.c: since when it has been stopped without having worked */
	struct log_node *node;   /* in the tree of `log` */
	int handshake;           /* socket on which its tool is told of execs, -1: none */
	bool told;               /* the tool has asked for that */
	uint64_t entry;          /* where the program begins, once it is parked */
	bool traced;             /* its tool was seen to be attached */
	bool waits;              /* the tool waits to hear that the process may begin */
	struct output_before before;
};

struct supervisor {
	const struct run_config *config;
	struct launch launch;
	struct engine *engine;
	struct action *actions;       /* [rule - 1] */
	int signals;                  /* signalfd */
	struct exit_watch root_watch; /* -D: of the root; without a descriptor otherwise */
	struct exec_end root_seen;    /* -D: its end, as far as it is known */
	bool root_followed;
	bool ends_over;     /* nobody waits for processes any more */
	bool ends_untold;   /* pidfds do not tell how processes end, and that is needed: then there is */
	struct exits exits; /* as far as it can be had */
	struct exit_stats exit_stats;
	struct pgrp_probe pgrp_probe;
	struct terminal terminal;
	struct start_setup setup; /* for tools */
	struct job *jobs;
	unsigned long commands; /* execs that will have succeeded */
	unsigned long matches;
	unsigned long unknown;    /* ends that were to be logged or recorded, and are not known */
	struct attempts attempts; /* of processes with several threads */
	struct nearest nearest;
	struct log log;
	struct rundir dir;     /* that the run is recorded into */
	struct asked *asked;   /* exec_handshake.c */
	uint64_t asked_number; /* of the last one */
	unsigned unsettled;    /* counted takes whose outcome is open: ordinals must wait */
	bool remember;         /* ancestors are asked for */
	struct strv held;      /* lines about matches, while a tool has the terminal */
	bool warned_traced;
	bool warned_setid;
	bool warned_files;
	unsigned adopted; /* processes that ran already and are watched */
	unsigned watched; /* those of --pid that have not ended */
	bool adopting;    /* those of --pid are being looked for: the keeper has orders */
	bool tree_ended;  /* all of --pid have, and nothing below them lives */
	bool root_ended;  /* or there is none */
	bool root_known;  /* how is known, too */
	bool unkept;      /* there is no keeper, and none can be started */
	bool said_waiting;
	enum guest_outcome guest_outcome; /* how guests went: the worst, which is that of ... */
	pid_t guest_pid;                  /* ... this QEMU, the last such one */
	unsigned guests;                  /* of which something is told, ... */
	unsigned guests_in_trouble;       /* ... and of that, that their kernel had trouble */
	bool said_unknown;                /* that what was recorded is kept because an end is not known */
	int root_status;                  /* wait(2) */
	uint64_t root_end;                /* clock_now */
	struct exec_usage tree_usage;     /* of the command and all that was waited for below it; not with -D */
	struct shutdown shutdown;
	int stopped_by; /* signal by which the command is stopped; we have yet to stop: root_stop_with. 0: no */
};

/* supervisor.c: true while something is owed to a picked process or its tool. */
bool supervisor_busy(const struct supervisor *s);

/* begin.c: everything is in place; or -errno, said, and the command is not run. */
int supervisor_start(struct supervisor *s);

/* The command runs, and what ran before is watched; or, likewise, not. */
int supervisor_go(struct supervisor *s);

/* Looks at what has happened to children and tracees. */
void supervisor_children(struct supervisor *s);

/* What is recorded of each exec (-o). */
#define RECORD_FIELDS (EXEC_IDS | EXEC_USER | EXEC_TARGET | EXEC_CWD | EXEC_ANCESTORS | EXEC_STATE)

/* execs.c: what is to be done with the exec reported. */
void supervisor_exec(struct supervisor *s, struct exec_record *rec);

/* It goes into the record of the run, if there is one. */
void supervisor_record(struct supervisor *s, struct exec_record *rec);

/* An engine_fast_path: what supervisor_exec does with an exec that no rule picks. user: the supervisor. */
bool supervisor_fast_path(void *user, struct exec_record *rec);

/* summary.c: what is said at the end: processes that live on, the tree of `log`, the count. */
void supervisor_last_words(struct supervisor *s);

/* job.c: one match and its states */
struct job *job_new(struct supervisor *s, const struct verdict *verdict, const struct exec_record *rec);
void job_free(struct supervisor *s, struct job *job);
void job_event(struct supervisor *s, const struct engine_event *ev);
/* What time and the state of processes change. */
void job_tick(struct supervisor *s, struct job *job);
/* ms until job_tick has something to look at; -1: nothing. */
int job_wait_ms(const struct supervisor *s, const struct job *job);
/* True while something is owed to a picked process or its tool. */
bool job_busy(const struct job *job);
/* watched.c: `log`, and every exec with -o: counted, and followed to its end without being touched. */
void job_describe(struct supervisor *s, struct job *job);
/* Counts and announces it: the first MATCHES_SHOWN, and those with -v; later, when a tool has the terminal now. */
void job_matched(struct supervisor *s, struct job *job);
/* Says what was held back while a tool had the terminal. */
void job_say_held(struct supervisor *s);
/* Its end was seen, or will not be: what is to be said of it. */
void job_report_end(struct supervisor *s, struct job *job);
void job_set_state(struct job *job, enum job_state state);
/* For the {names} in its arguments. */
struct template_values job_values(const struct supervisor *s, const struct job *job);
/* Whether it will be an exec is open: ordinals have to wait until job_settle. */
void job_unsettle(struct supervisor *s, struct job *job);
void job_settle(struct supervisor *s, struct job *job);
/* Lets a parked or held process go; its tool, if any, goes on. */
void job_release(struct supervisor *s, struct job *job);
/* It is out of our hands and runs. */
void job_set_free(struct supervisor *s, struct job *job);

/* output.c: what tools record, and execs.jsonl */
/* The process and its tool have ended: throws away what was recorded when it did well and --keep=failed was given. */
void job_drop_output(struct supervisor *s, struct job *job);
/* Its tool is about to be started: notes what is there under the name of its output. */
void output_note(struct supervisor *s, struct job *job);
/* Adds a line to execs.jsonl. That it cannot be written is said here, once; so 0. */
int output_exec(struct supervisor *s, const struct buf *line);

/* change.c: what it is before its first instruction */
void job_wrap(struct supervisor *s, struct job *job);
void job_edit(struct supervisor *s, struct job *job);

/* handoff.c: its tool */
/* Hands a process in its execve to a tool that can take it there. False when that is not possible. */
bool job_hold(struct supervisor *s, struct job *job);
/* It is parked: starts its tool, or queues it for the terminal. */
void job_parked(struct supervisor *s, struct job *job);
/* Starts the tool for a process that waits; state: JOB_HOLDING or JOB_ATTACHING. */
void job_start_attaching(struct supervisor *s, struct job *job, enum job_state state);
/* True when its tool, which had attached or may have, has left the process stopped where it begins. */
bool job_is_left(const struct job *job);
/* Looks whether the tool has attached, and whether the execve begun under it has succeeded. */
void job_look_for_tool(struct supervisor *s, struct job *job);
void job_look_for_success(struct supervisor *s, struct job *job);
/* How the execve of a job in JOB_RESTARTING has ended, as far as can be seen. Changes nothing. */
enum exec_outcome job_outcome(const struct job *job);
/* That is known now. */
void job_settle_outcome(struct supervisor *s, struct job *job, enum exec_outcome outcome);
/* A child ended; true when it was a job's tool. */
bool job_tool_ended(struct supervisor *s, pid_t pid, int status);

/*
 * exec_handshake.c: execs that our own tracer cannot see by itself (action/handshake.h). All others wait for nothing;
 * these do for a bounded time.
 */
enum exec_handshake_step {
	TELLER_NONE,  /* nobody has to be told of it */
	TELLER_ASK,   /* the tracer of `job` has to be: exec_handshake_ask */
	TELLER_WAIT,  /* it has not answered yet */
	TELLER_GO,    /* it has */
	TELLER_AGAIN, /* ... that the exec has to restart */
};
/* What an exec by a thread has to wait for. */
enum exec_handshake_step exec_handshake_see(const struct supervisor *s, pid_t tid, struct job **job);
/* True when that needs more than a look (exec_handshake_hear, exec_handshake_see). */
bool exec_handshake_concerns(const struct supervisor *s, pid_t tid);
/* Hears what the tracer of a thread has said: before exec_handshake_see. */
void exec_handshake_hear(struct supervisor *s, pid_t tid);
/* Tells the tracer; the exec is to be deferred. False: it cannot be told, and is not asked again. */
bool exec_handshake_ask(struct supervisor *s, struct job *job, pid_t tid);
/* The exec of a thread goes on, or restarts. */
void exec_handshake_done(struct supervisor *s, pid_t tid);
/* What tracers have answered since, and those that do not. */
void exec_handshake_listen(struct supervisor *s);
/* A job's process has ended, perhaps nobody knows how: tracers may, who are waited for for a moment. */
void exec_handshake_hear_end(struct supervisor *s, const struct job *job);
/* ms until exec_handshake_listen has something to do without being told; -1: nothing. */
int exec_handshake_wait_ms(const struct supervisor *s);
/* A job's tool is not to be told any more: what waits for it goes on. */
void exec_handshake_end(struct supervisor *s, struct job *job);
void exec_handshake_release(struct supervisor *s);

/*
 * ends.c: how watched processes have ended, where their pidfds do not tell, and what they used, where that is needed.
 */
/* Prepares for it. */
void ends_open(struct supervisor *s);
/* Takes in what the kernel has told of ends. */
void ends_hear(struct supervisor *s);
/* From here on, and until then. The process of the job is alive. */
void ends_follow(struct supervisor *s, struct job *job);
void ends_leave(struct supervisor *s, struct job *job);
/* Somebody knows it, as wait(2) has it. */
void ends_heard(struct supervisor *s, pid_t pid, int status);
/* True when the process has ended, and how is known, or nobody will tell. */
bool ends_look(struct supervisor *s, struct job *job);
/* True when it has ended, and ends_look is to be asked again. */
bool ends_awaits(const struct job *job);
/* -D: the same for the command. */
bool ends_look_at_root(struct supervisor *s);
/* The run is over: waits for a moment for those that are still awaited. */
void ends_settle(struct supervisor *s);

/* summary.c: true when what was recorded of a process is not wanted with --keep=failed. Says once when an end is not
 * known. */
bool supervisor_did_well(struct supervisor *s, const struct job *job);

/* Takes all that the engine has to tell. */
void supervisor_events(struct supervisor *s);

/* All that others may wait for, and whether we are told to end, while we wait for something else. */
void supervisor_meanwhile(struct supervisor *s);

/*
 * running.c: processes that ran already (--pid).
 */
/* Has them watched. 0, or -errno when one that was asked for cannot be had, which is said. */
int running_adopt(struct supervisor *s);
/* A process has ended. */
void running_ended(struct supervisor *s, pid_t pid);
/* True while there is something to be watched without a command: nobody has told us to end, there is a process that may
 * execute something, and a rule that may pick it; or a picked process that has not ended. */
bool running_goes_on(const struct supervisor *s);
/* Says what stays behind in it. */
void running_last_words(struct supervisor *s);

/* root.c: the command's process: signals for it, its stops, its end. */
void root_signals(struct supervisor *s);
void root_stopped(struct supervisor *s, int sig);
void root_ended(struct supervisor *s, int status);
/* Before anything is waited for: what its zombie tells would be gone. */
void root_look_at_zombie(struct supervisor *s);
/* As wait tells when it has ended. */
void root_used(struct supervisor *s, const struct rusage *used);
/* All that was waiting for us was looked at: we stop, if the command is stopped. */
void root_stop_with(struct supervisor *s);

/* When the command has ended and only tools are left: says why the prompt does not return. ms until that is due; -1:
 * nothing. */
int root_wait_for_tools(struct supervisor *s);
/* -D: the root is not our child; its pidfd tells. */
void root_look(struct supervisor *s);
/* Does not return when a signal killed the command. */
int root_exit_status(const struct supervisor *s);

#endif
