/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/cli/help.h>

#include <errno.h>
#include <exectrace/answer/output/output.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/cli/commands.h>
#include <exectrace/options/help.h>
#include <exectrace/pick/action/action.h>
#include <string.h>

#define ACTIONS "actions"

static const char overview_start[] =
	"usage: " PROGRAM " [OPTION]... [RULE]... [--] COMMAND [ARG]...\n"
	"       " PROGRAM " NAME [ARG]...    (NAME: one of the commands below)\n"
	"\n"
	"Runs COMMAND and all that it starts, and hands exactly those programs that a\n"
	"rule picks to a tracer, from their first instruction. All others run untouched.\n";

static const char overview_end[] = "\n"
				   "Examples:\n"
				   "  " PROGRAM " --run=strace --cmd='\\./prog.*-l' -- make check\n"
				   "  " PROGRAM " --run=gdb --cwd=tests/lib -- make check\n"
				   "  " PROGRAM " --list --exe=cc1 -- make -j8\n";

int help_show_overview(void)
{
	cleanup_buf struct buf out = BUF_INIT;
	int r = buf_puts(&out, overview_start);

	r |= help_options(&out, cmd_run.options);
	r |= help_commands(&out, commands_all());
	r |= buf_puts(&out, overview_end);
	return output_text(&out, r);
}

int help_show_command(const struct command *command)
{
	cleanup_buf struct buf out = BUF_INIT;

	return output_text(&out, help_command(&out, PROGRAM, command));
}

static int show_actions(void)
{
	cleanup_buf struct buf out = BUF_INIT;

	return output_text(&out, action_help(&out));
}

static int show_topic(const char *topic, int at, struct buf *err)
{
	cleanup_buf struct buf out = BUF_INIT;
	const struct command *command;
	int r;

	if (!strcmp(topic, ACTIONS))
		return show_actions();
	command = commands_find(topic);
	if (command)
		return help_show_command(command);
	r = action_help_one(&out, topic);
	if (r != -ENOENT)
		return output_text(&out, r);
	r = buf_printf(err, "no help for '%s' (argument %d); try '" PROGRAM " help'", topic, at);
	return output_error(err, r);
}

static int help_main(char **argv, int at)
{
	cleanup_buf struct buf err = BUF_INIT;
	int r = commands_read_word(&cmd_help, argv, &at, &err);

	if (r < 0)
		return output_error(&err, r);
	if (r > 0)
		return help_show_command(&cmd_help);
	return argv[at] ? show_topic(argv[at], at, &err) : help_show_overview();
}

#define NAME(name) #name,

static const char *topics(size_t i)
{
	static const char *const words[] = {COMMANDS(NAME) ACTIONS};
	const size_t n = sizeof(words) / sizeof(words[0]);

	return i < n ? words[i] : action_name(i - n);
}

static const struct option_spec help_table[] = {
	{.name = "help", .letter = 'h', .group = "Options", .flags = OPTION_LAST, .help = "show this"},
	{0},
};

const struct command cmd_help = {
	.name = "help",
	.args = "[COMMAND|ACTION|" ACTIONS "]",
	.summary = "explain exectrace, a command, or what a rule can do",
	.options = help_table,
	.words = topics,
	.run = help_main,
};
