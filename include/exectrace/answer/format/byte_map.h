/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A number for each of many keys: what was found out once is not found out again. */
#ifndef EXECTRACE_ANSWER_FORMAT_BYTE_MAP_H
#define EXECTRACE_ANSWER_FORMAT_BYTE_MAP_H

#include <exectrace/format/data/intern.h>

struct byte_map {
	struct intern keys;
	uint64_t *values; /* by the number of the key */
	size_t cap;
};

/* The place of a key's value, which is 0 until it is set; valid until the next call. 0 or -ENOMEM. */
int byte_map_find(struct byte_map *memo, const void *key, size_t n, uint64_t **value);

/* Frees everything. */

void byte_map_release(struct byte_map *memo);

#endif
