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
#include <exectrace/cli/version.h>
#include <exectrace/options/help.h>
#include <exectrace/record/form/outputs.h>
#include <exectrace/record/trace/trace.h>
#include <inttypes.h>
#include <stdlib.h>
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

static void say_refused(pid_t pid, int err)
{
	err_say(ERR_ERROR, "cannot attach to process %d: %s", (int)pid, strerror(-err));
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

/* Adds an option that is exectrace's, as its own. 0 or -ENOMEM. */
static int take_own(struct strv *words, const struct option_use *use)
{
	const char *name = trace_option_of_run(use->spec);
	cleanup_buf struct buf word = BUF_INIT;
	int rc = name ? buf_printf(&word, "--%s", name) : 0;

	if (!rc && name && use->value && use->spec->letter != 'D')
		rc = buf_printf(&word, "=%s", use->value);
	return rc || !name ? rc : strv_push(words, word.data);
}

/* Where the options end, and a command begins, with those in `words` that are exectrace's; 0: there is none, or they
 * are not understood. */
static int command_at(char **argv, struct strv *words)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct option_use use = {0};
	struct options o;
	int r;

	options_init(&o, trace_table, argv, 1);
	while ((r = options_next(&o, &use, &err)) > 0 && !(use.spec->flags & OPTION_LAST)) {
		if (take_own(words, &use))
			return 0;
	}
	return !r && argv[o.at] ? o.at : 0;
}

/* Becomes the exectrace that picks the command for a tracer with these options. Returns only on failure. */
static int run_command(char **argv, int at, const struct strv *own)
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
		err = strv_push(&words, PROGRAM) || strv_push(&words, "-q") || strv_extend(&words, own) ||
		                      strv_push(&words, action.data) || strv_push(&words, "--first") ||
		                      strv_push(&words, "--")
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

/* Whether the output can be written, as far as can be told before it is made: a command had better not run in vain. */
static int check_output(const struct trace_options *o, struct buf *err)
{
	const char *slash = o->output ? strrchr(o->output, '/') : NULL;
	cleanup_free char *directory = slash ? strndup(o->output, (size_t)(slash - o->output) + 1) : strdup(".");
	bool there = o->output && !o->separately && access(o->output, F_OK) == 0;

	if (!o->output || outputs_is_command(o->output) || strchr(o->output, '{'))
		return 0;
	if (!directory)
		return -ENOMEM;
	if (access(there ? o->output : directory, W_OK) == 0)
		return 0;
	return buf_printf(err, "cannot write %s: %s", o->output, strerror(errno)) ? -ENOMEM : -EINVAL;
}

/* The options alone, for what is wrong with them is to be said as it was written. */
static int check_options(char **argv, int at, struct buf *err)
{
	struct trace_options options;
	char *command = argv[at];
	int r;

	argv[at] = NULL;
	r = trace_options_parse(&options, argv, 1, err);
	argv[at] = command;
	if (!r) {
		r = check_output(&options, err);
		trace_options_release(&options);
	}
	return r;
}

int trace_command(char **argv)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct trace_options options;
	struct stops_why why = {.refuses = say_refused};
	struct strv words = STRV_INIT;
	int at = command_at(argv, &words), r = at ? check_options(argv, at, &err) : 0;

	if (at)
		r = r ? output_error(&err, r) : run_command(argv, at, &words);
	strv_release(&words);
	if (at)
		return r;
	r = trace_options_parse(&options, argv, 1, &err);
	if (r)
		return output_error(&err, r);
	if (options.help) {
		r = show_help();
	} else if (options.version) {
		r = version_show();
	} else if (!options.n_pids) {
		r = buf_puts(&err, "no process and no command: use --pid=PID, or name a COMMAND");
		r = output_error(&err, r ? r : -EINVAL);
	} else {
		r = trace_run(&options, &why, &err);
		if (options.verbose)
			say_why(&why);
		if (r)
			r = output_error(&err, r);
		else if (err.len)
			err_say(ERR_ERROR, "%s", err.data);
	}
	trace_options_release(&options);
	return r;
}
