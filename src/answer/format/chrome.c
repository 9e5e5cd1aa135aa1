/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/format/chrome.h>

#include <errno.h>
#include <exectrace/answer/format/byte_map.h>
#include <exectrace/answer/format/jsonl.h>
#include <exectrace/answer/format/text.h>
#include <stdlib.h>
#include <string.h>

#define SLICE_BYTES 160u /* of a slice, beside its texts */

struct chrome {
	struct tracks base; /* first */
	struct buf *out;
	struct byte_map owners; /* by track: process id << 32 | thread id */
	struct byte_map texts;  /* by text: the place of its JSON in `json`, and 1 */
	struct buf json;        /* JSON texts, with a NUL behind each */
	struct byte_map frames; /* by struct frame_key: the number of the frame */
	struct buf defined;     /* what has to be said of frames, at the end */
	uint64_t n_frames;
	struct buf clean;
	uint64_t monotonic, realtime;
	bool any; /* there is an event in front */
};

struct frame_key {
	uint64_t parent; /* number of the frame that called; 0: none */
	uint64_t text;   /* of the name, in `json` */
};

static struct chrome *chrome_of(struct tracks *t)
{
	return (struct chrome *)t;
}

/* --- Parts ---------------------------------------------------------------------------------------------------------
 */

static int add_text(struct chrome *c, struct buf *out, struct data_text text)
{
	struct jsonl j = {.out = out};
	int rc;

	buf_reset(&c->clean, 65536);
	rc = text_append(&c->clean, text, '\0');
	if (!rc)
		jsonl_item(&j, (struct data_text){c->clean.data, c->clean.len});
	return rc ? rc : j.err;
}

/* The place of a text in `json`, made once for texts that recur. */
static int known_text(struct chrome *c, struct data_text text, uint64_t *at)
{
	uint64_t *place = NULL;
	size_t start = c->json.len;
	int rc = byte_map_find(&c->texts, text.bytes, text.n, &place);

	if (rc || *place) {
		*at = rc ? 0 : *place - 1;
		return rc;
	}
	rc = add_text(c, &c->json, text);
	if (!rc)
		rc = buf_putc(&c->json, '\0');
	if (!rc)
		*place = start + 1;
	*at = start;
	return rc;
}

static int put_known(struct chrome *c, struct data_text text)
{
	uint64_t at;
	int rc = known_text(c, text, &at);

	return rc ? rc : buf_puts(c->out, c->json.data + at);
}

/* What separates this event from the one before. */
static int separate(struct chrome *c)
{
	bool first = !c->any;

	c->any = true;
	return first ? 0 : buf_puts(c->out, ",\n");
}

static int owner_of(struct chrome *c, uint64_t track, uint64_t **owner)
{
	return byte_map_find(&c->owners, &track, sizeof(track), owner);
}

/* --- Tracks --------------------------------------------------------------------------------------------------------
 */

static int start(struct tracks *t, uint64_t monotonic, uint64_t realtime)
{
	struct chrome *c = chrome_of(t);

	c->monotonic = monotonic;
	c->realtime = realtime;
	return buf_puts(c->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
}

/* A metadata event. */
static int name_track(struct chrome *c, const char *what, uint64_t owner, struct data_text name)
{
	int rc = separate(c);

	if (!rc)
		rc = buf_printf(c->out, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":", what,
		                (uint32_t)(owner >> 32), (uint32_t)owner);
	if (!rc)
		rc = put_known(c, name);
	return rc ? rc : buf_puts(c->out, "}}");
}

static int name_process(struct tracks *t, uint64_t track, uint32_t pid, struct data_text name, struct data_text argv)
{
	struct chrome *c = chrome_of(t);
	uint64_t *owner;
	int rc = owner_of(c, track, &owner);

	(void)argv;
	if (rc)
		return rc;
	*owner = (uint64_t)pid << 32; /* thread 0 has what is said of the process */
	return name_track(c, "process_name", *owner, name);
}

static int name_thread(struct tracks *t, uint64_t track, uint32_t pid, uint32_t tid, struct data_text name)
{
	struct chrome *c = chrome_of(t);
	uint64_t *owner;
	int rc = owner_of(c, track, &owner);

	if (rc)
		return rc;
	*owner = (uint64_t)pid << 32 | tid;
	return name_track(c, "thread_name", *owner, name);
}

/* A stack is the number of its innermost frame. */
static int number_stack(struct tracks *t, const struct data_text *functions, size_t n, uint64_t *stack)
{
	struct chrome *c = chrome_of(t);
	struct frame_key key = {0};
	uint64_t *number;
	int rc = 0;

	for (; n && !rc; n--) {
		rc = known_text(c, functions[n - 1], &key.text);
		if (!rc)
			rc = byte_map_find(&c->frames, &key, sizeof(key), &number);
		if (!rc && !*number) {
			*number = ++c->n_frames;
			rc = buf_printf(&c->defined, "%s\"%llu\":{\"name\":%s", *number == 1 ? "" : ",\n",
			                (unsigned long long)*number, c->json.data + key.text);
			if (!rc && key.parent)
				rc = buf_printf(&c->defined, ",\"parent\":\"%llu\"", (unsigned long long)key.parent);
			if (!rc)
				rc = buf_putc(&c->defined, '}');
		}
		if (!rc)
			key.parent = *number;
	}
	*stack = key.parent;
	return rc;
}

/* --- Slices --------------------------------------------------------------------------------------------------------
 */

/* ns as us with three decimals, behind a key; the buffer has room. */
static void put_us(struct buf *out, const char *key, uint64_t ns)
{
	text_put(out, key);
	text_put_number(out, ns / 1000);
	text_put(out, ".");
	text_put_digits(out, ns % 1000, 3);
}

static int put_notes(struct chrome *c, const struct track_slice *slice)
{
	int rc = buf_puts(c->out, ",\"args\":{");

	for (unsigned i = 0; i < slice->nnotes && !rc; i++) {
		const struct track_note *note = &slice->notes[i];

		rc = buf_puts(c->out, i ? "," : "");
		if (!rc)
			rc = put_known(c, text_of(note->name));
		if (!rc)
			rc = buf_putc(c->out, ':');
		if (!rc)
			rc = note->text.bytes ? add_text(c, c->out, note->text)
			                      : buf_printf(c->out, "%lld", (long long)note->number);
	}
	return rc ? rc : buf_putc(c->out, '}');
}

static int put_times(struct chrome *c, const struct track_slice *slice, uint64_t owner)
{
	int rc = buf_reserve(c->out, SLICE_BYTES);

	if (rc)
		return rc;
	text_put(c->out, ",\"pid\":");
	text_put_number(c->out, owner >> 32);
	text_put(c->out, ",\"tid\":");
	text_put_number(c->out, (uint32_t)owner);
	put_us(c->out, ",\"ts\":", slice->begin);
	if (!slice->instant)
		put_us(c->out, ",\"dur\":", slice->end > slice->begin ? slice->end - slice->begin : 0);
	return 0;
}

static int open_slice(struct tracks *t, const struct track_slice *slice)
{
	struct chrome *c = chrome_of(t);
	uint64_t *owner;
	int rc = owner_of(c, slice->track, &owner);

	if (!rc)
		rc = separate(c);
	if (!rc)
		rc = buf_puts(c->out,
		              slice->instant ? "{\"ph\":\"i\",\"s\":\"t\",\"name\":" : "{\"ph\":\"X\",\"name\":");
	if (!rc)
		rc = put_known(c, slice->name);
	if (!rc && *slice->category)
		rc = buf_puts(c->out, ",\"cat\":");
	if (!rc && *slice->category)
		rc = put_known(c, text_of(slice->category));
	if (!rc)
		rc = put_times(c, slice, *owner);
	if (!rc && slice->stack)
		rc = buf_printf(c->out, ",\"sf\":\"%llu\"", (unsigned long long)slice->stack);
	if (!rc && slice->nnotes)
		rc = put_notes(c, slice);
	return rc ? rc : buf_putc(c->out, '}');
}

static int finish(struct tracks *t)
{
	struct chrome *c = chrome_of(t);
	int rc = buf_puts(c->out, "\n],\"stackFrames\":{");

	if (!rc)
		rc = buf_append(c->out, c->defined.data, c->defined.len);
	return rc ? rc
	          : buf_printf(c->out,
	                       "},\"otherData\":{\"clock\":\"CLOCK_MONOTONIC\",\"monotonic_ns\":%llu,"
	                       "\"realtime_ns\":%llu}}\n",
	                       (unsigned long long)c->monotonic, (unsigned long long)c->realtime);
}

static void release(struct tracks *t)
{
	struct chrome *c = chrome_of(t);

	byte_map_release(&c->owners);
	byte_map_release(&c->texts);
	byte_map_release(&c->frames);
	buf_release(&c->json);
	buf_release(&c->defined);
	buf_release(&c->clean);
	free(c);
}

static const struct tracks_ops ops = {
	.start = start,
	.process = name_process,
	.thread = name_thread,
	.stack = number_stack,
	.open = open_slice,
	.finish = finish,
	.free = release,
};

int chrome_new(struct tracks **ret, struct buf *out)
{
	struct chrome *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->base.ops = &ops;
	c->out = out;
	*ret = &c->base;
	return 0;
}
