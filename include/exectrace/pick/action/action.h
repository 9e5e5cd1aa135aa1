/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is done with a picked process: the text of --run, taken apart and checked before anything is started. Each kind
 * of action is one row of a table in action.c; tools that attach by pid are rows of one in tool.c.
 */
#ifndef EXECTRACE_PICK_ACTION_ACTION_H
#define EXECTRACE_PICK_ACTION_ACTION_H

#include <exectrace/base/buf.h>
#include <exectrace/base/strv.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum action_kind {
	ACTION_TOOL,   /* a tool is started that attaches by pid */
	ACTION_STOP,   /* parked until somebody attaches or releases it */
	ACTION_WRAP,   /* re-executed under another program */
	ACTION_ARGS,   /* more arguments or variables */
	ACTION_GUEST,  /* a QEMU, whose guest is traced */
	ACTION_LOG,    /* described */
	ACTION_IGNORE, /* nothing */
};

enum log_format { LOG_TEXT, LOG_TREE, LOG_JSON };

/* How it can be seen that a tool has attached. */
enum tool_ready {
	READY_TRACER = 1 << 0,  /* the process has a tracer */
	READY_SETTLED = 1 << 1, /* ... which has gone to sleep after that */
	READY_PERF = 1 << 2,    /* the tool holds perf events and has gone to sleep */
	READY_STOPS = 1 << 3,   /* it attaches by a SIGSTOP, which it may leave behind (PTRACE_ATTACH, ptrace(2)) */
};

struct action {
	enum action_kind kind;
	const char *name; /* "strace", "wrap", ...: static */
	char *program;    /* ACTION_TOOL, ACTION_WRAP: absolute path; ACTION_GUEST: that of the plugin */
	struct strv args; /* ACTION_TOOL: argv, templates unexpanded; ACTION_WRAP: program as written and its arguments;
	                     ACTION_ARGS: --append; ACTION_GUEST: options of the plugin */
	struct strv env;  /* ACTION_ARGS: NAME=VALUE */
	bool interactive; /* ACTION_TOOL: wants the terminal */
	unsigned covers;  /* ACTION_TOOL: generations that it goes on in by itself: 1, the process through its execs;
	                     UINT_MAX,  all below it; 0: none */
	bool restarts;    /* ACTION_TOOL: can take the process inside its execve, so that it sees that call whole */
	bool told;        /* ACTION_TOOL: it is to be told of execs (action/handshake.h) */
	bool tells;       /* ACTION_TOOL: it can, and tells how processes end */
	unsigned ready;   /* ACTION_TOOL: of enum tool_ready */
	enum log_format format; /* ACTION_LOG */
	bool tcg;               /* ACTION_GUEST: QEMU is to run its guest's code itself, whatever it was told */
	struct action *host;    /* ACTION_GUEST: the tool that QEMU itself is handed to; or NULL */
	bool needs_dir;         /* it writes into the directory of the run: {dir} */
	bool in_dir;            /* ACTION_TOOL, ACTION_GUEST: output is a name in that directory */
	bool output_each;       /* ACTION_TOOL: it writes a file OUTPUT.PID for each process */
	char *output; /* ACTION_LOG: file name, unexpanded, NULL for standard error; ACTION_TOOL, ACTION_GUEST: what
	                 it records to, for --keep */
};

/* Values for the {names} in arguments and output names. */
struct template_values {
	pid_t pid;
	unsigned long n;  /* match number */
	const char *comm; /* name of the program, without directories */
	int rule;
	uint64_t time;   /* ns since 1970, shown as YYYYmmdd-HHMMSS */
	const char *dir; /* that the run is recorded into; NULL: none, {dir} stays */
	int dir_fd;      /* of it; 0: none */
};

/*
 * Parses the text of --run. 0; -EINVAL with one line in err that names the offending text (unknown action, unknown
 * option, missing argument, open quote with its offset, tool not found in PATH); -ENOMEM. The strings are the action's
 * own; release with action_release.
 */
int action_parse(const char *text, struct action *action, struct buf *err);

/* Frees what it holds. */
void action_release(struct action *action);

/* Adds the list of actions with a line each, for `exectrace help actions`. 0 or -ENOMEM. */
int action_help(struct buf *out);

/* Adds the lines of that list about one action. 0, -ENOENT when there is no action of that name, -ENOMEM. */
int action_help_one(struct buf *out, const char *name);

/* The name of the i-th action, from 0 on; NULL behind the last. */
const char *action_name(size_t i);

/* True when an output name is that of a file in the directory of the run itself: "{dir}/" and no other slash. */
bool template_in_dir(const char *output);

/*
 * Adds text with {pid} {n} {comm} {rule} {host} {time} {dir} replaced; other braces stay. {comm} and {host} are names
 * of others: quote_file_name is what becomes of them. 0 or -ENOMEM.
 */
int template_expand(struct buf *out, const char *text, const struct template_values *values);

/* Expands all of `from` into *to. 0 or -ENOMEM. */
int template_expand_strv(struct strv *to, const struct strv *from, const struct template_values *values);

#endif
