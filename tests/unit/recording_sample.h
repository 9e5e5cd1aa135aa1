/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small recording, as the tracer writes one: two picked processes, the first with a thread and a child. */
#ifndef EXECTRACE_TESTS_UNIT_RECORDING_SAMPLE_H
#define EXECTRACE_TESTS_UNIT_RECORDING_SAMPLE_H

#include <exectrace/base/buf.h>
#include <exectrace/format/data/writer.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <stdio.h>
#include <unistd.h>

#define TEXT(literal) ((struct data_text){literal, sizeof(literal) - 1})
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define MS UINT64_C(1000000)
#define BEGIN (5000 * MS)                        /* CLOCK_MONOTONIC at the start of the run */
#define BEGIN_REAL UINT64_C(1700000000000000000) /* CLOCK_REALTIME then */

/* Addresses: main is at 0x1100 of the program, which is mapped at 0x400000; write at 0x2000 of libc. */
#define IN_MAIN 0x401110
#define IN_WORK 0x401210
#define IN_WRITE 0x7f0000002008
#define IN_START 0x7f0000003011
#define NOWHERE 0x7e0000000123

static const uint64_t stack_main[] = {IN_WRITE, IN_MAIN, IN_START};
static const uint64_t stack_work[] = {IN_WRITE, IN_WORK, IN_WORK, IN_MAIN, IN_START};
static const uint64_t stack_odd[] = {NOWHERE, 0x7f0000009000};

static const struct data_symbol program_symbols[] = {{0x1100, 0x100, TEXT("main")},
                                                     {0x1200, 0x20, TEXT("_ZN4pool4workEv")}};
static const struct data_symbol libc_symbols[] = {{0x2000, 0x20, TEXT("write")},
                                                  {0x3000, 0, TEXT("__libc_start_main")}};

static const struct data_extra extra_path[] = {{1, DATA_EXTRA_PATH, TEXT("/etc/pas\"swd")},
                                               {6, DATA_EXTRA_TEXT, TEXT("3</etc/pas\"swd>")}};
static const struct data_extra extra_write[] = {{0, DATA_EXTRA_TEXT, TEXT("1</dev/null>")},
                                                {1, DATA_EXTRA_BYTES, TEXT("hello\n")}};
static const struct data_extra extra_missing[] = {{1, DATA_EXTRA_PATH, TEXT("/nowhere")}};

static const struct data_event first_file[] = {
	{DATA_THREAD, BEGIN + 1 * MS, .thread = {100, 100, 90, 0}},
	{DATA_FILE, BEGIN + 1 * MS, .file = {1, TEXT("/tmp/prog"), TEXT("")}},
	{DATA_FILE, BEGIN + 1 * MS, .file = {2, TEXT("/usr/lib/x86_64-linux-gnu/libc.so.6"), TEXT("")}},
	{DATA_MAPSET, BEGIN + 1 * MS, .mapset = {1, 0, 100}},
	{DATA_MAP, BEGIN + 1 * MS, .map = {1, 0x400000, 0x410000, 0, 1, 5}},
	{DATA_MAP, BEGIN + 1 * MS, .map = {1, 0x7f0000000000, 0x7f0000008000, 0, 2, 5}},
	{DATA_MAP, BEGIN + 1 * MS, .map = {1, 0x7f0000009000, 0x7f000000a000, 0, 0, 5}},
	{DATA_EXEC, BEGIN + 1 * MS, .exec = {100, 100, 1, TEXT("/tmp/prog"), 2, TEXT("prog\0-l\0")}},
	{DATA_COMM, BEGIN + 1 * MS, .comm = {100, TEXT("prog")}},
	{DATA_STACK, BEGIN + 1 * MS, .stack = {1, 1, COUNT(stack_main), stack_main}},
	{DATA_STACK, BEGIN + 1 * MS, .stack = {2, 1, COUNT(stack_work), stack_work}},
	{DATA_STACK, BEGIN + 1 * MS, .stack = {3, 1, COUNT(stack_odd), stack_odd}},
	/* openat(AT_FDCWD, "/etc/pas\"swd", O_RDONLY|O_CLOEXEC) = 3 */
	{DATA_SYSCALL, 0,
         .syscall = {100,
                     AUDIT_ARCH_X86_64,
                     257,
                     4,
                     false,
                     2,
                     BEGIN + 2 * MS,
                     1 * MS,
                     3,
                     1,
                     {(uint64_t)-100, 0x7ffc0000, 02000000, 0},
                     extra_path}},
	/* clone of the thread */
	{DATA_THREAD, BEGIN + 4 * MS, .thread = {101, 100, 100, 0x10000}},
	{DATA_THREAD, BEGIN + 4 * MS, .thread = {102, 102, 100, 17}},
	{DATA_SYSCALL, 0,
         .syscall =
                 {101, AUDIT_ARCH_X86_64, 1, 3, false, 2, BEGIN + 5 * MS, 3 * MS, 6, 2, {1, 0x1000, 6}, extra_write}},
	{DATA_SYSCALL, 0,
         .syscall = {100,
                     AUDIT_ARCH_X86_64,
                     257,
                     4,
                     true,
                     1,
                     BEGIN + 6 * MS,
                     4 * MS,
                     -2,
                     3,
                     {(uint64_t)-100, 0x7ffc0000, 0, 0},
                     extra_missing}},
	{DATA_SIGNAL, BEGIN + 11 * MS, .signal = {100, 17, 1, 102, 0, 0, 0}},
	{DATA_SYSCALL, 0,
         .syscall = {102, AUDIT_ARCH_X86_64, 39, 0, false, 0, BEGIN + 12 * MS, 2 * MS, 102, 0, {0}, NULL}},
	{DATA_EXIT, BEGIN + 15 * MS, .exit = {101, 100, 0}},
	{DATA_EXIT, BEGIN + 16 * MS, .exit = {102, 102, 9}},
	{DATA_UNFINISHED, 0,
         .syscall = {100, AUDIT_ARCH_X86_64, 231, 1, false, 0, BEGIN + 17 * MS, 1 * MS, 0, 0, {3}, NULL}},
	{DATA_EXIT, BEGIN + 18 * MS, .exit = {100, 100, 3 << 8}},
	{DATA_SYMBOLS, BEGIN + 18 * MS, .symbols = {1, COUNT(program_symbols), program_symbols}},
	{DATA_SYMBOLS, BEGIN + 18 * MS, .symbols = {2, COUNT(libc_symbols), libc_symbols}},
};

static const struct data_event second_file[] = {
	{DATA_THREAD, BEGIN + 3 * MS, .thread = {200, 200, 90, 0}},
	{DATA_EXEC, BEGIN + 3 * MS, .exec = {200, 200, 0, TEXT("/bin/sh"), 3, TEXT("sh\0-c\0a b\0")}},
	/* close(3) = 0 of a 32-bit program */
	{DATA_SYSCALL, 0, .syscall = {200, AUDIT_ARCH_I386, 6, 1, false, 0, BEGIN + 7 * MS, 500, 0, 0, {3}, NULL}},
	{DATA_LOST, BEGIN + 8 * MS, .lost = {7, DATA_LOST_RING, TEXT("ring")}},
	{DATA_EXIT, BEGIN + 20 * MS, .exit = {200, 200, 0}},
};

static const char run_json[] =
	"{\"exectrace\":\"0.1.0\",\"command\":[\"make\",\"check\"],\"cwd\":\"/tmp\",\"host\":\"h\","
	"\"system\":\"Linux 6.1\",\"cpus\":2,\"engine\":\"notify\","
	"\"start\":{\"realtime\":1700000000000000000,\"monotonic\":5000000000},"
	"\"end\":{\"realtime\":1700000000021000000,\"monotonic\":5021000000},\"status\":2}\n";

static const char execs_jsonl[] =
	"{\"pid\":100,\"ppid\":90,\"depth\":1,\"uid\":0,\"time\":1700000000.001000000,\"argv\":[\"prog\",\"-l\"],"
	"\"path\":\"./prog\",\"exe\":\"/tmp/prog\",\"interp\":null,\"cwd\":\"/tmp\",\"status\":3,\"signal\":null,"
	"\"core\":false,\"duration\":0.017000000}\n"
	"{\"pid\":200,\"ppid\":90,\"depth\":1,\"uid\":0,\"time\":1700000000.003000000,\"argv\":[\"sh\",\"-c\",\"a b\"],"
	"\"path\":\"/bin/sh\",\"exe\":\"/bin/sh\",\"interp\":null,\"cwd\":\"/tmp\",\"status\":0,\"signal\":null,"
	"\"core\":false,\"duration\":0.017000000}\n"
	"{\"pid\":90,\"ppid\":80,\"depth\":0,\"uid\":0,\"time\":1700000000.000000001,\"argv\":[\"make\",\"check\"],"
	"\"path\":\"/usr/bin/make\",\"exe\":\"/usr/bin/make\",\"interp\":null,\"cwd\":\"/tmp\",\"status\":null,"
	"\"signal\":\"SIGSEGV\",\"core\":true,\"duration\":0.020999999}\n";

/* Writes one file. 0, or an error. */
static inline int sample_write_events(const char *path, uint32_t pid, const struct data_event *events, size_t n)
{
	const struct data_facts facts = {
		.arch = AUDIT_ARCH_X86_64,
		.page_size = 4096,
		.cpus = 2,
		.pid = pid,
		.clocks = {{DATA_CLOCK_MONOTONIC, 1000000000, BEGIN, BEGIN_REAL}},
		.producer = TEXT("exectrace 0.1.0"),
		.host = TEXT("h"),
		.system = TEXT("Linux 6.1"),
	};
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), rc;
	struct data_writer *w;

	rc = fd < 0 ? -1 : data_writer_open(&w, fd, &facts, NULL);
	for (size_t i = 0; i < n && !rc; i++)
		rc = data_writer_event(w, &events[i]);
	if (!rc)
		rc = data_writer_close(w);
	if (fd >= 0)
		close(fd);
	return rc;
}

static inline int sample_write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	return !file || fputs(text, file) < 0 || fclose(file);
}

/* Writes the recording into a directory that is there. 0, or an error. */
static inline int sample_write(const char *dir)
{
	struct buf path = BUF_INIT;
	int rc = buf_printf(&path, "%s/run.json", dir);

	rc = rc ? rc : sample_write_text(path.data, run_json);
	buf_reset(&path, 4096);
	rc = rc ? rc : buf_printf(&path, "%s/execs.jsonl", dir);
	rc = rc ? rc : sample_write_text(path.data, execs_jsonl);
	buf_reset(&path, 4096);
	rc = rc ? rc : buf_printf(&path, "%s/trace-1-100.xtr", dir);
	rc = rc ? rc : sample_write_events(path.data, 100, first_file, COUNT(first_file));
	buf_reset(&path, 4096);
	rc = rc ? rc : buf_printf(&path, "%s/trace-2-200.xtr", dir);
	rc = rc ? rc : sample_write_events(path.data, 200, second_file, COUNT(second_file));
	buf_release(&path);
	return rc;
}

#endif
