/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug information of a program. The input is a file: its functions are asked for, by their symbols and by each
 * address around its first one. What must hold: no access outside, an end, and arguments that are in registers if
 * anywhere.
 */
#include "bytes.h"
#include <exectrace/record/guest/linux/arguments.h>
#include <exectrace/record/guest/linux/elfimage.h>
#include <stdlib.h>
#include <string.h>

#define AROUND 256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool read_input(void *user, uint64_t offset, void *to, size_t n)
{
	const struct bytes *b = user;

	if (offset > b->n || n > b->n - offset)
		return false;
	memcpy(to, b->p + offset, n);
	return true;
}

/* A memory that has the same everywhere. */
static bool read_memory(void *user, uint64_t address, void *to, size_t n)
{
	(void)user;
	memset(to, (int)(address & 0x7f), n);
	return true;
}

static void check(const struct arguments *a)
{
	static const struct guest_memory memory = {read_memory, NULL};
	uint64_t registers[16];

	memset(registers, 0x11, sizeof(registers));
	for (unsigned i = 0; i < a->n; i++) {
		if (a->items[i].place != ARGUMENT_NOWHERE && a->items[i].place >= 16)
			abort();
	}
	ring_values_drop(arguments_read(a, registers, &memory, 2));
	if (a->result.place != ARGUMENT_NOWHERE)
		ring_values_drop(arguments_read_result(a, registers, &memory, 2));
}

static void ask(struct debuginfo *d, uint64_t address, const char *name)
{
	struct debug_function f;
	struct arguments *a;

	if (debuginfo_function(d, address, name, 2, &f))
		return;
	a = arguments_of_program(&f);
	if (a) {
		check(a);
		free(a->signature);
	}
	free(a);
	btf_close(f.btf);
	free(f.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes input = {data, size};
	const struct elf_source file = {read_input, &input};
	struct elfimage image = {0};
	struct debuginfo *d = NULL;

	if (debuginfo_open(&d, &file))
		return 0;
	(void)elfimage_read(&image, &file);
	for (size_t i = 0; i < image.symbols.n && i < AROUND; i++)
		ask(d, image.symbols.items[i].address, image.symbols.items[i].name);
	for (uint64_t i = 0; image.n && i < AROUND; i++)
		ask(d, image.code[0].address + i, "f");
	symbols_release(&image.symbols);
	debuginfo_close(d);
	return 0;
}
