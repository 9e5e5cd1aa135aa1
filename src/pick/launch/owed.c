/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/launch/owed.h>

#include <errno.h>
#include <exectrace/pick/launch/listener.h>

#define BEGIN_TRIES 1000 /* about 1 ms apart: then it is not ours to attach to */
#define REPEATS 50       /* by then a processor has seen it */
#define WATCHED 2000     /* by then a thread that could run has gone to sleep, if it was about to, or has not */
#define WAKE_TRIES 20    /* who attaches to what is asleep stops it in less, or does not want to */
#define TRIES 3 /* to restore what lies before an entry point: the program may do without, but not wait for ever */

struct park_slot *owed_park(struct shared *shared, const struct seccomp_notif *notif)
{
	for (size_t i = 0; i < PARKS; i++) {
		const struct park *park = &shared->park[i].park;

		if (atomic_load(&shared->park[i].state) != PARK_FREE && park->kind == PARK_CALL &&
		    park->tid == (pid_t)notif->pid && park->pc == notif->data.instruction_pointer)
			return &shared->park[i];
	}
	return NULL;
}

/* Begins to undo a park, wherever its thread is; or it is for the next time. */
static void begin(struct park_slot *park)
{
	int now = park_undo_begin(&park->park);

	park->tries++;
	if (now == PARK_PENDING)
		atomic_store(&park->state, PARK_ASKED);
	else if (now == PARK_AGAIN)
		owed_repeat(park);
	else if (now == PARK_DONE || now == -ESRCH || (now != -EBUSY && park->tries >= BEGIN_TRIES))
		atomic_store(&park->state, PARK_FREE);
	else if (now == -EBUSY && park->tries % WAKE_TRIES == 0)
		park_wake(&park->park);
}

void owed_repeat(struct park_slot *park)
{
	park->tries = 0;
	atomic_store(&park->state, PARK_REPEATED);
}

/* One that was asked to stop, and may wait for an answer first. */
static void look(struct park_slot *park)
{
	if (park_undo_look(&park->park))
		atomic_store(&park->state, PARK_FREE);
}

static void repeat(struct park_slot *park)
{
	unsigned most = park->park.kind == PARK_SLEEP ? WATCHED : REPEATS;

	if (++park->tries > most || !park_repeat(&park->park, park->tries <= REPEATS))
		atomic_store(&park->state, PARK_FREE);
}

unsigned owed_look(struct shared *shared)
{
	unsigned left = 0;

	for (size_t i = 0; i < PARKS; i++) {
		struct park_slot *park = &shared->park[i];
		int state = atomic_load(&park->state);

		if (state == PARK_OWED)
			begin(park);
		else if (state == PARK_ASKED)
			look(park);
		else if (state == PARK_REPEATED)
			repeat(park);
		state = atomic_load(&park->state);
		left += state == PARK_OWED || state == PARK_ASKED || state == PARK_REPEATED;
	}
	return left;
}

void owed_restore(const struct park *park)
{
	int err = -EAGAIN;

	for (int i = 0; i < TRIES && err && err != -ESRCH; i++)
		err = park_restore(park);
}

/* True when it is answered. */
static bool pay_slot(struct shared *shared, int listener, struct slot *slot)
{
	struct park_slot *park = slot->owed ? NULL : owed_park(shared, &slot->notif);

	if (listener < 0) { /* its last caller has ended */
		slot_free(slot);
		return true;
	}
	if (park)
		owed_restore(&park->park);
	if (!listener_settle(listener, slot, slot->owed))
		return false;
	if (park)
		atomic_store(&park->state, PARK_FREE);
	return true;
}

bool owed_pay(struct shared *shared, const struct sources *sources)
{
	unsigned owed = atomic_load(&shared->owed);
	bool left = false;

	if (!owed)
		return false;
	for (size_t i = 0; i < SLOTS && sources->n; i++) {
		struct slot *slot = &shared->slot[i];

		if (atomic_load(&slot->busy) == SLOT_OWED && !pay_slot(shared, sources_fd(sources, slot->source), slot))
			left = true;
	}
	left |= owed_look(shared) != 0;
	if (!left) /* what has come meanwhile is for the next time */
		atomic_compare_exchange_strong(&shared->owed, &owed, 0);
	return left || atomic_load(&shared->owed);
}
