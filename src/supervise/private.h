/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The supervisor's own data: one run, its matches (jobs), its terminal. */
#ifndef EXECTRACE_SRC_SUPERVISE_PRIVATE_H
#define EXECTRACE_SRC_SUPERVISE_PRIVATE_H

#include "attempts.h"
#include "log.h"
#include "nearest.h"
#include "rundir.h"
#include "sentinel.h"
#include "terminal.h"
#include <exectrace/action/action.h>
#include <exectrace/action/start.h>
#include <exectrace/action/watch.h>
#include <exectrace/engine/engine.h>
#include <exectrace/supervise/supervisor.h>

enum job_state {
	JOB_TAKING,     /* engine_take is under way */
	JOB_HOLDING,    /* waits in its execve; the tool is attaching to it there */
	JOB_RESTARTING, /* its execve begins anew under the tool; not yet sure that it succeeds */
	JOB_PARKING,
	JOB_QUEUED,    /* parked, until the terminal is free */
	JOB_ATTACHING, /* parked; the tool is attaching */
	JOB_RUNNING,   /* the process runs; its tool is alive */
	JOB_WRAPPING,
	JOB_WATCHED, /* nothing is owed but its end */
	JOB_DONE,
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
	struct tracee *tracee; /* while it is in the engine's hands */
	struct watch watch;    /* of the process */
	struct exec_end end;
	pid_t tool;     /* 0: none, or it has ended */
	uint64_t since; /* clock_now of the last change of state */
	bool wrapped;   /* its descendants are not wrapped again */
	bool has_terminal;
	unsigned char image[16]; /* JOB_HOLDING, JOB_RESTARTING: the old program, see process_image */
	long call;               /* JOB_RESTARTING: the number of its execve */
	uint64_t worked;         /* JOB_RESTARTING: CPU time of the process before it goes on, ns */
	struct log_node *node;   /* in the tree of `log` */
	int teller;              /* socket on which its tool is told of execs, -1: none */
	bool told;               /* the tool has asked for that */
};

struct supervisor {
	const struct run_config *config;
	struct launch launch;
	struct engine *engine;
	struct action *actions;  /* [rule - 1] */
	int signals;             /* signalfd */
	struct watch root_watch; /* -D: of the root; without a descriptor otherwise */
	struct sentinel sentinel;
	struct terminal terminal;
	struct start_setup setup; /* for tools */
	struct job *jobs;
	unsigned long commands; /* execs that will have succeeded */
	unsigned long matches;
	struct attempts attempts; /* of processes with several threads */
	struct nearest nearest;
	struct log log;
	struct rundir dir;     /* that the run is recorded into */
	struct asked *asked;   /* teller.c */
	uint64_t asked_number; /* of the last one */
	unsigned unsettled;    /* counted takes whose outcome is open: ordinals must wait */
	bool remember;         /* ancestors are asked for */
	bool warned_traced;
	bool warned_setid;
	bool root_ended;
	bool root_known; /* how is known, too */
	bool said_waiting;
	int root_status;   /* wait(2) */
	uint64_t root_end; /* clock_now */
	int end_signal;    /* 0, or what the command was last told to end by */
	uint64_t end_told; /* clock_now() of that */
};

/* execs.c: what is to be done with the exec reported. */
void supervisor_exec(struct supervisor *s, struct exec_record *rec);

/* An engine_glance: what supervisor_exec does with an exec that no rule picks. user: the supervisor. */
bool supervisor_glance(void *user, struct exec_record *rec);

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
/* `log`, and every exec with -o: counted, and followed to its end without being touched. */
void job_describe(struct supervisor *s, struct job *job);
/* Counts and announces it. */
void job_matched(struct supervisor *s, struct job *job);
/* Its end was seen, or will not be: what is to be said of it. */
void job_report_end(struct supervisor *s, struct job *job);
/* What its tool recorded is not wanted: --keep=failed and it did well. */
void job_drop_output(struct supervisor *s, struct job *job);
void job_set_state(struct job *job, enum job_state state);
/* For the {names} in its arguments. */
struct template_values job_values(const struct supervisor *s, const struct job *job);
/* Whether it was an exec is known now: ordinals that had to wait can be counted. */
void job_settle(struct supervisor *s, struct job *job);
/* Lets a parked or held process go; its tool, if any, goes on. */
void job_release(struct supervisor *s, struct job *job);
/* It is out of our hands and runs. */
void job_set_free(struct supervisor *s, struct job *job);

/* handoff.c: its tool */
/* Hands a process in its execve to a tool that can take it there. False when that is not possible. */
bool job_hold(struct supervisor *s, struct job *job);
/* It is parked: starts its tool, or queues it for the terminal. */
void job_parked(struct supervisor *s, struct job *job);
/* Starts the tool for a process that waits; state: JOB_HOLDING or JOB_ATTACHING. */
void job_start_attaching(struct supervisor *s, struct job *job, enum job_state state);
/* Looks whether the tool has attached, and whether the execve begun under it has succeeded. */
void job_look_for_tool(struct supervisor *s, struct job *job);
void job_look_for_success(struct supervisor *s, struct job *job);
/* A thread calls execve. True when that is the execve that a job still waits for: it is to go on. */
bool job_calls_again(struct supervisor *s, struct exec_record *rec);
/* A child ended; true when it was a job's tool. */
bool job_tool_ended(struct supervisor *s, pid_t pid, int status);

/*
 * teller.c: execs that our own tracer cannot see by itself (action/tell.h). All others wait for nothing; these do for a
 * bounded time.
 */
/* True when the exec must not be looked at yet: it will be reported again. */
bool teller_first(struct supervisor *s, const struct exec_record *rec);
/* True when that may be so for a thread's execs. */
bool teller_possible(const struct supervisor *s, pid_t tid);
/* What tracers have answered since, and those that do not. */
void teller_listen(struct supervisor *s);
/* ms until teller_listen has something to do without being told; -1: nothing. */
int teller_wait_ms(const struct supervisor *s);
/* A job's tool is not to be told any more: what waits for it goes on. */
void teller_end(struct supervisor *s, struct job *job);
void teller_release(struct supervisor *s);

/* root.c: the command's process: signals for it, its stops, its end. */
void root_signals(struct supervisor *s);
void root_stopped(struct supervisor *s, int sig);
void root_ended(struct supervisor *s, int status);

/*
 * What is due when the command has ended and only tools are left: to say why the prompt does not return and, when the
 * command was told to end, to tell them, too, for timeout(1) and Ctrl-C are meant for all. Milliseconds until it is;
 * -1: nothing.
 */
int root_wait_for_tools(struct supervisor *s);
/* -D: the root is not our child; its pidfd tells. */
void root_look(struct supervisor *s);
/* Does not return when a signal killed the command. */
int root_exit_status(const struct supervisor *s);

#endif
