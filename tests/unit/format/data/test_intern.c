/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"
#include <exectrace/format/data/intern.h>

static uint64_t number(struct intern *table, const void *bytes, size_t n, bool want_fresh)
{
	uint64_t id = 0;
	bool fresh = !want_fresh;

	CHECK_INT(intern(table, bytes, n, &id, &fresh), 0);
	CHECK_INT(fresh, want_fresh);
	return id;
}

static void few(void)
{
	struct intern table = INTERN_INIT;

	CHECK_INT(number(&table, "abc", 3, true), 1);
	CHECK_INT(number(&table, "abc\0", 4, true), 2);
	CHECK_INT(number(&table, NULL, 0, true), 3);
	CHECK_INT(number(&table, "abcdefghi", 9, true), 4);
	CHECK_INT(number(&table, "abcdefghj", 9, true), 5);
	CHECK_INT(number(&table, "abc", 3, false), 1);
	CHECK_INT(number(&table, "", 0, false), 3);
	CHECK_INT(number(&table, "abc\0", 4, false), 2);
	intern_release(&table);
	CHECK_INT(number(&table, "abc", 3, true), 1);
	intern_release(&table);
}

static void many(void)
{
	struct intern table = INTERN_INIT;
	bool right = true, fresh;
	uint64_t id;

	for (int round = 0; round < 2; round++) {
		for (uint64_t i = 0; i < 20000; i++) {
			uint64_t frames[3] = {0x7f0000000000 + i * 16, 42, i & 1};

			right &= !intern(&table, frames, sizeof(frames), &id, &fresh) && id == i + 1 && fresh == !round;
		}
	}
	CHECK(right);
	CHECK_INT(table.n, 20000);
	intern_release(&table);
}

int main(void)
{
	few();
	many();
	return TAP_DONE();
}
