/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/cli/commands.h>

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define ROW(name) &cmd_##name,

static const struct command *const have[] = {COMMANDS(ROW) NULL};

const struct command *const *commands_all(void)
{
	return have;
}

const struct command *commands_find(const char *name)
{
	for (size_t i = 0; have[i]; i++)
		if (!strcmp(have[i]->name, name))
			return have[i];
	return NULL;
}

int commands_read_word(const struct command *command, char **argv, int *at, struct buf *err)
{
	struct options o;
	struct option_use use;
	int r;

	options_init(&o, command->options, argv, *at);
	r = options_next(&o, &use, err);
	if (r)
		return r;
	*at = o.at;
	if (!argv[o.at] || !argv[o.at + 1])
		return 0;
	r = buf_printf(err, "unexpected '%s' (argument %d); try '" PROGRAM " help %s'", argv[o.at + 1], o.at + 1,
	               command->name);
	return r < 0 ? r : -EINVAL;
}
