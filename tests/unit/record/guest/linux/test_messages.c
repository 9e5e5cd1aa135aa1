/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's ring buffer of messages in a memory made by hand: records, texts that go round, what leads nowhere. */
#include "messages_types.h"
#include "tap.h"
#include <exectrace/record/guest/linux/messages.h>
#include <stdlib.h>

#define BASE 0xffff888000000000ull
#define BYTES 4096u
#define COUNT_BITS 3 /* 8 records */
#define SIZE_BITS 8  /* 256 bytes of texts */

/* Where things are in it. */
enum { ENTRY = 0, RING = 64, DESCRIPTORS = 512, INFOS = 1024, DATA = 2048 };

static const struct types types = {MESSAGES_TYPES};

static char there[BYTES];

static bool read_memory(void *user, uint64_t address, void *to, size_t n)
{
	(void)user;
	if (address < BASE || address - BASE > sizeof(there) || n > sizeof(there) - (address - BASE))
		return false;
	memcpy(to, there + (address - BASE), n);
	return true;
}

static const struct guest_memory memory = {read_memory, NULL};

static void put(unsigned at, uint64_t value, size_t n)
{
	memcpy(there + at, &value, n);
}

static void make(void)
{
	memset(there, 0, sizeof(there));
	put(ENTRY, BASE + RING, 8);
	put(RING, COUNT_BITS, 4);
	put(RING + 8, BASE + DESCRIPTORS, 8);
	put(RING + 16, BASE + INFOS, 8);
	put(RING + 40, SIZE_BITS, 4);
	put(RING + 48, BASE + DATA, 8);
}

/* A record of this id, whose text is at these positions, and says that it has n bytes. */
static void record(uint64_t id, uint64_t begin, uint64_t next, const char *text, uint16_t n)
{
	const unsigned number = id % (1 << COUNT_BITS), size = 1 << SIZE_BITS;
	const unsigned at = begin / size == (next - 1) / size ? (unsigned)begin % size : 0;

	put(ENTRY + 16, id, 8);
	put(DESCRIPTORS + number * 24 + 8, begin, 8);
	put(DESCRIPTORS + number * 24 + 16, next, 8);
	put(INFOS + number * 88 + 8, 123456789, 8);
	put(INFOS + number * 88 + 16, n, 2);
	put(INFOS + number * 88 + 18, 1, 1);
	put(INFOS + number * 88 + 19, 5u << 5 | 0x1f, 1);
	put(INFOS + number * 88 + 20, 17, 4);
	memcpy(there + DATA + at + 8, text, strlen(text));
}

static const char *text_now(uint64_t log)
{
	static char text[BYTES + 40];
	uint64_t id = 0;
	struct ring_message *m = message_read(&types, &memory, BASE + ENTRY, log, &id);

	snprintf(text, sizeof(text), "none");
	if (m)
		snprintf(text, sizeof(text), "%lu:%u:%u:%lu:%.*s", id, m->level, m->caller, m->stamp, (int)m->size,
		         m->text);
	free(m);
	return text;
}

static void reads(void)
{
	make();
	record(9, 256, 280, "hello", 5);
	CHECK_STR(text_now(0), "9:5:17:123456789:hello");
	CHECK_STR(text_now(BASE + RING), "9:5:17:123456789:hello");
	CHECK_STR(text_now(BASE), "none"); /* another buffer is in use */
	record(10, 256, 272, "12345678, cut", 13);
	CHECK_STR(text_now(0), "10:5:17:123456789:12345678");
	record(11, 496, 512, "at end", 6);
	CHECK_STR(text_now(0), "11:5:17:123456789:at end");
	record(12, 496, 536, "goes round", 10);
	CHECK_STR(text_now(0), "12:5:17:123456789:goes round");
	record(13, 1, 1, "", 5);
	CHECK_STR(text_now(0), "13:5:17:123456789:");
	record(14, 3, 3, "", 0);
	CHECK_STR(text_now(0), "14:5:17:123456789:");
}

/* What makes no sense has no text, or is none; nothing else is read. */
static void refuses(void)
{
	struct types none = types;
	uint64_t id;

	make();
	record(9, 280, 256, "hello", 5);
	CHECK_STR(text_now(0), "9:5:17:123456789:");
	record(9, 256, 4096 + 256, "hello", 5);
	CHECK_STR(text_now(0), "9:5:17:123456789:");
	record(9, UINT64_MAX - 1, 24, "hello", 5);
	CHECK_STR(text_now(0), "9:5:17:123456789:hello"); /* positions go round, too */
	record(9, 256, 280, "hello", 5);
	put(RING + 48, BASE + BYTES, 8);
	CHECK_STR(text_now(0), "none");
	make();
	record(9, 256, 280, "hello", 5);
	put(RING, 64, 4);
	CHECK_STR(text_now(0), "none");
	put(RING, 0, 4);
	CHECK_STR(text_now(0), "none");
	put(RING, COUNT_BITS, 4);
	put(RING + 40, 31, 4);
	CHECK_STR(text_now(0), "none");
	put(RING + 40, SIZE_BITS, 4);
	put(RING + 16, BASE + BYTES - 100, 8);
	CHECK_STR(text_now(0), "none");
	put(ENTRY, 0, 8);
	CHECK_STR(text_now(0), "none");
	none.messages = false;
	CHECK(message_read(&none, &memory, BASE, 0, &id) == NULL);
	CHECK(message_read(&types, &memory, 0, 0, &id) == NULL);
}

static struct ring_message *new_message(char text)
{
	struct ring_message *m = calloc(1, sizeof(*m) + 1);

	if (!m)
		abort();
	m->size = 1;
	m->text[0] = text;
	return m;
}

/* Adds what is told when a record is committed: its letters. */
static void commit(struct message_open *open, char *to, uint64_t id, char text, bool final)
{
	const struct message_open committed = {.id = id, .message = new_message(text)};
	struct message_told told = message_commit(open, &committed, final);
	char *end = to + strlen(to);

	if (told.before)
		*end++ = told.before->text[0];
	if (told.now)
		*end++ = told.now->text[0];
	*end = '\0';
	free(told.before);
	free(told.now);
}

static void goes_on(void)
{
	struct message_open open = {0};
	char told[20] = "";

	commit(&open, told, 0, 'a', true);
	commit(&open, told, 1, 'x', false); /* goes on, and on, ... */
	commit(&open, told, 1, 'y', false);
	commit(&open, told, 1, 'b', true); /* ... until its newline */
	commit(&open, told, 2, 'c', false);
	CHECK_STR(told, "ab");
	commit(&open, told, 4, 'e', false); /* never had one */
	CHECK_STR(told, "abc");
	commit(&open, told, 3, 'd', true); /* was begun before that, elsewhere */
	commit(&open, told, 3, 'D', false);
	CHECK_STR(told, "abcdD");
	commit(&open, told, 5, 'f', true);
	CHECK_STR(told, "abcdDef");
	commit(&open, told, UINT64_MAX, 'g', false);
	commit(&open, told, 0, 'h', true); /* ids go round */
	CHECK_STR(told, "abcdDefgh");
	CHECK(open.message == NULL);
}

int main(void)
{
	reads();
	refuses();
	goes_on();
	return TAP_DONE();
}
