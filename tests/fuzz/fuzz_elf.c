/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as an ELF file, and as the text of /proc/PID/maps. What must hold: no access outside, symbols sorted, none
 * empty, and each found at its own start. Beginning the fuzzer's corpus with a small program helps much.
 */
#include "expect.h"
#include <exectrace/base/cleanup.h>
#include <exectrace/target/symbol/cfi.h>
#include <exectrace/target/symbol/demangle.h>
#include <exectrace/target/symbol/elf.h>
#include <exectrace/target/symbol/maps.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void symbols(struct elf *elf)
{
	size_t n = 0;
	const struct elf_symbol *all = elf_symbols(elf, &n);

	for (size_t i = 0; i < n; i++) {
		cleanup_buf struct buf name = BUF_INIT;

		expect(all[i].end > all[i].start);
		expect(i == 0 || all[i - 1].start < all[i].start);
		expect(elf_lookup(elf, all[i].start) == &all[i]);
		expect(demangle(&name, all[i].name) == 0);
	}
	elf_lookup(elf, UINT64_MAX);
}

static void layout(struct elf *elf)
{
	struct elf_unwind_table table;
	size_t n = 0, left = 0;
	const struct elf_segment *segments = elf_segments(elf, &n);
	uint64_t bias = 0;

	for (size_t i = 0; i < n; i++) {
		const unsigned char *p = elf_at(elf, segments[i].vaddr, &left);

		expect(!p || left > 0);
		if (p)
			(void)(*(const volatile unsigned char *)p + *(const volatile unsigned char *)(p + left - 1));
		elf_bias(elf, 0x7f0000000000, segments[i].offset & ~4095ull, i & 1, &bias);
	}
	if (elf_unwind_table(elf, NULL, 0, &table) == 0)
		expect(table.count && elf_at(elf, table.header, &left) && left / 8 >= table.count);
}

/* Memory in which every word is its address. */
static bool read_address(void *user, uint64_t address, uint64_t *value)
{
	(void)user;
	*value = address;
	return address & 1;
}

/* Applies all rules of a row: what they give is a word. */
static void apply(const struct cfi_row *row, unsigned word)
{
	struct cfi_frame frame = {.word = word, .n = word == 8 ? CFI_REGISTERS : 9, .read = read_address};
	uint64_t cfa = 0, value = 0;

	if (!cfi_value(&row->cfa, &frame, 0, &cfa))
		return;
	for (unsigned i = 0; i < CFI_REGISTERS; i++)
		if (cfi_value(&row->registers[i], &frame, cfa, &value))
			expect(word == 8 || value <= UINT32_MAX);
}

static void frames(struct elf *elf)
{
	uint64_t base = 0;
	size_t n = 0;
	const struct elf_pair *pairs = elf_unwind_index(elf, &base, &n);

	for (size_t i = 1; i < n; i++)
		expect(pairs[i - 1].function <= pairs[i].function);
	for (size_t i = 0; i < n; i++) {
		struct cfi_row row;

		expect(pairs[i].fde >= 0);
		if (cfi_find(elf, base + (uint64_t)(int64_t)pairs[i].function + i % 16, &row))
			continue;
		apply(&row, 4);
		apply(&row, 8);
	}
}

static void maps(const char *text, size_t n)
{
	struct maps got = MAPS_INIT;

	if (maps_parse(text, n, &got))
		return;
	for (size_t i = 0; i < got.n; i++) {
		expect(maps_find(&got, got.items[i].start) == &got.items[i]);
		expect(strlen(got.items[i].path) <= n);
	}
	expect(maps_equal(&got, &got) && maps_same_code(&got, &got));
	maps_release(&got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const unsigned char *id = NULL;
	struct elf *elf = NULL;
	uint32_t crc = 0;

	maps((const char *)data, size);
	if (elf_open_image(data, size, &elf))
		return 0;
	expect(elf_build_id(elf, &id) <= ELF_BUILD_ID_MAX);
	elf_debuglink(elf, &crc);
	elf_has_symtab(elf);
	layout(elf);
	frames(elf);
	symbols(elf);
	elf_unref(elf);
	return 0;
}
