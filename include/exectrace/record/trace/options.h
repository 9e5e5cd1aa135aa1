/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the built-in tracer is asked for: the options of --run='trace ...' and of exectrace-trace(1). */
#ifndef EXECTRACE_RECORD_TRACE_OPTIONS_H
#define EXECTRACE_RECORD_TRACE_OPTIONS_H

#include <exectrace/base/buf.h>
#include <exectrace/base/strv.h>
#include <exectrace/options/options.h>
#include <exectrace/record/calls/injections.h>
#include <exectrace/record/trace/form.h>
#include <exectrace/target/syscalls/filter.h>
#include <stdbool.h>
#include <sys/types.h>

enum trace_format { TRACE_TEXT, TRACE_JSON, TRACE_DATA, TRACE_STRACE /* text, with form.strace */ };

enum trace_source { TRACE_AUTO, TRACE_INSIDE, TRACE_STOPS };

struct trace_options {
	pid_t *pids; /* --pid: the processes to attach to */
	size_t n_pids;
	bool filtered;                /* --filter */
	struct syscall_filter filter; /* when filtered, and of `why` */
	struct strv paths;            /* --path: only calls about these files, as given and in full; none: all */
	struct trace_form form;
	unsigned clocks;              /* -t was given so often, up to 2 */
	bool quiet;                   /* -q was given once */
	bool follow;                  /* children too */
	struct injections injections; /* --inject, --fault; by stops only */
	enum trace_source source;
	bool summary;   /* counts and times instead of calls */
	unsigned stack; /* --stack: frames of each call's stack at most, with why of those that fail; 0: no stacks */
	unsigned string_max; /* bytes of a string that are shown */
	enum trace_format format;
	char *output; /* --output, "{pid}" and others already replaced; NULL: standard error; of TRACE_DATA
	                 trace-PID.xtr */
	int execs;    /* --execs: a socket on which execs are told (record/calls/exec_handshake.h); 0: none */
	int ends; /* --ends: a socket on which ends are asked for (record/calls/exec_handshake.h), the same; 0: none */
	int directory; /* --directory: a descriptor of that in which the file is made, under the last part of its name;
	                  0: none */
	bool verbose;  /* --verbose: what of the options cost more than they should */
	bool why;      /* --for=why: calls that exectrace-why(1) has no use for are left out */
	bool help;     /* --help */
};

/* The table, for help, completion and the check of the manual page. */
extern const struct option_spec trace_table[];

/*
 * Parses argv[at...]. 0; -EINVAL with one line in err that names the offending text; -ENOMEM. The strings are the
 * struct's own. Words that are no options are an error.
 */
int trace_options_parse(struct trace_options *options, char **argv, int at, struct buf *err);

/* The call of a program from which on it records its calls itself (record/inside); 0: never. */
unsigned trace_inside_from(const struct trace_options *options);

/* Whether only the calls of options->filter are to be shown. */
bool trace_has_list(const struct trace_options *options);

/* Whether that is left to the kernel (stops.h). */
bool trace_filters(const struct trace_options *options);

/* Frees what it holds. */
void trace_options_release(struct trace_options *options);

#endif
