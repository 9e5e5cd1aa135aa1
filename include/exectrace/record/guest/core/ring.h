/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of one vCPU on their way to the thread that writes them: one producer, one consumer. An event is a word as
 * small records of a guest are packed (enum data_packed), or one of two kinds more; some have words of their own behind
 * them.
 */
#ifndef EXECTRACE_RECORD_GUEST_CORE_RING_H
#define EXECTRACE_RECORD_GUEST_CORE_RING_H

#include <exectrace/format/data/record.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define RING_WORDS (1u << 18)
#define RING_LINE 64 /* bytes that processors share as one */

enum ring_kind {
	RING_CALL = DATA_PACKED_CALL,           /* number: function */
	RING_RETURN = DATA_PACKED_RETURN,       /* number: 0 */
	RING_TAIL = DATA_PACKED_TAIL,           /* number: function */
	RING_IRQ_ENTER = DATA_PACKED_IRQ_ENTER, /* number: function */
	RING_IRQ_EXIT = DATA_PACKED_IRQ_EXIT,   /* number: 0 */
	RING_SWITCH,                            /* number: stack */
	RING_MORE,                              /* number: enum ring_more */
};

/* With words behind the event: RING_MORE_WORDS tells how many. */
enum ring_more {
	RING_CLOCK,   /* the clock itself */
	RING_SYNC,    /* CLOCK_MONOTONIC, ns */
	RING_AFTER,   /* a vCPU, a position in its ring: what is there comes first */
	RING_TASK,    /* stack; pid << 32 | tgid; CLOCK_MONOTONIC, ns; name (two words); the thread that made it << 32 |
	                 stack of its program (0: none) << 1 | it is new */
	RING_MODULE,  /* a struct origin: it has a place in the guest now */
	RING_SYSCALL, /* machine << 32 | number; tid; CLOCK_MONOTONIC of entry and return, ns; result; six arguments;
	                 a struct ring_texts, which is freed by who reads it, 0: none */
	RING_OWNER,   /* stack of a program; that of the kernel for the same task */
	RING_NOTE,    /* a const char *, which stays */
	RING_UNFINISHED, /* the same of one that will not return */
	RING_EXEC,       /* a struct ring_exec, which is freed by who reads it */
	RING_EXIT,       /* pid << 32 | tgid; CLOCK_MONOTONIC, ns; status as wait(2) gives it */
	RING_WAKE,       /* stack << 1 | its task is new */
	RING_ARGS, /* a struct ring_values, whose reference goes to who reads it: of the next call or tail call, ... */
	RING_RESULT,  /* ... of the return that is the next event */
	RING_MESSAGE, /* a struct ring_message, which is freed by who reads it */
	RING_HELD,    /* address of a lock; stack of who has it */
	RING_MORE_KINDS,
};

#define RING_WORDS_MAX 12   /* behind one event */
#define RING_TEXTS 12       /* of a system call */
#define RING_TEXTS_ROOM 160 /* bytes of the short ones together */

/* What is known of arguments of a system call, and its result (argument 6): what they point to, such as file names, and
 * the files of descriptors. */
struct ring_texts {
	unsigned n;
	struct {
		uint8_t arg, kind; /* enum data_extra_kind */
		size_t n;          /* bytes */
		char *text;        /* malloc'ed, or in `room` */
	} items[RING_TEXTS];
	size_t used; /* bytes of it */
	char room[RING_TEXTS_ROOM];
};

/* Frees it with its texts. NULL is allowed. */
void ring_texts_free(struct ring_texts *texts);

/* A program that a process executes. */
struct ring_exec {
	uint64_t when; /* CLOCK_MONOTONIC, ns */
	uint32_t pid;
	uint32_t argc;
	uint32_t path_size, argv_size; /* bytes; words of argv are ended by a NUL each */
	char text[];                   /* path, argv */
};

/* What the kernel logged. */
struct ring_message {
	uint64_t stamp; /* ns, by the kernel's own clock */
	uint32_t level, caller;
	uint32_t size; /* bytes */
	char text[];
};

struct ring {
	alignas(RING_LINE) uint64_t *words; /* RING_WORDS of them */
	uint64_t at;                        /* words written: the producer's own copy of head */
	uint64_t room;                      /* `at` may grow up to here without a look at tail */
	uint64_t clock;                     /* of the last event */
	alignas(RING_LINE) _Atomic uint64_t head;
	alignas(RING_LINE) _Atomic uint64_t tail; /* words read */
	_Atomic bool closed;                      /* nobody reads it any more */
};

/* Allocates the words. 0 or -ENOMEM. */
int ring_init(struct ring *ring);
void ring_release(struct ring *ring);

/* Waits until there is room again for an event with all its words, or the ring is closed. */
void ring_wait(struct ring *ring);

/* Adds an event with words behind it. */
void ring_put_more(struct ring *ring, uint64_t clock, enum ring_more more, const uint64_t *words);

/* How many words there are behind an event of the kind. */
unsigned ring_more_words(unsigned more);

/* True when an event at this time is one word, and can be added without waiting. */
static inline bool ring_has_room(const struct ring *ring, uint64_t clock)
{
	return ring->at < ring->room && clock - ring->clock <= UINT32_MAX;
}

/* Adds an event of which that is true. */
static inline void ring_put_now(struct ring *ring, uint64_t clock, enum ring_kind kind, uint32_t number)
{
	uint64_t delta = clock - ring->clock;

	ring->clock = clock;
	ring->words[ring->at++ & (RING_WORDS - 1)] =
		delta << DATA_PACKED_STEP | (uint64_t)kind << DATA_PACKED_KIND | number;
	atomic_store_explicit(&ring->head, ring->at, memory_order_release);
}

/* Adds an event. */
static inline void ring_put(struct ring *ring, uint64_t clock, enum ring_kind kind, uint32_t number)
{
	if (__builtin_expect(clock - ring->clock > UINT32_MAX, 0))
		ring_put_more(ring, clock, RING_CLOCK, &clock);
	if (__builtin_expect(ring->at >= ring->room, 0))
		ring_wait(ring);
	ring_put_now(ring, clock, kind, number);
}

#endif
