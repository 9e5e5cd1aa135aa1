/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program.h"
#include "tap.h"
#include <exectrace/pick/launch/shared.h>
#include <sys/syscall.h>

/* Empty at first, and one memory for both sides of a fork. */
static void mapping(void)
{
	struct shared *shared = shared_map();
	bool empty = true;
	pid_t pid;

	if (!CHECK(shared != NULL))
		return;
	for (size_t i = 0; i < sizeof(*shared); i++)
		empty = empty && ((const unsigned char *)shared)[i] == 0;
	CHECK(empty);
	pid = child();
	if (pid == 0) {
		shared->slot[SLOTS - 1].notif.id = 77;
		atomic_store(&shared->armed, 1);
		atomic_store(&shared->park[PARKS - 1].state, PARK_WRITTEN);
		_exit(0);
	}
	end_of(pid);
	CHECK(shared->slot[SLOTS - 1].notif.id == 77 && shared->armed == 1);
	CHECK(shared->park[PARKS - 1].state == PARK_WRITTEN);
	shared_unmap(shared);
	shared_unmap(NULL);
}

/* All of a slot that is free again is zero, as the kernel wants it, whatever of it was used. */
static void slots(void)
{
	struct seccomp_notif_sizes sizes = {0};
	struct shared *shared = shared_map();
	struct slot *slot = &shared->slot[3];
	bool zero = true;

	memset(slot->room, 0xff, sizeof(slot->room));
	atomic_store(&slot->busy, 1);
	shared->slot[2].room[SLOT_BYTES - 1] = 1;
	shared->slot[4].room[0] = 1;
	slot_free(slot);
	for (size_t i = 0; i < sizeof(slot->room); i++)
		zero = zero && slot->room[i] == 0;
	CHECK(zero);
	CHECK(slot->notif.id == 0 && slot->busy == 0);
	CHECK(shared->slot[2].room[SLOT_BYTES - 1] == 1 && shared->slot[4].room[0] == 1);
	shared_unmap(shared);
	if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) == 0)
		CHECK(sizes.seccomp_notif >= sizeof(struct seccomp_notif) && sizes.seccomp_notif <= SLOT_BYTES);
	else
		printf("# skipped: this kernel has no seccomp notifications\n");
}

/* Each park is given to one, until there is none left; one that becomes free is found. */
static void parks(void)
{
	struct shared *shared = shared_map();
	size_t n = 0;

	CHECK(parks_free(shared, false));
	for (; n <= PARKS; n++) {
		struct park_slot *park = park_alloc(shared);

		if (!park)
			break;
		if (park->state != PARK_FREE)
			CHECK(!"a park in use was given out");
		atomic_store(&park->state, (int)(PARK_WRITTEN + n % 3));
	}
	CHECK_INT(n, PARKS);
	CHECK(!parks_free(shared, false));
	atomic_store(&shared->park[500].state, PARK_FREE);
	CHECK(park_alloc(shared) == &shared->park[500]);
	for (size_t i = 0; i + 1 < PARKS; i++)
		atomic_store(&shared->park[i].state, PARK_FREE);
	CHECK(!parks_free(shared, false));
	shared_unmap(shared);
}

int main(void)
{
	scratch_begin(60);
	mapping();
	slots();
	parks();
	return TAP_DONE();
}
