/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "shared.h"

#include <string.h>
#include <sys/mman.h>

struct shared *shared_map(void)
{
	void *memory = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void shared_unmap(struct shared *shared)
{
	if (shared)
		munmap(shared, sizeof(*shared));
}

void slot_free(struct slot *slot)
{
	/* The kernel wants the whole of it zero (seccomp_notify_recv). */
	memset(slot->room, 0, sizeof(slot->room));
	atomic_store(&slot->busy, 0);
}

struct park_slot *park_alloc(struct shared *shared)
{
	for (size_t i = 0; i < PARKS; i++) {
		if (atomic_load(&shared->park[i].state) == PARK_FREE)
			return &shared->park[i];
	}
	return NULL;
}
