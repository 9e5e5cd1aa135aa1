/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/launch/shared.h>

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

bool shared_waits(const struct shared *shared, pid_t tid)
{
	for (unsigned i = 0; i < atomic_load(&shared->used); i++)
		if (atomic_load(&shared->slot[i].busy) && (pid_t)shared->slot[i].notif.pid == tid)
			return true;
	return false;
}

void shared_wake(struct shared *shared, int wake)
{
	const uint64_t one = 1;

	if (atomic_load(&shared->armed) && atomic_exchange(&shared->armed, 0))
		(void)!write(wake, &one, sizeof(one));
}

void shared_owe(struct shared *shared, int wake)
{
	atomic_fetch_add(&shared->owed, 1);
	shared_wake(shared, wake);
}

struct park_slot *park_alloc(struct shared *shared)
{
	for (size_t i = 0; i < PARKS; i++) {
		if (atomic_load(&shared->park[i].state) != PARK_FREE)
			continue;
		shared->park[i].tries = 0;
		return &shared->park[i];
	}
	return NULL;
}

bool parks_free(struct shared *shared)
{
	for (size_t i = 0; i < PARKS; i++) {
		if (atomic_load(&shared->park[i].state) != PARK_FREE)
			return false;
	}
	return true;
}
