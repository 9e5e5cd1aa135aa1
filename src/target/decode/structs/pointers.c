/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fields of structures that point to something else: to as many things as the field before them has said (KIND_ITEMS),
 * or to a string.
 */
#include <exectrace/target/decode/structs/structs.h>

/* How many things the field points to. */
static uint64_t take_count(struct printer *p)
{
	uint64_t n = p->counted ? p->items : 0;

	p->counted = false;
	return n;
}

/* n things of `size` bytes. */
static void put_pointed(struct printer *p, uint64_t addr, unsigned size, print_fn *print, unsigned aux)
{
	struct array array = {.addr = addr, .n = take_count(p), .size = size, .print = print, .aux = aux};

	put_array(p, &array);
}

void print_structs_at(struct printer *p, uint64_t value, unsigned structure)
{
	put_pointed(p, value, struct_size(p, structure), print_struct, structure);
}

static void item_unsigned(struct printer *p, uint64_t addr, unsigned size)
{
	uint64_t number = 0;

	if (peek_number(p, addr, size, &number))
		put_unsigned(p, number);
}

void print_numbers_at(struct printer *p, uint64_t value, unsigned size)
{
	put_pointed(p, value, size, item_unsigned, size);
}

static void item_hex(struct printer *p, uint64_t addr, unsigned size)
{
	uint64_t number = 0;

	if (peek_number(p, addr, size, &number))
		put_hex(p, number);
}

void print_hexes_at(struct printer *p, uint64_t value, unsigned size)
{
	put_pointed(p, value, size, item_hex, size);
}

static void item_fd(struct printer *p, uint64_t addr, unsigned set)
{
	uint64_t fd = 0;

	if (!peek_number(p, addr, 4, &fd))
		return;
	if (set && value_name(set, fd) && (p->inner || p->d->names != DECODE_NAMES_RAW))
		put_enum(p, fd, set);
	else
		print_fd(p, fd, 0);
}

void print_fds_at(struct printer *p, uint64_t value, unsigned set)
{
	put_pointed(p, value, 4, item_fd, set);
}

static void item_string(struct printer *p, uint64_t addr, unsigned aux)
{
	uint64_t string = 0;

	(void)aux;
	if (peek_number(p, addr, p->word, &string))
		put_string(p, string, p->d->string_max);
}

void print_strings_at(struct printer *p, uint64_t value, unsigned aux)
{
	put_pointed(p, value, p->word, item_string, aux);
}

/* A string that ends where the bytes do that there are for it. */
void print_text_at(struct printer *p, uint64_t value, unsigned aux)
{
	uint64_t n = p->counted ? take_count(p) : UINT64_MAX;

	(void)aux;
	put_string(p, value, n < p->d->string_max ? (size_t)n : p->d->string_max);
}
