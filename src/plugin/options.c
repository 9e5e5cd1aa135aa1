/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options.h"

#include <string.h>

#define DEFAULT_OUT "exectrace-guest.xtr"

/* The value of a word NAME=VALUE; NULL when it has another name. */
static const char *value_of(const char *word, const char *name)
{
	size_t n = strlen(name);

	return strncmp(word, name, n) == 0 && word[n] == '=' ? word + n + 1 : NULL;
}

static bool read_bool(const char *value, bool *to)
{
	*to = strcmp(value, "on") == 0;
	return *to || strcmp(value, "off") == 0;
}

static bool read_clock(const char *value, enum plugin_clock *to)
{
	*to = strcmp(value, "tsc") == 0 ? PLUGIN_CLOCK_TSC : PLUGIN_CLOCK_INSN;
	return *to == PLUGIN_CLOCK_TSC || strcmp(value, "insn") == 0;
}

static bool read_word(struct plugin_options *o, const char *word)
{
	const char *value;

	if ((value = value_of(word, "out"))) {
		o->out = value;
		return *value != '\0';
	}
	if ((value = value_of(word, "clock")))
		return read_clock(value, &o->clock);
	if ((value = value_of(word, "user")))
		return read_bool(value, &o->user);
	if ((value = value_of(word, "stats")))
		return read_bool(value, &o->stats);
	return false;
}

const char *plugin_options_parse(struct plugin_options *o, int argc, const char *const *argv)
{
	*o = (struct plugin_options){.out = DEFAULT_OUT, .clock = PLUGIN_CLOCK_INSN, .user = true};
	for (int i = 0; i < argc; i++) {
		if (!read_word(o, argv[i]))
			return argv[i];
	}
	return NULL;
}
