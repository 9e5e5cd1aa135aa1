/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/causes/samples.h>

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>

static int add(struct samples *s, struct idmap *known, const struct recorded_event *event)
{
	const struct recorded_process *process = event->thread->process;
	const struct recorded_frame *frames;
	uintptr_t at;
	size_t n;
	int rc = recording_stack(s->recording, event, &frames, &n);

	if (rc)
		return rc;
	s->time += event->record->sample.weight;
	if (!n)
		return 0;
	at = (uintptr_t)idmap_get(known, frames[0].function->number, process->number);
	if (!at) {
		if (grow_array((void **)&s->items, s->n, &s->cap, sizeof(*s->items)))
			return -ENOMEM;
		s->items[s->n++] = (struct sampled){.function = frames[0].function, .process = process};
		at = s->n;
		if (idmap_put(known, frames[0].function->number, process->number, (void *)at))
			return -ENOMEM;
	}
	s->items[at - 1].time += event->record->sample.weight;
	return 0;
}

static int longest_first(const void *a, const void *b)
{
	const struct sampled *one = a, *two = b;

	return one->time < two->time ? 1 : one->time > two->time ? -1 : 0;
}

int samples_read(struct samples *s, const char *path, struct buf *err)
{
	static const struct recording_options options = {.names = true, .no_guests = true, .by_files = true};
	struct idmap known = IDMAP_INIT;
	struct recorded_event event;
	int rc = recording_open(&s->recording, path, &options, err), more = !rc;

	while (!rc && (more = recording_next(s->recording, &event)) > 0)
		if (event.record->type == DATA_SAMPLE && event.thread)
			rc = add(s, &known, &event);
	if (!rc && more < 0)
		rc = more;
	idmap_release(&known);
	if (s->n)
		qsort(s->items, s->n, sizeof(*s->items), longest_first);
	return rc;
}

void samples_release(struct samples *s)
{
	free(s->items);
	recording_close(s->recording);
	*s = (struct samples){0};
}
