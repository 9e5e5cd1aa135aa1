/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields that are many things, fields that are a part of one, and fields that are none. */
#include <exectrace/target/decode/structs/structs.h>

#define ITEMS_SIGNED 0x8000u /* a negative number means none */
#define ITEMS_DOTS 0x4000u   /* there may be more, which are not shown */
#define ITEMS_BRIEF 0x2000u  /* the same, but with `verbose` all are shown */

void print_more(struct printer *p, uint64_t value, unsigned aux)
{
	(void)p;
	(void)value;
	(void)aux;
}

/*
 * How many items the next field has is no field of its own. aux: ITEMS_..., and how many there are at most.
 */
void print_items(struct printer *p, uint64_t value, unsigned aux)
{
	p->items = aux & ITEMS_SIGNED && as_signed(p, value) < 0 ? 0 : value;
	p->most = aux & ITEMS_DOTS || (aux & ITEMS_BRIEF && !p->d->verbose) ? aux & 0xfffu : 0;
	if (!(aux & (ITEMS_DOTS | ITEMS_BRIEF)) && aux & 0xfffu && p->items > (aux & 0xfffu))
		p->items = aux & 0xfffu;
	p->counted = true;
}

void print_said(struct printer *p, uint64_t value, unsigned aux)
{
	print_more(p, value, aux);
}

uint64_t bits_of(uint64_t value, unsigned aux)
{
	return value >> (aux & 0xff) & ((UINT64_C(1) << (aux >> 8)) - 1);
}

void print_bit_field(struct printer *p, uint64_t value, unsigned aux)
{
	put_unsigned(p, bits_of(value, aux));
}

/* How many items of that size the field has. */
unsigned counted_items(struct printer *p, unsigned size)
{
	unsigned room = size ? p->size / size : 0;
	bool counted = p->counted;

	p->counted = false;
	return counted && p->items < room ? (unsigned)p->items : room;
}

/* How many of n items are shown. */
static unsigned items_shown(const struct printer *p, unsigned n)
{
	return p->d->verbose || n < p->d->string_max ? n : p->d->string_max;
}

void put_items(struct printer *p, unsigned size, put_item_fn *put, unsigned aux)
{
	const unsigned char *raw = p->raw;
	unsigned n = counted_items(p, size), shown = items_shown(p, n);

	put_text(p, "[");
	for (unsigned i = 0; i < shown; i++) {
		put_text(p, i ? ", " : "");
		put(p, raw + (size_t)i * size, aux);
	}
	put_text(p, shown < n ? ", ...]" : "]");
}

static void put_number_item(struct printer *p, const unsigned char *item, unsigned size)
{
	put_unsigned(p, load_number(item, size));
}

static void put_signed_item(struct printer *p, const unsigned char *item, unsigned size)
{
	p->size = size;
	put_signed(p, as_signed(p, load_number(item, size)));
}

static void put_hex_item(struct printer *p, const unsigned char *item, unsigned size)
{
	put_hex(p, load_number(item, size));
}

void print_numbers(struct printer *p, uint64_t value, unsigned size)
{
	(void)value;
	put_items(p, size, put_number_item, size);
}

void print_signed(struct printer *p, uint64_t value, unsigned size)
{
	(void)value;
	put_items(p, size, put_signed_item, size);
}

/* size 0: that of a long. */
void print_hexes(struct printer *p, uint64_t value, unsigned size)
{
	(void)value;
	size = size ? size : p->word;
	put_items(p, size, put_hex_item, size);
}

void print_hex_string(struct printer *p, uint64_t value, unsigned aux)
{
	(void)value;
	(void)aux;
	put_text(p, "\"");
	for (unsigned i = 0; i < p->size; i++)
		put_format(p, "\\x%02x", p->raw[i]);
	put_text(p, "\"");
}

void print_hex_pad(struct printer *p, uint64_t value, unsigned aux)
{
	for (unsigned i = 0; i < p->size; i++) {
		if (!p->raw[i])
			continue;
		print_hex_string(p, value, aux);
		return;
	}
}

/* What is not used is shown when somebody has used it. */
void print_reserved(struct printer *p, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < p->size; i++) {
		if (!p->raw[i])
			continue;
		if (p->size <= size && size)
			put_hex(p, value);
		else
			put_items(p, size, put_hex_item, size);
		return;
	}
}

static void put_struct_item(struct printer *p, const unsigned char *item, unsigned structure)
{
	put_nested(p, item, structure);
}

void print_structs(struct printer *p, uint64_t value, unsigned structure)
{
	(void)value;
	put_items(p, struct_size(p, structure), put_struct_item, structure);
}
