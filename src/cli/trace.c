/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/cli/trace.h>

#include <errno.h>
#include <exectrace/answer/output/output.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/err.h>
#include <exectrace/base/path.h>
#include <exectrace/cli/commands.h>
#include <exectrace/options/help.h>
#include <exectrace/record/trace/trace.h>
#include <inttypes.h>
#include <string.h>

static const char overview[] = "usage: " TRACE_PROGRAM " [OPTION]... --pid=PID\n"
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

int trace_command(char **argv)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct trace_options options;
	struct stops_why why = {0};
	int r = trace_options_parse(&options, argv, 1, &err);

	if (r)
		return output_error(&err, r);
	if (options.help) {
		r = show_help();
	} else if (!options.pid) {
		r = output_error(&err, buf_puts(&err, "--pid is missing: which process?") ? -ENOMEM : -EINVAL);
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
