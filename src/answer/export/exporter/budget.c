/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/export/exporter/budget.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Lengths are counted by classes, of which there are SUB for each power of two: a class is 3 % wide at most. */
#define SUB_BITS 5u
#define SUB (1u << SUB_BITS)
#define CLASSES ((64 - SUB_BITS + 1) * SUB)

/* Names are written with the first event that has them, which may be another one the second time. */
#define USED_PERCENT 95u

struct class
{
	uint64_t events, time, bytes;
};

struct budget {
	uint64_t bytes, events; /* the limits */
	bool settled;
	struct budget_folded folded;
	struct class classes[CLASSES];
};

static unsigned class_of(uint64_t length)
{
	unsigned high = length ? 63u - (unsigned)__builtin_clzll(length) : 0;

	if (high < SUB_BITS)
		return (unsigned)length;
	return (high - SUB_BITS + 1) * SUB + (unsigned)(length >> (high - SUB_BITS) & (SUB - 1));
}

/* The shortest length of a class. */
static uint64_t class_start(unsigned class)
{
	unsigned power = class / SUB;

	if (!power)
		return class;
	return (uint64_t)(SUB + class % SUB) << (power - 1);
}

int budget_parse(const char *text, uint64_t *bytes, uint64_t *events)
{
	static const char units[] = "kMG";
	const char *unit;
	char *end;
	double value;

	*bytes = *events = 0;
	if (*text < '0' || *text > '9' || strpbrk(text, "xXpP"))
		return -EINVAL;
	value = strtod(text, &end);
	if (!(value > 0) || value > 1e15)
		return -EINVAL;
	if (!*end) {
		*events = (uint64_t)value;
		return *events ? 0 : -EINVAL;
	}
	unit = strchr(units, *end == 'K' ? 'k' : *end);
	if (!unit || (end[1] && strcmp(end + 1, "B") != 0 && strcmp(end + 1, "iB") != 0))
		return -EINVAL;
	*bytes = (uint64_t)(value * (double)(UINT64_C(1) << 10 * (unit - units + 1)));
	return 0;
}

int budget_new(struct budget **ret, uint64_t bytes, uint64_t events)
{
	struct budget *b = calloc(1, sizeof(*b));

	if (!b)
		return -ENOMEM;
	b->bytes = bytes;
	b->events = events;
	*ret = b;
	return 0;
}

void budget_free(struct budget *b)
{
	free(b);
}

bool budget_measures(const struct budget *b)
{
	return !b->settled;
}

void budget_add(struct budget *b, uint64_t length, uint64_t time, uint64_t bytes)
{
	struct class *c = &b->classes[class_of(length)];

	c->events++;
	c->time += time;
	c->bytes += bytes;
}

void budget_add_fixed(struct budget *b, uint64_t bytes)
{
	b->folded.fixed += bytes;
}

void budget_settle(struct budget *b)
{
	uint64_t limit = b->bytes / 100 * USED_PERCENT, bytes = b->folded.fixed;
	unsigned class = CLASSES;

	b->settled = true;
	for (; class; class --) {
		const struct class *c = &b->classes[class - 1];

		if (b->bytes ? bytes + c->bytes > limit : b->folded.kept + c->events > b->events)
			break;
		bytes += c->bytes;
		b->folded.kept += c->events;
	}
	b->folded.below = class ? class < CLASSES ? class_start(class) : UINT64_MAX : 0;
	while (class --) {
		b->folded.events += b->classes[class].events;
		b->folded.time += b->classes[class].time;
	}
}

bool budget_folds(const struct budget *b, uint64_t length)
{
	return b->settled && length < b->folded.below;
}

struct budget_folded budget_folded(const struct budget *b)
{
	return b->folded;
}
