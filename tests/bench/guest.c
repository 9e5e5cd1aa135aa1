/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest [MILLIONS]: how many records of a guest a second are counted by function, and shown as calls without printing
 * them (30 million records: 2,000 functions, 50 stacks), by the clock and in CPU time of all threads, what memory that
 * takes, how many are counted by path and put into a timeline, and how many of its calls are exported; the same but
 * exports of ten times as many records; and how many lines of QEMU's log and records of its simple trace backend are
 * imported (5 million). Goals: 50 M records/s counted, and as many a second of the larger file; less than 200 MB; 52
 * million lines imported in minutes.
 */
#include "now.h"
#include <exectrace/answer/calltree/calltree.h>
#include <exectrace/answer/export/export.h>
#include <exectrace/answer/report/calltrace.h>
#include <exectrace/answer/timeline/timeline.h>
#include <exectrace/format/data/writer.h>
#include <exectrace/record/import/import.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define FUNCTIONS 2000u
#define STACKS 50u
#define DEPTH 40u

static uint64_t seed = 1;

/* xorshift: bits that do not compress. */
static uint64_t noise(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* CPU seconds of this process: others may be busy. */
static double used(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int write_functions(struct data_writer *w)
{
	struct data_event event = {.type = DATA_FUNCTION};
	char name[32];
	int rc = 0;

	for (uint64_t i = 1; i <= FUNCTIONS && !rc; i++) {
		event.function = (struct data_function){.id = i, .address = i << 8};
		event.function.name =
			(struct data_text){name, (size_t)snprintf(name, sizeof(name), "function_%d", (int)i)};
		rc = data_writer_event(w, &event);
	}
	return rc;
}

struct frame {
	uint32_t function, calls; /* calls it still makes */
};

/* Most functions make the same calls each time, deep ones fewer of them. */
static struct frame frame_of(uint64_t caller, uint64_t nth, uint64_t depth)
{
	uint64_t mix = (caller * 31 + nth * 7 + 1) * 0x9e3779b97f4a7c15ull >> 33;

	if ((noise() & 15) == 0)
		mix = noise() >> 33;
	return (struct frame){(uint32_t)(mix % FUNCTIONS), depth < DEPTH ? (uint32_t)(mix >> 16) % 4 % 3 : 0};
}

/* Walks up and down the stacks. */
static int write_records(struct data_writer *w, uint64_t n)
{
	static struct frame frames[STACKS][DEPTH + 1];
	static uint32_t depths[STACKS];
	uint64_t clock = 0, stack = 0;
	int rc = write_functions(w);

	if (!rc)
		rc = data_writer_switch(w, 0, 1, 0);
	for (uint64_t i = 0; i < n && !rc; i++) {
		uint32_t *depth = &depths[stack];
		struct frame *top = *depth ? &frames[stack][*depth - 1] : NULL;

		clock += 3 + (noise() & 63);
		if ((noise() & 1023) == 0) {
			stack = noise() % STACKS;
			rc = data_writer_switch(w, clock, stack + 1, 0);
		} else if (top && !top->calls) {
			--*depth;
			rc = data_writer_return(w, clock);
		} else {
			if (top)
				top->calls--;
			frames[stack][*depth] = frame_of(top ? top->function : 0, top ? top->calls : i, *depth);
			rc = data_writer_call(w, clock, frames[stack][(*depth)++].function + 1);
		}
	}
	return rc;
}

static int nothing(void *ctx, const struct call_line *line)
{
	*(uint64_t *)ctx += line->duration;
	return 0;
}

/* A moment: by the clock and in CPU time, of all threads. */
struct moment {
	double wall, cpu;
};

static struct moment moment(void)
{
	return (struct moment){now(), used()};
}

static void tell(const char *what, uint64_t n, struct moment from, uint64_t result)
{
	struct moment to = moment();

	printf("guest: %-12s %9.1f M records/s, %.1f a second of CPU time   (%llu)\n", what,
	       (double)n / (to.wall - from.wall) / 1e6, (double)n / (to.cpu - from.cpu) / 1e6,
	       (unsigned long long)result);
}

/* What needs the recording once more. */
static int count_more(struct replay *p, uint64_t n)
{
	const struct functions_options all = {0};
	struct calltree *tree = calltree_new();
	struct timeline *timeline = NULL;
	struct moment start = moment();
	size_t nodes;

	if (!tree || calltree_replay(tree, p, &all) || calltree_finish(tree))
		return 1;
	(void)calltree_nodes(tree, &nodes);
	tell("by path", n, start, nodes);
	calltree_free(tree);
	start = moment();
	if (timeline_guest(&timeline, p, &all))
		return 1;
	tell("timeline", n, start, timeline_items(timeline));
	timeline_free(timeline);
	return 0;
}

/* --- Exports -------------------------------------------------------------------------------------------------------
 */

static const char *const formats[] = {"json", "csv", "folded", "callgrind", "chrome", "perfetto", "uftrace"};

static int count_bytes(void *user, const char *bytes, size_t n)
{
	(void)bytes;
	*(uint64_t *)user += n;
	return 0;
}

/* The most memory that this process has had, in MB; forgotten where the system lets us. */
static double memory(bool forget)
{
	FILE *f = fopen(forget ? "/proc/self/clear_refs" : "/proc/self/status", forget ? "we" : "re");
	char line[128];
	double kb = 0;

	if (f && forget)
		fputs("5", f);
	while (f && !forget && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %lf", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb / 1e3;
}

static int export_calls(struct recording *r, struct replay *p, const char *format, uint64_t calls)
{
	const struct functions_options all = {0};
	uint64_t bytes = 0;
	char command[64], dir[] = "/tmp/exectrace-bench.XXXXXX";
	struct export_options options = {.write = count_bytes, .user = &bytes};
	struct buf why = BUF_INIT;
	struct exporter *e;
	double start;
	int rc;

	options.directory = mkdtemp(dir) ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (options.directory < 0)
		return 1;
	memory(true);
	start = used();
	if (exporter_new(&e, format, r, &options))
		return 1;
	rc = exporter_guest(e, p, &all);
	if (!rc)
		rc = exporter_finish(e, &why);
	printf("guest: export %-9s %7.1f M calls/s     (%.0f MB, memory %.0f MB)\n", format,
	       (double)calls / (used() - start) / 1e6, (double)exporter_bytes(e) / 1e6, memory(false));
	exporter_free(e);
	close(options.directory);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return rc || system(command);
}

static int count(const char *path, uint64_t n, bool exports)
{
	struct rusage usage;
	const struct functions_options all = {0};
	struct buf why = BUF_INIT;
	struct recording *r = NULL;
	struct replay *p = NULL;
	uint64_t sum = 0;
	struct moment start = moment();
	struct report_functions *f;
	int rc = recording_open(&r, path, NULL, &why);

	if (!rc)
		rc = replay_new(&p, r, 0, &(struct replay_options){0}, &why);
	f = rc ? NULL : functions_new(p, &all);
	if (!f || functions_count(f))
		return 1;
	tell("by function", n, start, functions_calls(f));
	start = moment();
	if (calltrace_run(p, &(struct calltrace_options){0}, nothing, &sum))
		return 1;
	tell("as lines", n, start, sum);
	getrusage(RUSAGE_SELF, &usage);
	printf("guest: memory       %9.1f MB\n", (double)usage.ru_maxrss / 1024);
	if (count_more(p, n))
		return 1;
	for (size_t i = 0; exports && i < sizeof(formats) / sizeof(formats[0]); i++)
		if (export_calls(r, p, formats[i], functions_calls(f)))
			return 1;
	functions_free(f);
	replay_free(p);
	recording_close(r);
	return 0;
}

/* A log of QEMU: one function after the other, each in several blocks. */
static int import(uint64_t lines)
{
	char log[] = "/tmp/exectrace-bench.XXXXXX", map[40];
	int fd = mkstemp(log), out = memfd_create("out", MFD_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w"), *m;
	struct import_options options = {.symbols = map};
	struct import_counts counts;
	struct buf why = BUF_INIT;
	double start;
	int rc;

	snprintf(map, sizeof(map), "%s.map", log);
	m = fopen(map, "w");
	if (!f || !m)
		return 1;
	for (unsigned i = 0; i < 30000; i++)
		fprintf(m, "%016llx T function_%u\n", 0xffffffff81000000ull + i * 0x100ull, i);
	fclose(m);
	for (uint64_t i = 0; i < lines; i++)
		fprintf(f, "Trace 0: 0x7f2a34000100 [0000000000000000/%016llx/0000c2b0/ff000200] \n",
		        0xffffffff81000000ull + (noise() >> 20) % 4000 * 0x700 + (noise() >> 30) % 4 * 0x20);
	fclose(f);
	start = used();
	rc = import_log(log, out, &options, &counts, &why);
	start = (used() - start) / (double)lines;
	printf("guest: import exec %9.1f M lines/s     (52 million lines: %.0f s; %llu functions)\n", 1 / start / 1e6,
	       52e6 * start, (unsigned long long)counts.functions);
	unlink(log);
	close(out);
	unlink(map);
	return rc;
}

/* The same as records of the simple backend. */
static int import_simple(uint64_t records)
{
	char log[] = "/tmp/exectrace-bench.XXXXXX";
	static const uint64_t head[] = {UINT64_MAX, 0xf2b177cb0aa429b4, 4, 0, 1};
	static const struct import_options none;
	int fd = mkstemp(log), out = memfd_create("out", MFD_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	struct import_counts counts;
	struct buf why = BUF_INIT;
	uint32_t length = 7;
	double start;
	int rc;

	if (!f)
		return 1;
	fwrite(head, sizeof(head), 1, f);
	fwrite(&length, sizeof(length), 1, f);
	fwrite("exec_tb", length, 1, f);
	for (uint64_t i = 0; i < records; i++) {
		uint64_t pc = 0xffffffff81000000ull + (noise() >> 20) % 4000 * 0x700 + (noise() >> 30) % 4 * 0x20;
		const uint64_t record[] = {1, 1, i * 50, 40 | 1ull << 32, 0, pc};

		fwrite(record, sizeof(record), 1, f);
	}
	fclose(f);
	start = used();
	rc = import_log(log, out, &none, &counts, &why);
	printf("guest: import simpletrace %2.1f M records/s   (%llu blocks)\n",
	       (double)records / (used() - start) / 1e6, (unsigned long long)counts.entries);
	unlink(log);
	close(out);
	return rc;
}

/* A recording of n records. */
static int measure(uint64_t n, bool exports)
{
	const struct data_facts facts = {
		.arch = AUDIT_ARCH_X86_64,
		.clocks = {{.kind = DATA_CLOCK_MONOTONIC, .hz = 1000000000}, {.kind = DATA_CLOCK_INSTRUCTIONS}}};
	int rc, fd = memfd_create("records", MFD_CLOEXEC);
	struct data_writer *w;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || data_writer_open(&w, fd, &facts, NULL) || write_records(w, n) || data_writer_close(w))
		return 1;
	printf("guest: %llu million records\n", (unsigned long long)(n / 1000000));
	rc = count(path, n, exports);
	close(fd);
	return rc;
}

int main(int argc, char **argv)
{
	uint64_t n = (argc > 1 ? strtoull(argv[1], NULL, 10) : 30) * 1000000;

	return measure(n, true) || measure(10 * n, false) || import(n / 6) || import_simple(n / 6);
}
