/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/format/byte_map.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int grow(struct byte_map *memo)
{
	size_t cap = memo->cap ? 2 * memo->cap : 64;
	uint64_t *values = reallocarray(memo->values, cap, sizeof(*values));

	if (!values)
		return -ENOMEM;
	memset(values + memo->cap, 0, (cap - memo->cap) * sizeof(*values));
	memo->values = values;
	memo->cap = cap;
	return 0;
}

int byte_map_find(struct byte_map *memo, const void *key, size_t n, uint64_t **value)
{
	bool fresh;
	uint64_t id;
	/* Room first: a key must not be known without a place for its value. */
	int rc = memo->keys.n + 1 < memo->cap ? 0 : grow(memo);

	if (!rc)
		rc = intern(&memo->keys, key, n, &id, &fresh);
	if (!rc)
		*value = &memo->values[id];
	return rc;
}

void byte_map_release(struct byte_map *memo)
{
	intern_release(&memo->keys);
	free(memo->values);
	*memo = (struct byte_map){0};
}
