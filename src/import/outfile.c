/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "outfile.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRODUCER "exectrace " EXECTRACE_VERSION " import"

int outfile_open(struct outfile *o, int fd, uint32_t kind, uint64_t hz, struct import_counts *counts)
{
	const struct data_facts facts = {
		.clocks = {{0}, {.kind = kind, .hz = hz}},
		.producer = {PRODUCER, sizeof(PRODUCER) - 1},
	};
	const struct data_writer_options options = {.open = true};

	*o = (struct outfile){.counts = counts};
	return data_writer_open(&o->writer, fd, &facts, &options);
}

int outfile_close(struct outfile *o, int rc)
{
	intern_release(&o->functions);
	free(o->defined);
	o->defined = NULL;
	if (rc)
		data_writer_abandon(o->writer);
	else
		rc = data_writer_close(o->writer);
	o->writer = NULL;
	return rc;
}

int outfile_number(struct outfile *o, uint64_t address, struct span name, uint64_t *id)
{
	char key[1 + sizeof(address)] = "";
	bool fresh;

	if (!address)
		return intern(&o->functions, name.p, span_length(&name), id, &fresh);
	memcpy(key + 1, &address, sizeof(address));
	return intern(&o->functions, key, sizeof(key), id, &fresh);
}

/* Room for a number in `defined`. */
static int make_room(struct outfile *o, uint64_t id)
{
	size_t room = o->room ? o->room : 1024;
	uint8_t *defined;

	while (room <= id)
		room *= 2;
	if (room == o->room)
		return 0;
	defined = realloc(o->defined, room);
	if (!defined)
		return -ENOMEM;
	memset(defined + o->room, 0, room - o->room);
	o->defined = defined;
	o->room = room;
	return 0;
}

int outfile_define(struct outfile *o, const struct data_function *function)
{
	const struct data_event event = {.type = DATA_FUNCTION, .clock = o->clock, .function = *function};
	int rc;

	if (outfile_defined(o, function->id))
		return 0;
	rc = make_room(o, function->id);
	if (rc)
		return rc;
	o->defined[function->id] = 1;
	o->counts->functions++;
	return data_writer_event(o->writer, &event);
}

int outfile_task(struct outfile *o, uint64_t stack, uint32_t pid)
{
	const struct data_event event = {.type = DATA_TASK,
	                                 .clock = o->clock,
	                                 .task = {.stack = stack, .pid = pid, .tgid = pid}};

	return data_writer_event(o->writer, &event);
}

int outfile_until(struct outfile *o, uint64_t clock, uint32_t cpu)
{
	/* There is no first clock. */
	const struct data_event event = {.type = DATA_SYNC, .clock = clock, .sync = {.cpu = cpu}};

	return data_writer_event(o->writer, &event);
}

int outfile_note(struct outfile *o, const char *fmt, ...)
{
	struct data_event event = {.type = DATA_NOTE, .clock = o->clock};
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
	return data_writer_event(o->writer, &event);
}
