/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "outputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* strace(1), 6.1 */
const struct output_options strace_outputs = {
	.valued = "abeEIoOpPsSuUX",
	.separate = 'f',
	.separately = "--output-separately",
	.appends = {"-A", "--output-append-mode"},
	.pipes = true,
};

/* ltrace(1), 0.7.3 */
const struct output_options ltrace_outputs = {.valued = "aADeFlnopsuwxX"};

/* perf-record(1), perf-stat(1), perf-trace(1), 6.1 */
const struct output_options perf_outputs = {.valued = "cCDeFGIjkmMoprStux", .appends = {"--append"}};

/* What has been found so far. */
struct found {
	const char *name;
	unsigned separate;
	bool appends;
};

/* A word of short options; true when the value of the last one is the next word. */
static bool look_at_letters(struct found *found, const char *letters, const char *next,
                            const struct output_options *how)
{
	for (; *letters; letters++) {
		bool valued = strchr(how->valued, *letters);

		found->separate += how->separate && *letters == how->separate;
		for (size_t i = 0; i < 2; i++)
			found->appends |= how->appends[i] && !how->appends[i][2] && how->appends[i][1] == *letters;
		if (*letters == 'o')
			found->name = letters[1] ? letters + 1 : next;
		if (valued)
			return !letters[1];
	}
	return false;
}

/* A long option; true when its value is the next word. */
static bool look_at_long(struct found *found, const char *word, const char *next, const struct output_options *how)
{
	bool alone = strcmp(word, "--output") == 0;

	if (how->separately && strcmp(word, how->separately) == 0)
		found->separate = 2;
	for (size_t i = 0; i < 2; i++)
		found->appends |= how->appends[i] && strcmp(word, how->appends[i]) == 0;
	if (strncmp(word, "--output=", 9) == 0)
		found->name = word + 9;
	else if (alone)
		found->name = next;
	return alone;
}

int outputs_find(struct action *action, const struct output_options *how)
{
	const struct strv *args = &action->args;
	struct found found = {0};

	for (size_t i = 1; i < args->n; i++) {
		const char *word = args->items[i], *next = i + 1 < args->n ? args->items[i + 1] : NULL;

		if (strncmp(word, "--", 2) == 0)
			i += look_at_long(&found, word, next, how);
		else if (*word == '-')
			i += look_at_letters(&found, word + 1, next, how);
	}
	if (!found.name || found.appends || (how->pipes && (*found.name == '|' || *found.name == '!')))
		return 0;
	action->output = strdup(found.name);
	action->output_each = found.separate > 1;
	return action->output ? 0 : -ENOMEM;
}
