/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record_schema.h"

#include <errno.h>
#include <exectrace/format/data/varint.h>

enum field_kind {
	FIELD_END = 0, /* no field: the end of the list */
	FIELD_U32,
	FIELD_I32,
	FIELD_U64,
	FIELD_TEXT,
	FIELD_WORDS,   /* a text and, before it in the file, how many words it has */
	FIELD_ARGS,    /* of a system call */
	FIELD_EXTRAS,  /* of a system call */
	FIELD_VALUES,  /* both, of a call of the guest */
	FIELD_FRAMES,  /* of a stack */
	FIELD_SYMBOLS, /* of a file */
};

struct field {
	uint16_t at; /* in struct data_event */
	uint8_t kind;
};

#define FIELDS_MAX 8 /* and the end */

struct record_schema {
	bool dictionary; /* later records refer to it */
	struct field fields[FIELDS_MAX];
};

#define U32(member) offsetof(struct data_event, member), FIELD_U32
#define I32(member) offsetof(struct data_event, member), FIELD_I32
#define U64(member) offsetof(struct data_event, member), FIELD_U64
#define TEXT(member) offsetof(struct data_event, member), FIELD_TEXT

/* The order is that of the file: new fields come last. exectrace-data(5) lists them. */
static const struct record_schema shapes[DATA_TYPES] = {
	[DATA_UNFINISHED] = {false,
                             {{U32(syscall.tid)},
                              {U32(syscall.arch)},
                              {U32(syscall.nr)},
                              {U64(syscall.duration)},
                              {U64(syscall.stack)},
                              {0, FIELD_ARGS},
                              {0, FIELD_EXTRAS}}},
	[DATA_SIGNAL] = {false,
                         {{U32(signal.tid)},
                          {I32(signal.number)},
                          {I32(signal.code)},
                          {U32(signal.pid)},
                          {U32(signal.uid)},
                          {U64(signal.address)},
                          {U64(signal.stack)}}},
	[DATA_STOP] = {false, {{U32(stop.tid)}, {I32(stop.number)}}},
	[DATA_THREAD] = {false, {{U32(thread.tid)}, {U32(thread.pid)}, {U32(thread.parent)}, {U64(thread.flags)}}},
	[DATA_EXEC] = {false,
                       {{U32(exec.pid)}, {U32(exec.tid)}, {U64(exec.mapset)}, {TEXT(exec.path)}, {0, FIELD_WORDS}}},
	[DATA_EXIT] = {false, {{U32(exit.tid)}, {U32(exit.pid)}, {I32(exit.status)}}},
	[DATA_USAGE] = {false,
                        {{U32(usage.pid)},
                         {U32(usage.flags)},
                         {U64(usage.user)},
                         {U64(usage.system)},
                         {U64(usage.peak)},
                         {U64(usage.read)},
                         {U64(usage.written)}}},
	[DATA_COMM] = {false, {{U32(comm.tid)}, {TEXT(comm.name)}}},
	[DATA_FILE] = {true, {{U64(file.id)}, {TEXT(file.path)}, {TEXT(file.build_id)}}},
	[DATA_MAPSET] = {true, {{U64(mapset.id)}, {U64(mapset.base)}, {U32(mapset.pid)}}},
	[DATA_MAP] = {true,
                      {{U64(map.set)},
                       {U64(map.start)},
                       {U64(map.end)},
                       {U64(map.offset)},
                       {U64(map.file)},
                       {U32(map.prot)}}},
	[DATA_UNMAP] = {true, {{U64(map.set)}, {U64(map.start)}, {U64(map.end)}}},
	[DATA_STACK] = {true, {{U64(stack.id)}, {U64(stack.mapset)}, {0, FIELD_FRAMES}}},
	[DATA_SYMBOLS] = {true, {{U64(symbols.file)}, {0, FIELD_SYMBOLS}}},
	[DATA_LOST] = {false, {{U64(lost.count)}, {U32(lost.why)}, {TEXT(lost.text)}}},
	[DATA_NOTE] = {false, {{TEXT(note)}}},
	[DATA_SAMPLE] = {false,
                         {{U32(sample.tid)},
                          {U32(sample.cpu)},
                          {U64(sample.weight)},
                          {U64(sample.stack)},
                          {U32(sample.flags)}}},
	[DATA_TASK] = {false, {{U64(task.stack)}, {U32(task.pid)}, {U32(task.tgid)}, {TEXT(task.name)}}},
	[DATA_MODULE] = {false, {{U64(module.file)}, {U64(module.address)}, {U64(module.size)}}},
	[DATA_SYNC] = {false, {{U64(sync.clock)}, {U32(sync.cpu)}}},
	[DATA_FUNCTION] = {true,
                           {{U64(function.id)},
                            {U64(function.file)},
                            {U64(function.address)},
                            {U64(function.size)},
                            {TEXT(function.name)}}},
	[DATA_FILTERED] = {false, {{U64(filtered.function)}, {U64(filtered.count)}, {U64(filtered.ticks)}}},
	[DATA_WINDOW] = {false, {{U64(window.number)}, {U32(window.open)}}},
	[DATA_WAKE] = {false, {{U64(wake.stack)}, {U32(wake.flags)}}},
	[DATA_HELD] = {false, {{U64(held.lock)}, {U64(held.stack)}}},
	[DATA_SIGNATURE] = {false, {{U64(signature.function)}, {TEXT(signature.text)}}},
	[DATA_CALL_ARGS] = {false, {{0, FIELD_VALUES}}},
	[DATA_CALL_RESULT] = {false, {{0, FIELD_VALUES}}},
	[DATA_MESSAGE] = {false,
                          {{U32(message.cpu)},
                           {U32(message.level)},
                           {U64(message.stamp)},
                           {U32(message.caller)},
                           {TEXT(message.text)}}},
};

bool record_schema_known(unsigned type)
{
	return type < DATA_TYPES && shapes[type].fields[0].kind;
}

bool record_schema_is_dictionary(unsigned type)
{
	return type < DATA_TYPES && shapes[type].dictionary;
}

/* True when text is n words, each ended by a NUL. */
static bool is_words(struct data_text text, uint32_t n)
{
	const char *p = text.bytes, *end;

	if (!text.n || n > DATA_LIST_MAX)
		return !text.n && !n;
	end = p + text.n;
	for (; n && p < end; n--) {
		p = memchr(p, '\0', (size_t)(end - p));
		if (!p)
			return false;
		p++;
	}
	return !n && p == end;
}

/* The rules that a reader may rely on. */
static bool is_sound(const struct data_event *event)
{
	switch (event->type) {
	case DATA_EXEC:
		return is_words(event->exec.argv, event->exec.argc);
	case DATA_FILE:
		return event->file.id != 0;
	case DATA_MAPSET:
		return event->mapset.base < event->mapset.id;
	case DATA_MAP:
	case DATA_UNMAP:
		return event->map.set != 0 && event->map.start <= event->map.end;
	case DATA_STACK:
		return event->stack.id != 0;
	case DATA_SYMBOLS:
		return event->symbols.file != 0;
	case DATA_FUNCTION:
		return event->function.id != 0;
	case DATA_SIGNATURE:
		return event->signature.function != 0;
	case DATA_MESSAGE:
		return event->message.level <= DATA_LEVEL_MAX;
	default:
		return true;
	}
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

static int put(struct buf *out, uint64_t v)
{
	int rc = buf_room(out, DATA_VARINT_SLACK);

	if (rc)
		return rc;
	out->len = (size_t)((char *)data_varint_put((uint8_t *)out->data + out->len, v) - out->data);
	out->data[out->len] = '\0';
	return 0;
}

static int put_text(struct buf *out, struct data_text text)
{
	int rc = text.n > DATA_PAYLOAD_MAX ? -EINVAL : put(out, text.n);

	return rc ? rc : buf_append(out, text.bytes, text.n);
}

int record_schema_encode_extras(struct buf *out, const struct data_extra *extras, unsigned n)
{
	int rc = n > DATA_EXTRAS_MAX ? -EINVAL : put(out, n);

	for (unsigned i = 0; i < n && !rc; i++) {
		if (extras[i].arg > DATA_ARGS)
			return -EINVAL;
		rc = put(out, extras[i].arg);
		if (!rc)
			rc = put(out, extras[i].kind);
		if (!rc)
			rc = put_text(out, extras[i].text);
	}
	return rc;
}

static int put_args(struct buf *out, const uint64_t args[DATA_ARGS], unsigned n)
{
	int rc = n > DATA_ARGS ? -EINVAL : put(out, n);

	for (unsigned i = 0; i < n && !rc; i++)
		rc = put(out, data_zigzag(args[i]));
	return rc;
}

static int put_values(struct buf *out, const struct data_values *values)
{
	int rc = put_args(out, values->args, values->nargs);

	return rc ? rc : record_schema_encode_extras(out, values->extras, values->nextras);
}

/* Frames are near each other: the difference to the one before. */
static int put_frames(struct buf *out, const struct data_stack *stack)
{
	int rc = stack->n > DATA_LIST_MAX ? -EINVAL : put(out, stack->n);
	uint64_t last = 0;

	for (uint32_t i = 0; i < stack->n && !rc; i++) {
		rc = put(out, data_zigzag(stack->frames[i] - last));
		last = stack->frames[i];
	}
	return rc;
}

static int put_symbols(struct buf *out, const struct data_symbols *symbols)
{
	int rc = symbols->n > DATA_LIST_MAX ? -EINVAL : put(out, symbols->n);
	uint64_t last = 0;

	for (uint32_t i = 0; i < symbols->n && !rc; i++) {
		const struct data_symbol *symbol = &symbols->items[i];

		rc = put(out, data_zigzag(symbol->address - last));
		last = symbol->address;
		if (!rc)
			rc = put(out, symbol->size);
		if (!rc)
			rc = put_text(out, symbol->name);
	}
	return rc;
}

static int put_words(struct buf *out, const struct data_exec *exec)
{
	int rc = put(out, exec->argc);

	return rc ? rc : put_text(out, exec->argv);
}

static int put_field(struct buf *out, const struct field *field, const struct data_event *event)
{
	const void *at = (const char *)event + field->at;

	switch ((enum field_kind)field->kind) {
	case FIELD_U32:
		return put(out, *(const uint32_t *)at);
	case FIELD_I32:
		return put(out, data_zigzag((uint64_t)(int64_t) * (const int32_t *)at));
	case FIELD_U64:
		return put(out, *(const uint64_t *)at);
	case FIELD_TEXT:
		return put_text(out, *(const struct data_text *)at);
	case FIELD_WORDS:
		return put_words(out, &event->exec);
	case FIELD_ARGS:
		return put_args(out, event->syscall.args, event->syscall.nargs);
	case FIELD_EXTRAS:
		return record_schema_encode_extras(out, event->syscall.extras, event->syscall.nextras);
	case FIELD_VALUES:
		return put_values(out, &event->values);
	case FIELD_FRAMES:
		return put_frames(out, &event->stack);
	case FIELD_SYMBOLS:
		return put_symbols(out, &event->symbols);
	case FIELD_END:
		break;
	}
	return -EINVAL;
}

int record_schema_encode(struct buf *out, const struct data_event *event)
{
	size_t before = out->len;

	if (!is_sound(event))
		return -EINVAL;
	for (const struct field *field = shapes[event->type].fields; field->kind; field++) {
		int rc = put_field(out, field, event);

		if (rc)
			return rc;
	}
	return out->len - before > DATA_PAYLOAD_MAX ? -EINVAL : 0;
}

/* --- Reading ------------------------------------------------------------------------------------------------------ */

/* A payload that is being read. Behind its end nothing is there: fields are 0, texts empty. */
struct payload {
	const uint8_t *p, *end;
	bool bad; /* a number or a text is cut by the end, or does not fit its field */
};

static uint64_t get(struct payload *payload, uint64_t max)
{
	const uint8_t *next;
	uint64_t v;

	if (payload->p == payload->end)
		return 0;
	next = data_varint_get(payload->p, &v);
	if (next > payload->end || v > max) {
		payload->bad = true;
		payload->p = payload->end;
		return 0;
	}
	payload->p = next;
	return v;
}

static struct data_text get_text(struct payload *payload)
{
	struct data_text text = {.n = get(payload, DATA_PAYLOAD_MAX)};

	if (text.n > (size_t)(payload->end - payload->p)) {
		payload->bad = true;
		text.n = 0;
	}
	text.bytes = (const char *)payload->p;
	payload->p += text.n;
	return text;
}

static void get_extras(struct payload *payload, struct record_schema_scratch *scratch, uint8_t *n,
                       const struct data_extra **extras)
{
	*n = (uint8_t)get(payload, DATA_EXTRAS_MAX);
	*extras = scratch->extras;
	for (unsigned i = 0; i < *n; i++) {
		scratch->extras[i].arg = (uint8_t)get(payload, DATA_ARGS);
		scratch->extras[i].kind = (uint8_t)get(payload, UINT8_MAX);
		scratch->extras[i].text = get_text(payload);
	}
}

static void get_args(struct payload *payload, uint8_t *n, uint64_t args[DATA_ARGS])
{
	*n = (uint8_t)get(payload, DATA_ARGS);
	for (unsigned i = 0; i < DATA_ARGS; i++)
		args[i] = i < *n ? data_unzigzag(get(payload, UINT64_MAX)) : 0;
}

/* Room for n items of a list, which has at least one byte for each in the payload. 0 or -ENOMEM. */
static int list_begin(struct payload *payload, struct record_schema_scratch *scratch, uint32_t *n, size_t size)
{
	*n = (uint32_t)get(payload, DATA_LIST_MAX);
	if (*n > (size_t)(payload->end - payload->p)) {
		payload->bad = true;
		*n = 0;
	}
	scratch->list.len = 0;
	return buf_reserve(&scratch->list, *n * size);
}

static int get_frames(struct payload *payload, struct record_schema_scratch *scratch, struct data_stack *stack)
{
	int rc = list_begin(payload, scratch, &stack->n, sizeof(uint64_t));
	uint64_t *frames = (uint64_t *)(void *)scratch->list.data;
	uint64_t last = 0;

	for (uint32_t i = 0; i < stack->n && !rc; i++)
		frames[i] = last += data_unzigzag(get(payload, UINT64_MAX));
	stack->frames = frames;
	return rc;
}

static int get_symbols(struct payload *payload, struct record_schema_scratch *scratch, struct data_symbols *symbols)
{
	int rc = list_begin(payload, scratch, &symbols->n, sizeof(struct data_symbol));
	struct data_symbol *items = (struct data_symbol *)(void *)scratch->list.data;
	uint64_t last = 0;

	for (uint32_t i = 0; i < symbols->n && !rc; i++) {
		items[i].address = last += data_unzigzag(get(payload, UINT64_MAX));
		items[i].size = get(payload, UINT64_MAX);
		items[i].name = get_text(payload);
	}
	symbols->items = items;
	return rc;
}

/* A number outside int32_t is none that was written. */
static int32_t get_i32(struct payload *payload)
{
	return (int32_t)data_unzigzag(get(payload, UINT32_MAX));
}

static int get_field(struct payload *payload, const struct field *field, struct record_schema_scratch *scratch,
                     struct data_event *event)
{
	void *at = (char *)event + field->at;

	switch ((enum field_kind)field->kind) {
	case FIELD_U32:
		*(uint32_t *)at = (uint32_t)get(payload, UINT32_MAX);
		return 0;
	case FIELD_I32:
		*(int32_t *)at = get_i32(payload);
		return 0;
	case FIELD_U64:
		*(uint64_t *)at = get(payload, UINT64_MAX);
		return 0;
	case FIELD_TEXT:
		*(struct data_text *)at = get_text(payload);
		return 0;
	case FIELD_WORDS:
		event->exec.argc = (uint32_t)get(payload, DATA_LIST_MAX);
		event->exec.argv = get_text(payload);
		return 0;
	case FIELD_ARGS:
		get_args(payload, &event->syscall.nargs, event->syscall.args);
		return 0;
	case FIELD_EXTRAS:
		get_extras(payload, scratch, &event->syscall.nextras, &event->syscall.extras);
		return 0;
	case FIELD_VALUES:
		get_args(payload, &event->values.nargs, event->values.args);
		get_extras(payload, scratch, &event->values.nextras, &event->values.extras);
		return 0;
	case FIELD_FRAMES:
		return get_frames(payload, scratch, &event->stack);
	case FIELD_SYMBOLS:
		return get_symbols(payload, scratch, &event->symbols);
	case FIELD_END:
		break;
	}
	return -EBADMSG;
}

int record_schema_decode(struct record_schema_scratch *scratch, const uint8_t *p, size_t n, struct data_event *event)
{
	struct payload payload = {.p = p, .end = p + n};

	for (const struct field *field = shapes[event->type].fields; field->kind; field++) {
		int rc = get_field(&payload, field, scratch, event);

		if (rc)
			return rc;
	}
	return payload.bad || !is_sound(event) ? -EBADMSG : 0;
}

int record_schema_decode_extras(struct record_schema_scratch *scratch, const uint8_t *p, size_t n,
                                struct data_syscall *call)
{
	struct payload payload = {.p = p, .end = p + n};

	get_extras(&payload, scratch, &call->nextras, &call->extras);
	return payload.bad ? -EBADMSG : 0;
}

void record_schema_scratch_release(struct record_schema_scratch *scratch)
{
	buf_release(&scratch->list);
}
