/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/launch/shared.h>

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define SOON 200 /* looks, of 1 ms or more */

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

static void wake_keeper(int wake)
{
	const uint64_t one = 1;

	(void)!write(wake, &one, sizeof(one));
}

void shared_wake(struct shared *shared, int wake)
{
	if (atomic_load(&shared->armed) && atomic_exchange(&shared->armed, 0))
		wake_keeper(wake);
}

void shared_owe(struct shared *shared, int wake)
{
	atomic_fetch_add(&shared->owed, 1);
	wake_keeper(wake);
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

static bool all_free(struct shared *shared)
{
	for (size_t i = 0; i < PARKS; i++) {
		if (atomic_load(&shared->park[i].state) != PARK_FREE)
			return false;
	}
	return true;
}

bool parks_free(struct shared *shared, bool soon)
{
	const struct timespec moment = {.tv_nsec = 1000000};

	for (int i = 0; soon && i < SOON && !all_free(shared); i++)
		nanosleep(&moment, NULL);
	return all_free(shared);
}
