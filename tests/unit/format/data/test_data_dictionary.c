/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a file defines: found by identifier, from any block; maps as they change; symbols by address. */
#include "data_sample.h"
#include "tap.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/format/data/dictionary.h>
#include <sys/mman.h>

/* Writes n records, a block for each, and opens the file. */
static struct data_reader *open_records(const struct data_event *events, size_t n, int *fd)
{
	static const struct data_writer_options options = {.records = 1};
	cleanup_buf struct buf why = BUF_INIT;
	struct data_reader *r = NULL;
	struct data_writer *w;
	char path[32];

	*fd = memfd_create("data", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", *fd);
	CHECK_INT(data_writer_open(&w, *fd, &sample_facts, &options), 0);
	for (size_t i = 0; i < n; i++)
		if (data_writer_event(w, &events[i]))
			CHECK(false);
	CHECK_INT(data_writer_close(w), 0);
	CHECK_INT(data_reader_open(&r, path, &why), 0);
	return r;
}

static void found(void)
{
	cleanup_buf struct buf why = BUF_INIT;
	cleanup_fd int fd = -1;
	struct data_reader *r = open_records(sample, COUNT(sample), &fd);
	struct data_function function;
	struct data_event event;
	struct data_symbol symbol;
	struct data_stack stack;
	struct data_file file;
	struct data_map map;
	size_t n = 0;

	CHECK_INT(data_reader_file(r, 1, &file), -ENOENT);
	CHECK_INT(data_reader_next(r, &event, &why), 1);
	CHECK_INT(data_reader_file(r, 1, &file), -ENOENT);
	CHECK_INT(data_reader_next(r, &event, &why), 1);
	CHECK_INT(data_reader_file(r, 1, &file), 0);
	CHECK_INT(data_reader_stack(r, 1, &stack), -ENOENT);
	CHECK_INT(data_reader_load(r, &why), 0);
	CHECK_INT(data_reader_file(r, 1, &file), 0);
	CHECK(file.path.n == 13 && memcmp(file.path.bytes, "/usr/bin/prog", 13) == 0 && file.build_id.n == 4);
	CHECK_INT(data_reader_file(r, UINT64_MAX, &file), 0);
	CHECK_INT(data_reader_file(r, 3, &file), -ENOENT);
	CHECK_INT(data_reader_stack(r, 1, &stack), 0);
	CHECK(stack.n == COUNT(sample_frames) && stack.mapset == 1 &&
	      memcmp(stack.frames, sample_frames, sizeof(sample_frames)) == 0);
	/* What is looked up for a frame leaves the others as they are. */
	CHECK_INT(data_reader_symbol(r, 1, 0x1010, &symbol), 0);
	CHECK_INT(data_reader_map_at(r, 1, 0x1000, &map), 0);
	CHECK(stack.frames[0] == sample_frames[0] && memcmp(stack.frames, sample_frames, sizeof(sample_frames)) == 0);
	CHECK_INT(data_reader_function(r, 1, &function), 0);
	CHECK(function.address == 0xffffffff81000000 && function.name.n == 12);
	CHECK_INT(data_reader_function(r, 2, &function), -ENOENT);
	while (data_reader_next(r, &event, &why) == 1)
		n++;
	CHECK_INT(n, COUNT(sample) - 2);
	CHECK_INT(why.len, 0);
	data_reader_close(r);
}

static void print_maps(struct buf *out, struct data_reader *r, uint64_t set)
{
	const struct data_map *maps;
	size_t n;

	buf_reset(out, 4096);
	if (!CHECK_INT(data_reader_maps(r, set, &maps, &n), 0))
		return;
	for (size_t i = 0; i < n; i++)
		buf_printf(out, "%s%" PRIx64 "-%" PRIx64 " %" PRIx64 " %" PRIu64, i ? ", " : "", maps[i].start,
		           maps[i].end, maps[i].offset, maps[i].file);
}

static void maps_change(void)
{
	static const struct data_event events[] = {
		{DATA_MAPSET, 1, .mapset = {1, 0, 1}},
		{DATA_MAP, 1, .map = {1, 0x5000, 0x9000, 0x100, 1, 5}},
		{DATA_MAP, 1, .map = {1, 0x1000, 0x2000, 0, 2, 5}},
		{DATA_MAPSET, 2, .mapset = {2, 1, 1}},
		{DATA_MAP, 2, .map = {2, 0x6000, 0x7000, 0, 3, 5}},
		{DATA_MAPSET, 3, .mapset = {3, 2, 1}},
		{DATA_UNMAP, 3, .map = {.set = 3, .start = 0x1800, .end = 0x6800}},
		{DATA_MAPSET, 4, .mapset = {4, 3, 1}},
		{DATA_UNMAP, 4, .map = {.set = 4, .start = 0, .end = UINT64_MAX}},
		{DATA_MAP, 4, .map = {4, 0x10, 0x20, 0, 4, 5}},
		{DATA_MAP, 4, .map = {4, 0x8, 0x28, 0, 5, 5}},
		{DATA_MAP, 4, .map = {4, 0x28, 0x28, 0, 6, 5}},
		{DATA_MAPSET, 5, .mapset = {9, 7, 1}},
	};
	cleanup_buf struct buf text = BUF_INIT, why = BUF_INIT;
	cleanup_fd int fd = -1;
	struct data_reader *r = open_records(events, COUNT(events), &fd);
	const struct data_map *maps;
	struct data_map map;
	size_t n;

	CHECK_INT(data_reader_maps(r, 1, &maps, &n), -ENOENT);
	CHECK_INT(data_reader_load(r, &why), 0);
	print_maps(&text, r, 2);
	CHECK_STR(text.data, "1000-2000 0 2, 5000-6000 100 1, 6000-7000 0 3, 7000-9000 2100 1");
	print_maps(&text, r, 4);
	CHECK_STR(text.data, "8-28 0 5");
	print_maps(&text, r, 3);
	CHECK_STR(text.data, "1000-1800 0 2, 6800-7000 800 3, 7000-9000 2100 1");
	print_maps(&text, r, 1);
	CHECK_STR(text.data, "1000-2000 0 2, 5000-9000 100 1");
	CHECK_INT(data_reader_maps(r, 9, &maps, &n), 0);
	CHECK_INT(n, 0);
	CHECK_INT(data_reader_map_at(r, 1, 0x5000, &map), 0);
	CHECK_INT(map.file, 1);
	CHECK_INT(data_reader_map_at(r, 1, 0x8fff, &map), 0);
	CHECK_INT(data_reader_map_at(r, 1, 0x9000, &map), -ENOENT);
	CHECK_INT(data_reader_map_at(r, 1, 0xfff, &map), -ENOENT);
	CHECK_INT(data_reader_map_at(r, 7, 0xfff, &map), -ENOENT);
	data_reader_close(r);
}

/* Asked for early, a list is made again when more of it is known. */
static void lists_grow(void)
{
	static const struct data_symbol early[] = {{0x20, 0, TEXT("b")}, {0x10, 8, TEXT("a")}},
					late[] = {{0x30, 0, TEXT("c")}};
	static const struct data_event events[] = {
		{DATA_MAPSET, 1, .mapset = {1, 0, 1}},       {DATA_MAP, 1, .map = {1, 0x5000, 0x9000, 0x100, 1, 5}},
		{DATA_SYMBOLS, 1, .symbols = {1, 2, early}}, {DATA_MAP, 1, .map = {1, 0x1000, 0x2000, 0, 2, 5}},
		{DATA_SYMBOLS, 1, .symbols = {1, 1, late}},
	};
	cleanup_buf struct buf text = BUF_INIT, why = BUF_INIT;
	cleanup_fd int fd = -1;
	struct data_reader *r = open_records(events, COUNT(events), &fd);
	struct data_symbol symbol;
	struct data_event event;

	for (int i = 0; i < 3; i++)
		CHECK_INT(data_reader_next(r, &event, &why), 1);
	print_maps(&text, r, 1);
	CHECK_STR(text.data, "5000-9000 100 1");
	CHECK_INT(data_reader_symbol(r, 1, 0xf, &symbol), -ENOENT);
	CHECK_INT(data_reader_symbol(r, 1, 0x17, &symbol), 0);
	CHECK(symbol.name.n == 1 && *symbol.name.bytes == 'a');
	CHECK_INT(data_reader_symbol(r, 1, 0x18, &symbol), -ENOENT);
	CHECK_INT(data_reader_symbol(r, 1, 0x99, &symbol), 0);
	CHECK_INT(*symbol.name.bytes, 'b');
	CHECK_INT(data_reader_symbol(r, 2, 0x99, &symbol), -ENOENT);
	CHECK_INT(data_reader_load(r, &why), 0);
	print_maps(&text, r, 1);
	CHECK_STR(text.data, "1000-2000 0 2, 5000-9000 100 1");
	CHECK_INT(data_reader_symbol(r, 1, 0x99, &symbol), 0);
	CHECK_INT(*symbol.name.bytes, 'c');
	data_reader_close(r);
}

/* More than a table holds at first. */
static void many(void)
{
	cleanup_buf struct buf why = BUF_INIT;
	cleanup_fd int fd = memfd_create("data", MFD_CLOEXEC);
	struct data_writer *w;
	struct data_reader *r;
	struct data_stack stack;
	char path[32];
	bool all = true;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	CHECK_INT(data_writer_open(&w, fd, &sample_facts, NULL), 0);
	for (uint64_t i = 1; i <= 5000; i++) {
		struct data_event event = {DATA_STACK, i, .stack = {i * 7919, i, 1, &i}};

		all &= !data_writer_event(w, &event);
	}
	CHECK_INT(data_writer_close(w), 0);
	CHECK_INT(data_reader_open(&r, path, &why), 0);
	CHECK_INT(data_reader_load(r, &why), 0);
	for (uint64_t i = 1; i <= 5000; i++)
		all &= !data_reader_stack(r, i * 7919, &stack) && stack.n == 1 && stack.frames[0] == i;
	CHECK(all);
	CHECK_INT(data_reader_stack(r, 1, &stack), -ENOENT);
	data_reader_close(r);
}

int main(void)
{
	found();
	maps_change();
	lists_grow();
	many();
	return TAP_DONE();
}
