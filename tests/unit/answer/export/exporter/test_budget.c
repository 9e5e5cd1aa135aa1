/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Budgets: how they are spelled, and that what is folded away is the shortest, no more than it has to be, and counted.
 */
#include <exectrace/answer/export/exporter/budget.h>

#include "tap.h"
#include <errno.h>

static void parse(const char *text, int rc, uint64_t bytes, uint64_t events)
{
	uint64_t b = 77, e = 77;

	CHECK_INT(budget_parse(text, &b, &e), rc);
	if (rc)
		return;
	CHECK_INT((long long)b, (long long)bytes);
	CHECK_INT((long long)e, (long long)events);
}

static void test_parse(void)
{
	parse("200000", 0, 0, 200000);
	parse("2e5", 0, 0, 200000);
	parse("50M", 0, 50 << 20, 0);
	parse("1.5k", 0, 1536, 0);
	parse("3KiB", 0, 3072, 0);
	parse("2GB", 0, 2ll << 30, 0);
	for (const char *const *bad = (const char *const[]){"", "0", "0.5", "M", "-1", "5X", "5MM", "5 M", "0x10",
	                                                    "inf", "nan", "1e30", "1e300G", NULL};
	     *bad; bad++)
		parse(*bad, -EINVAL, 0, 0);
}

static uint64_t seed = 3;

/* Lengths of all sizes. */
static uint64_t noise(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed >> (seed & 63);
}

#define EVENTS 20000

static void test_choice(bool by_size)
{
	static uint64_t lengths[EVENTS];
	uint64_t folded = 0, time = 0, longest_folded = 0, shortest_kept = UINT64_MAX;
	struct budget_folded result;
	struct budget *b = NULL;

	if (!CHECK_INT(budget_new(&b, by_size ? 100000 : 0, by_size ? 0 : 3000), 0))
		return;
	budget_add_fixed(b, 500);
	for (size_t i = 0; i < EVENTS; i++) {
		lengths[i] = noise();
		budget_add(b, lengths[i], i, 20);
	}
	CHECK(budget_measures(b));
	CHECK(!budget_folds(b, 0));
	budget_settle(b);
	CHECK(!budget_measures(b));
	for (size_t i = 0; i < EVENTS; i++) {
		if (!budget_folds(b, lengths[i])) {
			shortest_kept = lengths[i] < shortest_kept ? lengths[i] : shortest_kept;
			continue;
		}
		folded++;
		time += i;
		longest_folded = lengths[i] > longest_folded ? lengths[i] : longest_folded;
	}
	result = budget_folded(b);
	CHECK_INT((long long)result.events, (long long)folded);
	CHECK_INT((long long)result.kept, (long long)(EVENTS - folded));
	CHECK_INT((long long)result.time, (long long)time);
	CHECK(longest_folded < shortest_kept && result.below <= shortest_kept && result.below > longest_folded);
	CHECK(by_size ? result.kept * 20 + 500 <= 100000 : result.kept <= 3000);
	CHECK(result.kept > 2000);
	budget_free(b);
}

static void test_room(void)
{
	struct budget *b = NULL;

	if (!CHECK_INT(budget_new(&b, 0, 3), 0))
		return;
	for (uint64_t i = 0; i < 3; i++)
		budget_add(b, i, i, 1);
	budget_settle(b);
	CHECK_INT((long long)budget_folded(b).events, 0);
	CHECK(!budget_folds(b, 0));
	budget_free(b);
	if (!CHECK_INT(budget_new(&b, 100, 0), 0))
		return;
	budget_add_fixed(b, 1000);
	budget_add(b, UINT64_MAX - 1, 1, 1);
	budget_settle(b);
	CHECK(budget_folds(b, UINT64_MAX - 1));
	CHECK_INT((long long)budget_folded(b).kept, 0);
	budget_free(b);
}

int main(void)
{
	test_parse();
	test_choice(false);
	test_choice(true);
	test_room();
	return TAP_DONE();
}
