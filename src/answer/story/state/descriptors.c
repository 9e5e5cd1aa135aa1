/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/story/state/descriptors.h>

#include <errno.h>
#include <exectrace/base/grow.h>

/* Where a number is, or would be. */
static size_t place_of(const struct descriptors *table, int fd)
{
	size_t from = 0, to = table->n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (table->items[middle].fd < fd)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

struct descriptor *descriptors_find(const struct descriptors *table, int fd)
{
	size_t at = place_of(table, fd);

	return at < table->n && table->items[at].fd == fd ? &table->items[at] : NULL;
}

int descriptors_open(struct descriptors *table, const struct descriptor *descriptor)
{
	size_t at = place_of(table, descriptor->fd);

	if (at == table->n || table->items[at].fd != descriptor->fd) {
		if (grow_array((void **)&table->items, table->n, &table->cap, sizeof(*table->items)))
			return -ENOMEM;
		memmove(&table->items[at + 1], &table->items[at], (table->n - at) * sizeof(*table->items));
		table->n++;
	}
	table->items[at] = *descriptor;
	return 0;
}

void descriptors_close(struct descriptors *table, int fd)
{
	size_t at = place_of(table, fd);

	if (at == table->n || table->items[at].fd != fd)
		return;
	table->n--;
	memmove(&table->items[at], &table->items[at + 1], (table->n - at) * sizeof(*table->items));
}

size_t descriptors_of(const struct descriptors *table, uint32_t object)
{
	size_t n = 0;

	for (size_t i = 0; i < table->n; i++)
		n += table->items[i].object == object;
	return n;
}

const struct descriptor *descriptors_writer(const struct descriptors *table, uint32_t object, uint64_t time)
{
	for (size_t i = 0; i < table->n; i++)
		if (table->items[i].object == object && table->items[i].writes && table->items[i].since < time)
			return &table->items[i];
	return NULL;
}

int descriptors_copy(struct descriptors *to, const struct descriptors *from)
{
	if (!from->n)
		return 0;
	to->items = malloc(from->n * sizeof(*to->items));
	if (!to->items)
		return -ENOMEM;
	memcpy(to->items, from->items, from->n * sizeof(*to->items));
	to->n = to->cap = from->n;
	return 0;
}

void descriptors_release(struct descriptors *table)
{
	free(table->items);
	*table = (struct descriptors){0};
}
