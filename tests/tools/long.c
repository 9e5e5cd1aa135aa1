/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * long DIRECTORY CALLS: the recording of a run with so many calls, as ones of that length are: 32 processes with two
 * threads each, 2,000 stacks, names of files of which each tenth call has one that no other has, errors, signals. The
 * same each time. What is read from it in memory that grows keeps calls, or what they name.
 */
#include <exectrace/format/data/writer.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROCESSES 32u
#define FIRST_PID 1000u
#define STACKS 2000u
#define DEPTH 12
#define BEGIN 5000000000ull             /* CLOCK_MONOTONIC, ns */
#define REALTIME 1700000000000000000ull /* ns since 1970 */

static struct data_writer *w;
static uint64_t seed = 1;

/* xorshift: numbers without a pattern. */
static uint64_t noise(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void add(struct data_event event)
{
	if (!event.clock)
		event.clock = BEGIN;
	if (data_writer_event(w, &event))
		abort();
}

#define TEXT(literal)                        \
	{                                    \
		literal, sizeof(literal) - 1 \
	}

/* A program of 500 functions, and stacks in it. */
static void add_stacks(void)
{
	static char names[500][16];
	static struct data_symbol symbols[500];
	uint64_t frames[DEPTH];

	add((struct data_event){.type = DATA_FILE, .file = {1, TEXT("/usr/bin/prog"), TEXT("")}});
	add((struct data_event){.type = DATA_MAPSET, .mapset = {1, 0, FIRST_PID}});
	add((struct data_event){.type = DATA_MAP, .map = {1, 0x400000, 0x480000, 0, 1, 5}});
	for (unsigned i = 0; i < 500; i++) {
		int n = snprintf(names[i], sizeof(names[i]), "function_%u", i);

		symbols[i] = (struct data_symbol){i * 0x100, 0x100, {names[i], (size_t)n}};
	}
	add((struct data_event){.type = DATA_SYMBOLS, .symbols = {1, 500, symbols}});
	for (uint64_t i = 1; i <= STACKS; i++) {
		for (unsigned f = 0; f < DEPTH; f++)
			frames[f] = 0x400001 + noise() % 500 * 0x100;
		add((struct data_event){.type = DATA_STACK, .stack = {i, 1, DEPTH, frames}});
	}
}

static void add_processes(void)
{
	for (uint32_t i = 0; i < PROCESSES; i++) {
		uint32_t pid = FIRST_PID + 2 * i;
		char words[32];
		int n = snprintf(words, sizeof(words), "prog%c--test=%u", 0, i);

		add((struct data_event){.type = DATA_THREAD, .thread = {pid, pid, i ? FIRST_PID : 1, 0}});
		add((struct data_event){.type = DATA_EXEC,
		                        .exec = {pid, pid, 1, TEXT("/usr/bin/prog"), 2, {words, (size_t)n + 1}}});
		add((struct data_event){.type = DATA_COMM, .comm = {pid, TEXT("prog")}});
		add((struct data_event){.type = DATA_THREAD, .thread = {pid + 1, pid, pid, 0x10000}});
	}
}

static void add_call(uint64_t number, uint64_t *clock)
{
	static const uint32_t numbers[] = {0, 1, 3, 8, 74, 202, 262, 16};
	uint64_t bits = noise();
	struct data_syscall call = {.tid = FIRST_PID + (uint32_t)(bits % (2 * PROCESSES)),
	                            .arch = AUDIT_ARCH_X86_64,
	                            .nr = numbers[bits >> 8 & 7],
	                            .nargs = 3,
	                            .duration = 100 + (bits >> 12 & 0x7ff),
	                            .stack = 1 + (bits >> 30) % STACKS,
	                            .args = {3 + (bits >> 50 & 7), 0x7ffd00000000 + (bits >> 16 & 0xfff0), 4096}};
	char name[64];
	struct data_extra path = {1, DATA_EXTRA_PATH, {name, 0}};

	if (number % 10 == 0) {
		path.text.n = (size_t)snprintf(name, sizeof(name), "/var/tmp/place/%llu", (unsigned long long)number);
		call.nr = 257;
		call.args[0] = (uint64_t)-100;
		call.args[2] = 0;
		call.nextras = 1;
		call.extras = &path;
	}
	call.error = (bits >> 40 & 15) == 0;
	call.result = call.error ? -2 : (int64_t)(bits >> 44 & 63);
	*clock += 500 + (bits >> 20 & 0x3ff);
	call.enter = *clock - call.duration;
	if (data_writer_syscall(w, &call))
		abort();
	if (number % 1000 == 999)
		add((struct data_event){.type = DATA_SIGNAL, .clock = *clock, .signal = {call.tid, 17, 1, 2, 0, 0, 0}});
}

static void add_ends(uint64_t clock)
{
	for (uint32_t i = 0; i < PROCESSES; i++) {
		uint32_t pid = FIRST_PID + 2 * i;

		add((struct data_event){.type = DATA_EXIT, .clock = clock, .exit = {pid + 1, pid, 0}});
		add((struct data_event){.type = DATA_EXIT, .clock = clock, .exit = {pid, pid, (int)(i & 1) << 8}});
	}
}

static int write_run(const char *directory, uint64_t length)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/run.json", directory);
	f = fopen(path, "w");
	if (!f)
		return 1;
	fprintf(f,
	        "{\"exectrace\":\"0.1.0\",\"command\":[\"make\",\"check\"],\"cwd\":\"/tmp\",\"host\":\"builder-1\","
	        "\"system\":\"Linux 6.1\",\"start\":{\"realtime\":%llu,\"monotonic\":%llu},"
	        "\"end\":{\"realtime\":%llu,\"monotonic\":%llu},\"status\":0}\n",
	        REALTIME, BEGIN, (unsigned long long)(REALTIME + length), (unsigned long long)(BEGIN + length));
	return fclose(f);
}

int main(int argc, char **argv)
{
	const struct data_facts facts = {.arch = AUDIT_ARCH_X86_64,
	                                 .pid = FIRST_PID,
	                                 .clocks = {{DATA_CLOCK_MONOTONIC, 1000000000, BEGIN, REALTIME}},
	                                 .host = TEXT("builder-1"),
	                                 .system = TEXT("Linux 6.1")};
	uint64_t calls = argc == 3 ? strtoull(argv[2], NULL, 10) : 0, clock = BEGIN;
	char path[4096];
	int fd;

	if (argc != 3 || mkdir(argv[1], 0700))
		return 1;
	snprintf(path, sizeof(path), "%s/prog.%u.xtr", argv[1], FIRST_PID);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || data_writer_open(&w, fd, &facts, NULL))
		return 1;
	add_processes();
	add_stacks();
	for (uint64_t i = 0; i < calls; i++)
		add_call(i, &clock);
	add_ends(++clock);
	return data_writer_close(w) != 0 || write_run(argv[1], clock - BEGIN);
}
