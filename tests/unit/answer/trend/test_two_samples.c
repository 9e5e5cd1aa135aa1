/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two samples: p against a count of all permutations by Python, beyond that against its normal distribution, and
 * against published tables; quartiles and corrections for many tests against other ways to find them. Other numbers
 * with `test_two_samples SEED`.
 */
#include <exectrace/answer/trend/two_samples.h>

#include "program.h"

#include "oracle.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>

#define CASES 60u
#define MOST 60u /* values of a side */

static uint64_t seed;

static uint64_t any(uint64_t below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (seed >> 33) % below;
}

static bool near(double got, double want)
{
	if (fabs(got - want) <= 1e-9 * (1 + fabs(want)))
		return true;
	printf("#   got %.15g, wanted %.15g\n", got, want);
	return false;
}

static const char oracle[] =
	"import itertools, math, statistics\n"
	"def ranks(v):\n"
	"  return [sum(w < x for w in v) + (sum(w == x for w in v) + 1) / 2 for x in v]\n"
	"def exact(a, b):\n"
	"  r = ranks(a + b); n = len(a); mean = n * (len(r) + 1) / 2; far = abs(sum(r[:n]) - mean)\n"
	"  ways = [abs(sum(c) - mean) >= far - 1e-9 for c in itertools.combinations(r, n)]\n"
	"  return sum(ways) / len(ways)\n"
	"def fisher(a, b):\n"
	"  n, m = len(a), len(b); top = max(a + b); k = (a + b).count(top)\n"
	"  far = abs(a.count(top) * (n + m) - n * k)\n"
	"  ways = {x: math.comb(n, x) * math.comb(m, k - x) for x in range(max(0, k - m), min(n, k) + 1)}\n"
	"  return sum(w for x, w in ways.items() if abs(x * (n + m) - n * k) >= far) / math.comb(n + m, k)\n"
	"def normal(a, b):\n"
	"  if len(set(a + b)) < 3: return fisher(a, b)\n"
	"  r = ranks(a + b); n, m = len(a), len(b); N = n + m\n"
	"  u = sum(r[:n]) - n * (n + 1) / 2\n"
	"  t = sum(k ** 3 - k for k in (r.count(x) for x in set(r)))\n"
	"  sd = (n * m / 12 * ((N + 1) - t / (N * (N - 1)))) ** 0.5\n"
	"  z = max(0, abs(u - n * m / 2) - 0.5) / sd if sd else 0\n"
	"  return 2 * (1 - statistics.NormalDist().cdf(z)) if z else 1\n"
	"def correct(p):\n"
	"  s = sorted(p)\n"
	"  return [min(1, min(s[j] * len(p) / (j + 1) for j in range(len(p)) if s[j] >= x)) for x in p]\n"
	"for line in open('cases'):\n"
	"  kind, *sides = line.split(';'); v = [[float(x) for x in s.split()] for s in sides]\n"
	"  if kind == 'exact': print(repr(exact(*v)))\n"
	"  if kind == 'normal': print(repr(normal(*v)))\n"
	"  if kind == 'quartiles': print(*map(repr, statistics.quantiles(v[0], n=4, method='inclusive')))\n"
	"  if kind == 'correct': print(*map(repr, correct(v[0])))\n";

struct one {
	const char *kind;
	double values[2][MOST];
	size_t n[2];
};

static void write_case(FILE *to, const struct one *c)
{
	fputs(c->kind, to);
	for (unsigned side = 0; side < 2 && c->n[side]; side++) {
		fputc(';', to);
		for (size_t i = 0; i < c->n[side]; i++)
			fprintf(to, " %.17g", c->values[side][i]);
	}
	fputc('\n', to);
}

/* Few different values have many ties. */
static void make_case(struct one *c, unsigned number)
{
	static const char *const kinds[] = {"exact", "exact", "normal", "quartiles", "correct"};
	uint64_t different = number % 3 ? 1 + any(6) : 1000000;

	*c = (struct one){.kind = kinds[number % 5]};
	c->n[0] = 2 + any(6);
	c->n[1] = number % 5 < 3 ? 1 + any(7) : 0;
	if (number % 5 == 2) {
		c->n[0] = 20 + any(40);
		c->n[1] = TWO_SAMPLES_EXACT + 1 - (c->n[0] < 50 ? c->n[0] : 49) + any(8);
	}
	for (unsigned side = 0; side < 2; side++)
		for (size_t i = 0; i < c->n[side]; i++)
			c->values[side][i] = number % 5 == 4
			                             ? (double)(1 + any(1000)) / 1000
			                             : (double)any(different) + (side ? 0.5 * (double)any(2) : 0);
}

static bool compare(struct one *c, FILE *answers)
{
	struct sample_spread spread;
	double want[MOST], got = 0;
	size_t n = strcmp(c->kind, "quartiles") == 0 ? 3 : strcmp(c->kind, "correct") == 0 ? c->n[0] : 1;

	for (size_t i = 0; i < n; i++)
		if (fscanf(answers, "%lf", &want[i]) != 1)
			return false;
	if (n == 3 && strcmp(c->kind, "quartiles") == 0) {
		spread = sample_describe(c->values[0], c->n[0]);
		return near(spread.low, want[0]) && near(spread.median, want[1]) && near(spread.high, want[2]);
	}
	if (strcmp(c->kind, "correct") == 0) {
		if (two_samples_correct(c->values[0], n))
			return false;
		for (size_t i = 0; i < n; i++)
			if (!near(c->values[0][i], want[i]))
				return false;
		return true;
	}
	return two_samples_p(c->values[0], c->n[0], c->values[1], c->n[1], &got) == 0 && near(got, want[0]);
}

static void test_oracle(void)
{
	static struct one cases[CASES];
	char path[300];
	FILE *file, *answers;
	bool all = true;

	snprintf(path, sizeof(path), "%s/oracle.py", scratch_dir);
	file = fopen(path, "w");
	fputs(oracle, file);
	fclose(file);
	snprintf(path, sizeof(path), "%s/cases", scratch_dir);
	file = fopen(path, "w");
	for (unsigned i = 0; i < CASES; i++) {
		make_case(&cases[i], i);
		write_case(file, &cases[i]);
	}
	fclose(file);
	answers = ask("python3 oracle.py");
	for (unsigned i = 0; i < CASES; i++) {
		bool same = answers && compare(&cases[i], answers);

		if (!same)
			printf("#   case %u, %s of %zu and %zu\n", i, cases[i].kind, cases[i].n[0], cases[i].n[1]);
		all &= same;
	}
	if (answers)
		pclose(answers);
	CHECK(all);
}

/* Two samples of 1, 2, ...: those of the second side are the ones of `second`, ended by 0. */
static double p_of(size_t total, const size_t *second)
{
	double sides[2][MOST], p = -1;
	size_t n[2] = {0, 0};

	for (size_t i = 1; i <= total; i++) {
		bool is_second = *second == i;

		sides[is_second][n[is_second]++] = (double)i;
		second += is_second;
	}
	return two_samples_p(sides[0], n[0], sides[1], n[1], &p) ? -1 : p;
}

/* Critical values of U for 5 % on two sides: of 5 and 5 it is 2, of 4 and 4 it is 0, of 3 and 3 there is none. */
static void test_tables(void)
{
	const size_t three[] = {4, 5, 6, 0}, four[] = {5, 6, 7, 8, 0}, worse[] = {4, 6, 7, 8, 0};
	const size_t two[] = {5, 6, 8, 9, 10, 0}, more[] = {3, 7, 8, 9, 10, 0};

	CHECK(near(p_of(6, three), 2.0 / 20));
	CHECK(near(p_of(8, four), 2.0 / 70));
	CHECK(near(p_of(8, worse), 4.0 / 70));
	CHECK(p_of(10, two) < 0.05);
	CHECK(p_of(10, more) > 0.05);
	CHECK(near(two_samples_least(3, 3), 0.1));
	CHECK(near(two_samples_least(4, 4), 2.0 / 70));
	CHECK(near(two_samples_least(1, 1), 1));
	CHECK(two_samples_least(0, 5) == 1);
}

/* Something that is on 8 of 40 and 1 of 60: Fisher's table, by the sum of all tables that are as far from the mean. */
static void test_two_values(void)
{
	double a[40] = {0}, b[MOST] = {0}, p;

	for (unsigned i = 0; i < 8; i++)
		a[i] = 3;
	b[5] = 3;
	CHECK(two_samples_p(a, 40, b, 60, &p) == 0);
	CHECK(near(p, 0.00256946601272068));
}

static void test_edges(void)
{
	double same[MOST] = {0}, p = -1, none = 0;
	struct sample_spread spread;

	CHECK(two_samples_p(same, 5, same, 5, &p) == 0 && p == 1);
	CHECK(two_samples_p(same, 40, same, 40, &p) == 0 && p == 1);
	CHECK(two_samples_p(same, 0, same, 5, &p) == 0 && p == 1);
	CHECK(two_samples_p(same, 5, same, 0, &p) == 0 && p == 1);
	spread = sample_describe(&none, 0);
	CHECK(spread.median == 0 && spread.low == 0 && spread.high == 0);
	none = 7;
	spread = sample_describe(&none, 1);
	CHECK(spread.median == 7 && spread.low == 7 && spread.high == 7);
	CHECK(two_samples_correct(NULL, 0) == 0);
}

/* Without a difference p is at most 5 % in one of 20 cases, and none of many tests is left after the correction. */
static void test_chance(void)
{
	double a[10], b[10], p[200];
	unsigned low = 0, found = 0, runs = 50;

	for (unsigned run = 0; run < runs; run++) {
		bool some = false;

		for (unsigned i = 0; i < 200; i++) {
			for (unsigned k = 0; k < 10; k++) {
				a[k] = (double)any(1000000);
				b[k] = (double)any(1000000);
			}
			two_samples_p(a, 10, b, 10, &p[i]);
			low += p[i] <= 0.05;
		}
		two_samples_correct(p, 200);
		for (unsigned i = 0; i < 200; i++)
			some |= p[i] <= 0.05;
		found += some;
	}
	printf("# of %u tests %u had p <= 5 %%; of %u runs %u found something\n", runs * 200, low, runs, found);
	CHECK(low > 300 && low < 600);
	CHECK(found <= 10);
}

int main(int argc, char **argv)
{
	seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	printf("# seed %llu\n", (unsigned long long)seed);
	scratch_begin(120);
	test_tables();
	test_two_values();
	test_edges();
	test_chance();
	test_oracle();
	return TAP_DONE();
}
