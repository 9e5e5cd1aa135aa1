/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "faults.h"

/* SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014). */
uint64_t rng_next(struct rng *rng)
{
	uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

struct rng rng_of(uint64_t seed, uint64_t number)
{
	struct rng a = {seed};
	struct rng b = {rng_next(&a) ^ number};

	return (struct rng){rng_next(&b)};
}

unsigned rng_below(struct rng *rng, unsigned n)
{
	return (unsigned)(rng_next(rng) % n);
}

bool rng_percent(struct rng *rng, unsigned percent)
{
	return rng_below(rng, 100) < percent;
}

long rng_log(struct rng *rng, long max)
{
	unsigned bits = 0;
	long value = 0;

	while (bits < 62 && max >> (bits + 1))
		bits++;
	bits = rng_below(rng, bits + 1);
	value = (1l << bits) + (long)(rng_next(rng) & ((1ul << bits) - 1));
	return value > max ? max : value;
}
