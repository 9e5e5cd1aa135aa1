/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the commands that look at a recording have in common: options, opening it, saying what was wrong with it. */
#ifndef EXECTRACE_CMD_ANALYSIS_H
#define EXECTRACE_CMD_ANALYSIS_H

#include <exectrace/analyze/select.h>
#include <exectrace/cli/command.h>
#include <exectrace/cmd/page.h>

#define ANALYSIS_FAILED 1 /* exit status: a bad option, bad data */

/* Numbers of options in their tables; a command's own begin at ANALYSIS_OPTIONS. */
enum analysis_option {
	ANALYSIS_FILTER,
	ANALYSIS_PATH,
	ANALYSIS_ONLY_FAILED,
	ANALYSIS_PID,
	ANALYSIS_COMM,
	ANALYSIS_TIME,
	ANALYSIS_MIN,
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
	         .help = "only calls with this file, by name or descriptor"},                                    \
		{.name = "failed", .letter = 'Z', .id = ANALYSIS_ONLY_FAILED, .help = "only calls that failed"}, \
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

/* Rows about how it is shown. */
#define ANALYSIS_SHOW_ROWS                                                                                    \
	{.name = "color",                                                                                     \
	 .arg = "WHEN",                                                                                       \
	 .id = ANALYSIS_COLOR,                                                                                \
	 .choices = analysis_colors,                                                                          \
	 .help = "colours: auto (on a terminal), always, never"},                                             \
		{.name = "no-pager", .id = ANALYSIS_NO_PAGER, .help = "do not start a pager on a terminal"},  \
	{                                                                                                     \
		.name = "help", .letter = 'h', .id = ANALYSIS_HELP, .flags = OPTION_LAST, .help = "show this" \
	}

extern const char *const analysis_colors[];

/* What these options say. */
struct analysis {
	struct call_select select;
	const char *time; /* --time, understood once the recording is open */
	enum color_choice color;
	bool paged;
	bool help;
	const char *data; /* the recording */
};

/* What reads a command's own options. 0; -EINVAL with a line in err; -ENOMEM. */
typedef int analysis_option_fn(void *ctx, const struct option_use *use, struct buf *err);

/*
 * Reads argv[at...] by the command's table; `option` gets those from ANALYSIS_OPTIONS on. 0; -EINVAL with a line in
 * err; -ENOMEM. analysis_release frees it in any case.
 */
int analysis_parse(struct analysis *a, const struct command *command, char **argv, int at, analysis_option_fn *option,
                   void *ctx, struct buf *err);

/* Opens the recording, and settles what needed it. As recording_open. */
int analysis_open(struct analysis *a, struct recording **r, const struct recording_options *options, struct buf *err);

/* Says what was wrong with the recording and closes it (NULL is allowed), or what failed with rc. The exit status. */
int analysis_end(struct recording *r, int rc, const struct buf *err);

void analysis_release(struct analysis *a);

/* A number from 1 on, the value of an option. 0; -EINVAL with a line in err; -ENOMEM. */
int analysis_count(const struct option_use *use, size_t *n, struct buf *err);

/* The place of a value among the choices of its option. */
unsigned analysis_choice(const struct option_use *use);

#endif
