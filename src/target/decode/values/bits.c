/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bits and items of arrays that have names by their numbers. */
#include <exectrace/target/decode/values/printer.h>

static void put_bit(struct printer *p, const char *name, unsigned less)
{
	if (less)
		put_format(p, "1<<(%s-%u)", name, less);
	else
		put_format(p, "1<<%s", name);
}

/* Bits that are known by their number, less so many: `1<<NAME|0x100`. */
static void put_bits(struct printer *p, uint64_t value, unsigned set, unsigned less)
{
	const char *separator = "", *unknown = value_set(set)->unknown;
	bool inner = p->inner;
	uint64_t left = value;

	if (!value) {
		put_text(p, "0");
		return;
	}
	if (!begin_names(p, value, NUMBER_HEX))
		return;
	for (unsigned bit = 0; bit < 64; bit++) {
		const char *name = value >> bit & 1 ? value_name(set, bit + less) : NULL;

		if (!name)
			continue;
		put_text(p, separator);
		put_bit(p, name, less);
		separator = "|";
		left &= ~(UINT64_C(1) << bit);
	}
	if (left && left != value)
		put_format(p, "|%#llx", (unsigned long long)left);
	else if (left && p->inner && !inner)
		put_bit(p, unknown, less);
	else if (left) {
		put_format(p, "%#llx /* ", (unsigned long long)left);
		put_bit(p, unknown, less);
		put_text(p, " */");
	}
	end_names(p, inner);
}

void print_bits(struct printer *p, uint64_t value, unsigned set)
{
	put_bits(p, value, set, 0);
}

void print_bits1(struct printer *p, uint64_t value, unsigned set)
{
	put_bits(p, value, set, 1);
}

void put_index(struct printer *p, uint64_t i, unsigned set, unsigned less)
{
	const char *name = value_name(set, i + less);
	bool inner = p->inner;

	put_text(p, "[");
	if (!name) {
		put_unsigned(p, i);
		if (p->d->names != DECODE_NAMES_RAW)
			put_format(p, " /* %s */", value_set(set)->unknown);
	} else if (begin_names(p, i, NUMBER_UNSIGNED)) {
		put_text(p, name);
		if (less)
			put_format(p, "-%u", less);
		end_names(p, inner);
	}
	put_text(p, "]=");
}

/* Numbers of 64 bits whose names are those of their places. */
void print_indexed(struct printer *p, uint64_t value, unsigned set)
{
	const unsigned char *raw = p->raw;
	unsigned n = p->size / 8;

	(void)value;
	put_text(p, "[");
	for (unsigned i = 0; i < n; i++) {
		put_text(p, i ? ", " : "");
		put_index(p, i, set, 0);
		put_unsigned(p, load_number(raw + (size_t)8 * i, 8));
	}
	put_text(p, "]");
}
