/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"
#include <exectrace/base/cleanup.h>
#include <exectrace/base/strv.h>

static void pushing(void)
{
	cleanup_strv struct strv v = STRV_INIT;
	char word[] = "own copy";

	CHECK(!v.items);
	CHECK_INT(strv_push(&v, word), 0);
	word[0] = 'X';
	CHECK_INT(strv_push(&v, ""), 0);
	CHECK_INT(strv_pushn(&v, "cut here", 3), 0);
	CHECK_INT(v.n, 3);
	CHECK_STR(v.items[0], "own copy");
	CHECK_STR(v.items[1], "");
	CHECK_STR(v.items[2], "cut");
	CHECK(!v.items[3]);
}

static void always_ended(void)
{
	cleanup_strv struct strv v = STRV_INIT;
	bool ended = true;

	for (int i = 0; i < 1000; i++) {
		if (strv_push(&v, "x"))
			break;
		ended &= v.items[v.n] == NULL && v.n < v.cap;
	}
	CHECK_INT(v.n, 1000);
	CHECK(ended);
}

static void extending(void)
{
	cleanup_strv struct strv a = STRV_INIT, b = STRV_INIT;

	CHECK_INT(strv_extend(&a, &b), 0);
	CHECK_INT(a.n, 0);
	CHECK_INT(strv_push(&a, "1"), 0);
	CHECK_INT(strv_push(&b, "2"), 0);
	CHECK_INT(strv_push(&b, "3"), 0);
	CHECK_INT(strv_extend(&a, &b), 0);
	CHECK_INT(a.n, 3);
	CHECK_STR(a.items[2], "3");
	CHECK(a.items[2] != b.items[1]);
	CHECK(!a.items[3]);
	/* A vector added to itself is doubled, once. */
	CHECK_INT(strv_extend(&a, &a), 0);
	CHECK_INT(a.n, 6);
	CHECK_STR(a.items[5], "3");
}

static void releasing(void)
{
	struct strv v = STRV_INIT;

	CHECK_INT(strv_push(&v, "x"), 0);
	strv_release(&v);
	CHECK(!v.items);
	CHECK_INT(v.n, 0);
	strv_release(&v);
	CHECK_INT(strv_push(&v, "again"), 0);
	CHECK_STR(v.items[0], "again");
	strv_release(&v);
}

int main(void)
{
	pushing();
	always_ended();
	extending();
	releasing();
	return TAP_DONE();
}
