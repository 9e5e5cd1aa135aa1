/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/options/complete.h>

#include <exectrace/answer/output/output.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/cli/commands.h>
#include <exectrace/cli/help.h>
#include <string.h>

/* A script made from tables with mistakes would be wrong in odd ways. */
static int check_tables(struct buf *err)
{
	int r = 0;

	for (const struct command *const *command = commands_all(); *command && !r; command++)
		r = options_check_table((*command)->options, err);
	return r;
}

static int print_script(const char *shell, int at, struct buf *err)
{
	cleanup_buf struct buf out = BUF_INIT;
	int r = check_tables(err);

	if (r < 0)
		return output_error(err, r);
	if (!strcmp(shell, "bash"))
		return output_text(&out, complete_bash(&out, PROGRAM, commands_all()));
	if (!strcmp(shell, "zsh"))
		return output_text(&out, complete_zsh(&out, PROGRAM, commands_all()));
	r = buf_printf(err, "no completion for the shell '%s' (argument %d): bash or zsh", shell, at);
	return output_error(err, r);
}

static int completion_main(char **argv, int at)
{
	cleanup_buf struct buf err = BUF_INIT;
	int r = commands_read_word(&cmd_completion, argv, &at, &err);

	if (r > 0)
		return help_show_command(&cmd_completion);
	if (!r && !argv[at])
		r = buf_puts(&err, "completion: for which shell? bash or zsh");
	if (err.len || r < 0)
		return output_error(&err, r);
	return print_script(argv[at], at, &err);
}

static const char *shells(size_t i)
{
	static const char *const words[] = {"bash", "zsh", NULL};

	return words[i];
}

static const struct option_spec completion_table[] = {
	{.name = "help", .letter = 'h', .group = "Options", .flags = OPTION_LAST, .help = "show this"},
	{0},
};

const struct command cmd_completion = {
	.name = "completion",
	.args = "bash|zsh",
	.summary = "print a completion script for a shell",
	.about = "Put it where the shell looks for it, or load it at once:\n"
		 "  source <(exectrace completion bash)\n"
		 "  source <(exectrace completion zsh)\n",
	.options = completion_table,
	.words = shells,
	.run = completion_main,
};
