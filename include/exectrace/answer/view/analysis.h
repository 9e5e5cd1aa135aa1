/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the commands that look at a recording have in common: options, opening it, saying what was wrong with it. */
#ifndef EXECTRACE_ANSWER_VIEW_ANALYSIS_H
#define EXECTRACE_ANSWER_VIEW_ANALYSIS_H

#include <exectrace/answer/calls/select.h>
#include <exectrace/answer/output/page.h>
#include <exectrace/answer/output/progress.h>
#include <exectrace/answer/output/table.h>
#include <exectrace/answer/recording/process_select.h>
#include <exectrace/format/gate/config.h>
#include <exectrace/options/command.h>

#define ANALYSIS_FAILED 1 /* exit status: a bad option, bad data */

/* Numbers of options in their tables; a command's own begin at ANALYSIS_OPTIONS. */
enum analysis_option {
	ANALYSIS_FILTER,
	ANALYSIS_PATH,
	ANALYSIS_ONLY_FAILED,
	ANALYSIS_ERROR,
	ANALYSIS_PID,
	ANALYSIS_COMM,
	ANALYSIS_CMD,
	ANALYSIS_UNDER,
	ANALYSIS_PICKED,
	ANALYSIS_TIME,
	ANALYSIS_MIN,
	ANALYSIS_CONTROL,
	ANALYSIS_EVENT,
	ANALYSIS_CSV,
	ANALYSIS_JSON,
	ANALYSIS_COLOR,
	ANALYSIS_NO_PAGER,
	ANALYSIS_HELP,
	ANALYSIS_OPTIONS,
};

/* Rows of option tables that choose calls. */
#define ANALYSIS_SELECT_ROWS                                                                                     \
	{.name = "filter",                                                                                       \
	 .letter = 'e',                                                                                          \
	 .arg = "LIST",                                                                                          \
	 .id = ANALYSIS_FILTER,                                                                                  \
	 .group = "Calls",                                                                                       \
	 .help = "only these: names, /regex/, %file %process %network %signal %ipc %desc %memory, separated by " \
	         "commas; ! in front takes away"},                                                               \
		{.name = "path",                                                                                 \
	         .letter = 'P',                                                                                  \
	         .arg = "PATH",                                                                                  \
	         .id = ANALYSIS_PATH,                                                                            \
	         .hint = OPTION_FILE,                                                                            \
	         .help = "only calls with this file, by name, descriptor or address; may be a glob"},            \
		{.name = "failed", .letter = 'Z', .id = ANALYSIS_ONLY_FAILED, .help = "only calls that failed"}, \
		{.name = "error",                                                                                \
	         .arg = "LIST",                                                                                  \
	         .id = ANALYSIS_ERROR,                                                                           \
	         .help = "only calls that failed with these errors, as in EMFILE,ENFILE; !ENOENT: with others"}, \
		{.name = "pid",                                                                                  \
	         .letter = 'p',                                                                                  \
	         .arg = "PID[,PID...]",                                                                          \
	         .id = ANALYSIS_PID,                                                                             \
	         .help = "only these processes and threads"},                                                    \
		{.name = "comm", .arg = "GLOB", .id = ANALYSIS_COMM, .help = "only threads with such a name"},   \
		{.name = "time",                                                                                 \
	         .arg = "A,B",                                                                                   \
	         .id = ANALYSIS_TIME,                                                                            \
	         .help = "only calls in progress between A and B, in seconds since the start"},                  \
	{                                                                                                        \
		.name = "min", .arg = "DURATION", .id = ANALYSIS_MIN,                                            \
		.help = "only calls that took at least this long: 2ms, 50us"                                     \
	}

/*
 * Rows of option tables that choose processes, beside --pid. They are for commands that call analysis_choose, or ask
 * analysis.processes themselves.
 */
#define ANALYSIS_PROCESS_ROWS(group_name)                                                                             \
	{.name = "cmd",                                                                                               \
	 .arg = "REGEX",                                                                                              \
	 .id = ANALYSIS_CMD,                                                                                          \
	 .group = (group_name),                                                                                       \
	 .help = "only processes in one of whose command lines REGEX is found"},                                      \
		{.name = "under",                                                                                     \
	         .arg = "REGEX",                                                                                      \
	         .id = ANALYSIS_UNDER,                                                                                \
	         .help = "only processes below one in whose command line REGEX is found"},                            \
	{                                                                                                             \
		.name = "picked", .id = ANALYSIS_PICKED, .help = "only processes that a rule picked, not those below" \
	}

/* The row of --pid for a command that has no calls to choose. */
#define ANALYSIS_PID_ROW(text)                                                                          \
	{                                                                                               \
		.name = "pid", .letter = 'p', .arg = "PID[,PID...]", .id = ANALYSIS_PID, .help = (text) \
	}

/*
 * Rows of option tables with KFI's triggers and filters (format/gate/config.h), for commands that look at a guest's
 * calls.
 */
#define ANALYSIS_CONTROL_ROWS                                                                                          \
	{.name = "config",                                                                                             \
	 .arg = "FILE",                                                                                                \
	 .id = ANALYSIS_CONTROL,                                                                                       \
	 .group = "Triggers and filters, as when a guest is recorded",                                                 \
	 .hint = OPTION_FILE,                                                                                          \
	 .help = "triggers and filters in KFI's language"},                                                            \
		{.name = "from",                                                                                       \
	         .arg = "WHEN",                                                                                        \
	         .id = ANALYSIS_CONTROL,                                                                               \
	         .help = "begin at entry:FUNCTION, exit:FUNCTION or time:TIME after the start"},                       \
		{.name = "to",                                                                                         \
	         .arg = "WHEN",                                                                                        \
	         .id = ANALYSIS_CONTROL,                                                                               \
	         .help = "end at entry:FUNCTION, exit:FUNCTION or time:TIME after the beginning"},                     \
		{.name = "autorepeat", .id = ANALYSIS_CONTROL, .help = "begin again after each end"},                  \
		{.name = "min-time",                                                                                   \
	         .arg = "TIME",                                                                                        \
	         .id = ANALYSIS_CONTROL,                                                                               \
	         .help = "leave out calls that took less (ns, us, ms, s)"},                                            \
		{.name = "max-time", .arg = "TIME", .id = ANALYSIS_CONTROL, .help = "leave out those that took more"}, \
		{.name = "functions",                                                                                  \
	         .arg = "LIST",                                                                                        \
	         .id = ANALYSIS_CONTROL,                                                                               \
	         .help = "leave out all but these: names, globs, addresses"},                                          \
		{.name = "exclude", .arg = "LIST", .id = ANALYSIS_CONTROL, .help = "leave out these"},                 \
		{.name = "module",                                                                                     \
	         .arg = "LIST",                                                                                        \
	         .id = ANALYSIS_CONTROL,                                                                               \
	         .help = "leave out all but functions of these modules or programs"},                                  \
	{                                                                                                              \
		.name = "entries", .arg = "N", .id = ANALYSIS_CONTROL, .help = "leave out all but the first N calls"   \
	}

/* A row for commands that look at whatever was recorded. */
#define ANALYSIS_EVENT_ROW                                                                        \
	{                                                                                         \
		.name = "event", .arg = "WHAT", .id = ANALYSIS_EVENT, .choices = analysis_events, \
		.help = "of several kinds only calls (system calls), samples (of profile), "      \
			"functions (of a guest)"                                                  \
	}

/* Rows of commands whose output is a table. */
#define ANALYSIS_FORMAT_ROWS                                                                        \
	{.name = "csv", .id = ANALYSIS_CSV, .help = "comma-separated values, times in ns"},         \
	{                                                                                           \
		.name = "json", .id = ANALYSIS_JSON, .help = "a JSON array of objects, times in ns" \
	}

/* Rows about how it is shown. */
#define ANALYSIS_SHOW_ROWS                                                                                    \
	{.name = "color",                                                                                     \
	 .arg = "WHEN",                                                                                       \
	 .id = ANALYSIS_COLOR,                                                                                \
	 .choices = color_choices,                                                                            \
	 .help = "colours: auto (on a terminal), always, never"},                                             \
		{.name = "no-pager", .id = ANALYSIS_NO_PAGER, .help = "do not start a pager on a terminal"},  \
	{                                                                                                     \
		.name = "help", .letter = 'h', .id = ANALYSIS_HELP, .flags = OPTION_LAST, .help = "show this" \
	}

/* What is refused of a recording that has both, where that cannot be shown together. */
#define ANALYSIS_BOTH "there are calls and samples: say --event=calls or --event=samples"

extern const char *const analysis_events[]; /* in the order of enum select_event, behind SELECT_ANY */

#define ANALYSIS_RECORDINGS 2 /* that a command looks at, at most */

/* What these options say. */
struct analysis {
	struct call_select select;
	struct process_select processes; /* --cmd, --under, --picked; --pid is in select */
	struct control_config control;   /* of a guest's calls */
	bool controlled;                 /* there is something in it */
	const char *time;                /* --time, understood once the recording is open */
	enum table_format format;        /* of --csv, --json */
	enum color_choice color;
	bool paged;
	bool help;
	bool execs;        /* an option made the command one that is about programs, too (see there) */
	const char *word;  /* the argument before DATA of a command that has one; NULL: not given */
	const char *data;  /* the recording */
	const char **more; /* n_more others behind it, of a command that takes many */
	size_t n_more;
	const char *third; /* the argument behind DATA of a command that has one; NULL: not given */
	size_t split;      /* of a command of two sets: n_more words are all in `more`, so many in front of "--" */
	struct progress progress;
	bool damaged;    /* one of the recordings that were closed was */
	struct buf *err; /* what failed, while analysis_main runs */
};

/* What reads a command's own options. 0; -EINVAL with a line in err; -ENOMEM. */
typedef int analysis_option_fn(void *ctx, const struct option_use *use, struct buf *err);

/* A command, as far as it differs from the others. */
struct analysis_command {
	const struct command *command;
	bool word;                  /* an argument stands before DATA */
	bool third;                 /* and one may stand behind it */
	bool many;                  /* any number of recordings may be given */
	bool sets;                  /* on two sides, which it tells apart itself */
	bool execs;                 /* it is about programs, too: it has something to show where nothing was recorded */
	analysis_option_fn *option; /* gets the options from ANALYSIS_OPTIONS on */
	/* Settles options that only have a meaning together. NULL: there are none. As analysis_option_fn. */
	int (*settle)(void *ctx, struct buf *err);
	/*
	 * Opens the recordings with analysis_open, into r, and shows them. 0; -errno, perhaps with a line in err. What
	 * is wrong with a recording is said and all are closed after that.
	 */
	int (*run)(void *ctx, struct recording *r[ANALYSIS_RECORDINGS], struct buf *err);
};

/*
 * All of a command: reads argv[at...] by its table into *a (which `ctx` has a way to), shows its help, or runs it. The
 * exit status.
 */
int analysis_main(struct analysis *a, const struct analysis_command *command, void *ctx, char **argv, int at);

/* Says what failed, when rc is not 0: err, or what rc (-errno) means. The exit status. */
int analysis_status(int rc, const struct buf *err);

/* Opens the recording that path names, and settles what needed it. As recording_open. */
int analysis_open(struct analysis *a, struct recording **r, const char *path, const struct recording_options *options,
                  struct buf *err);

/* Says what was wrong with a recording, and closes it: *r is NULL then. */
void analysis_close(struct analysis *a, struct recording **r);

/*
 * Settles --cmd, --under and --picked for a command that looks at calls: reads the recording of `path` one more time,
 * with the options that it was opened with, and has calls of other processes not fit. 0; -ENOENT with a line in err
 * when no process fits, or no calls of one were recorded; -EINVAL likewise; -ENOMEM.
 */
int analysis_choose(struct analysis *a, const char *path, const struct recording_options *options, struct buf *err);

/* -ENOENT with a line in err when processes were asked for, and none fits; else 0. -ENOMEM. */
int analysis_no_process(const struct process_select *processes, struct buf *err);

/*
 * After all calls were looked at: -ENOENT with a line in err when options chose some, and none of those that there are
 * fitted; else 0. -ENOMEM.
 */
int analysis_nothing(const struct analysis *a, struct buf *err);

/* Begins the output, which ends the telling of progress. Ended by page_end. */
void analysis_page(struct analysis *a, struct page *page);

/* A number from 1 on, the value of an option. 0; -EINVAL with a line in err; -ENOMEM. */
int analysis_count(const struct option_use *use, size_t *n, struct buf *err);

/* A percentage, the value of an option. The same. */
int analysis_percent(const struct option_use *use, double *percent, struct buf *err);

/* The place of a value among the choices of its option. */
unsigned analysis_choice(const struct option_use *use);

#endif
