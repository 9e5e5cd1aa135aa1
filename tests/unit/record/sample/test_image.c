/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mappings laid over each other at random, against an array of pages; what is read of a process against its maps. */
#include "src/record/sample/image.h"
#include "tap.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGES 64u
#define PAGE 4096u

/* What a page is mapped to; inode 0: to nothing. */
struct page {
	uint64_t inode, offset;
};

static bool agrees(const struct image *image, const struct page *pages)
{
	struct page got[PAGES] = {{0, 0}};
	uint64_t last = 0;

	for (size_t i = 0; i < image->n; i++) {
		const struct mapping *m = &image->items[i];

		if (m->start < last || m->start >= m->end || m->end > PAGES * PAGE)
			return false;
		last = m->end;
		for (uint64_t at = m->start; at < m->end; at += PAGE)
			got[at / PAGE] = (struct page){m->inode, m->offset + (at - m->start)};
	}
	return memcmp(got, pages, sizeof(got)) == 0;
}

static void overlapping(void)
{
	struct images images = {.sets = 0};
	struct code_files files = {.n = 0};
	unsigned wrong = 0;

	images.files = &files;
	srand(3);
	for (int round = 0; round < 300; round++) {
		struct page pages[PAGES] = {{0, 0}};
		struct image *image = image_new(), *copy = NULL;

		for (uint64_t i = 1; i < 30; i++) {
			uint64_t first = (uint64_t)rand() % PAGES, n = 1 + (uint64_t)rand() % (PAGES - first);
			const struct ring_record record = {
				.kind = RING_MAP,
				.map = {first * PAGE, n * PAGE, i * 0x100000, 1, i, PROT_READ | PROT_EXEC, "/x"},
			};

			wrong += image_map(image, &record) != 0;
			for (uint64_t k = 0; k < n; k++)
				pages[first + k] = (struct page){i, i * 0x100000 + k * PAGE};
			wrong += !agrees(image, pages);
		}
		copy = image_copy(image, &images);
		image_leave(image, &images);
		wrong += !copy || !agrees(copy, pages);
		image_leave(copy, &images);
	}
	CHECK_INT(wrong, 0);
	code_files_release(&files);
}

static void ignored(void)
{
	struct images images = {.files = NULL};
	struct code_files files = {.n = 0};
	struct image *image = image_new();
	struct ring_record record = {.kind = RING_MAP, .map = {PAGE, PAGE, 0, 1, 1, PROT_READ, "/x"}};

	images.files = &files;
	CHECK(image_map(image, &record) == 0 && image->n == 0); /* no code */
	record.map.protection = PROT_EXEC;
	record.map.size = 0;
	CHECK(image_map(image, &record) == 0 && image->n == 0);
	record.map.size = PAGE;
	record.map.path = "//anon";
	CHECK(image_map(image, &record) == 0 && image->n == 1);
	CHECK_STR(image->items[0].path, "");
	image_leave(image, &images);
	code_files_release(&files);
}

/* Our own code is found where it is, the kernel's is [kernel]. */
static void settled(void)
{
	struct images images = {.sets = 0};
	struct code_files files = {.n = 0};
	struct image *image = image_new();
	const struct code_map *map;

	CHECK_INT(elf_cache_new(8, &files.cache), 0);
	images.files = &files;
	CHECK_INT(image_read(image, getpid()), 0);
	CHECK_INT(image_settle(image, &images, getpid()), 0);
	map = code_maps_find(&image->maps, (uint64_t)(uintptr_t)settled);
	if (CHECK(map && map->file && map->biased))
		CHECK(strstr(code_file(&files, map->file)->path, "test_image"));
	map = code_maps_find(&image->maps, 0xffffffff81000000);
	if (CHECK(map && map->file)) {
		CHECK_STR(code_file(&files, map->file)->path, "[kernel]");
		CHECK(map->start == map->offset);
	}
	CHECK(!image->changed && image->maps.set == 1);
	CHECK_INT(image_settle(image, &images, getpid()), 0);
	CHECK_INT(image->maps.set, 1);
	image_leave(image, &images);
	code_files_release(&files);
	elf_cache_free(files.cache);
}

/* The file of the map at an address. */
static const char *file_at(const struct code_files *files, const struct image *image, uint64_t address)
{
	const struct code_map *map = code_maps_find(&image->maps, address);

	return map && map->file && map->offset == map->start ? code_file(files, map->file)->path : "none";
}

/* Modules are files of their own once something was sampled in them. */
static void modules(void)
{
	static const char text[] = "0000000000001000 A percpu\n"
				   "ffffffff81000000 T _text\n"
				   "ffffffff81000000 T _stext\n"
				   "ffffffff81000100 t one\n"
				   "ffffffffc0001000 t a_init\t[a]\n"
				   "ffffffffc0001200 d a_data\t[a]\n"
				   "ffffffffc0001300 t a_exit\t[a]\n"
				   "ffffffffc0003000 t b_init\t[b]\n"
				   "ffffffffc0005000 t a_late\t[a]\n"
				   "ffffffffc0006000 t own\n"
				   "ffffffffc0007000 t c_init\t[c]\n";
	struct images images = {.sets = 0};
	struct code_files files = {.n = 0};
	struct image *image = image_new();

	CHECK_INT(elf_cache_new(8, &files.cache), 0);
	images.files = &files;
	CHECK_INT(kernel_code_parse(&images.kernel, text, sizeof(text) - 1), 0);
	CHECK_INT(images.kernel.n, 4);
	CHECK_INT(image_read(image, getpid()), 0);
	CHECK_INT(image_settle(image, &images, getpid()), 0);
	CHECK_STR(file_at(&files, image, 0xffffffffc0003010), "[kernel]");
	kernel_code_see(&images.kernel, 0xffffffff81000110);
	CHECK_INT(images.kernel.seen, 0);
	kernel_code_see(&images.kernel, 0xffffffffc0003010);
	kernel_code_see(&images.kernel, 0xffffffffc0003fff);
	kernel_code_see(&images.kernel, 0xffffffffc0007000);
	CHECK_INT(images.kernel.seen, 2);
	CHECK_INT(image_settle(image, &images, getpid()), 0);
	CHECK_INT(image->maps.set, 2);
	CHECK_STR(file_at(&files, image, 0xffffffff81000110), "[kernel]");
	CHECK_STR(file_at(&files, image, 0xffffffffc0001010), "[kernel]");
	CHECK_STR(file_at(&files, image, 0xffffffffc0003010), "[b]");
	CHECK_STR(file_at(&files, image, 0xffffffffc0005010), "[kernel]");
	CHECK_STR(file_at(&files, image, 0xffffffffc0006000), "[kernel]");
	CHECK_STR(file_at(&files, image, 0xffffffffff500000), "[c]");
	kernel_code_see(&images.kernel, 0xffffffffc0005010);
	CHECK_INT(image_settle(image, &images, getpid()), 0);
	CHECK_STR(file_at(&files, image, 0xffffffffc0005010), "[a]");
	CHECK_STR(file_at(&files, image, 0xffffffffc0001010), "[kernel]");
	image_leave(image, &images);
	kernel_code_release(&images.kernel);
	code_files_release(&files);
	elf_cache_free(files.cache);
}

int main(void)
{
	modules();
	overlapping();
	ignored();
	settled();
	return TAP_DONE();
}
