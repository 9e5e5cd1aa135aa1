/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Help made from tables: layout, and that lines stay within 80 columns. */
#include "tap.h"

#include <exectrace/base/cleanup.h>
#include <exectrace/options/help.h>

#define AT "                              " /* where the help of an option begins */

static const struct option_spec table[] = {
	{.name = "cmd", .arg = "REGEX", .help = "found in the command line", .group = "Rules"},
	{.name = "color", .arg = "WHEN", .help = "colors", .flags = OPTION_OPTIONAL},
	{.name = "output", .letter = 'o', .arg = "DIR", .help = "where", .group = "Output"},
	{.name = "a-name-of-some-length", .arg = "VALUE", .help = "below"},
	{.name = "list",
         .help = "a text of so many words that it does not fit into a single line of eighty columns, nor into "
                 "two of them"},
	{0},
};

static const struct command run = {
	.name = "run",
	.args = "[OPTION]... COMMAND",
	.summary = "run a command",
	.about = "More about it.\n",
	.options = table,
};

static const struct command completion = {.name = "completion", .summary = "print a script", .options = table + 5};

static void test_options(void)
{
	cleanup_buf struct buf out = BUF_INIT;

	CHECK_INT(help_options(&out, table), 0);
	CHECK_STR(out.data, "\nRules:\n"
	                    "      --cmd=REGEX             found in the command line\n"
	                    "      --color[=WHEN]          colors\n"
	                    "\nOutput:\n"
	                    "  -o, --output=DIR            where\n"
	                    "      --a-name-of-some-length=VALUE\n" AT "below\n"
	                    "      --list                  a text of so many words that it does not fit into\n" AT
	                    "a single line of eighty columns, nor into two of\n" AT "them\n");
}

static void test_commands(void)
{
	const struct command *const commands[] = {&run, &completion, NULL};
	cleanup_buf struct buf out = BUF_INIT;

	CHECK_INT(help_commands(&out, commands), 0);
	CHECK_STR(out.data, "\nCommands:\n"
	                    "  run         run a command\n"
	                    "  completion  print a script\n");
}

static void test_command(void)
{
	static const char start[] = "usage: prog run [OPTION]... COMMAND\n\n"
				    "  run a command\n\n"
				    "More about it.\n\n"
				    "Rules:\n"
				    "      --cmd=REGEX ";
	cleanup_buf struct buf out = BUF_INIT;

	CHECK_INT(help_command(&out, "prog", &run), 0);
	CHECK(out.data && !strncmp(out.data, start, strlen(start)));
}

/* Every width of word, so that each comes to lie at the edge. */
static void test_width(void)
{
	char text[400];
	struct option_spec one[] = {{.name = "x", .help = text, .group = "G"}, {0}};
	size_t longest = 0, n;

	for (size_t word = 1; word <= 49; word++) {
		cleanup_buf struct buf out = BUF_INIT;

		for (size_t i = 0; i < sizeof(text) - 1; i++)
			text[i] = i % (word + 1) == word ? ' ' : 'x';
		text[sizeof(text) - 1] = '\0';
		help_options(&out, one);
		for (const char *line = out.data; *line; line += n + 1) {
			n = strcspn(line, "\n");
			longest = n > longest ? n : longest;
		}
	}
	CHECK_INT(longest, 79);
}

int main(void)
{
	test_options();
	test_commands();
	test_command();
	test_width();
	return TAP_DONE();
}
