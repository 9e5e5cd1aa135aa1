/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/linux/messages.h>

#include <stdlib.h>

#define BITS_MAX 30   /* of the number of records, and of bytes of their texts */
#define LEVEL_SHIFT 5 /* in the byte that flags and level share */
#define DATALESS 1    /* the bit of both positions of a text that has no bytes, or was lost */

/* Where the text of a record is, by two positions that only grow: `size_bits` of them are the place. */
struct block {
	uint64_t begin, next;
	uint32_t size_bits;
};

static bool read_word(const struct guest_memory *m, uint64_t address, uint64_t *to)
{
	return m->read(m->user, address, to, sizeof(*to));
}

static bool read_bits(const struct guest_memory *m, uint64_t address, uint32_t *to)
{
	return m->read(m->user, address, to, sizeof(*to)) && *to && *to <= BITS_MAX;
}

/* Where its bytes are in the ring of texts and how many they are, with what stands before the text. 0: none. */
static uint64_t bytes_of(const struct block *b, uint64_t *at)
{
	uint64_t size = 1ull << b->size_bits, mask = size - 1;

	if (b->begin & b->next & DATALESS)
		return 0;
	*at = b->begin & mask;
	if (b->begin < b->next && b->begin >> b->size_bits == (b->next - 1) >> b->size_bits)
		return b->next - b->begin;
	/* What would go over the end is at the beginning, all of it. */
	*at = 0;
	return (b->begin + size) >> b->size_bits == b->next >> b->size_bits ? b->next & mask : 0;
}

/* Where the text is, and how many bytes it may have at most. False: cannot be known. */
static bool find_text(const struct types *t, const struct guest_memory *m, uint64_t log, uint64_t descriptor,
                      uint64_t *address, uint64_t *n)
{
	struct block b;
	uint64_t data, at = 0;

	if (!read_bits(m, log + t->ring_size_bits, &b.size_bits) || !read_word(m, log + t->ring_data, &data) ||
	    !read_word(m, descriptor + t->descriptor_begin, &b.begin) ||
	    !read_word(m, descriptor + t->descriptor_next, &b.next))
		return false;
	*n = bytes_of(&b, &at);
	*n = *n > t->block_data ? *n - t->block_data : 0;
	*address = data + at + t->block_data;
	return true;
}

/* What a struct printk_info says. */
struct info {
	uint64_t stamp;
	uint32_t caller;
	uint16_t length;
	uint8_t bits;
};

static bool read_info(const struct types *t, const struct guest_memory *m, uint64_t at, struct info *info)
{
	return m->read(m->user, at + t->info_stamp, &info->stamp, sizeof(info->stamp)) &&
	       m->read(m->user, at + t->info_length, &info->length, sizeof(info->length)) &&
	       m->read(m->user, at + t->info_facility + 1, &info->bits, sizeof(info->bits)) &&
	       m->read(m->user, at + t->info_caller, &info->caller, sizeof(info->caller));
}

/* The record with its text, which is at an address. */
static struct ring_message *make(const struct guest_memory *m, const struct info *info, uint64_t address, uint64_t n)
{
	struct ring_message *message;

	n = n < info->length ? n : info->length;
	n = n < MESSAGE_MAX ? n : MESSAGE_MAX;
	message = malloc(sizeof(*message) + n);
	if (!message)
		return NULL;
	*message = (struct ring_message){.stamp = info->stamp,
	                                 .level = info->bits >> LEVEL_SHIFT,
	                                 .caller = info->caller,
	                                 .size = (uint32_t)n};
	if (guest_memory_some(m, address, message->text, n) == n)
		return message;
	free(message);
	return NULL;
}

struct ring_message *message_read(const struct types *types, const struct guest_memory *memory, uint64_t entry,
                                  uint64_t log, uint64_t *id)
{
	uint64_t ring, descriptors, infos, number, address, n;
	uint32_t bits;
	struct info info;

	if (!types->messages || !read_word(memory, entry + types->entry_ring, &ring) || (log && ring != log) ||
	    !read_word(memory, entry + types->entry_id, id) ||
	    !read_bits(memory, ring + types->ring_count_bits, &bits) ||
	    !read_word(memory, ring + types->ring_descriptors, &descriptors) ||
	    !read_word(memory, ring + types->ring_infos, &infos))
		return NULL;
	number = *id & ((1ull << bits) - 1);
	if (!read_info(types, memory, infos + number * types->info_size, &info) ||
	    !find_text(types, memory, ring, descriptors + number * types->descriptor_size, &address, &n))
		return NULL;
	return make(memory, &info, address, n);
}

struct message_told message_commit(struct message_open *open, const struct message_open *committed, bool final)
{
	struct message_told told = {0};
	bool same = open->message && open->id == committed->id;
	/* Ids only grow, but go round. One that was begun before what is open says nothing of it. */
	bool later = (int64_t)(committed->id - open->id) > 0;

	if (same)
		free(open->message);
	else if (open->message && later)
		told.before = open->message;
	else if (open->message)
		final = true;
	if (same || told.before)
		*open = (struct message_open){0};
	if (final)
		told.now = committed->message;
	else
		*open = *committed;
	return told;
}
