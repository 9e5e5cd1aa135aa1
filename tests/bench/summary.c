/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary [MILLIONS]: how many recorded calls a second of CPU time are summed up, from the packed file to the rows (10
 * million calls with three arguments and 2,000 stacks). Goal: 20 M/s.
 */
#include <exectrace/answer/report/summary.h>
#include <exectrace/format/data/writer.h>
#include <linux/audit.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define STACKS 2000
#define DEPTH 20

static uint64_t seed = 1;

/* xorshift: bits that do not compress. */
static uint64_t noise(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static int event(struct data_writer *w, struct data_event e)
{
	e.clock = 1;
	return data_writer_event(w, &e);
}

#define TEXT(literal)                        \
	{                                    \
		literal, sizeof(literal) - 1 \
	}

/* A program of 1,000 functions, and stacks in it. */
static int write_stacks(struct data_writer *w)
{
	struct data_symbol symbols[1000];
	char names[1000][16];
	uint64_t frames[DEPTH];
	int rc = event(w, (struct data_event){.type = DATA_FILE, .file = {1, TEXT("/tmp/prog"), TEXT("")}});

	rc = rc ? rc : event(w, (struct data_event){.type = DATA_MAPSET, .mapset = {1, 0, 1}});
	rc = rc ? rc : event(w, (struct data_event){.type = DATA_MAP, .map = {1, 0x400000, 0x500000, 0, 1, 5}});
	for (unsigned i = 0; i < 1000; i++) {
		int n = snprintf(names[i], sizeof(names[i]), "function_%u", i);

		symbols[i] = (struct data_symbol){i * 0x100, 0x100, {names[i], (size_t)n}};
	}
	rc = rc ? rc : event(w, (struct data_event){.type = DATA_SYMBOLS, .symbols = {1, 1000, symbols}});
	for (unsigned i = 0; i < STACKS && !rc; i++) {
		for (unsigned f = 0; f < DEPTH; f++)
			frames[f] = 0x400001 + noise() % (f ? 1000 / f : 1000) * 0x100;
		rc = event(w, (struct data_event){.type = DATA_STACK, .stack = {i + 1, 1, DEPTH, frames}});
	}
	return rc;
}

/* Some stacks are much more often there than others, as it is in programs. */
static uint64_t stack_of(uint64_t bits)
{
	return 1 + bits * bits / 0x10000 * bits / 0x10000 * STACKS / 0x10000;
}

/* Four threads, ten calls, times as they are: a few hundred ns, now and then much more. */
static int write_calls(struct data_writer *w, uint64_t n)
{
	static const uint32_t numbers[10] = {0, 1, 3, 5, 9, 202, 257, 262, 16, 232};
	uint64_t clock = 1000000000;
	int rc = write_stacks(w);

	for (uint64_t i = 0; i < n && !rc; i++) {
		uint64_t bits = noise();
		struct data_syscall call = {.tid = 4711 + (bits >> 60 & 3),
		                            .arch = AUDIT_ARCH_X86_64,
		                            .nr = numbers[bits % 10],
		                            .nargs = 3};

		call.duration = 200 + (bits >> 8 & (bits >> 20 & 7 ? 0xff : 0xffff));
		call.error = (bits >> 24 & 15) == 0;
		call.result = call.error ? -2 : (int64_t)(bits >> 28 & (bits >> 32 & 3 ? 7 : 0xfff));
		call.args[0] = bits >> 40 & 7;
		call.args[1] = 0x7ffc12340000 + (bits >> 44 & 0xf0);
		call.args[2] = bits >> 50 & 3 ? 4096 : bits >> 52 & 0xfff;
		call.stack = stack_of(bits >> 36 & 0xffff);
		call.enter = clock += call.duration + (bits >> 36 & 0x1ff);
		rc = data_writer_syscall(w, &call);
	}
	return rc;
}

/* CPU seconds of this process: others may be busy. */
static double used(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int sum_up(const char *path, const char *name, enum summary_by by)
{
	const struct recording_options options = {.names = by == SUMMARY_STACK, .by_files = true};
	const struct summary_row *rows;
	struct buf why = BUF_INIT;
	struct recording *r;
	struct recorded_event e;
	struct summary *s;
	double start = used();
	size_t n = 0;
	int rc = recording_open(&r, path, &options, &why);

	if (rc)
		return 1;
	s = summary_new(r, by, 3);
	while (s && (rc = recording_next(r, &e)) == 1)
		rc = summary_add(s, &e);
	if (!s || rc || summary_rows(s, SUMMARY_SORT_TOTAL, &rows, &n))
		return 1;
	printf("summary by %-8s %6.1f M/s   (%zu rows)\n", name, (double)summary_all(s)->count / (used() - start) / 1e6,
	       n);
	summary_free(s);
	recording_close(r);
	return 0;
}

int main(int argc, char **argv)
{
	const struct data_facts facts = {.arch = AUDIT_ARCH_X86_64,
	                                 .pid = 4711,
	                                 .clocks = {{DATA_CLOCK_MONOTONIC, 1000000000, 1, 1}}};
	uint64_t n = (argc > 1 ? strtoull(argv[1], NULL, 10) : 10) * 1000000;
	int fd = memfd_create("records", MFD_CLOEXEC);
	struct data_writer *w;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || data_writer_open(&w, fd, &facts, NULL) || write_calls(w, n) || data_writer_close(w))
		return 1;
	return sum_up(path, "call", SUMMARY_CALL) || sum_up(path, "process", SUMMARY_PROCESS) ||
	       sum_up(path, "stack", SUMMARY_STACK);
}
