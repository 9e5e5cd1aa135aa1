/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/cli/dispatch.h>

#include <errno.h>
#include <exectrace/answer/output/output.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/cli/commands.h>
#include <exectrace/cli/profile.h>
#include <exectrace/cli/trace.h>
#include <string.h>

static int refuse_option(const char *option, int at, const char *name, struct buf *err)
{
	int r = buf_printf(err,
	                   "option '%s' (argument %d) does not go with the command '%s'; "
	                   "to run a program of that name put -- in front of it",
	                   option, at, name);

	return output_error(err, r);
}

/* "trace --help": of what a rule can run, which is a program of its own, too. */
static bool asks_for_help(char **words, const char *name)
{
	return strcmp(words[0], name) == 0 && words[1] && strcmp(words[1], "--help") == 0 && !words[2];
}

int dispatch(char **argv)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct option_use use;
	const struct command *command;
	struct options o;
	int start = argv[0] ? 1 : 0, first = 0, r;

	if (argv[0] && trace_is_meant(argv[0]))
		return trace_command(argv);
	if (argv[0] && profile_is_meant(argv[0]))
		return profile_command(argv);
	options_init(&o, cmd_run.options, argv, start);
	while ((r = options_next(&o, &use, &err)) > 0)
		if (!first)
			first = use.at;
	/* cmd_run meets the same mistake again and says what it is. */
	if (r < 0 || o.dashes || !argv[o.at])
		return cmd_run.run(argv, start);
	command = commands_find(argv[o.at]);
	if (!command && asks_for_help(argv + o.at, "trace"))
		return trace_command(argv + o.at);
	if (!command && asks_for_help(argv + o.at, "profile"))
		return profile_command(argv + o.at);
	if (!command || command == &cmd_run)
		return cmd_run.run(argv, start);
	if (first)
		return refuse_option(argv[first], first, command->name, &err);
	return command->run(argv, o.at + 1);
}
