/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machine code for a program, while it is put together. */
#ifndef EXECTRACE_SRC_RECORD_INSIDE_CODE_H
#define EXECTRACE_SRC_RECORD_INSIDE_CODE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CODE_BYTES 1024u

/* Begins as zeroes. Whoever appends sees that there is room. */
struct code {
	unsigned char bytes[CODE_BYTES];
	size_t n;
};

static inline void code_put(struct code *code, const void *bytes, size_t n)
{
	memcpy(code->bytes + code->n, bytes, n);
	code->n += n;
}

/* The lower 32 bits. */
static inline void code_put_word(struct code *code, uint64_t word)
{
	uint32_t low = (uint32_t)word;

	code_put(code, &low, sizeof(low));
}

#endif
