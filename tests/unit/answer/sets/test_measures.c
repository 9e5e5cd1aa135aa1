/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names measured in recordings of two sides: what is one-sided, beyond noise, not looked at; names of facts. */
#include <exectrace/answer/sets/facts.h>

#include "tap.h"

#include <stdlib.h>

/* The first recordings of a side have an amount and a count. */
static void add(struct measures *m, enum measure_kind kind, const char *name, double amount, uint64_t count)
{
	CHECK_INT(measures_add(m, kind, name, "", amount, count), 0);
}

static const struct measure *find(const struct measure *rows, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	return NULL;
}

/* n recordings on each side. */
static struct measures *made(unsigned n)
{
	struct measures *m = measures_new();

	for (unsigned i = 0; i < 2 * n; i++) {
		bool b = i % 2;

		CHECK_INT(measures_begin(m, b ? SIDE_B : SIDE_A), 0);
		add(m, MEASURE_COMMAND, "both", 0, 1);
		if (b)
			add(m, MEASURE_COMMAND, "only b", 0, 2);
		if (i < 2)
			add(m, MEASURE_COMMAND, b ? "one of b" : "one of a", 0, 1);
		add(m, MEASURE_FUNCTION, "slower", b ? 300 + i : 100 + i, 5);
		add(m, MEASURE_FUNCTION, "as before", 1000 + (i * 7919) % 100, 5);
		add(m, MEASURE_FUNCTION, "more often", 100, b ? 6 : 5);
		add(m, MEASURE_FUNCTION, "more often", 50, 0);
		add(m, MEASURE_FUNCTION, "small", 1, 0);
	}
	return m;
}

static void test_many(void)
{
	struct measures *m = made(6);
	const struct measure *rows, *row;
	size_t n;

	CHECK_INT(measures_recordings(m, SIDE_A), 6);
	CHECK_INT(measures_recordings(m, SIDE_B), 6);
	CHECK_INT(measures_rows(m, MEASURE_COMMAND, 0, &rows, &n), 0);
	CHECK_INT(n, 4);
	CHECK_STR(rows[0].name, "only b");
	CHECK(rows[0].only && rows[0].beyond && rows[0].count_q < 0.01);
	CHECK(rows[0].sides[SIDE_A].in == 0 && rows[0].sides[SIDE_B].in == 6);
	CHECK(rows[0].sides[SIDE_B].count.median == 2 && rows[0].sides[SIDE_A].count.median == 0);
	row = find(rows, n, "both");
	CHECK(row && !row->only && !row->beyond && row->count_q == 1);
	row = find(rows, n, "one of a");
	CHECK(row && !row->only && !row->beyond && row->count_q == 1);

	CHECK_INT(measures_rows(m, MEASURE_FUNCTION, 0.01, &rows, &n), 0);
	CHECK_INT(n, 3);
	CHECK_STR(rows[0].name, "slower");
	CHECK(rows[0].beyond && rows[0].amount_q < 0.01 && rows[0].count_q == 1);
	CHECK(rows[0].sides[SIDE_A].amount.median == 105 && rows[0].sides[SIDE_A].amount.low == 102.5);
	CHECK_STR(rows[1].name, "more often");
	CHECK(rows[1].beyond && rows[1].count_q < 0.01 && rows[1].amount_q == 1 && !rows[1].only);
	CHECK(rows[1].sides[SIDE_B].amount.median == 150 && rows[1].sides[SIDE_B].count.median == 6);
	CHECK_STR(rows[2].name, "as before");
	CHECK(!rows[2].beyond);
	CHECK(!find(rows, n, "small"));
	CHECK_INT(measures_rows(m, MEASURE_FUNCTION, 0, &rows, &n), 0);
	CHECK(n == 4 && find(rows, n, "small"));
	CHECK_INT(measures_rows(m, MEASURE_PATH, 0, &rows, &n), 0);
	CHECK_INT(n, 0);
	measures_free(m);
}

/* Nothing is beyond noise; what is on one side alone is. */
static void test_few(void)
{
	struct measures *m = made(3);
	const struct measure *rows;
	size_t n;

	CHECK_INT(measures_rows(m, MEASURE_COMMAND, 0, &rows, &n), 0);
	CHECK_STR(rows[0].name, "only b");
	CHECK(rows[0].only && !rows[0].beyond && rows[0].count_q == 1);
	CHECK_INT(measures_rows(m, MEASURE_FUNCTION, 0, &rows, &n), 0);
	for (size_t i = 0; i < n; i++)
		CHECK(!rows[i].beyond && !rows[i].only);
	measures_free(m);
	measures_free(NULL);
}

static void named(const char *name, const char *dir, const char *want)
{
	struct buf got = BUF_INIT;

	CHECK_INT(facts_name(&got, name, dir), 0);
	CHECK_STR(got.len ? got.data : "", want);
	buf_release(&got);
}

static void test_names(void)
{
	named("/src/a/file", "/src/a", "./file");
	named("cat /src/a/x /src/ab/y", "/src/a", "cat ./x /src/ab/y");
	named("/src/a", "/src/a", ".");
	named("/src/a-b/c", "/src/a", "/src/a-b/c");
	named("/bin/ls", "/", "/bin/ls");
	named("/tmp/tmp.Xa3 /tmp/b/c", "", "/tmp/? /tmp/?/c");
	named("t-17 4711 123 port:65535", "", "t-17 # 123 port:#");
	named("", "/src", "");
}

int main(void)
{
	test_many();
	test_few();
	test_names();
	return TAP_DONE();
}
