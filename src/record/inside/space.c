/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"

#include <exectrace/base/fd.h>
#include <exectrace/target/process/mem.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64u

struct space *space_new(void)
{
	struct space *space = calloc(1, sizeof(*space));

	if (space)
		space->refs = 1;
	return space;
}

void space_executes(struct space *space, uint64_t pc)
{
	for (unsigned i = 0; i < space->n_executed; i++) {
		if (space->executed[i] >> 16 == pc >> 16)
			return;
	}
	if (space->n_executed < EXECUTED)
		space->executed[space->n_executed++] = pc;
}

struct space *space_get(struct space *space)
{
	space->refs++;
	return space;
}

/* One for each program that is there, for as many have an area; the first has slot 0. */
static void take_slot(struct space *space)
{
	for (space->slot = 1; space->slot < INSIDE_AREAS; space->slot++) {
		if (space->data->slots[space->slot])
			continue;
		space->data->slots[space->slot] = true;
		return;
	}
	space->slot = 0;
}

struct space *space_copy(const struct space *space)
{
	struct space *copy = malloc(sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *space;
	copy->refs = 1;
	copy->left = false; /* it was made before */
	if (space->room) {
		copy->sites = malloc(space->room * sizeof(*copy->sites));
		if (!copy->sites) {
			free(copy);
			return NULL;
		}
		memcpy(copy->sites, space->sites, space->room * sizeof(*copy->sites));
	}
	if (copy->data) {
		copy->data->refs++;
		take_slot(copy);
		*space_masked(copy) = *space_masked(space);
	}
	return copy;
}

void space_put(struct inside *inside, struct space *space)
{
	if (!space || --space->refs)
		return;
	if (inside->mem_of == space)
		inside->mem_of = NULL;
	if (space->data && space->slot)
		space->data->slots[space->slot] = false;
	if (space->data)
		owner_drop(inside->owner, space->data);
	free(space->sites);
	free(space);
}

int space_poke(const struct inside_thread *thread, uint64_t at, const void *from, size_t n)
{
	struct inside *inside = thread->inside;

	if (inside->mem_of != thread->space) {
		fd_close(&inside->mem);
		inside->mem = mem_open(thread->tid);
		inside->mem_of = inside->mem < 0 ? NULL : thread->space;
	}
	return inside->mem < 0 ? inside->mem : mem_put(inside->mem, at, from, n);
}

static size_t place(const struct space *space, uint64_t at)
{
	size_t i = (size_t)((at * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (space->room - 1);

	while (space->sites[i].at && space->sites[i].at != at)
		i = (i + 1) & (space->room - 1);
	return i;
}

static bool grow(struct space *space)
{
	struct space larger = *space;

	larger.room = space->room ? 2 * space->room : FIRST_ROOM;
	larger.sites = calloc(larger.room, sizeof(*larger.sites));
	if (!larger.sites)
		return false;
	for (size_t i = 0; i < space->room; i++) {
		if (space->sites[i].at)
			larger.sites[place(&larger, space->sites[i].at)] = space->sites[i];
	}
	free(space->sites);
	*space = larger;
	return true;
}

struct site *space_site(struct space *space, uint64_t at, bool make)
{
	struct site *site = space->room ? &space->sites[place(space, at)] : NULL;

	if (site && site->at)
		return site;
	if (!make || (2 * (space->n + 1) > space->room && !grow(space)))
		return NULL;
	site = &space->sites[place(space, at)];
	*site = (struct site){.at = at};
	space->n++;
	return site;
}

const struct site *space_stub(const struct space *space, uint64_t pc)
{
	for (size_t i = 0; i < space->room; i++) {
		const struct site *site = &space->sites[i];

		if (site->at && site->stub && pc - site->stub < STUB_BYTES)
			return site;
	}
	return NULL;
}

unsigned space_area(struct space *space)
{
	for (unsigned i = 1; space->data && !space->shrunk && i < INSIDE_AREAS; i++) {
		if (!space->data->used[i]) {
			space->data->used[i] = true;
			return i;
		}
	}
	return 0;
}
