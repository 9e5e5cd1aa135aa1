/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a snapshot (snapshot.h) holds of a call, said beforehand: for who copies it in the process itself, while that
 * runs. Plain data without pointers; of programs with 64-bit words.
 */
#ifndef EXECTRACE_TARGET_DECODE_NEED_H
#define EXECTRACE_TARGET_DECODE_NEED_H

#include <stdbool.h>
#include <stdint.h>

enum need_kind {
	NEED_NONE,           /* the end of a list */
	NEED_STRING,         /* up to `size` bytes, or to the NUL */
	NEED_BYTES,          /* `size` */
	NEED_COUNTED,        /* as many as argument `count` says, at most `size` */
	NEED_COUNTED_INT,    /* the same, of an int: none when that is negative */
	NEED_RETURNED,       /* as many as the call has returned, at most `size` */
	NEED_RETURNED_SOME,  /* the same, and one at least */
	NEED_ITEMS,          /* as many of `size` bytes each as argument `count` says, at most `most`; all or nothing */
	NEED_EVENTS,         /* as many of `size` bytes each as the call has returned, at most `most` */
	NEED_VECTORS,        /* iovecs, `count` of them, at most `most`, and what they point to, each at most `size` */
	NEED_FILLED_VECTORS, /* the same, and of what they point to as much as the call has returned */
	NEED_ITEMS_FOUND,    /* NEED_ITEMS, if the call has returned more than 0 */
	NEED_BYTES_FOUND,    /* NEED_BYTES, likewise */
};

struct need {
	uint8_t kind;   /* enum need_kind */
	uint8_t arg;    /* the argument that points there */
	uint8_t count;  /* an argument that counts */
	uint8_t always; /* of the end of a call: also when it has failed */
	uint16_t size;  /* bytes */
	uint16_t most;
};

#define NEEDS_MAX 8 /* of a call, with the ends of both lists */

struct call_needs {
	bool known;    /* the lists say all; else the process has to be looked at */
	bool control;  /* an fcntl: `known` holds for commands that do not point to anything (need_free_command) */
	bool gives_fd; /* its result is a new descriptor */
	uint8_t exit;  /* where in `list` those for the end of the call begin; those for the entry are first */
	struct need list[NEEDS_MAX];
};

/* What there is to copy for call nr of x86-64. string_max: as the decoders have it. */
void needs_of(uint32_t nr, unsigned string_max, struct call_needs *needs);

/* Whether this command of fcntl points to nothing, and gives no descriptor. */
static inline bool need_free_command(uint64_t command)
{
	return command >= 1 && command <= 4; /* F_GETFD, F_SETFD, F_GETFL, F_SETFL */
}

#endif
