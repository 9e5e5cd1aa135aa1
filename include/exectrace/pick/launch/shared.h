/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory that supervisor and keeper share: what has been received and not yet answered, and which programs have a
 * stub in them. The kernel writes a notification straight into its slot, so there is no moment at which one is received
 * and not on record.
 */
#ifndef EXECTRACE_PICK_LAUNCH_SHARED_H
#define EXECTRACE_PICK_LAUNCH_SHARED_H

#include <exectrace/pick/launch/sources.h>
#include <exectrace/target/tracee/park.h>
#include <linux/seccomp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SLOTS 4096u     /* notifications unanswered at a time */
#define SLOT_BYTES 240u /* room for a struct seccomp_notif of a later kernel (seccomp(2), SECCOMP_GET_NOTIF_SIZES) */
#define PARKS 1024u     /* parked at a time */

/* What a slot is in use for. */
enum slot_use {
	SLOT_FREE,
	SLOT_USED,
	SLOT_KEPT, /* its caller waits because it was picked: it is to wait on while the supervisor is stopped */
	SLOT_OWED, /* the keeper's: it could not be answered (slot.owed) */
};

struct slot {
	union {
		struct seccomp_notif notif; /* notif.id is 0 while nothing was received */
		unsigned char room[SLOT_BYTES];
	};
	atomic_int busy; /* enum slot_use */
	int owed;        /* SLOT_OWED: as for listener_give */
	unsigned source; /* which listener it is from (struct sources); set before it is received */
};

/* How far a park, or an injected call, has come: tells the keeper what there is to undo. Set before the deed. */
enum park_state {
	PARK_FREE,
	PARK_WRITTEN,  /* the stub may be in the text, and the thread in it or about to be */
	PARK_UNDONE,   /* the text is restored, only the answer may be owed */
	PARK_OWED,     /* the keeper's: the supervisor could not undo it */
	PARK_ASKED,    /* the keeper's: the thread was asked to stop, to be released */
	PARK_REPEATED, /* the keeper's: undone, and its bytes are written once more for some ms */
};

struct park_slot {
	struct park park;
	atomic_int state;
	unsigned tries; /* the keeper's, in PARK_OWED */
};

/*
 * What a source is the listener of: by that it is found again when another exectrace is to have it. Times are in clock
 * ticks since boot (proc_start_time).
 */
struct watched {
	pid_t pid;          /* the process that it was made for; 0: none */
	pid_t top;          /* that of --pid below which this was found, or the command */
	uint64_t start;     /* of pid */
	uint64_t top_start; /* of top */
	uint64_t since;     /* what pid has started after that has the filter, too; 0: not known */
	uint32_t mark;      /* of the filter (listener_lay_out); 0: it has none */
	bool told;          /* it has been reported as watched in this run */
};

struct shared {
	atomic_int armed;     /* the keeper sleeps: who receives next, and sets this to 0, is to wake it */
	atomic_int receiver;  /* its thread; 0 before it receives */
	atomic_uint standing; /* 1 + the slot that the keeper receives into for a stopped supervisor; 0: none */
	atomic_uint used;     /* slots that the receiver has ever used, from the first one on */
	atomic_uint owed;     /* slots and parks that have become the keeper's, ever */
	uint32_t mark;        /* of the filters of this run (listener_lay_out) */
	uint64_t begun;       /* when this run did (launch_ticks) */
	atomic_int rival;     /* the exectrace that watches what was asked for last (launch_adopt: -EADDRINUSE) */
	struct slot slot[SLOTS];
	struct park_slot park[PARKS];
	struct watched watched[SOURCES]; /* by source; the keeper's, told is the supervisor's */
};

/* Maps it (MAP_SHARED, for the forks to come). NULL without memory. */
struct shared *shared_map(void);
void shared_unmap(struct shared *shared);

/* Makes a slot free again. */
void slot_free(struct slot *slot);

/* True when a call of the thread was received and not answered yet. */
bool shared_waits(const struct shared *shared, pid_t tid);

/* Wakes the keeper, by its eventfd, if it sleeps: now and then it looks whether calls are answered. */
void shared_wake(struct shared *shared, int wake);

/* Likewise when something has become the keeper's: SLOT_OWED, PARK_OWED. */
void shared_owe(struct shared *shared, int wake);

/* A free park, NULL when all are taken. */
struct park_slot *park_alloc(struct shared *shared);

/* True when none is in use; soon: in a moment, for the keeper may be undoing some still. */
bool parks_free(struct shared *shared, bool soon);

#endif
