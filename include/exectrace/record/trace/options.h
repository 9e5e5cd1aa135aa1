/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the built-in tracer is asked for: the options of --run='trace ...' and of exectrace-trace(1). */
#ifndef EXECTRACE_RECORD_TRACE_OPTIONS_H
#define EXECTRACE_RECORD_TRACE_OPTIONS_H

#include <exectrace/base/buf.h>
#include <exectrace/base/strv.h>
#include <exectrace/options/options.h>
#include <exectrace/record/calls/injections.h>
#include <exectrace/record/form/form.h>
#include <exectrace/record/form/table.h>
#include <exectrace/target/syscalls/filter.h>
#include <stdbool.h>
#include <sys/types.h>

enum trace_format { TRACE_TEXT, TRACE_JSON, TRACE_DATA, TRACE_STRACE /* text, with form.strace */ };

enum trace_source { TRACE_AUTO, TRACE_INSIDE, TRACE_STOPS };

/* Calls whose text differs from that of others. */
struct trace_sets {
	bool has_raw, has_whole, has_shallow;
	struct syscall_filter raw;     /* -e raw=: as the registers have them */
	struct syscall_filter whole;   /* not of -e abbrev=: their structures are not cut short */
	struct syscall_filter shallow; /* not of -e verbose=: their structures are not shown */
};

/* The table of calls as strace has it. */
struct trace_counting {
	struct table_form table;
	bool wall;         /* -w: how long calls took, not how long they ran */
	uint64_t overhead; /* -O: ns that are taken off each call */
};

struct trace_options {
	pid_t *pids; /* --pid: the processes to attach to */
	size_t n_pids;
	bool below;                   /* --below: and all that descend from these */
	bool filtered;                /* --filter */
	struct syscall_filter filter; /* when filtered, and of `why` */
	struct strv paths;            /* --path: only calls about these files, as given and in full; none: all */
	struct trace_form form;
	struct trace_sets sets;
	unsigned quiet;               /* -q was given so often */
	bool silenced;                /* --quiet= or -e quiet= was given */
	bool follow;                  /* children too */
	bool until_exec;              /* -b: processes are let go of when they execute another program */
	struct injections injections; /* --inject, --fault; by stops only */
	enum trace_source source;
	bool summary; /* counts and times instead of calls */
	bool both;    /* ... and calls, too */
	bool alone;   /* ... was asked for */
	bool summed;  /* that was --summary, which asks for calls with strace only */
	struct trace_counting counting;
	unsigned stack; /* --stack: frames of each call's stack at most, with why of those that fail; 0: no stacks */
	unsigned string_max; /* bytes of a string that are shown */
	enum trace_format format;
	char *output; /* --output, "{pid}" and others already replaced; NULL: standard error; of TRACE_DATA
	                 trace-PID.xtr */
	int execs;    /* --execs: a socket on which execs are told (record/calls/exec_handshake.h); 0: none */
	int ends; /* --ends: a socket on which ends are asked for (record/calls/exec_handshake.h), the same; 0: none */
	int parked;    /* --parked: a socket on which the process is said to be free to begin, the same; 0: none */
	int directory; /* --directory: a descriptor of that in which the file is made, under the last part of its name;
	                  0: none */
	bool separately; /* -ff: a file OUTPUT.TID for each thread */
	bool appends;    /* -A: to a file that is there */
	bool verbose;    /* --verbose: what of the options cost more than they should */
	bool why;        /* --for=why: calls that exectrace-why(1) has no use for are left out */
	bool help;       /* --help */
	bool version;    /* --version */
};

/* The name of the option of exectrace run that an option is, which is about the command; NULL: none. */
const char *trace_option_of_run(const struct option_spec *spec);

/* The table, for help, completion and the check of the manual page. */
extern const struct option_spec trace_table[];

/*
 * Parses argv[at...]. 0; -EINVAL with one line in err that names the offending text; -ENOMEM. The strings are the
 * struct's own. Words that are no options are an error.
 */
int trace_options_parse(struct trace_options *options, char **argv, int at, struct buf *err);

/*
 * Whether text shows more of memory than is known beforehand: arrays that are shown whole, all bytes of a buffer. The
 * processes are looked at then, at stops.
 */
bool trace_looks(const struct trace_options *options);

/* The call of a program from which on it records its calls itself (record/inside); 0: never. */
unsigned trace_inside_from(const struct trace_options *options);

/* Whether only the calls of options->filter are to be shown. */
bool trace_has_list(const struct trace_options *options);

/* Whether that is left to the kernel (stops.h). */
bool trace_filters(const struct trace_options *options);

/* Frees what it holds. */
void trace_options_release(struct trace_options *options);

#endif
