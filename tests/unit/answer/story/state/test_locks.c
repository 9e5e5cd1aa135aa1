/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which locks there are: flock(2) gives them to open file descriptions, fcntl(2) to processes. */
#include <exectrace/answer/story/state/locks.h>

#include "tap.h"

static struct file_lock lock(enum lock_kind kind, uint32_t object, uint32_t process, uint32_t file)
{
	return (struct file_lock){.kind = kind, .object = object, .process = process, .file = file};
}

static void exclusive(void)
{
	struct locks locks = {0};
	struct file_lock one = lock(LOCK_BY_FLOCK, 1, 10, 100), two = lock(LOCK_BY_FLOCK, 1, 11, 101),
			 other = lock(LOCK_BY_FLOCK, 2, 10, 102), copy = lock(LOCK_BY_FLOCK, 1, 12, 100);

	CHECK_INT(locks_add(&locks, &one), 0);
	CHECK_INT(locks_add(&locks, &other), 0);
	CHECK_INT(locks_have(&locks, &copy), 1); /* a child has it with the descriptor */
	CHECK_INT(locks_add(&locks, &two), 0);   /* so the first one is gone */
	CHECK_INT(locks_have(&locks, &one), 0);
	CHECK_INT(locks_have(&locks, &two), 1);
	CHECK_INT(locks_have(&locks, &other), 1);
	locks_drop(&locks, &two);
	CHECK_INT(locks.n, 1);
	locks_release(&locks);
}

static void shared(void)
{
	struct locks locks = {0};
	struct file_lock one = lock(LOCK_BY_FLOCK, 1, 10, 100), two = lock(LOCK_BY_FLOCK, 1, 11, 101);

	one.shared = two.shared = true;
	CHECK_INT(locks_add(&locks, &one), 0);
	CHECK_INT(locks_add(&locks, &two), 0);
	CHECK_INT(locks_add(&locks, &two), 0);
	CHECK_INT(locks.n, 2);
	locks_release(&locks);
}

static void by_process(void)
{
	struct locks locks = {0};
	struct file_lock one = lock(LOCK_BY_PROCESS, 1, 10, 100), again = lock(LOCK_BY_PROCESS, 1, 10, 101),
			 two = lock(LOCK_BY_PROCESS, 1, 11, 102), flocked = lock(LOCK_BY_FLOCK, 1, 10, 100);

	CHECK_INT(locks_add(&locks, &one), 0);
	CHECK_INT(locks_add(&locks, &two), 0); /* of another part of the file, perhaps */
	CHECK_INT(locks_have(&locks, &again), 1);
	CHECK_INT(locks_have(&locks, &flocked), 0);
	CHECK_INT(locks_add(&locks, &flocked), 0);
	CHECK_INT(locks.n, 3);
	locks_closed(&locks, 10, 1);
	CHECK_INT(locks_have(&locks, &one), 0);
	CHECK_INT(locks_have(&locks, &two), 1);
	CHECK_INT(locks_have(&locks, &flocked), 1);
	locks_release(&locks);
}

static void many(void)
{
	struct locks locks = {0};

	for (uint32_t i = 0; i < 3 * LOCKS_MAX; i++) {
		struct file_lock one = lock(LOCK_BY_FLOCK, i + 1, i, i + 1);

		CHECK_INT(locks_add(&locks, &one), 0);
	}
	CHECK_INT(locks.n, LOCKS_MAX);
	CHECK_INT(locks.items[LOCKS_MAX - 1].object, 3 * LOCKS_MAX);
	locks_release(&locks);
}

int main(void)
{
	exclusive();
	shared();
	by_process();
	many();
	return TAP_DONE();
}
