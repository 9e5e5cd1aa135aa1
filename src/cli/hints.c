/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/cli/hints.h>

#include <errno.h>
#include <exectrace/base/spelling.h>
#include <exectrace/cli/commands.h>
#include <exectrace/pick/action/action.h>
#include <exectrace/pick/rules/ruleset.h>
#include <string.h>

static int refuse(int printed)
{
	return printed < 0 ? printed : -EINVAL;
}

int hint_option(const struct option_use *last, const char *unknown, struct buf *err)
{
	if (!last->spec || !last->value || strcmp(last->spec->name, "run") != 0)
		return -EINVAL;
	return refuse(
		buf_printf(err, "; arguments of an action go inside the quotes: --run='%s %s'", last->value, unknown));
}

/* The first word of a command line that is an option of a rule, "--list" among them; NULL when there is none. */
static const char *rule_option(const struct option_spec *table, char *const *command)
{
	for (; *command; command++) {
		char name[OPTION_NAME_MAX + 1];
		size_t n = strncmp(*command, "--", 2) == 0 ? strcspn(*command + 2, "=") : 0;

		if (!n || n > OPTION_NAME_MAX)
			continue;
		memcpy(name, *command + 2, n);
		name[n] = '\0';
		if (options_find(table, name) && (ruleset_knows(name) || strcmp(name, "list") == 0))
			return *command;
	}
	return NULL;
}

static bool is_action(const char *name)
{
	for (size_t i = 0; action_name(i); i++)
		if (strcmp(action_name(i), name) == 0)
			return true;
	return false;
}

int hint_no_rule(const struct option_spec *table, char *const *command, struct buf *err)
{
	static const char none[] = "no rule given: use --run=ACTION, or --list to see what runs";
	const char *option = *command ? rule_option(table, command + 1) : NULL;
	struct spelling spelling;

	if (!*command)
		return refuse(buf_puts(err, none));
	spelling_start(&spelling, *command, strlen(*command));
	for (const struct command *const *have = commands_all(); *have; have++)
		spelling_try(&spelling, (*have)->name);
	if (option)
		return refuse(buf_printf(err,
		                         "no rule given; options behind COMMAND belong to it: put %s in front of '%s'",
		                         option, *command));
	if (is_action(*command))
		return refuse(buf_printf(err, "no rule given; did you mean --run=%s%s%s?", *command,
		                         command[1] ? " -- " : "", command[1] ? command[1] : ""));
	if (spelling.nearest)
		return refuse(buf_printf(err, "no rule given; did you mean '" PROGRAM " %s'?", spelling.nearest));
	return refuse(buf_puts(err, none));
}
