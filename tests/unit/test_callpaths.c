/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call paths: the same path is one node, sums, two sides, what is too deep. */
#include "tap.h"

#include <exectrace/analyze/callpaths.h>

static uint32_t function(struct callpaths *p, const char *name, const char *module)
{
	uint32_t number = 0;

	CHECK_INT(callpaths_function(p, name, module, &number), 0);
	return number;
}

static uint32_t step(struct callpaths *p, uint32_t from, uint32_t to)
{
	uint32_t path = 0;

	return callpaths_step(p, from, to, &path) ? 0 : path;
}

static void test_sums(void)
{
	struct callpaths *p = NULL;
	uint32_t a, b, aa, ab, ba;

	if (!CHECK_INT(callpaths_new(&p), 0))
		return;
	a = function(p, "f", "m");
	b = function(p, "f", "n");
	CHECK(a == 1 && b == 2);
	CHECK_INT(function(p, "f", "m"), a);
	CHECK_STR(callpaths_function_at(p, b)->module, "n");
	ab = step(p, step(p, CALLPATHS_ROOT, a), b);
	aa = step(p, step(p, CALLPATHS_ROOT, a), a);
	ba = step(p, step(p, CALLPATHS_ROOT, b), a);
	CHECK(aa != ab && ab != ba && aa != ba);
	CHECK_INT(step(p, step(p, CALLPATHS_ROOT, a), b), ab);
	CHECK_INT(callpaths_n(p), 6);
	callpaths_add(p, ab, 0, 10, 1);
	callpaths_add(p, aa, 0, 5, 2);
	callpaths_add(p, aa, 1, 7, 3);
	callpaths_add(p, ba, 1, 100, 4);
	callpaths_sum(p);
	callpaths_sum(p);
	CHECK_INT(callpaths_at(p, step(p, CALLPATHS_ROOT, a))->total[0], 15);
	CHECK_INT(callpaths_at(p, step(p, CALLPATHS_ROOT, a))->total[1], 7);
	CHECK_INT(callpaths_at(p, aa)->count[1], 3);
	CHECK_INT(callpaths_at(p, CALLPATHS_ROOT)->total[0], 15);
	CHECK_INT(callpaths_at(p, CALLPATHS_ROOT)->total[1], 107);
	CHECK_INT(callpaths_at(p, ab)->depth, 2);
	callpaths_free(p);
	callpaths_free(NULL);
}

/* Recursion without end is of one depth at some point; nothing is lost. */
static void test_depth(void)
{
	struct callpaths *p = NULL;
	uint32_t f, path = CALLPATHS_ROOT;

	if (!CHECK_INT(callpaths_new(&p), 0))
		return;
	f = function(p, "f", "");
	for (unsigned i = 0; i < 2000; i++) {
		path = step(p, path, f);
		callpaths_add(p, path, 0, 1, 1);
	}
	callpaths_sum(p);
	CHECK_INT(callpaths_at(p, path)->depth, CALLPATHS_DEPTH_MAX);
	CHECK_INT(callpaths_n(p), CALLPATHS_DEPTH_MAX + 1);
	CHECK_INT(callpaths_cut(p), 2000 - CALLPATHS_DEPTH_MAX);
	CHECK_INT(callpaths_at(p, CALLPATHS_ROOT)->total[0], 2000);
	callpaths_free(p);
}

/* Many paths are found again after the table has grown. */
static void test_many(void)
{
	struct callpaths *p = NULL;
	uint32_t first[300], bad = 0;

	if (!CHECK_INT(callpaths_new(&p), 0))
		return;
	for (uint32_t i = 0; i < 300; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%u", i);
		(void)callpaths_function(p, name, "", &first[i]);
	}
	for (unsigned again = 0; again < 2; again++)
		for (uint32_t i = 0; i < 300; i++)
			for (uint32_t j = 0; j < 300; j++) {
				uint32_t path = step(p, step(p, CALLPATHS_ROOT, first[i]), first[j]);
				const struct callpath *at = callpaths_at(p, path);

				bad += at->function != first[j] || callpaths_at(p, at->parent)->function != first[i];
			}
	CHECK_INT(bad, 0);
	CHECK_INT(callpaths_n(p), 1 + 300 + 300 * 300);
	callpaths_free(p);
}

int main(void)
{
	test_sums();
	test_depth();
	test_many();
	return TAP_DONE();
}
