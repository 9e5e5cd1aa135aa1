/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Logs of other tracers as records, in all the ways in which they are spelled; and what is said of bad ones. */
#include <exectrace/record/import/import.h>

#include "tap.h"
#include <errno.h>
#include <exectrace/format/data/reader.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static char dir[] = "/tmp/exectrace-import.XXXXXX";
static char log_path[64], map_path[64], out_path[64];

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* --- Records as text -----------------------------------------------------------------------------------------------
 */

static char names[100][32]; /* of functions */

static void note_function(const struct data_function *f)
{
	if (f->id < 100)
		snprintf(names[f->id], sizeof(names[0]), "%.*s", (int)f->name.n, f->name.bytes);
}

static int print(struct buf *out, const struct data_event *e)
{
	unsigned long long clock = e->clock;

	switch (e->type) {
	case DATA_FUNCTION:
		note_function(&e->function);
		return 0;
	case DATA_CALL:
		return buf_printf(out, "%llu:%s( ", clock, names[e->call.function % 100]);
	case DATA_IRQ_ENTER:
		return buf_printf(out, "%llu:%s[ ", clock, names[e->call.function % 100]);
	case DATA_RETURN:
		return buf_printf(out, "%llu) ", clock);
	case DATA_IRQ_EXIT:
		return buf_printf(out, "%llu] ", clock);
	case DATA_UNWIND:
		return buf_printf(out, "%llu? ", clock);
	case DATA_SWITCH:
		return buf_printf(out, "%llu:S%llx/%u ", clock, (unsigned long long)e->on.stack, e->on.cpu);
	case DATA_TASK:
		return buf_printf(out, "P%llx=%u ", (unsigned long long)e->task.stack, e->task.pid);
	case DATA_SYNC:
		return buf_printf(out, "%llu.", clock);
	case DATA_LOST:
		return buf_printf(out, "-%llu ", (unsigned long long)e->lost.count);
	default:
		return 0;
	}
}

static void write_bytes(const char *path, const struct buf *bytes)
{
	FILE *f = fopen(path, "we");

	CHECK(f && fwrite(bytes->data, 1, bytes->len, f) == bytes->len && fclose(f) == 0);
}

/* All records of the recording that is made of log_path, or the line that says why there is none. */
static const char *imported_file(const struct import_options *options, struct import_counts *counts)
{
	static struct buf out;
	struct import_counts ignored;
	struct data_reader *r = NULL;
	struct data_event event;
	int rc, fd = open(out_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	buf_reset(&out, 1 << 20);
	rc = import_log(log_path, fd, options, counts ? counts : &ignored, &out);
	close(fd);
	if (rc) {
		CHECK(out.len > 0);
		return out.data && strncmp(out.data, dir, strlen(dir)) == 0 ? out.data + strlen(dir) + 1 : "?";
	}
	CHECK_INT(data_reader_open(&r, out_path, &out), 0);
	while (data_reader_next(r, &event, &out) == 1)
		(void)print(&out, &event);
	CHECK_INT(data_reader_end(r), DATA_END_WHOLE);
	data_reader_close(r);
	(void)unlink(out_path);
	return out.data ? out.data : "";
}

/* The same of a log with this text. */
static const char *imported(const char *text, const struct import_options *options, struct import_counts *counts)
{
	write_file(log_path, text);
	return imported_file(options, counts);
}

static const char *guessed(const char *text)
{
	return imported(text, &(struct import_options){0}, NULL);
}

static const char *with_map(const char *text)
{
	return imported(text, &(struct import_options){.symbols = map_path}, NULL);
}

#define KFT "Kernel Instrumentation Run ID 0\n\nEntry Delta PID Function Caller\n-------\n"

/* What was told of a log that is read. */
struct progress_told {
	uint64_t done, total;
	unsigned times, wrong;
};

static void tell(void *ctx, uint64_t done, uint64_t total)
{
	struct progress_told *told = ctx;

	told->wrong += done < told->done || done > total;
	told->done = done;
	told->total = total;
	told->times++;
}

/* A log of several buffers is told of more than once; a pipe has no size. */
static void test_progress(void)
{
	struct buf text = BUF_INIT;
	struct import_counts counts;
	struct progress_told told = {0};
	const struct import_options options = {.progress = tell, .ctx = &told};
	int ends[2], rc = buf_puts(&text, "Entry Delta PID Function Caller\n");

	for (int i = 0; i < 200000 && !rc; i++)
		rc = buf_printf(&text, "%d 1 1 function\n", 2 * i);
	CHECK_INT(rc, 0);
	write_bytes(log_path, &text);
	(void)imported_file(&options, &counts);
	CHECK_INT(counts.entries, 200000);
	CHECK(told.times >= 3 && !told.wrong);
	CHECK(told.done == text.len && told.total == text.len);
	buf_release(&text);
	told = (struct progress_told){0};
	if (CHECK(pipe(ends) == 0)) {
		char path[32];

		CHECK(write(ends[1], KFT "0 5 1 f\n", sizeof(KFT "0 5 1 f\n") - 1) > 0);
		close(ends[1]);
		snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
		rc = open(out_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		CHECK_INT(import_log(path, rc, &options, &counts, &text), 0);
		CHECK_INT(told.times, 0);
		close(rc);
		close(ends[0]);
		(void)unlink(out_path);
	}
	buf_release(&text);
}

/* --- KFT -----------------------------------------------------------------------------------------------------------
 */

static void test_kft(void)
{
	struct import_counts counts;

	CHECK_STR(guessed(KFT "3 100 19 f x+0x1\n5 10 19 g f+0x2\n15 5 19 h f+0x3\n"),
	          "P15=19 3:S15/0 3:f( 5:g( 15) 15:h( 20) 103) 103.");
	/* Both spellings, tabs, a log of KFI; no caller. */
	CHECK_STR(guessed("Entry(usec)\tDelta\tPID\tFunction\tCalledAt\n0\t5\t1\tf\n"), "P3=1 0:S3/0 0:f( 5) 5.");
	CHECK_STR(guessed("Logging stopped at 20 usec by log full\r\n" KFT "0 5 1 f\r\n"), "P3=1 0:S3/0 0:f( 5) 20.");
	/* A call that ends when the next one begins is not around it, unless it made it. */
	CHECK_STR(guessed(KFT "0 5 1 f\n5 0 1 g f+0x1\n"), "P3=1 0:S3/0 0:f( 5:g( 5) 5) 5.");
	CHECK_STR(guessed(KFT "0 5 1 f\n5 0 1 g h+0x1\n"), "P3=1 0:S3/0 0:f( 5) 5:g( 5) 5.");
	/* Ends that were not seen: until the caller goes on, until its caller ends, never. */
	CHECK_STR(imported("Total entries filtered = 7\n" KFT
	                   "0 9 1 f\n1 -1 1 g f+1\n2 -1 1 h g+1\n3 1 1 i f+1\n5 -1 1 j f+1\n"
	                   "6 1 1 k j+1\n10 -1 1 l\n",
	                   &(struct import_options){0}, &counts),
	          "P3=1 0:S3/0 0:f( 1:g( 2:h( 3? 3? 3:i( 4) 5:j( 6:k( 7) 9? 9) 10:l( 10.");
	CHECK_INT(counts.unended, 4);
	CHECK_INT(counts.filtered, 7);
	CHECK_INT(counts.entries, 7);
	CHECK_INT(counts.format, IMPORT_KFT);
	/* A call that ends behind its caller cannot be. */
	CHECK_STR(guessed(KFT "0 5 1 f\n1 50 1 g f+1\n"), "P3=1 0:S3/0 0:f( 1:g( 5) 5) 5.");
}

static void test_kft_contexts(void)
{
	/* Another process while the first one sleeps; each return is on its own stack. */
	CHECK_STR(guessed(KFT "0 100 19 f\n1 98 19 __switch_to f+1\n5 3 41 g x+1\n"),
	          "P15=19 0:S15/0 0:f( 1:__switch_to( P2b=41 5:S2b/0 5:g( 8) 99:S15/0 99) 100) 100.");
	/* Interrupts: as process -1, and by a caller that is no function of the log. */
	CHECK_STR(guessed(KFT "0 100 33 f\n10 20 33 timer_interrupt ret+1\n12 5 -1 tick timer_interrupt+4\n"
	                      "40 5 -1 soft asm\n"),
	          "P23=33 0:S23/0 0:f( 10:timer_interrupt[ 12:tick( 17) 30] 40:soft[ 45] 100) 100.");
	/* Two CPUs, each with an idle process. */
	CHECK_STR(guessed(KFT "0 9 0.0 f\n1 9 0.1 f\n"),
	          "P2=0 0:S2/0 0:f( P10000000002=0 1:S10000000002/1 1:f( 9:S2/0 9) 10:S10000000002/1 10) 10.10.");
}

static void test_kft_addresses(void)
{
	write_file(map_path,
	           "c0001000 T start\nc0001100 t helper\nc0001100 T the_helper\nc0001200 D data\nc0001300 T last\n");
	CHECK_STR(
		with_map(KFT "0 9 1 0xc0001000 0x10008094\n1 2 1 0xc0001100 0xc0001010\n3 1 1 0xc0001280 0xc0001010\n"),
		"P3=1 0:S3/0 0:start( 1:the_helper( 3) 3:0xc0001280( 4) 9) 9.");
	/* Without names callers are still found. */
	CHECK_STR(guessed(KFT "0 5 1 0xc0001000\n5 0 1 0xc0001100 0xc0001010\n"),
	          "P3=1 0:S3/0 0:0xc0001000( 5:0xc0001100( 5) 5) 5.");
}

static void test_kft_bad(void)
{
	CHECK_STR(guessed(KFT "0 5 1 f\nx\n"),
	          "log:6: not a row of KFT: it begins with entry time and duration, in microseconds");
	CHECK_STR(guessed(KFT "400 1390 init_bootmem\n"), "log:5: not a row of KFT: a process id is the third column");
	CHECK_STR(guessed(KFT "400 1390 1\n"), "log:5: not a row of KFT: a function is the fourth column");
	CHECK_STR(guessed(KFT "99999999999999999999 1390 1 f\n"),
	          "log:5: not a row of KFT: it begins with entry time and duration, in microseconds");
	CHECK_STR(guessed(KFT), "log: there are no calls in it");
	CHECK_STR(guessed("#!/bin/sh\n"), "log: not a log of KFT, KFI or QEMU");
	CHECK_STR(guessed(""), "log: not a log of KFT, KFI or QEMU");
	write_file(map_path, "c0001000 T start\nc000110g t helper\n");
	CHECK_STR(with_map(KFT "0 5 1 f\n"), "map:2: not a line of a System.map: address, type, name");
	write_file(map_path, "ffffffffffffffff B the real one is elsewhere\n");
	CHECK_STR(with_map(KFT "0 5 1 f\n"), "map: there are no functions in it");
	write_file(map_path, "0000000000000000 T start\n");
	CHECK_STR(with_map(KFT "0 5 1 f\n"), "map: it has no addresses; /proc/kallsyms shows them to root only");
}

/* What kd took 145 s for: 50,000 lines with 1,100 calls that never end. */
static void test_kft_many(void)
{
	struct buf text = BUF_INIT;
	struct import_counts counts;
	unsigned rows = 0;

	(void)buf_puts(&text, KFT);
	for (unsigned i = 0; i < 50000; i++)
		rows += !buf_printf(&text, "%u %d %u f%u f%u+0x10\n", i, i % 45 == 0 ? -1 : (int)(i % 7), 1 + i % 30,
		                    i % 500, (i + 499) % 500);
	CHECK_INT(rows, 50000);
	CHECK(strlen(imported(text.data, &(struct import_options){0}, &counts)) > 500000);
	CHECK_INT(counts.entries, 50000);
	CHECK_INT(counts.unended, 1112);
	CHECK_INT(counts.functions, 500);
	buf_release(&text);
}

/* --- QEMU ----------------------------------------------------------------------------------------------------------
 */

static void test_exec_calls(void)
{
	write_file(map_path, "ffffffff81000000 T start\nffffffff81000100 T f\nffffffff81000200 T g\n"
	                     "ffffffff81000300 T asm_exc_page_fault\nffffffff81000400 D data\n");
	/* Down, back, again, and an interrupt; a block is one tick. */
	CHECK_STR(with_map("Trace 0: 0x7f01 [0000000000000000/ffffffff81000000/0x0/0xff] start\n"
	                   "Trace 0: 0x7f02 [0000000000000000/ffffffff81000100/0x0/0xff]\n"
	                   "Linking TBs 0x7f02 [ffffffff81000100] index 0 -> 0x7f03 [ffffffff81000200]\n"
	                   "Trace 0: 0x7f03 [0000000000000000/ffffffff81000200/0x0/0xff]\n"
	                   "Trace 0: 0x7f03 [0000000000000000/ffffffff81000300/0x0/0xff]\n"
	                   "Trace 0: 0x7f03 [0000000000000000/ffffffff81000240/0x0/0xff]\n"
	                   "Trace 0: 0x7f01 [0000000000000000/ffffffff81000010/0x0/0xff]\n"
	                   "Trace 0: 0x7f01 [0000000000000000/ffffffff81000100/0x0/0xff]\n"
	                   "Trace 0: 0x7f01 [0000000000000000/ffffffff81000100/0x0/0xff]\n"
	                   "Trace 0: 0x7f01 [0000000000000000/0000000000001000/0x0/0xff]\n"
	                   "Trace 0: 0x7f01 [0000000000000000/ffffffffa0000000/0x0/0xff]\n"
	                   "Trace 0: 0x7f0"),
	          "0:S1/0 0:start( 1:f( 2:g( 3:asm_exc_page_fault[ 4] 5) 5) 6:f( 7) 7:f( 8) 8) 8:[below the kernel]( "
	          "9:[above the kernel]( 10.");
	/* Two CPUs, each with a clock of its own; older spellings; no names. */
	CHECK_STR(guessed("Trace 0x7f01 [1: 00001000]\nTrace 0x7f01 [0: 00002000] f\nTrace 0x7f01 [00002010] f\n"
	                  "Trace 0x7f01 [0000000000002020] g\n"),
	          "0:S2/1 0:0x1000( 0:S1/0 0:f( 2) 2:g( 3.1.");
}

static void test_exec_times(void)
{
	struct import_counts counts;

	write_file(map_path, "1000 T start\n2000 T f\n3000 T end\n");
	CHECK_STR(imported("exec_tb       0.000 pid=4491 tb=0x7fa869afe010 pc=0x1000\n"
	                   "exec_tb_exit  1.953 pid=4491 next_tb=0x0 flags=0x0\n"
	                   "exec_tb      15.525 pid=4491 tb=0x7fa869afe090 pc=0x2000\n"
	                   "Dropped_Event 1.5 pid=4491 dropped=12\n"
	                   "exec_tb_nocache -1.0 pid=4491 tb=0x7fa869afe090 pc=0x1004\n"
	                   "exec_tb_exit  0.800 pid=4491 next_tb=0x7fa869afe090 flags=0x0\n",
	                   &(struct import_options){.symbols = map_path}, &counts),
	          "0:S1/0 0:start( 17478:f( -12 18978) 18978.");
	CHECK_INT(counts.dropped, 12);
	CHECK_STR(with_map("4491@1458055333.000001:exec_tb tb:0x7fa869afe010 pc=0x1000\n"
	                   "4491@1458055333.000003:exec_tb_exit tb:0x7fa869afe010 flags=0\n"
	                   "4491@1458055334.000002:exec_tb tb:0x7fa869afe010 pc=0x2000\n"),
	          "0:S1/0 0:start( 1000001000:f( 1000001000.");
	CHECK_STR(with_map("exec_tb tb:0x7fa869afe010 pc=0x1000\nexec_tb tb:0x7fa869afe010 pc=0x2000\n"),
	          "0:S1/0 0:start( 1:f( 2.");
}

static void test_exec_bad(void)
{
	CHECK_STR(guessed("Trace 0: 0x7f01 [0000000000000000/ffffffff81000000/0x0] \nTrace 0: nothing\nTrace"),
	          "log:2: not a line that QEMU writes about a block");
	CHECK_STR(guessed("exec_tb 0.000 pid=1 tb=0x7f\n"), "log:1: not a line that QEMU writes about a block");
	CHECK_STR(guessed("exec_tb 0.0x0 pid=1 tb=0x7f pc=0x1\nexec_tb\n"),
	          "log:1: not a line that QEMU writes about a block");
	CHECK_STR(imported("nothing\n", &(struct import_options){.format = IMPORT_EXEC}, NULL),
	          "log: not a log of KFT, KFI or QEMU: no block of code in it");
}

/* --- simpletrace -----------------------------------------------------------------------------------------------------
 */

/* Numbers in this byte order, or in the other one. */
struct simple {
	struct buf bytes;
	bool swapped;
};

static void put_word(struct simple *s, uint64_t word)
{
	if (s->swapped)
		word = __builtin_bswap64(word);
	CHECK_INT(buf_append(&s->bytes, &word, sizeof(word)), 0);
}

static void put_half(struct simple *s, uint32_t half)
{
	if (s->swapped)
		half = __builtin_bswap32(half);
	CHECK_INT(buf_append(&s->bytes, &half, sizeof(half)), 0);
}

static void put_header(struct simple *s, uint64_t version)
{
	s->bytes.len = 0;
	put_word(s, UINT64_MAX);
	put_word(s, 0xf2b177cb0aa429b4);
	put_word(s, version);
}

static void put_name(struct simple *s, uint64_t number, const char *name)
{
	put_word(s, 0);
	put_word(s, number);
	put_half(s, (uint32_t)strlen(name));
	CHECK_INT(buf_puts(&s->bytes, name), 0);
}

static void put_event(struct simple *s, uint64_t number, uint64_t time, const uint64_t args[2])
{
	put_word(s, 1);
	put_word(s, number);
	put_word(s, time);
	put_half(s, 24 + 16);
	put_half(s, 4711);
	put_word(s, args[0]);
	put_word(s, args[1]);
}

static void put_sample(struct simple *s)
{
	put_header(s, 4);
	put_name(s, 1, "exec_tb");
	put_name(s, 7, "other");
	put_name(s, 8, "exec_tb_exit");
	put_event(s, 7, 100, (const uint64_t[]){0, 0x1000});
	put_event(s, 1, 1000, (const uint64_t[]){0, 0x1000});
	put_event(s, 1, 1010, (const uint64_t[]){0, 0x2000});
	put_event(s, UINT64_MAX - 1, 1020, (const uint64_t[]){5, 0});
	put_event(s, 1, 1030, (const uint64_t[]){0, 0x1008});
	put_event(s, 8, 1050, (const uint64_t[]){0, 0});
}

static const char *of_simple(const struct simple *s, struct import_counts *counts)
{
	write_bytes(log_path, &s->bytes);
	return imported_file(&(struct import_options){.symbols = map_path}, counts);
}

static void test_simpletrace(void)
{
	struct import_counts counts;
	struct simple s = {.swapped = false};
	size_t whole;

	write_file(map_path, "1000 T f\n2000 T g\n3000 T h\n");
	for (int swapped = 0; swapped < 2; swapped++) {
		s.swapped = swapped;
		put_sample(&s);
		CHECK_STR(of_simple(&s, &counts), "0:S1/0 0:f( 10:g( -5 30) 50.");
		CHECK_INT((long long)counts.entries, 3);
		CHECK_INT((long long)counts.dropped, 5);
		CHECK_INT(counts.format, IMPORT_SIMPLE);
	}
	/* Cut anywhere: what is whole is read, or there is nothing in it. */
	whole = s.bytes.len;
	for (size_t n = 24; n < whole; n++) {
		s.bytes.len = n;
		(void)of_simple(&s, &counts);
		CHECK(counts.entries <= 3);
	}
	put_header(&s, 3);
	CHECK_STR(of_simple(&s, NULL),
	          "log: record 0, before byte 24: not of version 4, which says what the events are; "
	          "simpletrace.py of that QEMU makes text of it");
	put_header(&s, 4);
	CHECK_STR(of_simple(&s, NULL), "log: not a log of KFT, KFI or QEMU: no block of code in it");
	put_word(&s, 2);
	CHECK_STR(of_simple(&s, NULL), "log: record 1, before byte 32: not a type of records");
	put_header(&s, 4);
	put_name(&s, 1 << 20, "exec_tb");
	CHECK_STR(of_simple(&s, NULL), "log: record 1, before byte 44: not the name of an event");
	buf_release(&s.bytes);
}

static void test_long_line(void)
{
	struct buf text = BUF_INIT;

	(void)buf_puts(&text, "Trace 0: 0x1 [1] a\n");
	for (unsigned i = 0; i < 20000; i++)
		(void)buf_puts(&text, "Trace ");
	(void)buf_puts(&text, "\n");
	CHECK_STR(guessed(text.data), "log:2: this line is too long to be one of a log");
	buf_release(&text);
}

static void test_files(void)
{
	struct buf why = BUF_INIT;
	struct import_counts counts;
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	CHECK_INT(import_log("/nonexistent/log", full, &(struct import_options){0}, &counts, &why), -ENOENT);
	CHECK_STR(why.data, "/nonexistent/log: No such file or directory");
	buf_reset(&why, 0);
	write_file(log_path, "Trace 0: 0x1 [1] a\n");
	CHECK_INT(import_log(log_path, full, &(struct import_options){0}, &counts, &why), -ENOSPC);
	CHECK_INT(why.len, 0);
	CHECK_INT(import_log(log_path, full, &(struct import_options){.symbols = "/"}, &counts, &why), -EISDIR);
	CHECK(why.data && strncmp(why.data, "/: ", 3) == 0);
	buf_release(&why);
	close(full);
}

int main(void)
{
	if (!CHECK(mkdtemp(dir)))
		return TAP_DONE();
	snprintf(log_path, sizeof(log_path), "%s/log", dir);
	snprintf(map_path, sizeof(map_path), "%s/map", dir);
	snprintf(out_path, sizeof(out_path), "%s/out.xtr", dir);
	test_kft();
	test_progress();
	test_kft_contexts();
	test_kft_addresses();
	test_kft_bad();
	test_kft_many();
	test_exec_calls();
	test_exec_times();
	test_exec_bad();
	test_simpletrace();
	test_long_line();
	test_files();
	(void)unlink(log_path);
	(void)unlink(map_path);
	(void)unlink(out_path);
	CHECK_INT(rmdir(dir), 0);
	return TAP_DONE();
}
