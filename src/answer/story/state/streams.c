/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/story/state/streams.h>

#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 1024u             /* a power of two */
#define BYTES_MIN 4096u           /* fewer in all are nothing to be told */
#define TIME_MIN (10 * NS_PER_MS) /* the same of time, */
#define FEW 3u                    /* passes, or calls: those that may be given up first */

/* --- The table ---------------------------------------------------------------------------------------------------- */

/* By file alone: who opens one begins all that is done with it. Strings are known by their addresses. */
static uint32_t *bucket(const struct streams *streams, const char *file)
{
	uint64_t hash = (uint64_t)(uintptr_t)file * 0x9e3779b97f4a7c15ull;

	return &streams->heads[hash >> 32 & (BUCKETS - 1)];
}

/* Numbers in the chains are one more than those in the array. */
static void hang_in(struct streams *streams, size_t i)
{
	uint32_t *head = bucket(streams, streams->items[i].key.file);

	streams->items[i].next = *head;
	*head = (uint32_t)i + 1;
}

static struct stream *find(const struct streams *streams, const struct stream_key *key)
{
	uint32_t at = streams->heads ? *bucket(streams, key->file) : 0;

	for (; at; at = streams->items[at - 1].next) {
		const struct stream_key *k = &streams->items[at - 1].key;

		if (k->file == key->file && k->call == key->call && k->who == key->who)
			return &streams->items[at - 1];
	}
	return NULL;
}

static void drop(struct stream *s)
{
	growth_release(&s->size);
	growth_release(&s->took);
}

/* Gives up those with the fewest calls, until there is room for as many as are left. */
static void thin_out(struct streams *streams)
{
	size_t n = streams->n;

	for (uint64_t few = FEW; n > streams->max / 2 && few < GROWTH_CALLS; few *= 3) {
		n = 0;
		for (size_t i = 0; i < streams->n; i++) {
			struct stream *s = &streams->items[i];

			if (s->took.calls < few)
				drop(s);
			else
				streams->items[n++] = *s;
		}
		streams->n = n;
	}
	streams->full = n > streams->max / 2;
	memset(streams->heads, 0, BUCKETS * sizeof(*streams->heads));
	for (size_t i = 0; i < streams->n; i++)
		hang_in(streams, i);
}

/* NULL, and 0: there is no room for more. */
static int make(struct streams *streams, const struct stream_key *key, struct stream **ret)
{
	if (!streams->heads)
		streams->heads = calloc(BUCKETS, sizeof(*streams->heads));
	if (!streams->heads)
		return -ENOMEM;
	*ret = find(streams, key);
	if (*ret)
		return 0;
	if (streams->n >= streams->max && !streams->full)
		thin_out(streams);
	if (streams->n >= streams->max)
		return 0;
	if (grow_array((void **)&streams->items, streams->n, &streams->cap, sizeof(*streams->items)))
		return -ENOMEM;
	streams->items[streams->n] = (struct stream){.key = *key};
	hang_in(streams, streams->n);
	*ret = &streams->items[streams->n++];
	return 0;
}

/* --- Calls and passes --------------------------------------------------------------------------------------------- */

static int add_costs(struct stream *s, uint64_t bytes, uint64_t time)
{
	int rc = s->key.call->sized ? growth_add(&s->size, bytes) : 0;

	return rc ? rc : growth_add(&s->took, time);
}

/* The first pass that ends shows that they count. */
static int end_pass(struct stream *s)
{
	int rc;

	if (!s->passes) {
		growth_release(&s->size);
		growth_release(&s->took);
		s->passes = true;
	}
	rc = add_costs(s, s->bytes, s->time);
	s->bytes = s->time = s->calls = 0;
	return rc;
}

int streams_add(struct streams *streams, const struct stream_key *key, const struct stream_use *use)
{
	struct stream *s = NULL;
	int rc = make(streams, key, &s);

	if (!s)
		return rc;
	/* Programs read once more at the end, to be sure. */
	if (s->calls && (s->opened || use->from_start || (s->at_end && !use->at_end)))
		rc = end_pass(s);
	s->opened = false;
	s->at_end = use->at_end;
	s->calls++;
	s->bytes += use->bytes;
	s->time += use->time;
	s->all_bytes += use->bytes;
	s->all_time += use->time;
	s->all_calls++;
	if (!rc && !s->passes && !use->at_end)
		rc = add_costs(s, use->bytes, use->time);
	return rc;
}

void streams_begin(struct streams *streams, const char *file)
{
	uint32_t at = streams->heads ? *bucket(streams, file) : 0;

	for (; at; at = streams->items[at - 1].next)
		if (streams->items[at - 1].key.file == file && streams->items[at - 1].key.call->sized)
			streams->items[at - 1].opened = true;
}

/* What was written as `old` goes to another file: a pass of it. */
static int move(struct streams *streams, const struct stream *old, const char *to)
{
	const struct stream_key key = {old->key.who, old->key.call, to};
	struct stream *s = NULL;
	int rc = make(streams, &key, &s);

	if (!s)
		return rc;
	rc = s->calls ? end_pass(s) : 0;
	s->calls = old->calls;
	s->bytes = old->bytes;
	s->time = old->time;
	s->all_bytes += old->all_bytes;
	s->all_time += old->all_time;
	s->all_calls += old->all_calls;
	return rc ? rc : end_pass(s);
}

int streams_move(struct streams *streams, const char *from, const char *to)
{
	int rc = 0;

	for (size_t i = 0; from != to && i < streams->n && !rc; i++) {
		struct stream *s = &streams->items[i], old = *s;

		if (s->key.file != from || !s->key.call->writes || s->passes || !s->calls)
			continue;
		*s = (struct stream){.key = old.key, .next = old.next};
		rc = move(streams, &old, to);
		drop(&old);
	}
	return rc;
}

bool stream_fit(struct stream *s, struct stream_fit *fit)
{
	*fit = (struct stream_fit){.all_bytes = s->all_bytes, .all_time = s->all_time};
	if (s->passes && s->calls && end_pass(s))
		return false;
	fit->passes = s->passes;
	fit->bytes = growth_fit(&s->size, &fit->fit) && fit->fit.trend >= GROWTH_LINEAR && s->size.total >= BYTES_MIN;
	return fit->bytes ||
	       (growth_fit(&s->took, &fit->fit) && fit->fit.trend >= GROWTH_LINEAR && s->took.total >= TIME_MIN);
}

void streams_release(struct streams *streams)
{
	for (size_t i = 0; i < streams->n; i++)
		drop(&streams->items[i]);
	free(streams->items);
	free(streams->heads);
	*streams = (struct streams){.max = streams->max};
}
