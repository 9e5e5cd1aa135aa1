/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/causes/difference.h>

#include "tap.h"

int main(void)
{
	CHECK(difference_alike("", ""));
	CHECK(difference_alike("cc -c a.c", "cc -c a.c"));
	CHECK(!difference_alike("cc -c a.c", "cc -c b.c"));
	CHECK(!difference_alike("cc", "cc -c"));
	CHECK(difference_alike("fd 3 pipe:[123]", "fd 3 pipe:[98765]"));
	CHECK(difference_alike("as /tmp/ccA1b2.s -o x", "as /tmp/ccZ9.s -o x"));
	CHECK(!difference_alike("as /tmp/ccA1b2.s -o x", "as /tmp/ccZ9.s -o y"));
	CHECK(difference_alike("rm /var/tmp/a", "rm /var/tmp/bcd"));
	CHECK(!difference_alike("rm /home/a", "rm /home/b"));
	CHECK(difference_alike("run 1 of 20", "run 13 of 20"));
	return TAP_DONE();
}
