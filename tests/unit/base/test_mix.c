/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"
#include <exectrace/base/mix.h>

static void numbers(void)
{
	CHECK(mix(1, 2) == mix(1, 2));
	CHECK(mix(1, 2) != mix(2, 1));
	CHECK(mix(0, 0) != 0 && mix(0, 0) != mix(0, 1));
}

/* Each bit of an argument changes about half of the bits of the result. */
static void spread(void)
{
	for (unsigned bit = 0; bit < 64; bit++) {
		int changed = __builtin_popcountll(mix(5, 7) ^ mix(5, 7 ^ 1ull << bit));

		CHECK(changed > 12 && changed < 52);
	}
}

static void bytes(void)
{
	static const char text[] = "a text of more than sixteen bytes";

	CHECK(mix_bytes(1, text, sizeof(text)) == mix_bytes(1, text, sizeof(text)));
	CHECK(mix_bytes(1, text, 16) != mix_bytes(1, text, 17));
	CHECK(mix_bytes(1, "ab\0", 2) != mix_bytes(1, "ab\0", 3));
	CHECK(mix_bytes(1, "", 0) != mix_bytes(2, "", 0));
	CHECK(mix_bytes(mix_bytes(1, "ab", 2), "c", 1) != mix_bytes(mix_bytes(1, "a", 1), "bc", 2));
}

int main(void)
{
	numbers();
	spread();
	bytes();
	return TAP_DONE();
}
