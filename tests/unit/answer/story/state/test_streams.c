/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls on a file, and passes over it: series with a known law, cut into calls at random, against sums of our own. */
#include <exectrace/answer/story/state/streams.h>

#include "tap.h"

#include <stdlib.h>
#include <time.h>

static const struct stream_call reading = {.name = "read", .doing = "reading", .sized = true};
static const struct stream_call writing = {.name = "write", .doing = "writing", .sized = true, .writes = true};
static const struct stream_call syncing = {.name = "fsync", .doing = "syncing"};

static uint64_t seed;

static uint64_t any(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 11) % below;
}

/* --- Laws: a cost by its number ----------------------------------------------------------------------------------- */

static uint64_t linear(uint64_t i, uint64_t n)
{
	return (void)n, 10 * (i + 1);
}

static uint64_t quadratic(uint64_t i, uint64_t n)
{
	return (void)n, 100 + 3 * i * i;
}

static uint64_t nearly(uint64_t i, uint64_t n)
{
	return (void)n, (200 + 100 * i) * (97 + any(7)) / 100;
}

static uint64_t constant(uint64_t i, uint64_t n)
{
	return (void)i, (void)n, 4096;
}

static uint64_t noise(uint64_t i, uint64_t n)
{
	return (void)i, (void)n, any(20000);
}

/* As durations are: most are short, some a hundred times as long. */
static uint64_t long_tail(uint64_t i, uint64_t n)
{
	return (void)i, (void)n, (1000 + any(3000)) * (any(20) ? 1 : 1 + any(100));
}

static uint64_t warm_up(uint64_t i, uint64_t n)
{
	return i < n / 8 ? 100000 - i * 90000 / (n / 8) : 5000 + any(2000);
}

static uint64_t cold_start(uint64_t i, uint64_t n)
{
	return (void)n, i ? 500 + any(100) : 1000000;
}

static uint64_t alternating(uint64_t i, uint64_t n)
{
	return (void)n, i % 2 ? 100 : 60000;
}

static uint64_t half_grows(uint64_t i, uint64_t n)
{
	return (void)n, i % 2 ? 50 : 100 * i;
}

static uint64_t step(uint64_t i, uint64_t n)
{
	return i < n / 3 ? 100 : 10000;
}

static uint64_t falling(uint64_t i, uint64_t n)
{
	return 10 * (n - i) + any(3);
}

/* As of a window that opens: it grows, but not for long. */
static uint64_t saturating(uint64_t i, uint64_t n)
{
	return (void)n, 65536 - 65536 / (i + 2);
}

static const struct {
	const char *name;
	uint64_t (*of)(uint64_t i, uint64_t n);
	enum growth_trend trend;
	bool exact; /* the first and the last one are on the curve */
} laws[] = {
	{"linear", linear, GROWTH_LINEAR, true},
	{"quadratic", quadratic, GROWTH_QUADRATIC, true},
	{"nearly linear", nearly, GROWTH_LINEAR, false},
	{"constant", constant, GROWTH_NONE, false},
	{"noise", noise, GROWTH_NONE, false},
	{"a long tail", long_tail, GROWTH_NONE, false},
	{"a warm-up", warm_up, GROWTH_NONE, false},
	{"a cold start", cold_start, GROWTH_NONE, false},
	{"alternating", alternating, GROWTH_NONE, false},
	{"half of them grow", half_grows, GROWTH_NONE, false},
	{"a step", step, GROWTH_NONE, false},
	{"falling", falling, GROWTH_NONE, false},
	{"saturating", saturating, GROWTH_NONE, false},
};

/* --- How a file is used ------------------------------------------------------------------------------------------- */

enum how {
	BY_CALL,   /* each call counts */
	BY_OPEN,   /* it is opened each time */
	BY_END,    /* it is read to its end, and stays open */
	BY_START,  /* calls say that they begin at its start */
	BY_RENAME, /* another file is written, and takes its place */
	HOWS,
};

#define NAMES_MAX 400
static char names[NAMES_MAX][8];

struct made {
	struct streams streams;
	struct stream_key key;
	enum how how;
	uint64_t n, first, last, total, time;
};

static bool use(struct streams *s, const struct stream_key *key, uint64_t bytes, uint64_t time, bool starts)
{
	return !streams_add(s, key,
	                    &(struct stream_use){.bytes = bytes,
	                                         .time = time,
	                                         .from_start = starts,
	                                         .at_end = !bytes && key->call == &reading});
}

/* A pass of so many bytes, in any number of calls, none of them empty. */
static bool pass(struct made *made, uint64_t i, uint64_t bytes)
{
	struct streams *s = &made->streams;
	struct stream_key key = made->key;
	enum how how = made->how;
	uint64_t calls = how == BY_CALL ? 1 : 1 + any(5);
	bool ok = true;

	if (how == BY_RENAME)
		key.file = names[i % NAMES_MAX];
	if (how == BY_OPEN || how == BY_RENAME)
		streams_begin(s, key.file);
	for (uint64_t left = bytes, call = 0; left && ok; call++) {
		uint64_t part = call + 1 >= calls ? left : 1 + any(left), time = 1 + any(1000);

		ok = use(s, &key, part, time, how == BY_START && !call);
		left -= part;
		made->time += time;
	}
	/* Programs read once more to be sure. */
	for (uint64_t more = how == BY_END ? 1 + any(2) : 0; more && ok; more--)
		ok = use(s, &key, 0, 0, false);
	return ok && (how != BY_RENAME || !streams_move(s, key.file, "final"));
}

static const struct stream *of_file(const struct streams *s, const char *file)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->items[i].key.file, file) == 0)
			return &s->items[i];
	return NULL;
}

static void check_series(size_t law, enum how how)
{
	static const char final[] = "final";
	struct made made = {.streams = {.max = STREAMS_OF_PROCESS},
	                    .key = {"", how == BY_RENAME ? &writing : &reading, final},
	                    .how = how,
	                    .n = 32 + any(300)};
	struct stream_fit fit = {0};
	const struct stream *stream;
	bool ok = true, grows;
	char text[100];

	for (uint64_t i = 0; i < made.n && ok; i++) {
		uint64_t bytes = laws[law].of(i, made.n);

		bytes += !bytes;
		made.first = i ? made.first : bytes;
		made.last = bytes;
		made.total += bytes;
		ok = pass(&made, i, bytes);
	}
	stream = of_file(&made.streams, final);
	grows = stream && stream_fit((struct stream *)stream, &fit);
	/* Its times are noise, and little. */
	ok = ok && stream && grows == (laws[law].trend != GROWTH_NONE) && fit.all_bytes == made.total &&
	     fit.all_time == made.time && fit.passes == (how != BY_CALL);
	if (grows)
		ok = ok && fit.bytes && fit.fit.trend == laws[law].trend && fit.fit.calls == made.n &&
		     fit.fit.first == made.first && fit.fit.last == made.last && fit.fit.total == made.total &&
		     (!laws[law].exact || growth_is_exact(&fit.fit));
	snprintf(text, sizeof(text), "%s, %llu times, used in way %d", laws[law].name, (unsigned long long)made.n, how);
	if (!tap_check(ok, text, __FILE__, __LINE__))
		printf("#   %s, R2 %f, %llu calls\n", growth_name(fit.fit.trend), fit.fit.r2,
		       (unsigned long long)fit.fit.calls);
	streams_release(&made.streams);
}

/* Times alone: they need to be ten milliseconds in all. */
static void check_times(size_t law, const struct stream_call *call, uint64_t unit)
{
	const struct stream_key key = {"", call, "file"};
	struct streams s = {.max = STREAMS_OF_PROCESS};
	struct stream_fit fit = {0};
	uint64_t n = 40 + any(300), total = 0;
	bool grows;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t time = laws[law].of(i, n) * unit;

		total += time;
		if (!use(&s, &key, call->sized ? 100 : 0, time, false))
			break;
	}
	grows = stream_fit(&s.items[0], &fit);
	tap_check(grows == (laws[law].trend != GROWTH_NONE && total >= 10000000) && fit.all_time == total &&
	                  (!grows || (!fit.bytes && !fit.passes && fit.fit.trend == laws[law].trend)),
	          laws[law].name, __FILE__, __LINE__);
	streams_release(&s);
}

/* What is used often stays, whatever else there is. */
static void check_many(void)
{
	static char files[3000][2];
	struct streams s = {.max = 64};
	struct stream_fit fit = {0};
	const struct stream *kept;
	bool ok = true, few = true;

	for (uint64_t i = 0; i < 3000 && ok; i++) {
		files[i][0] = 'f';
		ok = use(&s, &(struct stream_key){"", &reading, files[i]}, 10, 10, false);
		few = few && s.n <= s.max;
		if (i % 5 == 0) {
			streams_begin(&s, "often");
			ok = ok && use(&s, &(struct stream_key){"", &reading, "often"}, 10 * (i / 5 + 1), 10, false);
		}
	}
	kept = of_file(&s, "often");
	CHECK(ok && few);
	CHECK(kept && stream_fit((struct stream *)kept, &fit));
	CHECK_INT(fit.fit.calls, 600);
	CHECK_INT(fit.fit.last, 6000);
	streams_release(&s);
	CHECK_INT(s.max, 64);
}

/* A table full of what is used often takes no more, and loses nothing. */
static void check_full(void)
{
	static char files[100][2];
	struct streams s = {.max = 64};
	bool ok = true;

	for (uint64_t i = 0; i < 100 * 40 && ok; i++) {
		files[i / 40][0] = 'f';
		ok = use(&s, &(struct stream_key){"", &reading, files[i / 40]}, 1, 1, false);
	}
	CHECK(ok);
	CHECK_INT(s.n, 64);
	CHECK_INT(s.items[63].took.calls, 40);
	streams_release(&s);
}

int main(int argc, char **argv)
{
	seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL);
	printf("# seed %llu\n", (unsigned long long)seed);
	seed = seed * 0x9e3779b97f4a7c15ull + 1;
	for (size_t i = 0; i < NAMES_MAX; i++)
		snprintf(names[i], sizeof(names[i]), "t%zu", i);
	for (size_t law = 0; law < sizeof(laws) / sizeof(*laws); law++) {
		for (int how = 0; how < 4 * HOWS; how++)
			check_series(law, (enum how)(how % HOWS));
		for (int i = 0; i < 4; i++)
			check_times(law, i & 1 ? &syncing : &reading, i & 2 ? 1 : 100000);
	}
	check_many();
	check_full();
	return TAP_DONE();
}
