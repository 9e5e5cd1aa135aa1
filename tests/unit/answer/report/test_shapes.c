/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shapes of calls: small recordings with an odd one each, and noise against a count by the sets of callees. */
#include <exectrace/answer/report/shapes.h>

#include "guest_sample.h"

struct world {
	struct guest guest;
	struct replay *replay;
	struct shapes *shapes;
	struct shapes_odd *odd;
	size_t n;
	uint64_t now;
};

static void begin(struct world *w)
{
	*w = (struct world){0};
	(void)guest_begin(&w->guest, DATA_CLOCK_INSTRUCTIONS, 0);
	guest_add(&w->guest, "S1/0@0 P1=7:sh@0");
}

/* Adds words without times; each is at the next tick. */
static void add(struct world *w, const char *words)
{
	char *copy = strdup(words), *save = NULL, timed[64];

	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		snprintf(timed, sizeof(timed), "%s@%llu", word, (unsigned long long)++w->now);
		if (guest_word(&w->guest, timed))
			CHECK(false);
	}
	free(copy);
}

static void add_times(struct world *w, const char *words, unsigned times)
{
	while (times--)
		add(w, words);
}

static bool look(struct world *w, const char *function)
{
	static const struct replay_options plain;
	const struct shapes_options options = {.function = function};
	struct buf why = BUF_INIT;
	bool good = guest_open_recording(&w->guest) &&
	            CHECK_INT(replay_new(&w->replay, w->guest.recording, 0, &plain, &why), 0);

	w->shapes = good ? shapes_new(w->replay, &options) : NULL;
	good = good && CHECK_INT(shapes_run(w->shapes), 0) && CHECK_INT(shapes_find_odd(w->shapes, &w->odd, &w->n), 0);
	buf_release(&why);
	return good;
}

static void done(struct world *w)
{
	free(w->odd);
	shapes_free(w->shapes);
	replay_free(w->replay);
	guest_end(&w->guest);
}

static uint32_t number(const struct world *w, char name)
{
	for (uint32_t i = 0; i < replay_functions(w->replay); i++)
		if (replay_function(w->replay, i)->name[0] == name)
			return i;
	return UINT32_MAX;
}

static size_t print_results(const struct world *w, const struct shapes_odd *o, char *text, size_t n)
{
	const struct replay_function *f = replay_function(w->replay, o->function);
	struct buf one = BUF_INIT, others = BUF_INIT;

	if (!o->gives)
		return 0;
	CHECK_INT(shapes_print_result(&one, f, o->result), 0);
	CHECK_INT(shapes_print_result(&others, f, o->others), 0);
	n = (size_t)snprintf(text, n, " =%s not %s", one.data, others.data);
	buf_release(&one);
	buf_release(&others);
	return n;
}

/* "a 1 of 32 -b likely; ...": the odd ones as one text. */
static const char *odd(const struct world *w)
{
	static char text[1000];
	static const char how[] = {[SHAPES_LACKS] = '-', [SHAPES_ALSO] = '+', [SHAPES_MORE] = '>', [SHAPES_ONCE] = '1'};
	size_t at = 0;

	*text = '\0';
	for (size_t i = 0; i < w->n && at < sizeof(text) - 100; i++) {
		const struct shapes_odd *o = &w->odd[i];

		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s %u of %u by %u", i ? "; " : "",
		                       replay_function(w->replay, o->function)->name, (unsigned)o->odd,
		                       (unsigned)o->calls, o->first.pid);
		for (size_t k = 0; k < o->n && k < SHAPES_DIFFERENCES; k++)
			at += (size_t)snprintf(text + at, sizeof(text) - at, " %c%s", how[o->differences[k].how],
			                       replay_function(w->replay, o->differences[k].function)->name);
		at += print_results(w, o, text + at, sizeof(text) - at);
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", o->likely ? " likely" : "",
		                       o->outer ? " outer" : "");
	}
	return text;
}

/* --- The odd ones ------------------------------------------------------------------------------------------------- */

#define MANY "Ca Cb R Cc R R"
#define ODD_P "S2/0 P2=9:sh"
#define BACK "S1/0"

/* MANY, then `one` by another process, then MANY. */
static void check_one(const char *many, unsigned before, const char *one, unsigned behind, const char *wanted)
{
	struct world w;

	begin(&w);
	add_times(&w, many, before);
	add(&w, ODD_P);
	add(&w, one);
	add(&w, BACK);
	add_times(&w, many, behind);
	if (look(&w, NULL))
		CHECK_STR(odd(&w), wanted);
	done(&w);
}

static void test_odd(void)
{
	check_one(MANY, 20, "Ca Cb R R", 11, "a 1 of 32 by 9 -c likely");
	check_one(MANY, 20, "Ca Cc R R", 11, "a 1 of 32 by 9 -b likely");
	check_one(MANY, 20, "Ca R", 11, "a 1 of 32 by 9 -b -c likely");
	check_one(MANY, 20, "Ca Cb R Cd R Cc R R", 11, "a 1 of 32 by 9 +d likely");
	check_one(MANY, 20, "Ca Cb R Cd R R", 11, "a 1 of 32 by 9 -c +d likely");
	check_one(MANY, 20, "Ca Cb R Cb R Cc R R", 11, "a 1 of 32 by 9 >b likely");
	check_one("Ca Cb R Cb R R", 20, "Ca Cb R R", 11, "a 1 of 32 by 9 1b likely");
	check_one("Ca R", 20, "Ca Cb R R", 11, "a 1 of 32 by 9 +b likely");
	/* The order, and how often above twice, say nothing. */
	check_one(MANY, 20, "Ca Cc R Cb R R", 11, "");
	check_one("Ca Cb R Cb R R", 20, "Ca Cb R Cb R Cb R Cb R R", 11, "");
	/* Eight calls are enough. */
	check_one(MANY, 4, "Ca Cb R R", 3, "a 1 of 8 by 9 -c likely");
	check_one(MANY, 3, "Ca Cb R R", 3, "");
	/* Those that begin or end, and those that do quite other things, are not likely. */
	check_one(MANY, 0, "Ca Cb R R", 31, "a 1 of 32 by 9 -c");
	check_one(MANY, 31, "Ca Cb R R", 0, "a 1 of 32 by 9 -c");
	check_one(MANY, 20, "Ca Cd R R", 11, "a 1 of 32 by 9 -b -c +d");
}

/* --- Results ------------------------------------------------------------------------------------------------------ */

/* Calls of a that call b, unless they are `alone`, and return something; all of 32 but the one at 20. */
struct returning {
	const char *type;        /* of the result */
	int64_t many, one, last; /* what they return; last: the last of them */
	bool alone;              /* the one calls nothing */
	unsigned unknown;        /* the result of this one was not recorded; 0: all were */
	const char *wanted;
};

static void add_returning(struct world *w, int64_t value, bool alone, bool known)
{
	struct data_event event = {.type = DATA_CALL_RESULT};

	add(w, alone ? "Ca" : "Ca Cb R");
	event.clock = ++w->now;
	event.values = (struct data_values){.nargs = 1, .args = {(uint64_t)value}};
	if (known)
		CHECK_INT(data_writer_event(w->guest.writer, &event), 0);
	add(w, "R");
}

static void check_results(const struct returning *r)
{
	struct data_event event = {.type = DATA_SIGNATURE, .signature = {1, {r->type, strlen(r->type)}}};
	struct world w;

	begin(&w);
	CHECK_INT(data_writer_event(w.guest.writer, &event), 0);
	for (unsigned i = 0; i < 32; i++) {
		if (i == 20)
			add(&w, ODD_P);
		add_returning(&w,
		              i == 20   ? r->one
		              : i == 31 ? r->last
		                        : r->many,
		              i == 20 && r->alone, !r->unknown || i != r->unknown);
		if (i == 20)
			add(&w, BACK);
	}
	if (look(&w, NULL))
		CHECK_STR(odd(&w), r->wanted);
	done(&w);
}

static void test_results(void)
{
	static const struct returning rows[] = {
		{";s4", 0, 0, 0, false, 0, ""},
		{";s4", 0, -22, 0, false, 0, "a 1 of 32 by 9 =-22 (EINVAL) not 0 likely"},
		{";s4", 0, -22, 0, true, 0, "a 1 of 32 by 9 -b =-22 (EINVAL) not 0 likely"},
		{";s4", 0, 0xffffffea, 0, false, 0, "a 1 of 32 by 9 =-22 (EINVAL) not 0 likely"},
		/* What is above its size is not of it. */
		{";s4", 0, 0x7700000000, 0, false, 0, ""},
		{";s4", -22, 0, -22, false, 0, "a 1 of 32 by 9 =0 not -22 (EINVAL)"},
		{";b", 0, 1, 0, false, 0, "a 1 of 32 by 9 =true not false"},
		{";p", 0x5000, 0, 0x6000, false, 0, "a 1 of 32 by 9 =NULL not a pointer likely"},
		{";p", 0x5000, -12, -0x7fffffffffff, false, 0, "a 1 of 32 by 9 =-12 (ENOMEM) not a pointer likely"},
		{";e4{GOOD=1|BAD=2}", 1, 2, 1, false, 0, "a 1 of 32 by 9 =BAD not GOOD"},
		/* Each says something else, or not everyone says it, or nobody knows what it is. */
		{";s4", 0, -22, -5, false, 0, ""},
		{";s4", 0, -22, 0, false, 3, ""},
		{";s4", 0, -22, -5, true, 0, "a 1 of 32 by 9 -b likely"},
		{";v", 0, -22, 0, false, 0, ""},
		{";x", 0, -22, 0, false, 0, ""},
		{"", 0, -22, 0, false, 0, ""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_results(&rows[i]);
}

/* A function that counts gives nothing to compare, and takes no memory. */
static void test_many_results(void)
{
	struct data_event event = {.type = DATA_SIGNATURE, .signature = {1, {";s4", 3}}};
	struct world w;

	begin(&w);
	CHECK_INT(data_writer_event(w.guest.writer, &event), 0);
	for (unsigned i = 0; i < 100; i++)
		add_returning(&w, i < 60 ? 0 : i, false, true);
	if (look(&w, NULL))
		CHECK_STR(odd(&w), "");
	done(&w);
}

/* What is no call of the function is not in its shape. */
static void test_not_called(void)
{
	check_one(MANY, 20, "Ca Cb R Id X Cc R R", 11, "");
	check_one(MANY, 20, "Ca Cb Ce R R Cc R R", 11, "b 1 of 32 by 9 +e likely");
	/* Its end was not seen: there may have been more. */
	check_one(MANY, 20, "Ca Cb R U", 11, "");
	check_one("Ca Cb R R", 20, "Ca Ca Cb R R Cb R R", 11, "a 1 of 33 by 9 +a likely");
	/* The end of the recording is not that of the call. */
	check_one(MANY, 20, "Ca Cb R", 0, "");
}

/* Two odd ones, one within the other: the inner one is why. */
static void test_inner(void)
{
	check_one("Ca Cb Cc R R Cd R R", 20, "Ca Cb R R", 11,
	          "a 1 of 32 by 9 -d likely outer; b 1 of 32 by 9 -c likely");
	check_one("Ca Cb Cc R R Cd R R", 20, "Ca Cb R Cd R R", 11, "b 1 of 32 by 9 -c likely");
}

/* Up to 3 % may be odd. */
static void test_share(void)
{
	struct world w;

	for (unsigned rare = 1; rare <= 4; rare++) {
		char wanted[64];

		begin(&w);
		add_times(&w, MANY, 50);
		add_times(&w, "Ca Cb R R", rare);
		add_times(&w, MANY, 50 - rare);
		snprintf(wanted, sizeof(wanted), "%s", "");
		if (rare < 4)
			snprintf(wanted, sizeof(wanted), "a %u of 100 by 7 -c likely", rare);
		if (look(&w, NULL))
			CHECK_STR(odd(&w), wanted);
		done(&w);
	}
}

/* Where many functions have odd ones, none tells anything. */
static void test_dense(void)
{
	struct world w;

	for (unsigned n = 3; n <= 4; n++) {
		begin(&w);
		for (char f = 'a'; f < 'a' + (char)n; f++) {
			char many[] = "C? Cx R R", one[] = "C? R";

			many[1] = one[1] = f;
			add_times(&w, many, 20);
			add(&w, one);
			add_times(&w, many, 20);
		}
		if (look(&w, NULL) && CHECK_INT(w.n, n))
			for (unsigned i = 0; i < n; i++)
				CHECK(w.odd[i].likely == (n == 3));
		done(&w);
	}
}

/* --- Many shapes -------------------------------------------------------------------------------------------------- */

static void test_too_many(void)
{
	struct world w;
	size_t n;

	for (unsigned shapes = SHAPES_MAX; shapes <= SHAPES_MAX + 1; shapes++) {
		begin(&w);
		for (unsigned i = 0; i < shapes; i++) {
			add(&w, "Ca");
			for (unsigned bit = 0; bit < 6; bit++)
				if (i >> bit & 1)
					add(&w, (const char *[]){"Cb R", "Cc R", "Cd R", "Ce R", "Cf R", "Cg R"}[bit]);
			add(&w, "R");
		}
		if (look(&w, NULL)) {
			CHECK((shapes_of(w.shapes, number(&w, 'a'), &n) != NULL) == (shapes == SHAPES_MAX));
			CHECK_INT(n, shapes == SHAPES_MAX ? SHAPES_MAX : 0);
			CHECK_INT(shapes_calls(w.shapes, number(&w, 'a')), SHAPES_MAX);
		}
		done(&w);
	}
}

static void test_too_many_callees(void)
{
	struct world w;
	size_t n;

	for (unsigned callees = SHAPES_CALLEES; callees <= SHAPES_CALLEES + 1; callees++) {
		begin(&w);
		add(&w, "Ca");
		for (unsigned i = 0; i < callees; i++) {
			char words[] = "C? R";

			words[1] = (char)('b' + i);
			add(&w, words);
		}
		add(&w, "R");
		if (look(&w, NULL)) {
			(void)shapes_of(w.shapes, number(&w, 'a'), &n);
			CHECK_INT(n, callees == SHAPES_CALLEES);
		}
		done(&w);
	}
}

/* Only functions that are asked for. */
static void test_pattern(void)
{
	struct world w;
	size_t n;

	begin(&w);
	add_times(&w, "Ca Cb Cc R R R", 10);
	if (look(&w, "[ax]")) {
		CHECK_INT(shapes_calls(w.shapes, number(&w, 'a')), 10);
		CHECK(shapes_of(w.shapes, number(&w, 'a'), &n) && n == 1);
		CHECK_INT(shapes_calls(w.shapes, number(&w, 'b')), 0);
		CHECK(!shapes_of(w.shapes, number(&w, 'b'), &n) && n == 0);
	}
	done(&w);
}

/* --- Noise against a count ---------------------------------------------------------------------------------------- */

#define NOISE_CALLEES 4u
#define NOISE_SETS 81u /* each callee: not, once, more */

static uint64_t seed;

static unsigned any(unsigned below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)((seed >> 33) % below);
}

/* Adds a call of `a` with callees in any order, deeper calls and interrupts. Its set. */
static unsigned add_noise(struct world *w, unsigned choices)
{
	unsigned times[NOISE_CALLEES] = {0}, set = 0, left = any(choices);

	add(w, "Ca");
	while (left--) {
		unsigned callee = any(any(NOISE_CALLEES) + 1);
		char words[] = "C? Cz R R";

		words[1] = (char)('b' + callee);
		add(w, words);
		if (!any(3))
			add(w, "Iy Cb R X");
		times[callee]++;
	}
	add(w, "R");
	for (unsigned i = NOISE_CALLEES; i--;)
		set = set * 3 + (times[i] > 1 ? 2 : times[i]);
	return set;
}

static unsigned set_of(const struct world *w, const struct shapes_shape *shape)
{
	unsigned set = 0, factor = 1;

	for (unsigned i = 0; i < NOISE_CALLEES; i++, factor *= 3)
		for (size_t k = 0; k < shape->n; k++)
			if (shape->callees[k].function == number(w, (char)('b' + i)))
				set += factor * (shape->callees[k].more ? 2 : 1);
	return set;
}

static void test_noise(void)
{
	unsigned compared = 0;

	for (unsigned run = 0; run < 60; run++) {
		uint64_t counts[NOISE_SETS] = {0};
		unsigned sets = 0, calls, choices;
		const struct shapes_shape *shapes;
		struct world w;
		bool same = true;
		size_t n;

		seed = run;
		calls = 50 + any(200);
		choices = 2 + any(4);
		begin(&w);
		for (unsigned i = 0; i < calls; i++)
			sets += !counts[add_noise(&w, choices)]++;
		if (!look(&w, NULL))
			return;
		shapes = shapes_of(w.shapes, number(&w, 'a'), &n);
		for (size_t i = 0; i < n; i++)
			same = same && counts[set_of(&w, &shapes[i])] == shapes[i].count;
		if (!same || n != (sets <= SHAPES_MAX ? sets : 0))
			CHECK_INT(run, -1);
		compared += n > 4;
		done(&w);
	}
	CHECK(compared > 20);
}

/* --- Growth ------------------------------------------------------------------------------------------------------- */

/* Calls b once more each time, and a calls nothing but that. */
static void test_growth(void)
{
	struct shapes_grows *grows;
	struct world w;
	size_t n;

	begin(&w);
	for (unsigned i = 0; i < 100; i++) {
		add(&w, "Ca Cf");
		add_times(&w, "Cb R", i);
		add(&w, "R R");
	}
	if (look(&w, NULL) && CHECK_INT(shapes_find_growth(w.shapes, 1, &grows, &n), 0) && CHECK_INT(n, 2)) {
		CHECK_STR(replay_function(w.replay, grows[0].function)->name, "a");
		CHECK(grows[0].inside);
		CHECK_STR(replay_function(w.replay, grows[1].function)->name, "f");
		CHECK(!grows[1].inside);
		CHECK_INT(grows[1].fit.trend, GROWTH_LINEAR);
		CHECK_INT(grows[1].fit.first, 1);
		CHECK_INT(grows[1].fit.last, 199);
		CHECK_INT(grows[1].fit.total, 10000);
		CHECK_INT(grows[1].fit.often, number(&w, 'b'));
		free(grows);
		CHECK_INT(shapes_find_growth(w.shapes, 10201, &grows, &n), 0);
		CHECK_INT(n, 0);
		free(grows);
	}
	done(&w);
}

int main(void)
{
	test_odd();
	test_not_called();
	test_results();
	test_many_results();
	test_inner();
	test_share();
	test_dense();
	test_too_many();
	test_too_many_callees();
	test_pattern();
	test_noise();
	test_growth();
	return TAP_DONE();
}
