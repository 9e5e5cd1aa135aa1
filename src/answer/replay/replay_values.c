/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What calls were given and gave: records that stand before those of their calls, and wait for these. */
#include "replay_values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EXTRAS_MAX (DATA_ARGS + 1)

struct replay_kept {
	unsigned refs;
	bool result; /* of a call that is over; else arguments of one that begins */
	struct data_values values;
	struct data_extra extras[EXTRAS_MAX];
	char texts[];
};

void replay_values_hold(void *kept)
{
	struct replay_kept *k = kept;

	if (k)
		k->refs++;
}

void replay_values_drop(void *kept)
{
	struct replay_kept *k = kept;

	if (k && !--k->refs)
		free(k);
}

/* A copy: what was read stays until the next record only. */
static struct replay_kept *copy(const struct data_values *values, bool result)
{
	unsigned n = values->nextras < EXTRAS_MAX ? values->nextras : EXTRAS_MAX;
	size_t size = 0;
	struct replay_kept *k;

	for (unsigned i = 0; i < n; i++)
		size += values->extras[i].text.n;
	k = malloc(sizeof(*k) + size);
	if (!k)
		return NULL;
	*k = (struct replay_kept){.refs = 1, .result = result, .values = *values};
	k->values.nextras = (uint8_t)n;
	k->values.extras = k->extras;
	size = 0;
	for (unsigned i = 0; i < n; i++) {
		k->extras[i] = values->extras[i];
		k->extras[i].text.bytes = k->texts + size;
		memcpy(k->texts + size, values->extras[i].text.n ? values->extras[i].text.bytes : "",
		       values->extras[i].text.n);
		size += values->extras[i].text.n;
	}
	return k;
}

int replay_values_keep(struct replay_kept **to, const struct data_event *event)
{
	replay_values_drop(*to);
	*to = copy(&event->values, event->type == DATA_CALL_RESULT);
	return *to ? 0 : -ENOMEM;
}

static const struct data_values *kept(const struct replay *p, bool result)
{
	return p->kept && p->kept->result == result ? &p->kept->values : NULL;
}

const struct data_values *replay_args(const struct replay *p)
{
	return kept(p, false);
}

const struct data_values *replay_result(const struct replay *p)
{
	return kept(p, true);
}

const struct data_values *replay_kept_values(const struct replay_kept *k, bool *result)
{
	*result = k->result;
	return &k->values;
}

static int define(struct replay *p, const struct data_signature *signature)
{
	struct replay_function *f = &p->functions[replay_number(p, signature->function)];
	struct signature *types;
	const char *text;
	int rc;

	if (f->number == REPLAY_UNKNOWN || f->signature)
		return 0;
	rc = pool_text(&p->recording->texts, signature->text.n ? signature->text.bytes : "", signature->text.n, &text,
	               NULL);
	types = rc ? NULL : malloc(sizeof(*types));
	if (!types)
		return -ENOMEM;
	signature_read(types, (struct data_text){text, signature->text.n});
	f->signature = types;
	return 0;
}

int replay_values_take(struct replay *p, const struct data_event *event)
{
	switch (event->type) {
	case DATA_SIGNATURE:
		return define(p, &event->signature);
	case DATA_CALL_ARGS:
	case DATA_CALL_RESULT:
		return replay_values_keep(&p->kept, event);
	default:
		return 0;
	}
}
