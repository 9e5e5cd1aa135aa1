/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recorded format there and back: every type of record, blocks, dictionaries, limits; and files of earlier
 * versions. `test_data write DIR` rewrites those files, which is only right when a type was added.
 */
#include "data_sample.h"
#include "tap.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/format/data/dictionary.h>
#include <exectrace/format/data/varint.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef GOLDEN
#define GOLDEN "tests/golden" /* the Makefile gives the whole path */
#endif

static const char golden[] = GOLDEN;

/* --- Numbers -------------------------------------------------------------------------------------------------------
 */

static void numbers(void)
{
	uint8_t bytes[2 * DATA_VARINT_SLACK];
	uint64_t got;
	bool same = true;

	for (unsigned bit = 0; bit < 64; bit++) {
		for (int off = -1; off <= 1; off++) {
			uint64_t v = (1ull << bit) + (uint64_t)off;
			const uint8_t *end = data_varint_put(bytes, v);

			memset(bytes + (end - bytes), 0xff, 8);
			same &= data_varint_get(bytes, &got) == end && got == v;
			same &= end - bytes <= DATA_VARINT_MAX;
			same &= data_unzigzag(data_zigzag(v)) == v;
		}
	}
	CHECK(same);
	CHECK_INT(data_varint_put(bytes, 127) - bytes, 1);
	CHECK_INT(data_varint_put(bytes, 128) - bytes, 2);
	CHECK_INT(data_varint_put(bytes, UINT64_MAX) - bytes, 9);
	CHECK_INT(data_zigzag((uint64_t)-1), 1);
	CHECK_INT(data_zigzag((uint64_t)-100), 199);
}

/* --- Writing and reading -------------------------------------------------------------------------------------------
 */

static int write_sample(int fd, const struct data_writer_options *options)
{
	struct data_writer *w;
	int rc = data_writer_open(&w, fd, &sample_facts, options);

	if (rc)
		return rc;
	for (size_t i = 0; i < COUNT(sample) && !rc; i++)
		rc = data_writer_event(w, &sample[i]);
	if (rc) {
		printf("# %s\n", strerror(-rc));
		data_writer_abandon(w);
		return rc;
	}
	return data_writer_close(w);
}

static void print_facts(struct buf *out, const struct data_facts *facts)
{
	buf_printf(out, "arch=%#x page=%u cpus=%u pid=%u", facts->arch, facts->page_size, facts->cpus, facts->pid);
	sample_text(out, "producer", facts->producer);
	sample_text(out, "host", facts->host);
	sample_text(out, "system", facts->system);
	for (int i = 0; i < DATA_CLOCKS; i++)
		buf_printf(out, "\nclock %u %" PRIu64 " %" PRIu64 " %" PRIu64, facts->clocks[i].kind,
		           facts->clocks[i].hz, facts->clocks[i].start, facts->clocks[i].realtime);
	buf_putc(out, '\n');
}

/* All of a file as text; what is wrong with it in `why`. */
static int print_file(struct buf *out, int fd, struct buf *why)
{
	struct data_event event;
	struct data_reader *r;
	char path[32];
	int rc;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	rc = data_reader_open(&r, path, why);
	if (rc)
		return rc;
	print_facts(out, data_reader_facts(r));
	while ((rc = data_reader_next(r, &event, why)) == 1)
		sample_print(out, &event);
	if (!rc && data_reader_end(r) != DATA_END_WHOLE)
		buf_puts(out, "cut\n");
	data_reader_close(r);
	return rc;
}

static void print_sample(struct buf *out)
{
	print_facts(out, &sample_facts);
	for (size_t i = 0; i < COUNT(sample); i++)
		sample_print(out, &sample[i]);
}

static void round_trip(const struct data_writer_options *options, const char *name)
{
	cleanup_fd int fd = memfd_create("data", MFD_CLOEXEC);
	cleanup_buf struct buf want = BUF_INIT, got = BUF_INIT, why = BUF_INIT;

	printf("# %s\n", name);
	print_sample(&want);
	CHECK_INT(write_sample(fd, options), 0);
	CHECK_INT(print_file(&got, fd, &why), 0);
	CHECK_STR(got.data, want.data);
	CHECK(!why.len);
}

static void round_trips(void)
{
	static const struct data_writer_options raw = {.raw = true}, each = {.records = 1}, some = {.records = 7},
						bytes = {.bytes = 1}, interval = {.interval = 3};

	round_trip(NULL, "one block");
	round_trip(&raw, "not packed");
	round_trip(&each, "a block for each record");
	round_trip(&some, "blocks of seven");
	round_trip(&bytes, "a block for each text");
	round_trip(&interval, "by time");
}

static void empty(void)
{
	static const struct data_facts none;
	cleanup_fd int fd = memfd_create("data", MFD_CLOEXEC);
	cleanup_buf struct buf got = BUF_INIT, why = BUF_INIT;
	struct data_writer *w;

	CHECK_INT(data_writer_open(&w, fd, &none, NULL), 0);
	CHECK_INT(data_writer_flush(w), 0);
	CHECK_INT(data_writer_size(w), DATA_HEADER_FIXED + 12);
	CHECK_INT(print_file(&got, fd, &why), 0);
	CHECK(strstr(got.data, "cut\n") != NULL);
	CHECK_INT(data_writer_close(w), 0);
	buf_reset(&got, 0);
	CHECK_INT(print_file(&got, fd, &why), 0);
	CHECK(strstr(got.data, "cut\n") == NULL);
}

/* --- What a writer refuses -----------------------------------------------------------------------------------------
 */

static void refused(void)
{
	static const struct data_extra extra = {7, 0, TEXT("x")};
	static const struct data_event wrong[] = {
		{0, 1, .note = TEXT("")},
		{63, 1, .note = TEXT("")},
		{200, 1, .note = TEXT("")},
		{DATA_FILE, 1, .file = {0, TEXT("x"), TEXT("")}},
		{DATA_STACK, 1, .stack = {0, 0, 0, NULL}},
		{DATA_STACK, 1, .stack = {1, 0, DATA_LIST_MAX + 1, sample_frames}},
		{DATA_MAPSET, 1, .mapset = {1, 1, 0}},
		{DATA_MAP, 1, .map = {.set = 1, .start = 2, .end = 1}},
		{DATA_MAP, 1, .map = {.set = 0, .start = 1, .end = 2}},
		{DATA_EXEC, 1, .exec = {1, 1, 1, TEXT("x"), 1, TEXT("x")}},
		{DATA_EXEC, 1, .exec = {1, 1, 1, TEXT("x"), 1, TEXT("x\0y\0")}},
		{DATA_EXEC, 1, .exec = {1, 1, 1, TEXT("x"), 3, TEXT("x\0y\0")}},
		{DATA_NOTE, 1, .note = {"", DATA_PAYLOAD_MAX + 1}},
		{DATA_SYSCALL, 1, .syscall = {.nargs = 7}},
		{DATA_SYSCALL, 1, .syscall = {.nextras = 1, .extras = &extra}},
		{DATA_UNFINISHED, 1, .syscall = {.nargs = 7}},
	};
	static const struct data_writer_options many = {.records = DATA_RECORDS_MAX + 1};
	cleanup_fd int fd = memfd_create("data", MFD_CLOEXEC);
	cleanup_buf struct buf want = BUF_INIT, got = BUF_INIT, why = BUF_INIT;
	struct data_writer *w;

	CHECK_INT(data_writer_open(&w, fd, &sample_facts, &many), -EINVAL);
	CHECK_INT(data_writer_open(&w, fd, &sample_facts, NULL), 0);
	for (size_t i = 0; i < COUNT(wrong); i++)
		if (!CHECK_INT(data_writer_event(w, &wrong[i]), -EINVAL))
			printf("# number %zu\n", i);
	CHECK_INT(data_writer_event(w, &sample[0]), 0);
	CHECK_INT(data_writer_close(w), 0);
	CHECK_INT(print_file(&got, fd, &why), 0);
	print_facts(&want, &sample_facts);
	sample_print(&want, &sample[0]);
	CHECK_STR(got.data, want.data);
}

static void words(void)
{
	cleanup_strv struct strv v = STRV_INIT;
	cleanup_buf struct buf out = BUF_INIT;

	CHECK_INT(data_words(&out, &v), 0);
	CHECK_INT(out.len, 0);
	strv_push(&v, "prog");
	strv_push(&v, "");
	CHECK_INT(data_words(&out, &v), 0);
	CHECK(out.len == 6 && memcmp(out.data, "prog\0\0", 6) == 0);
}

/* --- Many records --------------------------------------------------------------------------------------------------
 */

#define MANY 200000

static struct data_syscall nth_call(uint32_t i)
{
	return (struct data_syscall){.tid = i % 5000,
	                             .arch = 1,
	                             .nr = i % 400,
	                             .nargs = (uint8_t)(i % 7),
	                             .enter = i * 100ull,
	                             .duration = i % 77,
	                             .result = (int64_t)i - 1000,
	                             .stack = i % 3,
	                             .args = {i, i, i, i, i, i}};
}

static bool is_nth_call(const struct data_event *event, uint32_t i)
{
	struct data_syscall want = nth_call(i);
	const struct data_syscall *got = &event->syscall;

	memset(want.args + want.nargs, 0, (DATA_ARGS - want.nargs) * sizeof(*want.args));
	return event->type == DATA_SYSCALL && got->tid == want.tid && got->nr == want.nr && got->nargs == want.nargs &&
	       got->enter == want.enter && got->duration == want.duration && got->result == want.result &&
	       got->stack == want.stack && memcmp(got->args, want.args, sizeof(want.args)) == 0;
}

/* Full blocks with more heads than are remembered, and the guest in between. */
static void many(void)
{
	cleanup_fd int fd = memfd_create("data", MFD_CLOEXEC);
	cleanup_buf struct buf why = BUF_INIT;
	struct data_event event;
	struct data_writer *w;
	struct data_reader *r;
	char path[32];
	bool same = true;
	int rc = 0;

	CHECK_INT(data_writer_open(&w, fd, &sample_facts, NULL), 0);
	for (uint32_t i = 0; i < MANY && !rc; i++) {
		struct data_syscall call = nth_call(i);

		rc = data_writer_syscall(w, &call);
		if (!rc)
			rc = i % 2 ? data_writer_return(w, i * 3ull) : data_writer_call(w, i * 3ull, i % 9000);
	}
	CHECK_INT(rc, 0);
	CHECK_INT(data_writer_close(w), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	CHECK_INT(data_reader_open(&r, path, &why), 0);
	for (uint32_t i = 0; i < MANY; i++) {
		same &= data_reader_next(r, &event, &why) == 1 && is_nth_call(&event, i);
		same &= data_reader_next(r, &event, &why) == 1 && event.clock == i * 3ull &&
		        event.type == (i % 2 ? DATA_RETURN : DATA_CALL) && (i % 2 || event.call.function == i % 9000);
	}
	CHECK(same);
	CHECK_INT(data_reader_next(r, &event, &why), 0);
	CHECK_INT(data_reader_end(r), DATA_END_WHOLE);
	data_reader_close(r);
}

/* Blocks one by one: what their headers say, and a column as a whole. */
static void blocks(void)
{
	static const struct data_writer_options options = {.records = 10};
	cleanup_fd int fd = memfd_create("data", MFD_CLOEXEC);
	cleanup_buf struct buf why = BUF_INIT;
	struct data_event event;
	struct data_block block, second;
	struct data_text column;
	struct data_writer *w;
	struct data_reader *r;
	char path[32];

	CHECK_INT(data_writer_open(&w, fd, &sample_facts, &options), 0);
	for (uint64_t i = 0; i < 25; i++)
		data_writer_call(w, 100 + i, i);
	CHECK_INT(data_writer_close(w), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	CHECK_INT(data_reader_open(&r, path, &why), 0);
	CHECK_INT(data_reader_block(r, &block, &why), 1);
	CHECK(block.number == 0 && block.records == 10 && block.first[1] == 100 && block.last[1] == 109);
	CHECK_INT(data_reader_block(r, &block, &why), 1);
	CHECK(block.number == 1 && block.first[1] == 110 && block.last[1] == 119);
	second = block;
	CHECK_INT(data_reader_in_block(r, &event, &why), 1);
	CHECK_INT(event.call.function, 10);
	column = data_reader_stream(r, DATA_STREAM(DATA_CALL, 0));
	CHECK(column.n == 10 && (uint8_t)column.bytes[9] == (19 << 1 | 1));
	CHECK_INT(data_reader_stream(r, DATA_STREAM_CALL_HEAD).n, 0);
	CHECK_INT(data_reader_stream(r, 100000).n, 0);
	CHECK_INT(data_reader_block(r, &block, &why), 1);
	CHECK_INT(block.records, 5);
	for (int i = 0; i < 5; i++)
		data_reader_in_block(r, &event, &why);
	CHECK_INT(event.call.function, 24);
	CHECK_INT(data_reader_in_block(r, &event, &why), 0);
	CHECK_INT(data_reader_block(r, &block, &why), 0);
	data_reader_seek(r, &second);
	CHECK_INT(data_reader_end(r), DATA_END_OPEN);
	CHECK_INT(data_reader_next(r, &event, &why), 1);
	CHECK(event.clock == 110 && event.call.function == 10);
	data_reader_close(r);
}

/* The open calls at the start of a block, as text; a stack that is not current without its CPU. */
static void print_open(struct buf *out, struct data_reader *r)
{
	cleanup_buf struct buf why = BUF_INIT;
	struct data_block block;
	struct data_open open;

	buf_reset(out, 4096);
	CHECK_INT(data_reader_block(r, &block, &why), 1);
	while (data_reader_open_calls(r, &open, &why) == 1) {
		buf_printf(out, "%" PRIu64, open.stack);
		if (open.current)
			buf_printf(out, "@%u", open.cpu);
		for (uint32_t i = 0; i < open.n; i++)
			buf_printf(out, " %" PRIu64 "%s %" PRIu64, open.calls[i].function,
			           open.calls[i].interrupt ? "!" : "", open.calls[i].clock);
		buf_puts(out, "; ");
	}
	CHECK_INT(why.len, 0);
}

static void open_calls(void)
{
	static const struct data_writer_options options = {.records = 4, .open = true};
	cleanup_fd int fd = memfd_create("data", MFD_CLOEXEC);
	cleanup_buf struct buf why = BUF_INIT, text = BUF_INIT;
	struct data_event event;
	struct data_writer *w;
	struct data_reader *r;
	char path[32];

	CHECK_INT(data_writer_open(&w, fd, &sample_facts, &options), 0);
	data_writer_return(w, 1);
	data_writer_call(w, 2, 10);
	data_writer_call(w, 5, 11);
	data_writer_tail(w, 6, 12);
	data_writer_switch(w, 7, 99, 3);
	data_writer_irq_enter(w, 8, 20);
	data_writer_call(w, 9, 21);
	data_writer_return(w, 10);
	data_writer_irq_exit(w, 11);
	data_writer_switch(w, 12, 0, 1);
	data_writer_return(w, 13);
	data_writer_switch(w, 14, 5, 1);
	data_writer_call(w, 1ull << 63, UINT64_MAX);
	CHECK_INT(data_writer_close(w), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	CHECK_INT(data_reader_open(&r, path, &why), 0);
	print_open(&text, r);
	CHECK_STR(text.data, NULL);
	print_open(&text, r);
	CHECK_STR(text.data, "0@0 10 2 12 6; ");
	CHECK_INT(data_reader_in_block(r, &event, &why), 1);
	CHECK_INT(event.type, DATA_SWITCH);
	print_open(&text, r);
	CHECK_STR(text.data, "0 10 2 12 6; 99@3 20! 8; ");
	print_open(&text, r);
	CHECK_STR(text.data, "0 10 2; 5@1; ");
	CHECK_INT(data_reader_next(r, &event, &why), 1);
	CHECK_INT(data_reader_next(r, &event, &why), 0);
	CHECK_INT(data_reader_end(r), DATA_END_WHOLE);
	data_reader_close(r);
}

/* Calls and interrupts whose end was not seen are over all the same. */
static void unwinding(void)
{
	static const struct data_writer_options options = {.records = 4, .open = true};
	static const struct data_event last = {.type = DATA_UNWIND, .clock = 9};
	cleanup_fd int fd = memfd_create("data", MFD_CLOEXEC);
	cleanup_buf struct buf why = BUF_INIT, text = BUF_INIT;
	struct data_event event;
	struct data_writer *w;
	struct data_reader *r;
	char path[32];

	CHECK_INT(data_writer_open(&w, fd, &sample_facts, &options), 0);
	data_writer_call(w, 2, 10);
	data_writer_call(w, 3, 11);
	data_writer_irq_enter(w, 5, 12);
	data_writer_unwind(w, 7);
	CHECK_INT(data_writer_event(w, &last), 0);
	CHECK_INT(data_writer_close(w), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	CHECK_INT(data_reader_open(&r, path, &why), 0);
	for (int i = 0; i < 4; i++)
		CHECK_INT(data_reader_next(r, &event, &why), 1);
	CHECK(event.type == DATA_UNWIND && event.clock == 7);
	print_open(&text, r);
	CHECK_STR(text.data, "0@0 10 2 11 3; ");
	CHECK_INT(data_reader_next(r, &event, &why), 1);
	CHECK(event.type == DATA_UNWIND && event.clock == 9);
	CHECK_INT(data_reader_next(r, &event, &why), 0);
	data_reader_close(r);
}

/* A guest's small records, many together and one by one; with others in between. Perhaps blocks are read ahead. */
static void small_records(bool ahead)
{
	static const struct data_writer_options options = {.records = 100};
	cleanup_fd int fd = memfd_create("data", MFD_CLOEXEC);
	cleanup_buf struct buf why = BUF_INIT;
	struct data_reader *one, *many;
	struct data_event event, other;
	const struct data_small *items;
	struct data_writer *w;
	char path[32];
	unsigned same = 0;

	CHECK_INT(data_writer_open(&w, fd, &sample_facts, &options), 0);
	for (uint64_t i = 0; i < 1000; i++) {
		event = (struct data_event){.type = (uint8_t)(DATA_CALL + i * 7 % 6),
		                            .clock = i * i,
		                            .call = {i << i % 60}};
		if (i % 11 == 0)
			event.type = DATA_UNWIND;
		if (i % 50 > 30)
			event = (struct data_event){.type = DATA_SYSCALL,
			                            .clock = i,
			                            .syscall = {.nr = i % 3, .enter = i}};
		if (data_writer_event(w, &event))
			CHECK(false);
	}
	CHECK_INT(data_writer_close(w), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	CHECK_INT(data_reader_open(&one, path, &why), 0);
	CHECK_INT(data_reader_open(&many, path, &why), 0);
	if (ahead)
		data_reader_ahead(many);
	do {
		size_t n = data_reader_small(many, &items);

		for (size_t i = 0; i < n && data_reader_next(one, &event, &why) == 1; i++)
			same += event.type == items[i].type && event.clock == items[i].clock &&
			        (event.type == DATA_RETURN || event.type == DATA_IRQ_EXIT ||
			         event.type == DATA_UNWIND || event.call.function == items[i].function);
		if (n)
			continue;
		if (data_reader_next(one, &event, &why) != 1)
			break;
		same += data_reader_next(many, &other, &why) == 1 && event.type == other.type &&
		        event.clock == other.clock;
	} while (true);
	CHECK_INT(same, 1000);
	CHECK_INT(data_reader_next(many, &other, &why), 0);
	data_reader_close(one);
	data_reader_close(many);
}

#define SMALLS 6000 /* so many that more calls are open at last than are followed */

static const uint8_t packed_types[] = {[DATA_PACKED_CALL] = DATA_CALL,
                                       [DATA_PACKED_RETURN] = DATA_RETURN,
                                       [DATA_PACKED_TAIL] = DATA_TAIL,
                                       [DATA_PACKED_IRQ_ENTER] = DATA_IRQ_ENTER,
                                       [DATA_PACKED_IRQ_EXIT] = DATA_IRQ_EXIT};

static int write_one_by_one(struct data_writer *w, uint64_t clock, const uint64_t *words, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		struct data_event event = {.type = packed_types[data_packed_kind(words[i])]};

		event.clock = clock += words[i] >> DATA_PACKED_STEP;
		event.call.function = data_packed_function(words[i]);
		rc = data_writer_event(w, &event);
	}
	return rc;
}

/* Small records, some of them of the same stack; between two of them a switch now and then, of another clock at times.
 */
static int write_smalls(int fd, const uint64_t *words, bool packed)
{
	static const struct data_writer_options options = {.records = 900, .open = true};
	const size_t at_once = 500;
	struct data_writer *w;
	int rc = data_writer_open(&w, fd, &sample_facts, &options);

	if (rc)
		return rc;
	for (size_t i = 0; i < SMALLS && !rc; i += at_once) {
		uint64_t clock = (i % 3000) * 1000000, before = clock;

		rc = data_writer_switch(w, clock, i % 1500 ? 1 : 2, 0);
		if (!rc && !packed)
			rc = write_one_by_one(w, clock, words + i, at_once);
		else if (!rc)
			rc = data_writer_packed(w, &clock, words + i, at_once);
		for (size_t k = 0; packed && k < at_once; k++)
			before += words[i + k] >> DATA_PACKED_STEP;
		if (packed)
			CHECK_INT(clock, before);
	}
	rc = rc ? rc : data_writer_close(w);
	return rc;
}

/* Many at once are the same file. */
static void writing_smalls(void)
{
	static const uint8_t kinds[] = {DATA_PACKED_CALL, DATA_PACKED_CALL,      DATA_PACKED_RETURN,
	                                DATA_PACKED_CALL, DATA_PACKED_IRQ_ENTER, DATA_PACKED_IRQ_EXIT,
	                                DATA_PACKED_TAIL, DATA_PACKED_CALL};
	cleanup_fd int one = memfd_create("one", MFD_CLOEXEC), many = memfd_create("many", MFD_CLOEXEC);
	static uint64_t words[SMALLS];
	static char a[1 << 20], b[1 << 20];
	long n, m;

	for (uint64_t i = 0; i < SMALLS; i++) {
		uint64_t kind = kinds[i * i % 61 % sizeof(kinds)], function = (i + 1) << i % 17;

		if (i % 2000 < 60) /* more than are open */
			kind = DATA_PACKED_RETURN;
		if (kind == DATA_PACKED_RETURN || kind == DATA_PACKED_IRQ_EXIT)
			function = 0;
		words[i] = (i * 7919 % 300) << (i % 11 + DATA_PACKED_STEP) | kind << DATA_PACKED_KIND | function;
	}
	words[77] |= 0xffffffffull << DATA_PACKED_STEP;
	CHECK_INT(write_smalls(one, words, false), 0);
	CHECK_INT(write_smalls(many, words, true), 0);
	n = lseek(one, 0, SEEK_SET) ? 0 : fd_read_all(one, a, sizeof(a));
	m = lseek(many, 0, SEEK_SET) ? 0 : fd_read_all(many, b, sizeof(b));
	CHECK_INT(n, m);
	CHECK(n > SMALLS && n < (long)sizeof(a) && memcmp(a, b, (size_t)n) == 0);
}

/* Deeper than is followed, on more stacks than are followed. */
static void open_limits(void)
{
	static const struct data_writer_options options = {.records = 30000, .open = true};
	cleanup_fd int fd = memfd_create("data", MFD_CLOEXEC);
	cleanup_buf struct buf why = BUF_INIT;
	struct data_block block;
	struct data_open open;
	struct data_writer *w;
	struct data_reader *r;
	size_t stacks = 0, deepest = 0;
	char path[32];
	int rc;

	CHECK_INT(data_writer_open(&w, fd, &sample_facts, &options), 0);
	for (uint64_t i = 0; i < 5000; i++)
		data_writer_call(w, i, i);
	for (uint64_t i = 0; i < 4500; i++)
		data_writer_return(w, i);
	for (uint64_t i = 1; i <= 20000; i++) {
		data_writer_switch(w, i, i, 0);
		data_writer_call(w, i, i);
	}
	CHECK_INT(data_writer_close(w), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	CHECK_INT(data_reader_open(&r, path, &why), 0);
	CHECK_INT(data_reader_block(r, &block, &why), 1);
	CHECK_INT(data_reader_block(r, &block, &why), 1);
	while ((rc = data_reader_open_calls(r, &open, &why)) == 1) {
		stacks++;
		deepest = open.n > deepest ? open.n : deepest;
	}
	CHECK_INT(rc, 0);
	CHECK(stacks > 10000 && stacks < 17000);
	CHECK_INT(deepest, 500);
	data_reader_close(r);
}

/* --- Files of earlier versions -------------------------------------------------------------------------------------
 */

/* Each version of the sample has its own text. */
static const struct {
	const char *name, *text;
} goldens[] = {{"packed.xtr", "records.txt"},    {"raw.xtr", "records.txt"},     {"open.xtr", "records.txt"},
               {"filtered.xtr", "filtered.txt"}, {"samples.xtr", "samples.txt"}, {"stops.xtr", "stops.txt"},
               {"usage.xtr", "usage.txt"},       {"args.xtr", "args.txt"},       {"wakes.xtr", "wakes.txt"},
               {"messages.xtr", "messages.txt"}, {"held.xtr", "held.txt"}};

/* Writes the last one, when the sample has more than those before. */
static int write_golden(const char *dir)
{
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_fd int fd = -1, other = -1;
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir, goldens[COUNT(goldens) - 1].name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	snprintf(path, sizeof(path), "%s/%s", dir, goldens[COUNT(goldens) - 1].text);
	other = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	print_sample(&text);
	return fd < 0 || other < 0 || write_sample(fd, NULL) || fd_write_all(other, text.data, text.len);
}

static void read_golden(const char *name, const char *records)
{
	cleanup_buf struct buf got = BUF_INIT, why = BUF_INIT;
	cleanup_fd int fd = -1, text = -1;
	char path[4096], bytes[65536];
	long n;

	snprintf(path, sizeof(path), "%s/%s", golden, records);
	text = open(path, O_RDONLY | O_CLOEXEC);
	n = text < 0 ? 0 : fd_read_all(text, bytes, sizeof(bytes) - 1);
	snprintf(path, sizeof(path), "%s/%s", golden, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0 && n > 0);
	bytes[n > 0 ? n : 0] = '\0';
	CHECK_INT(print_file(&got, fd, &why), 0);
	CHECK_STR(got.data, bytes);
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "write") == 0)
		return write_golden(argv[2]);
	numbers();
	round_trips();
	empty();
	refused();
	words();
	many();
	blocks();
	open_calls();
	unwinding();
	small_records(false);
	small_records(true);
	writing_smalls();
	open_limits();
	for (size_t i = 0; i < COUNT(goldens); i++)
		read_golden(goldens[i].name, goldens[i].text);
	return TAP_DONE();
}
