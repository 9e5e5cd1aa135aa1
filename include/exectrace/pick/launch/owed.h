/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the keeper does for a supervisor that cannot: answers that it could not give, parks that it could not undo. */
#ifndef EXECTRACE_PICK_LAUNCH_OWED_H
#define EXECTRACE_PICK_LAUNCH_OWED_H

#include <exectrace/pick/launch/shared.h>
#include <exectrace/pick/launch/sources.h>

/* The park that a call is: a thread of that number, at that place. NULL: none. */
struct park_slot *owed_park(struct shared *shared, const struct seccomp_notif *notif);

/* Restores what lies before the entry point of a program that waits in its call. It is tried a few times: the program
 * can do without, but not wait for ever. */
void owed_restore(const struct park *park);

/* This park is undone, but the keeper is to repeat it (park_repeat). The caller sees to it that it looks. */
void owed_repeat(struct park_slot *park);

/* Undoes parks that are PARK_OWED, wherever their threads are, without waiting for any. How many there still are. */
unsigned owed_look(struct shared *shared);

/* Does what is owed, if anything. True while there is something left. */
bool owed_pay(struct shared *shared, const struct sources *sources);

#endif
