/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel's table of symbols whose bytes were changed: the input is pairs of a place and a byte, after one that
 * chooses the layout; random bytes alone would never be one. What must hold: no access outside, symbols in order, names
 * ended. The same input is also read as the text of such a table.
 */
#include "../unit/kallsyms_image.h"
#include "expect.h"
#include <exectrace/target/symbol/kallsyms.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct kallsyms *table)
{
	expect(table->n > 0 && table->n <= KALLSYMS_MAX && !table->names[table->names_size - 1]);
	for (size_t i = 0; i < table->n; i++) {
		expect(i == 0 || table->items[i - 1].address <= table->items[i].address);
		expect(table->items[i].name < table->names_size);
		if (i % 64 == 0) {
			const struct kallsym *found = kallsyms_lookup(table, table->items[i].address);

			expect(found && found->address == table->items[i].address);
			kallsyms_function(table, table->items[i].address);
			kallsyms_end(table, found);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct image made[IMAGE_LAYOUTS][2]; /* making one takes longer than all else */
	struct image image = {.layout = size ? data[0] % IMAGE_LAYOUTS : IMAGE_OLD, .count_up = size && data[0] & 4};
	struct image *base = &made[image.layout][image.count_up];
	struct kallsyms_memory memory = {.address = IMAGE_ADDRESS, .user = &image, .read = image_read};
	struct kallsyms table;

	if (!base->bytes.len) {
		*base = image;
		image_make(base);
	}
	if (buf_append(&image.bytes, base->bytes.data, base->bytes.len))
		return 0;
	for (size_t i = 1; i + 3 <= size; i += 3) {
		size_t at = ((size_t)data[i] << 8 | data[i + 1]) * image.bytes.len >> 16;

		image.bytes.data[at] = (char)data[i + 2];
	}
	memory.size = image.bytes.len;
	if (kallsyms_read(&memory, &table) == 0)
		check(&table);
	kallsyms_release(&table);
	/* As text, such as /proc/kallsyms has. */
	if (kallsyms_parse((const char *)data, size, &table) == 0)
		check(&table);
	kallsyms_release(&table);
	buf_release(&image.bytes);
	return 0;
}
