/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of QEMU's trace backend "simple", of the version (4) in which they say which number stands for which event.
 * Source: docs/devel/tracing and scripts/simpletrace.py of QEMU. A header of three words, then records that begin with
 * a word for their type: the name of an event, or an event with its number, time (ns), length in bytes, process id, and
 * arguments. Numbers are in the byte order of the host that QEMU ran on.
 */
#include "machine.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC UINT64_C(0xf2b177cb0aa429b4)
#define HEADER_EVENT UINT64_MAX
#define DROPPED_EVENT (UINT64_MAX - 1)
#define VERSION 4
#define WORD sizeof(uint64_t)
#define RECORD_BYTES 24u /* number, time, length, process id */
#define EVENTS_MAX 65536u

enum record { RECORD_NAME, RECORD_EVENT };

/* What is done with an event. */
enum event { EVENT_OTHER, EVENT_BLOCK, EVENT_TIME };

struct simple {
	struct import *in;
	struct block_machine machine;
	bool swapped;    /* another byte order than ours */
	uint8_t *events; /* by number: enum event */
};

static uint64_t word_at(const struct simple *s, const char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return s->swapped ? __builtin_bswap64(word) : word;
}

static uint32_t half_at(const struct simple *s, const char *bytes)
{
	uint32_t half;

	memcpy(&half, bytes, sizeof(half));
	return s->swapped ? __builtin_bswap32(half) : half;
}

bool simple_likely(struct span text)
{
	struct simple s = {.swapped = false};
	uint64_t magic = span_length(&text) >= 3 * WORD ? word_at(&s, text.p + WORD) : 0;

	return magic == MAGIC || magic == __builtin_bswap64(MAGIC);
}

/* Says what is wrong at the record that was begun last. */
static int bad(const struct simple *s, const char *what)
{
	const struct lines *l = &s->in->lines;

	return buf_printf(s->in->why, "%s: record %llu, before byte %llu: %s", l->name, (unsigned long long)l->number,
	                  (unsigned long long)l->offset, what)
	               ? -ENOMEM
	               : -EBADMSG;
}

static int take(struct simple *s, size_t n, const char **bytes)
{
	return lines_bytes(&s->in->lines, n, bytes, s->in->why);
}

/* --- Records -------------------------------------------------------------------------------------------------------
 */

static enum event event_of(const char *name, size_t n)
{
	static const struct {
		const char *name;
		enum event event;
	} known[] = {{"exec_tb", EVENT_BLOCK}, {"exec_tb_nocache", EVENT_BLOCK}, {"exec_tb_exit", EVENT_TIME}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i].name) == n && memcmp(known[i].name, name, n) == 0)
			return known[i].event;
	return EVENT_OTHER;
}

/* These return 1; 0 where the file ends within the record; else what failed. */
static int on_name(struct simple *s)
{
	const char *bytes;
	uint64_t number;
	uint32_t n;
	int rc = take(s, WORD + sizeof(n), &bytes);

	if (rc <= 0)
		return rc;
	number = word_at(s, bytes);
	n = half_at(s, bytes + WORD);
	if (number >= EVENTS_MAX || n > LINE_MAX_BYTES)
		return bad(s, "not the name of an event");
	rc = take(s, n, &bytes);
	if (rc > 0)
		s->events[number] = (uint8_t)event_of(bytes, n);
	return rc;
}

static int on_event(struct simple *s)
{
	struct exec_line line = {.clock = EXEC_ABSOLUTE};
	uint64_t number, time;
	const char *bytes;
	uint32_t n;
	int rc = take(s, RECORD_BYTES, &bytes);

	if (rc <= 0)
		return rc;
	number = word_at(s, bytes);
	time = word_at(s, bytes + WORD);
	n = half_at(s, bytes + 2 * WORD);
	if (n < RECORD_BYTES || n - RECORD_BYTES > LINE_MAX_BYTES || time > INT64_MAX)
		return bad(s, "not an event");
	n -= RECORD_BYTES;
	rc = take(s, n, &bytes);
	if (rc <= 0)
		return rc;
	line.time = (int64_t)time;
	if (number == DROPPED_EVENT && n >= WORD) {
		line.lost = word_at(s, bytes);
		rc = machine_take(&s->machine, EXEC_LOST, &line);
	} else if (number < EVENTS_MAX && s->events[number] == EVENT_BLOCK) {
		if (n < 2 * WORD)
			return bad(s, "not an event of a block");
		line.pc = word_at(s, bytes + WORD);
		rc = machine_take(&s->machine, EXEC_BLOCK, &line);
	} else if (number < EVENTS_MAX && s->events[number] == EVENT_TIME) {
		rc = machine_take(&s->machine, EXEC_TIME, &line);
	} else {
		return 1;
	}
	return rc ? rc : 1;
}

/* --- All -----------------------------------------------------------------------------------------------------------
 */

static int read_header(struct simple *s)
{
	const char *bytes;
	int rc = take(s, 3 * WORD, &bytes);

	if (rc < 0)
		return rc;
	s->swapped = rc && word_at(s, bytes + WORD) == __builtin_bswap64(MAGIC);
	if (!rc || word_at(s, bytes) != HEADER_EVENT || word_at(s, bytes + WORD) != MAGIC)
		return bad(s, "not the header of a file of QEMU's simple trace backend");
	if (word_at(s, bytes + 2 * WORD) != VERSION)
		return bad(s, "not of version 4, which says what the events are; simpletrace.py of that QEMU makes "
		              "text of it");
	return 0;
}

/* A file that is cut is read up to its last whole record. */
static int read_all(struct simple *s)
{
	const char *bytes;
	int rc = read_header(s);

	if (rc)
		return rc;
	while ((rc = take(s, WORD, &bytes)) > 0) {
		uint64_t type = word_at(s, bytes);

		s->in->lines.number++;
		rc = type == RECORD_NAME    ? on_name(s)
		     : type == RECORD_EVENT ? on_event(s)
		                            : bad(s, "not a type of records");
		if (rc <= 0)
			break;
	}
	return rc;
}

int import_simple(struct import *in)
{
	cleanup_free uint8_t *events = calloc(EVENTS_MAX, 1);
	struct simple s = {.in = in, .events = events};
	int rc;

	if (!events)
		return -ENOMEM;
	rc = machine_begin(&s.machine, in, true);
	return machine_end(&s.machine, rc ? rc : read_all(&s));
}
