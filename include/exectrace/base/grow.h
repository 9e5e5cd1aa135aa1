/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays that grow. */
#ifndef EXECTRACE_BASE_GROW_H
#define EXECTRACE_BASE_GROW_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

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

#endif
