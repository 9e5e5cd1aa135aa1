/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "product.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/grow.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRODUCER "exectrace " EXECTRACE_VERSION " import"

int product_open(struct product *made, int fd, uint32_t kind, uint64_t hz, struct import_counts *counts)
{
	const struct data_facts facts = {
		.clocks = {{0}, {.kind = kind, .hz = hz}},
		.producer = {PRODUCER, sizeof(PRODUCER) - 1},
	};
	const struct data_writer_options options = {.open = true};

	*made = (struct product){.counts = counts};
	return data_writer_open(&made->writer, fd, &facts, &options);
}

int product_close(struct product *made, int rc)
{
	intern_release(&made->functions);
	free(made->defined);
	made->defined = NULL;
	if (rc)
		data_writer_abandon(made->writer);
	else
		rc = data_writer_close(made->writer);
	made->writer = NULL;
	return rc;
}

int product_number(struct product *made, uint64_t address, struct span name, uint64_t *id)
{
	char key[1 + sizeof(address)] = "";
	bool fresh;

	if (!address)
		return intern(&made->functions, name.p, span_length(&name), id, &fresh);
	memcpy(key + 1, &address, sizeof(address));
	return intern(&made->functions, key, sizeof(key), id, &fresh);
}

/* Room for a number in `defined`. */
static int make_room(struct product *made, uint64_t id)
{
	return widen_array((void **)&made->defined, &made->room, id, sizeof(*made->defined));
}

int product_define(struct product *made, const struct data_function *function)
{
	const struct data_event event = {.type = DATA_FUNCTION, .clock = made->clock, .function = *function};
	int rc;

	if (product_defined(made, function->id))
		return 0;
	rc = make_room(made, function->id);
	if (rc)
		return rc;
	made->defined[function->id] = 1;
	made->counts->functions++;
	return data_writer_event(made->writer, &event);
}

int product_task(struct product *made, uint64_t stack, uint32_t pid)
{
	const struct data_event event = {.type = DATA_TASK,
	                                 .clock = made->clock,
	                                 .task = {.stack = stack, .pid = pid, .tgid = pid}};

	return data_writer_event(made->writer, &event);
}

int product_until(struct product *made, uint64_t clock, uint32_t cpu)
{
	/* There is no first clock. */
	const struct data_event event = {.type = DATA_SYNC, .clock = clock, .sync = {.cpu = cpu}};

	return data_writer_event(made->writer, &event);
}

int product_note(struct product *made, const char *fmt, ...)
{
	struct data_event event = {.type = DATA_NOTE, .clock = made->clock};
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
	return data_writer_event(made->writer, &event);
}
