/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/cli/trace.h>

#include <errno.h>
#include <exectrace/answer/output/output.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/err.h>
#include <exectrace/base/exit_status.h>
#include <exectrace/base/path.h>
#include <exectrace/base/quote.h>
#include <exectrace/cli/commands.h>
#include <exectrace/options/help.h>
#include <exectrace/record/trace/trace.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static const char overview[] = "usage: " TRACE_PROGRAM " [OPTION]... --pid=PID\n"
			       "       " TRACE_PROGRAM " [OPTION]... COMMAND [ARG]...\n"
			       "\n"
			       "Shows the system calls of a process and of what it starts.\n";

bool trace_is_meant(const char *name)
{
	return strcmp(path_name(name), TRACE_PROGRAM) == 0;
}

static int show_help(void)
{
	cleanup_buf struct buf out = BUF_INIT;
	int r = buf_puts(&out, overview);

	r |= help_options(&out, trace_table);
	return output_text(&out, r);
}

/* What would else be noticed by its cost only. */
static void say_why(const struct stops_why *why)
{
	if (why->all)
		err_say(ERR_NOTE, "--filter: every call stopped the process, not only those of the list: %s", why->all);
	if (why->inside && why->programs)
		err_say(ERR_NOTE, "--source: every call of %u program%s stopped: %s", why->programs,
		        why->programs > 1 ? "s" : "", why->inside);
	else if (why->inside)
		err_say(ERR_NOTE, "--source: every call stopped: %s", why->inside);
	if (why->recorded)
		err_say(ERR_NOTE, "--source: %" PRIu64 " of %" PRIu64 " calls without a stop", why->recorded,
		        why->calls);
}

/* Where the options end, and a command begins; 0: there is none, or it is not understood. */
static int command_at(char **argv)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct option_use use = {0};
	struct options o;
	int r;

	options_init(&o, trace_table, argv, 1);
	do
		r = options_next(&o, &use, &err);
	while (r > 0 && !(use.spec->flags & OPTION_LAST));
	return !r && argv[o.at] ? o.at : 0;
}

/* Becomes the exectrace that picks the command for a tracer with these options. Returns only on failure. */
static int run_command(char **argv, int at)
{
	cleanup_buf struct buf action = BUF_INIT;
	struct strv words = STRV_INIT;
	int err = buf_puts(&action, "--run=trace");

	for (int i = 1; i < at && !err; i++) {
		if (strcmp(argv[i], "--") == 0)
			continue;
		err = buf_putc(&action, ' ');
		if (!err)
			err = quote_shell(&action, argv[i], strlen(argv[i]));
	}
	if (!err)
		err = strv_push(&words, PROGRAM) || strv_push(&words, "-q") || strv_push(&words, action.data) ||
		                      strv_push(&words, "--first") || strv_push(&words, "--")
		              ? -ENOMEM
		              : 0;
	for (int i = at; argv[i] && !err; i++)
		err = strv_push(&words, argv[i]);
	if (!err) {
		execv("/proc/self/exe", words.items);
		err = -errno;
	}
	err_say(ERR_ERROR, "cannot run %s: %s", argv[at], strerror(-err));
	strv_release(&words);
	return RUN_FAILED;
}

int trace_command(char **argv)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct trace_options options;
	struct stops_why why = {0};
	int at = command_at(argv), r;

	if (at)
		return run_command(argv, at);
	r = trace_options_parse(&options, argv, 1, &err);
	if (r)
		return output_error(&err, r);
	if (options.help) {
		r = show_help();
	} else if (!options.n_pids) {
		r = buf_puts(&err, "no process and no command: use --pid=PID, or name a COMMAND");
		r = output_error(&err, r ? r : -EINVAL);
	} else {
		r = trace_run(&options, &why, &err);
		if (options.verbose)
			say_why(&why);
		if (r)
			r = output_error(&err, r);
	}
	trace_options_release(&options);
	return r;
}
