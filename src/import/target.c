/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "target.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRODUCER "exectrace " EXECTRACE_VERSION " import"

int target_open(struct target *t, int fd, uint32_t kind, uint64_t hz, struct import_counts *counts)
{
	const struct data_facts facts = {
		.clocks = {{0}, {.kind = kind, .hz = hz}},
		.producer = {PRODUCER, sizeof(PRODUCER) - 1},
	};
	const struct data_writer_options options = {.open = true};

	*t = (struct target){.counts = counts};
	return data_writer_open(&t->writer, fd, &facts, &options);
}

int target_close(struct target *t, int rc)
{
	intern_release(&t->functions);
	free(t->defined);
	t->defined = NULL;
	if (rc)
		data_writer_abandon(t->writer);
	else
		rc = data_writer_close(t->writer);
	t->writer = NULL;
	return rc;
}

int target_number(struct target *t, uint64_t address, struct span name, uint64_t *id)
{
	char key[1 + sizeof(address)] = "";
	bool fresh;

	if (!address)
		return intern(&t->functions, name.p, span_length(&name), id, &fresh);
	memcpy(key + 1, &address, sizeof(address));
	return intern(&t->functions, key, sizeof(key), id, &fresh);
}

/* Room for a number in `defined`. */
static int make_room(struct target *t, uint64_t id)
{
	size_t room = t->room ? t->room : 1024;
	uint8_t *defined;

	while (room <= id)
		room *= 2;
	if (room == t->room)
		return 0;
	defined = realloc(t->defined, room);
	if (!defined)
		return -ENOMEM;
	memset(defined + t->room, 0, room - t->room);
	t->defined = defined;
	t->room = room;
	return 0;
}

int target_define(struct target *t, const struct data_function *function)
{
	const struct data_event event = {.type = DATA_FUNCTION, .clock = t->clock, .function = *function};
	int rc;

	if (target_defined(t, function->id))
		return 0;
	rc = make_room(t, function->id);
	if (rc)
		return rc;
	t->defined[function->id] = 1;
	t->counts->functions++;
	return data_writer_event(t->writer, &event);
}

int target_task(struct target *t, uint64_t stack, uint32_t pid)
{
	const struct data_event event = {.type = DATA_TASK,
	                                 .clock = t->clock,
	                                 .task = {.stack = stack, .pid = pid, .tgid = pid}};

	return data_writer_event(t->writer, &event);
}

int target_until(struct target *t, uint64_t clock, uint32_t cpu)
{
	/* There is no first clock. */
	const struct data_event event = {.type = DATA_SYNC, .clock = clock, .sync = {.cpu = cpu}};

	return data_writer_event(t->writer, &event);
}

int target_note(struct target *t, const char *fmt, ...)
{
	struct data_event event = {.type = DATA_NOTE, .clock = t->clock};
	cleanup_free char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0) {
		text = NULL;
		return -ENOMEM;
	}
	event.note = (struct data_text){text, (size_t)n};
	return data_writer_event(t->writer, &event);
}
