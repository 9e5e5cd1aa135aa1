/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A parked program is given back. */
#include "private.h"

#include <errno.h>
#include <exectrace/pick/launch/owed.h>

/* It stays on record: we may be short of something that the keeper is not. */
static void leave_to_keeper(struct engine *engine, struct taken *taken, int progress)
{
	const struct launch *launch = engine->launch;

	if (taken->slot) {
		taken->slot->owed = 0;
		atomic_store(&taken->slot->busy, SLOT_OWED);
	} else if (progress == PARK_AGAIN) {
		owed_repeat(taken->park);
	} else {
		atomic_store(&taken->park->state, PARK_OWED);
	}
	taken->slot = NULL;
	taken->park = NULL;
	taken_drop(engine, taken);
	shared_owe(launch->shared, launch->wake);
}

int taken_release(struct engine *engine, struct taken *taken)
{
	struct park_slot *park = taken->park;
	int err = taken->slot ? park_restore(&park->park) : park_undo(&park->park);

	err = err == PARK_DONE ? 0 : err;
	if (err && err != -ESRCH) { /* PARK_AGAIN, or it cannot be done now */
		leave_to_keeper(engine, taken, err);
		return 0;
	}
	atomic_store(&park->state, PARK_UNDONE);
	if (taken->slot)
		engine->ops->answer(engine, taken->slot, 0);
	taken->slot = NULL;
	taken_drop(engine, taken);
	return err;
}
