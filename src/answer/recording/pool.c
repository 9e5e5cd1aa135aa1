/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/recording/pool.h>

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

static char *copy_of(const char *bytes, size_t n)
{
	char *copy = malloc(n + 1);

	if (copy) {
		memcpy(copy, bytes, n);
		copy[n] = 0;
	}
	return copy;
}

int pool_text(struct pool *pool, const char *bytes, size_t n, const char **text, uint32_t *number)
{
	uint64_t id;
	bool fresh;

	if (pool->n == UINT32_MAX || grow_array((void **)&pool->strings, pool->n, &pool->cap, sizeof(*pool->strings)))
		return -ENOMEM;
	if (intern(&pool->table, bytes, n, &id, &fresh))
		return -ENOMEM;
	/* One that had no memory the last time has its number, but no string yet. */
	if (id > pool->n)
		pool->strings[pool->n++] = NULL;
	if (!pool->strings[id - 1])
		pool->strings[id - 1] = copy_of(bytes, n);
	if (!pool->strings[id - 1])
		return -ENOMEM;
	*text = pool->strings[id - 1];
	if (number)
		*number = (uint32_t)(id - 1);
	return 0;
}

void pool_release(struct pool *pool)
{
	for (size_t i = 0; i < pool->n; i++)
		free(pool->strings[i]);
	free(pool->strings);
	intern_release(&pool->table);
	*pool = POOL_INIT;
}
