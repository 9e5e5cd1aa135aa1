/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This very program, as its own kernel would have it in memory. */
#include "tap.h"
#include <elf.h>
#include <exectrace/record/guest/linux/elfimage.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char *bytes;
static size_t size;
static uint64_t hole = UINT64_MAX; /* offset of a byte that is not in memory */

static bool read_bytes(void *user, uint64_t offset, void *to, size_t n)
{
	(void)user;
	if (offset > size || n > size - offset || (hole >= offset && hole < offset + n))
		return false;
	memcpy(to, bytes + offset, n);
	return true;
}

static const struct elf_source file = {read_bytes, NULL};

/* Two functions that are found by name. */
__attribute__((noinline)) int test_elfimage_marker(int n);
__attribute__((noinline)) int test_elfimage_marker(int n)
{
	return n + 1;
}

__attribute__((noinline)) int test_elfimage_other(int n);
__attribute__((noinline)) int test_elfimage_other(int n)
{
	return n + 2;
}

static const struct symbol *by_name(const struct elfimage *image, const char *name)
{
	for (size_t i = 0; i < image->symbols.n; i++) {
		if (strcmp(image->symbols.items[i].name, name) == 0)
			return &image->symbols.items[i];
	}
	return NULL;
}

static void test_symbols(void)
{
	struct elfimage image;
	const struct symbol *marker = NULL, *other = NULL;
	unsigned wrong = 0;

	if (!CHECK(elfimage_read(&image, &file)))
		return;
	marker = by_name(&image, "test_elfimage_marker");
	other = by_name(&image, "test_elfimage_other");
	CHECK(image.n > 0 && image.dynamic);
	if (CHECK(marker && other)) /* the same distance as in memory */
		CHECK_INT((long long)(marker->address - other->address),
		          (long long)((uintptr_t)test_elfimage_marker - (uintptr_t)test_elfimage_other));
	for (size_t i = 1; i < image.symbols.n; i++)
		wrong += image.symbols.items[i - 1].address > image.symbols.items[i].address;
	CHECK_INT(wrong, 0);
	CHECK(marker && symbols_at(&image.symbols, marker->address)->address == marker->address);
	CHECK(marker && symbols_at(&image.symbols, marker->address + 1) == NULL);
	CHECK(symbols_at(&image.symbols, UINT64_MAX) == NULL && symbols_at(&image.symbols, 0) == NULL);
	symbols_release(&image.symbols);
}

/* A file of 32 bits, made by hand: code, two functions, their names. */
static void test_narrow(void)
{
	static struct {
		Elf32_Ehdr header;
		Elf32_Phdr code;
		Elf32_Shdr sections[2];
		Elf32_Sym symbols[2];
		char names[12];
	} made = {
		.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB},
	                   .e_phoff = offsetof(__typeof__(made), code),
	                   .e_phentsize = sizeof(Elf32_Phdr),
	                   .e_phnum = 1,
	                   .e_shoff = offsetof(__typeof__(made), sections),
	                   .e_shentsize = sizeof(Elf32_Shdr),
	                   .e_shnum = 2},
		.code = {.p_type = PT_LOAD, .p_flags = PF_X, .p_offset = 0x1000, .p_vaddr = 0x8049000, .p_filesz = 64},
		.sections = {{.sh_type = SHT_SYMTAB,
	                      .sh_link = 1,
	                      .sh_offset = offsetof(__typeof__(made), symbols),
	                      .sh_size = sizeof(made.symbols),
	                      .sh_entsize = sizeof(Elf32_Sym)},
	                     {.sh_type = SHT_STRTAB,
	                      .sh_offset = offsetof(__typeof__(made), names),
	                      .sh_size = sizeof(made.names)}},
		.symbols = {{1, 0x8049020, 7, ELF32_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1},
	                    {7, 0x8049000, 9, ELF32_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1}},
		.names = "\0later\0soon",
	};
	char *own = bytes;
	size_t own_size = size;
	struct elfimage image;
	const struct symbol *later = NULL;

	bytes = (char *)&made;
	size = sizeof(made);
	if (CHECK(elfimage_read(&image, &file)) && CHECK_INT((long long)image.symbols.n, 2)) {
		CHECK_STR(image.symbols.items[0].name, "soon");
		later = by_name(&image, "later");
		CHECK(!image.dynamic);
		CHECK(later && later->address == 0x8049020 && later->size == 7);
		CHECK_INT((long long)elfimage_address(&image, 0x1020), 0x8049020);
	}
	symbols_release(&image.symbols);
	made.sections[0].sh_size = UINT32_MAX;
	CHECK(elfimage_read(&image, &file) && image.symbols.n == 0);
	made.header.e_phentsize = 1;
	CHECK(!elfimage_read(&image, &file));
	bytes = own;
	size = own_size;
}

static void test_offsets(void)
{
	struct elfimage image = {.n = 2, .code = {{0x1000, 0x200, 0x401000}, {0x3000, 0x10, 0x900000}}};

	CHECK_INT((long long)elfimage_address(&image, 0x1000), 0x401000);
	CHECK_INT((long long)elfimage_address(&image, 0x11ff), 0x4011ff);
	CHECK_INT((long long)elfimage_address(&image, 0x1200), 0);
	CHECK_INT((long long)elfimage_address(&image, 0xfff), 0);
	CHECK_INT((long long)elfimage_address(&image, 0x3008), 0x900008);
	CHECK_INT((long long)elfimage_address(&image, UINT64_MAX), 0);
}

static void test_missing(void)
{
	struct elfimage image;
	size_t whole = size;

	hole = 0;
	CHECK(!elfimage_read(&image, &file));
	hole = size - 1; /* the table of sections is there at the end */
	CHECK(elfimage_read(&image, &file) && image.n > 0 && image.symbols.n == 0);
	symbols_release(&image.symbols);
	hole = UINT64_MAX;
	for (size = 0; size < whole; size += whole / 50 + 1) {
		(void)elfimage_read(&image, &file);
		symbols_release(&image.symbols);
	}
	size = whole;
	bytes[0] = 0;
	CHECK(!elfimage_read(&image, &file));
}

int main(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (!CHECK(fd >= 0 && fstat(fd, &st) == 0 && (bytes = malloc((size_t)st.st_size))))
		return TAP_DONE();
	size = (size_t)st.st_size;
	CHECK(read(fd, bytes, size) == (ssize_t)size);
	test_symbols();
	test_narrow();
	test_offsets();
	test_missing();
	free(bytes);
	close(fd);
	return TAP_DONE();
}
