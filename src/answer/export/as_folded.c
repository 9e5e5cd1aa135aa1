/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"

#include <exectrace/answer/calls/call.h>
#include <exectrace/answer/export/guest/guest.h>
#include <exectrace/answer/format/byte_map.h>
#include <exectrace/answer/format/folded.h>
#include <exectrace/answer/format/text.h>
#include <string.h>

struct folder {
	struct exporter base; /* first */
	struct folded *folded;
	struct byte_map lines; /* by struct line_key: the number of the line and 1 */
};

/* What makes a line. Stacks and names of threads are equal when their pointers are. */
struct line_key {
	const struct recorded_frame *frames;
	const char *comm;
	uint32_t arch, nr;
	uint32_t sample; /* 1: it is of samples, not of calls */
};

static int new_line(struct folder *f, const struct recorded_event *event, uint64_t *line)
{
	struct folded_stack stack = {.root = text_of(event->thread->comm)};
	char name[CALL_NAME_MAX];
	size_t number;
	int rc = exporter_stack(&f->base, event, &stack.functions, &stack.n);

	if (event->record->type != DATA_SAMPLE)
		stack.leaf = text_of(call_name(&event->record->syscall, name));
	if (!rc)
		rc = folded_stack(f->folded, &stack, &number);
	if (!rc)
		*line = number + 1;
	return rc;
}

/* What an event adds to its line, and to its key. False: it is of no interest. */
static bool weigh(const struct data_event *record, struct line_key *key, uint64_t *weight)
{
	switch (record->type) {
	case DATA_SYSCALL:
	case DATA_UNFINISHED:
		key->arch = record->syscall.arch;
		key->nr = record->syscall.nr;
		*weight = record->syscall.duration;
		return true;
	case DATA_SAMPLE:
		key->sample = 1;
		*weight = record->sample.weight;
		return true;
	default:
		return false;
	}
}

static int on_event(struct exporter *e, const struct recorded_event *event)
{
	struct folder *f = (struct folder *)e;
	struct line_key key;
	uint64_t *line, weight;
	size_t n;
	int rc;

	memset(&key, 0, sizeof(key)); /* its padding is part of it */
	if (!weigh(event->record, &key, &weight))
		return 0;
	key.comm = event->thread->comm;
	rc = recording_stack(e->recording, event, &key.frames, &n);
	if (!rc && !n)
		key.frames = NULL;
	if (!rc)
		rc = byte_map_find(&f->lines, &key, sizeof(key), &line);
	if (!rc && !*line)
		rc = new_line(f, event, line);
	if (!rc)
		folded_add(f->folded, *line - 1, e->options.weight == EXPORT_WEIGHT_COUNT ? 1 : weight);
	return rc;
}

static int begin(struct exporter *e)
{
	return folded_new(&((struct folder *)e)->folded);
}

static int finish(struct exporter *e)
{
	struct folder *f = (struct folder *)e;
	struct budget *budget = e->options.budget;
	uint64_t weight;
	int more = 1, rc = 0;

	if (budget && !budget_measures(budget))
		rc = folded_fold(f->folded, budget_folded(budget).below);
	for (size_t i = 0; more > 0 && !rc; i++) {
		uint64_t before = exporter_position(e);

		more = folded_line(f->folded, i, &e->out.text, &weight);
		if (more > 0 && exporter_position(e) > before && exporter_measures(e))
			budget_add(budget, weight, weight, exporter_position(e) - before);
		rc = spool_drain(&e->out);
	}
	return more < 0 ? more : rc;
}

static void release(struct exporter *e)
{
	struct folder *f = (struct folder *)e;

	folded_free(f->folded);
	byte_map_release(&f->lines);
}

const struct exporter_ops exporter_folded = {
	.name = "folded",
	.sums = true,
	.both = true,
	.samples = true,
	.alone = true,
	.size = sizeof(struct folder),
	.begin = begin,
	.event = on_event,
	.finish = finish,
	.guest = guest_folded,
	.release = release,
};
