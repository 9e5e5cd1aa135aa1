/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/base/mix.h>

#include <string.h>

/* The last steps of MurmurHash3: each bit of the result depends on all of the argument. */
static uint64_t scatter(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdull;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ull;
	return x ^ x >> 33;
}

uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t mixed = scatter(scatter(a + 0x9e3779b97f4a7c15ull) + b);

	return mixed ? mixed : 1;
}

uint64_t mix_bytes(uint64_t a, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;
	uint64_t word;

	a = mix(a, n);
	for (; n >= sizeof(word); n -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		a = mix(a, word);
	}
	word = 0;
	if (n)
		memcpy(&word, at, n);
	return mix(a, word);
}
