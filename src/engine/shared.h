/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory that supervisor and keeper share: what has been received and not yet answered, and which programs have a
 * stub in them. The kernel writes a notification straight into its slot, so there is no moment at which one is received
 * and not on record.
 */
#ifndef EXECTRACE_SRC_ENGINE_SHARED_H
#define EXECTRACE_SRC_ENGINE_SHARED_H

#include <exectrace/tracee/park.h>
#include <linux/seccomp.h>
#include <stdatomic.h>
#include <stdbool.h>

#define SLOTS 4096u     /* notifications unanswered at a time */
#define SLOT_BYTES 240u /* room for a struct seccomp_notif of a later kernel (seccomp(2), SECCOMP_GET_NOTIF_SIZES) */
#define PARKS 1024u     /* parked at a time */

struct slot {
	union {
		struct seccomp_notif notif; /* notif.id is 0 while nothing was received */
		unsigned char room[SLOT_BYTES];
	};
	atomic_int busy; /* 0: free for the receiver */
};

/* How far a park has come: tells the keeper what there is to undo. */
enum park_state {
	PARK_FREE,
	PARK_WRITTEN, /* the stub may be in the text; the thread does not run into it */
	PARK_ENTERED, /* the thread may be in the stub or about to be */
	PARK_UNDONE,  /* the text is restored, only the answer may be owed */
};

struct park_slot {
	struct park park;
	atomic_int state;
};

struct shared {
	atomic_int suspended; /* the supervisor is stopped: the keeper receives */
	struct slot slot[SLOTS];
	struct park_slot park[PARKS];
};

/* Maps it (MAP_SHARED, for the forks to come). NULL without memory. */
struct shared *shared_map(void);
void shared_unmap(struct shared *shared);

/* Makes a slot free again. */
void slot_free(struct slot *slot);

/* A free park, NULL when all are taken. */
struct park_slot *park_alloc(struct shared *shared);

#endif
