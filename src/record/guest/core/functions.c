/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/core/functions.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAP 16384

int functions_init(struct functions *fs)
{
	memset(fs, 0, sizeof(*fs));
	fs->table = calloc(FIRST_CAP, sizeof(struct function *));
	fs->cap = FIRST_CAP;
	return fs->table ? -pthread_mutex_init(&fs->lock, NULL) : -ENOMEM;
}

void functions_release(struct functions *fs)
{
	for (size_t i = 0; i < FUNCTIONS_MAX / FUNCTIONS_CHUNK; i++)
		free(atomic_load_explicit(&fs->chunks[i], memory_order_relaxed));
	while (fs->origins) {
		struct origin *next = fs->origins->next;

		free(fs->origins->name);
		free(fs->origins);
		fs->origins = next;
	}
	free(fs->table);
	pthread_mutex_destroy(&fs->lock);
}

struct origin *functions_origin(struct functions *fs, const char *name, uint64_t address, uint64_t size)
{
	struct origin *origin = calloc(1, sizeof(*origin));

	if (!origin || !(origin->name = strdup(name))) {
		free(origin);
		return NULL;
	}
	origin->address = address;
	origin->size = size;
	pthread_mutex_lock(&fs->lock);
	origin->next = fs->origins;
	origin->id = origin->next ? origin->next->id + 1 : 1;
	fs->origins = origin;
	pthread_mutex_unlock(&fs->lock);
	return origin;
}

/* The place of a function in a table: where it is, or the first free one. */
static struct function **place(struct function **table, uint32_t cap, const struct function *want)
{
	uint64_t hash = (want->address ^ (want->origin ? want->origin->id << 48 : 0)) * 0x9e3779b97f4a7c15ull;
	uint32_t i = (uint32_t)(hash >> 32) & (cap - 1);

	while (table[i] && (table[i]->address != want->address || table[i]->origin != want->origin))
		i = (i + 1) & (cap - 1);
	return &table[i];
}

/* Makes the table larger before it is too full to search. */
static bool grow(struct functions *fs)
{
	struct function **more = NULL;

	if (fs->n < fs->cap / 2)
		return true;
	more = calloc(fs->cap * 2, sizeof(struct function *));
	if (!more)
		return false;
	for (uint32_t i = 0; i < fs->cap; i++) {
		if (fs->table[i])
			*place(more, fs->cap * 2, fs->table[i]) = fs->table[i];
	}
	free(fs->table);
	fs->table = more;
	fs->cap *= 2;
	return true;
}

static unsigned what_is(const struct functions *fs, const struct function *want)
{
	if (want->what || !fs->control)
		return want->what ? want->what : (unsigned)CONTROL_WANTED;
	return control_function(fs->control, want->name, want->origin ? want->origin->name : NULL, want->address,
	                        want->size);
}

static struct function *add(struct functions *fs, const struct function *want)
{
	uint32_t id = fs->n + 1, chunk = id / FUNCTIONS_CHUNK;
	struct function *items;

	if (id >= FUNCTIONS_MAX)
		return NULL;
	items = atomic_load_explicit(&fs->chunks[chunk], memory_order_relaxed);
	if (!items) {
		items = calloc(FUNCTIONS_CHUNK, sizeof(*items));
		if (!items)
			return NULL;
		atomic_store_explicit(&fs->chunks[chunk], items, memory_order_release);
	}
	fs->n = id;
	items[id % FUNCTIONS_CHUNK] = *want;
	items[id % FUNCTIONS_CHUNK].id = id;
	items[id % FUNCTIONS_CHUNK].what = what_is(fs, want);
	return &items[id % FUNCTIONS_CHUNK];
}

struct function *functions_get(struct functions *fs, const struct function *want)
{
	struct function **at = NULL, *found = NULL;

	pthread_mutex_lock(&fs->lock);
	if (grow(fs)) {
		at = place(fs->table, fs->cap, want);
		if (!*at)
			*at = add(fs, want);
		found = *at;
	}
	pthread_mutex_unlock(&fs->lock);
	return found;
}

const struct function *functions_at(const struct functions *fs, uint32_t id)
{
	const struct function *items =
		id < FUNCTIONS_MAX ? atomic_load_explicit(&fs->chunks[id / FUNCTIONS_CHUNK], memory_order_acquire)
				   : NULL;

	return items && items[id % FUNCTIONS_CHUNK].id ? &items[id % FUNCTIONS_CHUNK] : NULL;
}
