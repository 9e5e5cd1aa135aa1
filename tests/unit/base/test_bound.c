/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places in sorted arrays, compared with counting. */
#include "tap.h"
#include <exectrace/base/bound.h>

struct item {
	char before;
	uint64_t key;
	char after;
};

static size_t counted(const struct item *items, size_t n, uint64_t key)
{
	size_t below = 0;

	for (size_t i = 0; i < n; i++)
		below += items[i].key <= key;
	return below;
}

int main(void)
{
	/* With equal ones, and both ends of the range. */
	static const struct item items[] = {{0, 0, 0}, {0, 3, 0}, {0, 3, 0}, {0, 3, 0}, {0, 9, 0}, {0, UINT64_MAX, 0}};
	static const uint64_t keys[] = {0, 1, 3, 4, 8, 9, 10, UINT64_MAX - 1, UINT64_MAX};

	for (size_t n = 0; n <= sizeof(items) / sizeof(items[0]); n++) {
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			CHECK_INT(BOUND_ABOVE(items, n, key, keys[i]), counted(items, n, keys[i]));
	}
	CHECK_INT(bound_above(NULL, 0, sizeof(struct item), 8, 5), 0);
	return TAP_DONE();
}
