/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places in sorted arrays. Inline, for those who ask at every frame of a stack. */
#ifndef EXECTRACE_BASE_BOUND_H
#define EXECTRACE_BASE_BOUND_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * How many of n items of so many bytes each, sorted by the uint64_t at this offset in them, have one <= key: the index
 * of the first that is greater, n when there is none. items may be NULL when n is 0.
 */
static inline size_t bound_above(const void *items, size_t n, size_t size, size_t offset, uint64_t key)
{
	size_t low = 0;
	size_t high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t value = 0;

		memcpy(&value, (const char *)items + middle * size + offset, sizeof(value));
		if (value <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Likewise for an array and the name of its items' member, which has to be of 64 bits. */
#define BOUND_ABOVE(items, n, member, key)                                                                  \
	({                                                                                                  \
		_Static_assert(sizeof((items)->member) == sizeof(uint64_t), "64 bits");                     \
		bound_above((items), (n), sizeof(*(items)), offsetof(__typeof__(*(items)), member), (key)); \
	})

#endif
