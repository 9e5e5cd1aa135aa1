/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a file defines for later records to refer to, by identifier. What is defined first stays; lists (the maps of a
 * set, the symbols of a file) grow. Entries are kept as they were encoded, so that a small file does not become large
 * in memory.
 */
#ifndef EXECTRACE_SRC_FORMAT_DATA_DICTIONARY_H
#define EXECTRACE_SRC_FORMAT_DATA_DICTIONARY_H

#include "record_schema.h"

/* One definition, or one record of a list. */
struct entry {
	uint64_t id;
	uint8_t list;       /* enum data_type: what id counts; DATA_MAP for DATA_UNMAP too */
	uint8_t type;       /* enum data_type */
	struct entry *next; /* of the same list */
	struct entry *tail; /* at the first of a list: the last */
	/* made of a list when first asked for; at the first symbols of a file, and at the definition of a map set */
	void *items; /* struct data_symbol or struct data_map, in order of addresses */
	size_t n_items;
	const struct entry *seen; /* the tail then; NULL: never made, or of nothing */
	bool made;                /* at the definition of a map set: items are there, even if they are none */
	uint32_t n;               /* bytes of payload */
	uint8_t payload[];        /* and slack behind it */
};

struct dictionary {
	struct entry **slots; /* a table of `cap`, open addressing; NULL: free */
	size_t n, cap;
	uint64_t bytes;                       /* held in all */
	uint64_t work;                        /* steps that making maps took */
	struct record_schema_scratch scratch; /* what was asked for */
	struct record_schema_scratch making; /* while maps and symbols are put together: frames asked for before stay */
};

/*
 * Adds a payload of a type for which record_schema_is_dictionary, decoded as *event. 0; -ENOMEM; -EFBIG above
 * DATA_DICTIONARY_MAX.
 */
int dictionary_add(struct dictionary *d, const struct data_event *event, const uint8_t *payload, size_t n);

/* The definition, or the first of the list, with this type and id; NULL when there is none. */
struct entry *dictionary_find(const struct dictionary *d, unsigned type, uint64_t id);

/* Frees all. */
void dictionary_release(struct dictionary *d);

#endif
