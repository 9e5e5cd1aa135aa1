/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* All of them, and how many stand in front of the "--" that ended the options. */
static int take_sets(struct analysis *a, const struct options *o, int at)
{
	a->more = calloc((size_t)o->n_words + 1, sizeof(*a->more));
	if (!a->more)
		return -ENOMEM;
	while (o->dashes && strcmp(o->argv[at], "--") != 0)
		at++;
	for (int i = 0; i < o->n_words; i++) {
		a->more[a->n_more++] = o->argv[o->words[i]];
		a->split += o->dashes && o->words[i] < at;
	}
	return 0;
}

static int take_one_by_one(struct analysis *a, const struct analysis_command *command, const struct options *o,
                           struct buf *err)
{
	int n = 0;
	int rc;

	/* A single one of two is the recording only when that is all there has to be. */
	if (command->word && n < o->n_words)
		a->word = o->argv[o->words[n++]];
	if (n < o->n_words)
		a->data = o->argv[o->words[n++]];
	if (command->third && n < o->n_words)
		a->third = o->argv[o->words[n++]];
	if (command->many && n < o->n_words) {
		a->more = calloc((size_t)(o->n_words - n), sizeof(*a->more));
		if (!a->more)
			return -ENOMEM;
		while (n < o->n_words)
			a->more[a->n_more++] = o->argv[o->words[n++]];
	}
	if (n == o->n_words)
		return 0;
	rc = buf_printf(err, "unexpected '%s' (argument %d); try '" PROGRAM " help %s'", o->argv[o->words[n]],
	                o->words[n], command->command->name);
	return rc ? rc : -EINVAL;
}

int analysis_words(struct analysis *a, const struct analysis_command *command, const struct options *o, int at,
                   struct buf *err)
{
	return command->sets ? take_sets(a, o, at) : take_one_by_one(a, command, o, err);
}
