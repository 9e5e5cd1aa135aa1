/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "crc.h"

#include <endian.h>
#include <string.h>
#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

#define POLYNOMIAL 0x82f63b78u /* the bits of 0x1edc6f41 the other way round */

void crc_init(struct crc_table *table)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t crc = i;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
		table->row[0][i] = crc;
	}
	/* Row k: what a byte does to the checksum k bytes later. */
	for (int k = 1; k < 16; k++)
		for (int i = 0; i < 256; i++)
			table->row[k][i] = table->row[k - 1][i] >> 8 ^ table->row[0][table->row[k - 1][i] & 0xff];
#if defined(__x86_64__)
	table->instruction = __builtin_cpu_supports("sse4.2");
#endif
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t by_instruction(const uint8_t *p, size_t n)
{
	uint64_t crc = ~0u, word;

	for (; n >= 8; n -= 8, p += 8) {
		memcpy(&word, p, sizeof(word));
		crc = _mm_crc32_u64(crc, word);
	}
	for (; n; n--, p++)
		crc = _mm_crc32_u8((uint32_t)crc, *p);
	return ~(uint32_t)crc;
}
#endif

/* What eight bytes, the first of them lowest, do to the checksum at once; `row` is that of the last of them. */
static inline uint32_t eight(const uint32_t (*row)[256], uint64_t word)
{
	return row[7][word & 0xff] ^ row[6][word >> 8 & 0xff] ^ row[5][word >> 16 & 0xff] ^ row[4][word >> 24 & 0xff] ^
	       row[3][word >> 32 & 0xff] ^ row[2][word >> 40 & 0xff] ^ row[1][word >> 48 & 0xff] ^ row[0][word >> 56];
}

uint32_t crc_of(const struct crc_table *table, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	uint32_t crc = ~0u;

#if defined(__x86_64__)
	if (table->instruction)
		return by_instruction(p, n);
#endif
	for (; n >= 16; n -= 16, p += 16) {
		uint64_t words[2];

		memcpy(words, p, sizeof(words));
		/* The second half does not wait for the first. */
		crc = eight(table->row, le64toh(words[1])) ^ eight(table->row + 8, le64toh(words[0]) ^ crc);
	}
	for (; n; n--, p++)
		crc = crc >> 8 ^ table->row[0][(crc ^ *p) & 0xff];
	return ~crc;
}
