/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/story/state/descriptors.h>

#include "tap.h"
#include <stdlib.h>

#define FDS 64

/* Random opens and closes, beside a table that cannot be wrong. */
static void random_table(unsigned seed)
{
	struct descriptors table = {0}, copy = {0};
	uint32_t want[FDS] = {0};
	size_t open = 0;

	srand(seed);
	for (int i = 0; i < 2000; i++) {
		int fd = rand() % FDS;

		if (rand() % 2) {
			const struct descriptor d = {.fd = fd, .object = (uint32_t)i + 1};

			CHECK_INT(descriptors_open(&table, &d), 0);
			want[fd] = d.object;
		} else {
			descriptors_close(&table, fd);
			want[fd] = 0;
		}
	}
	CHECK_INT(descriptors_copy(&copy, &table), 0);
	for (int fd = 0; fd < FDS; fd++) {
		const struct descriptor *d = descriptors_find(&copy, fd);

		CHECK_INT(d ? d->object : 0, want[fd]);
		open += want[fd] != 0;
	}
	CHECK_INT(table.n, open);
	descriptors_release(&table);
	descriptors_release(&copy);
}

int main(void)
{
	for (unsigned seed = 1; seed <= 5; seed++)
		random_table(seed);
	return TAP_DONE();
}
