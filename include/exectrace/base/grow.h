/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays that grow. */
#ifndef EXECTRACE_BASE_GROW_H
#define EXECTRACE_BASE_GROW_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for one more behind the n things of `size` bytes in *array, which has room for *cap. 0 or -ENOMEM. */
static inline int grow_array(void **array, size_t n, size_t *cap, size_t size)
{
	size_t larger = *cap ? *cap * 2 : 16;
	void *moved;

	if (n < *cap)
		return 0;
	moved = reallocarray(*array, larger, size);
	if (!moved)
		return -ENOMEM;
	*array = moved;
	*cap = larger;
	return 0;
}

/* Makes element `number` be there in *array, which has *n of `size` bytes; new ones are all 0. 0 or -ENOMEM. */
static inline int widen_array(void **array, size_t *n, size_t number, size_t size)
{
	size_t more = number * 2 + 64;
	void *moved;

	if (number < *n)
		return 0;
	moved = reallocarray(*array, more, size);
	if (!moved)
		return -ENOMEM;
	memset((char *)moved + *n * size, 0, (more - *n) * size);
	*array = moved;
	*n = more;
	return 0;
}

#endif
