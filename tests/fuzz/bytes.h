/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers out of the input of a fuzzer. */
#ifndef EXECTRACE_TESTS_FUZZ_BYTES_H
#define EXECTRACE_TESTS_FUZZ_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* What is left of the input. */
struct bytes {
	const uint8_t *p;
	size_t n;
};

/* The next byte; 0 behind the end. */
static inline uint64_t take(struct bytes *b)
{
	if (!b->n)
		return 0;
	b->n--;
	return *b->p++;
}

#endif
