/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of one to nine bytes. The number of zero bits at the low end of the first byte says how many bytes follow:
 * n bytes (1 to 8) hold, as one little-endian number, value << n | 1 << (n - 1); a first byte of 0 is followed by all
 * eight bytes of the value. So the length is known from one byte, and no branch depends on it.
 */
#ifndef EXECTRACE_FORMAT_DATA_VARINT_H
#define EXECTRACE_FORMAT_DATA_VARINT_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#define DATA_VARINT_MAX 9    /* bytes of a number at most */
#define DATA_VARINT_SLACK 16 /* bytes that may be read and written behind the last number */

/* Writes v at p, where DATA_VARINT_SLACK bytes have to be free; the byte behind it. */
static inline uint8_t *data_varint_put(uint8_t *p, uint64_t v)
{
	unsigned bits = 64 - (unsigned)__builtin_clzll(v | 1);
	unsigned n = (bits + 6) / 7;
	uint64_t word;

	if (__builtin_expect(bits > 56, 0)) {
		*p = 0;
		word = htole64(v);
		memcpy(p + 1, &word, sizeof(word));
		return p + DATA_VARINT_MAX;
	}
	word = htole64(v << n | 1ull << (n - 1));
	memcpy(p, &word, sizeof(word));
	return p + n;
}

/* Reads a number at p, where DATA_VARINT_SLACK bytes have to be readable; the byte behind it. */
static inline const uint8_t *data_varint_get(const uint8_t *p, uint64_t *v)
{
	static const uint64_t masks[9] = {0,           0x7f,          0x3fff,          0x1fffff,        0xfffffff,
	                                  0x7ffffffff, 0x3ffffffffff, 0x1ffffffffffff, 0xffffffffffffff};
	uint64_t word;
	unsigned n;

	memcpy(&word, p, sizeof(word));
	word = le64toh(word);
	if (__builtin_expect(!(word & 0xff), 0)) {
		memcpy(&word, p + 1, sizeof(word));
		*v = le64toh(word);
		return p + DATA_VARINT_MAX;
	}
	n = (unsigned)__builtin_ctzll(word) + 1;
	*v = word >> n & masks[n];
	return p + n;
}

/* Signed numbers as unsigned ones that are small when their magnitude is: 0, -1, 1, -2 become 0, 1, 2, 3. */
static inline uint64_t data_zigzag(uint64_t v)
{
	return v << 1 ^ (0 - (v >> 63));
}

/* The other way. */
static inline uint64_t data_unzigzag(uint64_t v)
{
	return v >> 1 ^ (0 - (v & 1));
}

#endif
