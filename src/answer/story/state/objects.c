/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/story/state/objects.h>

#include <errno.h>
#include <exectrace/base/grow.h>

#define IN_PROGRESS 16 /* wakes that are looked at beyond the end of a wait; accepts before their connect is over */

uint32_t objects_number(struct objects *objects, const char *name, size_t n)
{
	const char *text;
	uint32_t number;

	if (pool_text(&objects->names, name, n, &text, &number))
		return 0;
	while (objects->n <= number) {
		if (grow_array((void **)&objects->items, objects->n, &objects->cap, sizeof(*objects->items)))
			return 0;
		objects->items[objects->n++] = (struct object){0};
	}
	objects->items[number].name = text;
	return number + 1;
}

struct object *objects_at(const struct objects *objects, uint32_t number)
{
	return &objects->items[number - 1];
}

int objects_wake(struct objects *objects, uint32_t number, const struct wake *wake)
{
	struct object *o = objects_at(objects, number);

	if (grow_array((void **)&o->wakes, o->n, &o->cap, sizeof(*o->wakes)))
		return -ENOMEM;
	o->wakes[o->n++] = *wake;
	return 0;
}

/* The number of wakes that were over by a time. */
static size_t over_by(const struct object *o, uint64_t time)
{
	size_t from = 0, to = o->n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (o->wakes[middle].exit <= time)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

const struct wake *objects_waker(const struct objects *objects, uint32_t number, uint32_t thread, uint64_t time,
                                 unsigned kinds)
{
	const struct object *o = objects_at(objects, number);
	size_t over = over_by(o, time);

	/* One that was in progress: the one that waits may be seen to return first. */
	for (size_t i = over; i < o->n && i < over + IN_PROGRESS; i++) {
		const struct wake *wake = &o->wakes[i];

		if (wake->enter <= time && wake->thread != thread && (wake->kind & kinds))
			return wake;
	}
	for (size_t i = over; i-- > 0;) {
		const struct wake *wake = &o->wakes[i];

		if (wake->thread != thread && (wake->kind & kinds))
			return wake;
	}
	return NULL;
}

static int add_number(uint32_t **array, size_t *n, size_t *cap, uint32_t number)
{
	if (grow_array((void **)array, *n, cap, sizeof(number)))
		return -ENOMEM;
	(*array)[(*n)++] = number;
	return 0;
}

int objects_watch(struct objects *objects, uint32_t epoll, uint32_t member)
{
	struct object *o = objects_at(objects, epoll);

	for (size_t i = 0; i < o->n_members; i++)
		if (o->members[i] == member)
			return 0;
	return add_number(&o->members, &o->n_members, &o->cap_members, member);
}

/* Takes the first n items out of an array. */
static void shift(void *items, size_t *n, size_t taken, size_t size)
{
	*n -= taken;
	memmove(items, (char *)items + taken * size, *n * size);
}

int objects_connect(struct objects *objects, uint32_t address, uint32_t client, uint64_t enter)
{
	struct object *o = objects_at(objects, address);
	size_t before = 0; /* accepted before: of sockets whose connect was not recorded */

	while (before < o->n_accepted && o->accepted[before].time < enter)
		before++;
	if (before < o->n_accepted)
		objects_pair(objects, client, o->accepted[before++].server);
	else if (add_number(&o->queue, &o->queued, &o->cap_queue, client))
		return -ENOMEM;
	if (before)
		shift(o->accepted, &o->n_accepted, before, sizeof(*o->accepted));
	return 0;
}

int objects_accept(struct objects *objects, uint32_t address, uint32_t server, uint64_t time)
{
	struct object *o = objects_at(objects, address);

	if (o->queued) {
		objects_pair(objects, o->queue[0], server);
		shift(o->queue, &o->queued, 1, sizeof(*o->queue));
		return 0;
	}
	if (o->n_accepted == IN_PROGRESS)
		shift(o->accepted, &o->n_accepted, 1, sizeof(*o->accepted));
	if (grow_array((void **)&o->accepted, o->n_accepted, &o->cap_accepted, sizeof(*o->accepted)))
		return -ENOMEM;
	o->accepted[o->n_accepted++] = (struct accepted){server, time};
	return 0;
}

void objects_pair(struct objects *objects, uint32_t a, uint32_t b)
{
	objects_at(objects, a)->peer = b;
	objects_at(objects, b)->peer = a;
}

void objects_release(struct objects *objects)
{
	for (size_t i = 0; i < objects->n; i++) {
		free(objects->items[i].wakes);
		free(objects->items[i].members);
		free(objects->items[i].queue);
		free(objects->items[i].accepted);
	}
	free(objects->items);
	pool_release(&objects->names);
	*objects = (struct objects){0};
}
