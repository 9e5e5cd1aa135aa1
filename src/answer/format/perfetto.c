/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/format/perfetto.h>

#include "proto.h"
#include <errno.h>
#include <exectrace/answer/format/text.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/format/data/intern.h>
#include <stdlib.h>
#include <string.h>

#define SEQUENCE 1 /* all packets are of one: the numbers of names hold within it */

/* Numbers of fields, by message. */
enum { TRACE_PACKET = 1 };
enum packet_field {
	PACKET_CLOCKS = 6,
	PACKET_TIME = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_CLOCK_ID = 58,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60,
};
enum clocks_field { CLOCKS_CLOCK = 1, CLOCKS_PRIMARY = 2 };
enum clock_field { CLOCK_ID = 1, CLOCK_TIME = 2 };
enum track_field { TRACK_ID = 1, TRACK_PROCESS = 3, TRACK_THREAD = 4 };
enum process_field { PROCESS_PID = 1, PROCESS_WORD = 2, PROCESS_NAME = 6 };
enum thread_field { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum event_field {
	EVENT_CATEGORY = 3,
	EVENT_NOTE = 4,
	EVENT_TYPE = 9,
	EVENT_NAME = 10,
	EVENT_TRACK = 11,
	EVENT_STACK = 56,
};
enum note_field { NOTE_NAME = 1, NOTE_NUMBER = 4, NOTE_TEXT = 6 };
enum interned_field {
	INTERNED_CATEGORY = 1,
	INTERNED_EVENT = 2,
	INTERNED_NOTE = 3,
	INTERNED_FUNCTION = 5,
	INTERNED_FRAME = 6,
	INTERNED_STACK = 7,
};
enum entry_field { ENTRY_ID = 1, ENTRY_TEXT = 2 };

enum flag { STATE_CLEARED = 1, STATE_NEEDED = 2 };
enum event_type { EVENT_BEGIN = 1, EVENT_END = 2, EVENT_INSTANT = 3 };
enum clock { CLOCK_WALL = 1, CLOCK_MONO = 3 };

/* What has numbers. Frames have those of their functions. */
enum table { CATEGORIES, EVENTS, NOTES, FUNCTIONS, STACKS, TABLES };

static const uint8_t interned_fields[TABLES] = {
	[CATEGORIES] = INTERNED_CATEGORY, [EVENTS] = INTERNED_EVENT, [NOTES] = INTERNED_NOTE,
	[FUNCTIONS] = INTERNED_FUNCTION,  [STACKS] = INTERNED_STACK,
};

struct perfetto {
	struct tracks base; /* first */
	struct proto proto;
	struct intern tables[TABLES];
	struct buf fresh; /* InternedData to go with the next packet */
	struct buf text;
	struct buf frames; /* numbers of the functions of a stack */
};

static struct perfetto *perfetto_of(struct tracks *t)
{
	return (struct perfetto *)t;
}

static void release(struct tracks *t)
{
	struct perfetto *p = perfetto_of(t);

	for (int i = 0; i < TABLES; i++)
		intern_release(&p->tables[i]);
	buf_release(&p->fresh);
	buf_release(&p->text);
	buf_release(&p->frames);
	free(p);
}

/* Memory of one long text is not kept for the short ones that follow. */
#define SCRATCH_KEPT 65536

/* A text as strings of this format have to be; valid until the next one. */
static struct data_text clean(struct perfetto *p, struct data_text text)
{
	buf_reset(&p->text, SCRATCH_KEPT);
	if (!p->proto.err)
		p->proto.err = text_append(&p->text, text, '\0');
	return (struct data_text){p->text.data, p->text.len};
}

static void add_text(struct perfetto *p, unsigned field, struct data_text text)
{
	struct data_text plain = clean(p, text);

	proto_bytes(&p->proto, field, plain.bytes, plain.n);
}

/* The number of a text; when it is a new one, the next packet defines it. */
static uint64_t number_of(struct perfetto *p, enum table table, struct data_text text)
{
	struct proto fresh = {.out = &p->fresh};
	struct data_text plain;
	bool is_fresh = false;
	uint64_t id = 0;
	size_t opened;

	if (p->proto.err)
		return 0;
	p->proto.err = intern(&p->tables[table], text.bytes, text.n, &id, &is_fresh);
	if (p->proto.err || !is_fresh)
		return id;
	plain = clean(p, text);
	opened = proto_open(&fresh, interned_fields[table]);
	proto_number(&fresh, ENTRY_ID, id);
	proto_bytes(&fresh, ENTRY_TEXT, plain.bytes, plain.n);
	proto_close(&fresh, opened);
	if (!p->proto.err)
		p->proto.err = fresh.err;
	return id;
}

static size_t open_packet(struct perfetto *p, uint64_t flags)
{
	size_t packet = proto_open(&p->proto, TRACE_PACKET);

	proto_number(&p->proto, PACKET_SEQUENCE, SEQUENCE);
	proto_number(&p->proto, PACKET_FLAGS, flags);
	if (p->fresh.len)
		proto_bytes(&p->proto, PACKET_INTERNED, p->fresh.data, p->fresh.len);
	buf_reset(&p->fresh, SCRATCH_KEPT);
	return packet;
}

static void add_clock(struct proto *proto, enum clock id, uint64_t time)
{
	size_t clock = proto_open(proto, CLOCKS_CLOCK);

	proto_number(proto, CLOCK_ID, id);
	proto_number(proto, CLOCK_TIME, time);
	proto_close(proto, clock);
}

static int start(struct tracks *t, uint64_t monotonic, uint64_t realtime)
{
	struct perfetto *p = perfetto_of(t);
	struct proto *proto = &p->proto;
	size_t packet = open_packet(p, STATE_CLEARED | STATE_NEEDED);
	size_t message = proto_open(proto, PACKET_CLOCKS);

	add_clock(proto, CLOCK_MONO, monotonic);
	if (realtime)
		add_clock(proto, CLOCK_WALL, realtime);
	proto_number(proto, CLOCKS_PRIMARY, CLOCK_MONO);
	proto_close(proto, message);
	message = proto_open(proto, PACKET_DEFAULTS);
	proto_number(proto, PACKET_CLOCK_ID, CLOCK_MONO);
	proto_close(proto, message);
	proto_close(proto, packet);
	return proto->err;
}

static int name_process(struct tracks *t, uint64_t track, uint32_t pid, struct data_text name, struct data_text argv)
{
	struct perfetto *p = perfetto_of(t);
	struct proto *proto = &p->proto;
	size_t packet = open_packet(p, STATE_NEEDED);
	size_t message = proto_open(proto, PACKET_TRACK), process;

	proto_number(proto, TRACK_ID, track);
	process = proto_open(proto, TRACK_PROCESS);
	proto_number(proto, PROCESS_PID, pid);
	for (size_t at = 0; at < argv.n;) {
		size_t n = strnlen(argv.bytes + at, argv.n - at);

		add_text(p, PROCESS_WORD, (struct data_text){argv.bytes + at, n});
		at += n + 1;
	}
	add_text(p, PROCESS_NAME, name);
	proto_close(proto, process);
	proto_close(proto, message);
	proto_close(proto, packet);
	return proto->err;
}

static int name_thread(struct tracks *t, uint64_t track, uint32_t pid, uint32_t tid, struct data_text name)
{
	struct perfetto *p = perfetto_of(t);
	struct proto *proto = &p->proto;
	size_t packet = open_packet(p, STATE_NEEDED);
	size_t message = proto_open(proto, PACKET_TRACK), thread;

	proto_number(proto, TRACK_ID, track);
	thread = proto_open(proto, TRACK_THREAD);
	proto_number(proto, THREAD_PID, pid);
	proto_number(proto, THREAD_TID, tid);
	add_text(p, THREAD_NAME, name);
	proto_close(proto, thread);
	proto_close(proto, message);
	proto_close(proto, packet);
	return proto->err;
}

/* The number of a function, and a frame of the same number. */
static uint64_t function_of(struct perfetto *p, struct data_text name)
{
	struct proto fresh = {.out = &p->fresh};
	size_t before = p->fresh.len, opened;
	uint64_t id = number_of(p, FUNCTIONS, name);

	if (p->fresh.len == before)
		return id;
	opened = proto_open(&fresh, INTERNED_FRAME);
	proto_number(&fresh, ENTRY_ID, id);
	proto_number(&fresh, ENTRY_TEXT, id);
	proto_close(&fresh, opened);
	if (!p->proto.err)
		p->proto.err = fresh.err;
	return id;
}

static void define_stack(struct perfetto *p, uint64_t id, const uint64_t *frames, size_t n)
{
	struct proto fresh = {.out = &p->fresh};
	size_t opened = proto_open(&fresh, INTERNED_STACK);

	proto_number(&fresh, ENTRY_ID, id);
	for (size_t i = 0; i < n; i++)
		proto_number(&fresh, ENTRY_TEXT, frames[i]);
	proto_close(&fresh, opened);
	if (!p->proto.err)
		p->proto.err = fresh.err;
}

static int number_stack(struct tracks *t, const struct data_text *functions, size_t n, uint64_t *stack)
{
	struct perfetto *p = perfetto_of(t);
	bool is_fresh = false;

	buf_reset(&p->frames, SCRATCH_KEPT);
	for (size_t i = n; i > 0 && !p->proto.err; i--) { /* this format has the outermost first */
		uint64_t id = function_of(p, functions[i - 1]);

		if (!p->proto.err)
			p->proto.err = buf_append(&p->frames, &id, sizeof(id));
	}
	if (!p->proto.err)
		p->proto.err = intern(&p->tables[STACKS], p->frames.data, p->frames.len, stack, &is_fresh);
	if (!p->proto.err && is_fresh)
		define_stack(p, *stack, (const uint64_t *)(const void *)p->frames.data, n);
	return p->proto.err;
}

/* Names are looked up before the packet begins, because it begins with those that are new. */
struct numbers {
	uint64_t category, name, notes[TRACK_NOTES_MAX];
};

static void add_note(struct perfetto *p, const struct track_note *note, uint64_t name)
{
	size_t message = proto_open(&p->proto, EVENT_NOTE);

	proto_number(&p->proto, NOTE_NAME, name);
	if (note->text.bytes)
		add_text(p, NOTE_TEXT, note->text);
	else
		proto_number(&p->proto, NOTE_NUMBER, (uint64_t)note->number);
	proto_close(&p->proto, message);
}

static void add_event(struct perfetto *p, const struct track_slice *slice, const struct numbers *numbers)
{
	struct proto *proto = &p->proto;
	size_t packet = open_packet(p, STATE_NEEDED), event;

	proto_number(proto, PACKET_TIME, slice->begin);
	event = proto_open(proto, PACKET_EVENT);
	proto_number(proto, EVENT_TYPE, slice->instant ? EVENT_INSTANT : EVENT_BEGIN);
	proto_number(proto, EVENT_TRACK, slice->track);
	proto_number(proto, EVENT_CATEGORY, numbers->category);
	proto_number(proto, EVENT_NAME, numbers->name);
	for (unsigned i = 0; i < slice->nnotes; i++)
		add_note(p, &slice->notes[i], numbers->notes[i]);
	if (slice->stack)
		proto_number(proto, EVENT_STACK, slice->stack);
	proto_close(proto, event);
	proto_close(proto, packet);
}

static int close_slice(struct tracks *t, uint64_t track, uint64_t time)
{
	struct proto *proto = &perfetto_of(t)->proto;
	size_t packet = proto_open(proto, TRACE_PACKET), event;

	proto_number(proto, PACKET_SEQUENCE, SEQUENCE);
	proto_number(proto, PACKET_FLAGS, STATE_NEEDED);
	proto_number(proto, PACKET_TIME, time);
	event = proto_open(proto, PACKET_EVENT);
	proto_number(proto, EVENT_TYPE, EVENT_END);
	proto_number(proto, EVENT_TRACK, track);
	proto_close(proto, event);
	proto_close(proto, packet);
	return proto->err;
}

static int open_slice(struct tracks *t, const struct track_slice *slice)
{
	struct perfetto *p = perfetto_of(t);
	struct numbers numbers;

	numbers.category = number_of(p, CATEGORIES, text_of(slice->category));
	numbers.name = number_of(p, EVENTS, slice->name);
	for (unsigned i = 0; i < slice->nnotes; i++)
		numbers.notes[i] = number_of(p, NOTES, text_of(slice->notes[i].name));
	add_event(p, slice, &numbers);
	return p->proto.err;
}

static const struct tracks_ops ops = {
	.start = start,
	.process = name_process,
	.thread = name_thread,
	.stack = number_stack,
	.open = open_slice,
	.close = close_slice,
	.free = release,
};

int perfetto_new(struct tracks **ret, struct buf *out)
{
	struct perfetto *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->base.ops = &ops;
	p->proto.out = out;
	*ret = &p->base;
	return 0;
}
