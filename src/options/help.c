/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/options/help.h>

#include <string.h>

#define WIDTH 79          /* columns used */
#define OPTION_TEXT_AT 30 /* where the help of an option begins */
#define COMMAND_TEXT_AT 14

/*
 * Only memory can go wrong here, and after a failure nothing more is added that matters: results are collected with
 * `|`, which leaves 0 and -ENOMEM what they are.
 */

static int spaces(struct buf *out, size_t n)
{
	return n ? buf_printf(out, "%*s", (int)n, "") : 0;
}

/*
 * Adds text from column `at` on, broken at blanks, following lines indented to `at`; `used` columns of the first line
 * are filled already.
 */
static int paragraph(struct buf *out, const char *text, size_t used, size_t at)
{
	size_t column = used, n;
	int r = 0;

	if (used + 2 > at) {
		r |= buf_putc(out, '\n');
		column = 0;
	}
	r |= spaces(out, at - column);
	for (column = at; *text; text += n) {
		n = strcspn(text, " ");
		if (column > at && column + 1 + n > WIDTH) {
			r |= buf_putc(out, '\n');
			r |= spaces(out, at);
			column = at;
		} else if (column > at) {
			r |= buf_putc(out, ' ');
			column++;
		}
		r |= buf_append(out, text, n);
		column += n;
		n += strspn(text + n, " ");
	}
	return r | buf_putc(out, '\n');
}

static int option(struct buf *out, const struct option_spec *spec)
{
	size_t start = out->len;
	int r;

	if (spec->letter)
		r = buf_printf(out, "  -%c, --%s", spec->letter, spec->name);
	else
		r = buf_printf(out, "      --%s", spec->name);
	if (spec->arg)
		r |= buf_printf(out, spec->flags & OPTION_OPTIONAL ? "[=%s]" : "=%s", spec->arg);
	return r | paragraph(out, spec->help, out->len - start, OPTION_TEXT_AT);
}

int help_options(struct buf *out, const struct option_spec *table)
{
	int r = 0;

	for (; table->name; table++) {
		if (table->alias)
			continue;
		if (table->group)
			r |= buf_printf(out, "\n%s:\n", table->group);
		r |= option(out, table);
	}
	return r;
}

int help_commands(struct buf *out, const struct command *const *commands)
{
	int r = buf_puts(out, "\nCommands:\n");
	size_t start;

	for (; *commands; commands++) {
		start = out->len;
		r |= buf_printf(out, "  %s", (*commands)->name);
		r |= paragraph(out, (*commands)->summary, out->len - start, COMMAND_TEXT_AT);
	}
	return r;
}

int help_command(struct buf *out, const char *program, const struct command *command)
{
	int r = buf_printf(out, "usage: %s %s %s\n\n", program, command->name, command->args);

	r |= paragraph(out, command->summary, 0, 2);
	if (command->about)
		r |= buf_printf(out, "\n%s", command->about);
	return r | help_options(out, command->options);
}
