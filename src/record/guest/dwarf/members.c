/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types that have members. */
#include "types.h"

#include <stdlib.h>

void members_of_enum(struct types *t, Dwarf_Die *die)
{
	struct emit_list list = {0};
	uint64_t size = 0;
	Dwarf_Die child, type;
	int rc;

	if (!attribute_number(die, DW_AT_byte_size, &size) && types_peel(die, &type))
		(void)attribute_number(&type, DW_AT_byte_size, &size);
	if (!size || size > 8)
		return emit_unknown(&t->out);
	for (rc = dw.dwarf_child(die, &child); rc == 0 && t->steps; rc = dw.dwarf_siblingof(&child, &child)) {
		int64_t value;

		t->steps--;
		if (dw.dwarf_tag(&child) == DW_TAG_enumerator && attribute_signed(&child, DW_AT_const_value, &value))
			(void)emit_list_add(&list, &(struct emit_member){emit_name(&t->out, dw.dwarf_diename(&child)),
			                                                 0, (uint64_t)value, 0});
	}
	emit_enum(&t->out, dw.dwarf_diename(die), (uint32_t)size, &list);
	free(list.items);
}

/* Where a bit field is, by DWARF 4 or by what was before it: from the other end of a number of so many bytes. */
static bool find_bits(Dwarf_Die *die, struct emit_member *m)
{
	uint64_t byte = 0, size = 0, bit = 0, bits = 0;

	if (!attribute_number(die, DW_AT_bit_size, &bits))
		return true;
	m->bits = (uint32_t)bits;
	if (!bits || bits > 64)
		return false;
	if (attribute_number(die, DW_AT_data_bit_offset, &m->value))
		return true;
	if (!attribute_number(die, DW_AT_bit_offset, &bit))
		return true;
	(void)attribute_number(die, DW_AT_data_member_location, &byte);
	if (!attribute_number(die, DW_AT_byte_size, &size) || size > 8 || bit + bits > 8 * size)
		return false;
	m->value = 8 * (byte + size) - bit - bits;
	return true;
}

/* False: where it is cannot be told. */
static bool find_member(struct types *t, Dwarf_Die *die, int depth, struct emit_member *m)
{
	uint64_t byte = 0;

	if (dw.dwarf_hasattr(die, DW_AT_data_member_location) &&
	    !attribute_number(die, DW_AT_data_member_location, &byte))
		return false;
	if (byte > UINT32_MAX)
		return false;
	m->value = 8 * byte;
	if (!find_bits(die, m))
		return false;
	m->name = dw.dwarf_tag(die) == DW_TAG_member ? emit_name(&t->out, dw.dwarf_diename(die)) : 0;
	m->type = types_of(t, die, depth);
	return true;
}

/* Members, and what a class inherits. Static ones are elsewhere. */
static bool is_member(Dwarf_Die *die)
{
	int tag = dw.dwarf_tag(die);

	if (tag == DW_TAG_inheritance)
		return true;
	return tag == DW_TAG_member && !dw.dwarf_hasattr(die, DW_AT_declaration) &&
	       !dw.dwarf_hasattr(die, DW_AT_external);
}

void members_of_structure(struct types *t, Dwarf_Die *die, int depth)
{
	struct emit_list list = {0};
	uint64_t size = 0;
	bool known = depth >= 0;
	Dwarf_Die child;
	int rc;

	types_find_whole(die);
	known = known && !attribute_flag(die, DW_AT_declaration) && attribute_number(die, DW_AT_byte_size, &size) &&
	        size <= UINT32_MAX;
	rc = known ? dw.dwarf_child(die, &child) : 1;
	for (; known && rc == 0; rc = dw.dwarf_siblingof(&child, &child)) {
		struct emit_member m = {0};

		known = t->steps > 0;
		t->steps -= known;
		if (!is_member(&child))
			continue;
		known = known && find_member(t, &child, depth, &m);
		if (known && emit_list_add(&list, &m))
			break; /* there are too many */
	}
	if (known && rc >= 0)
		emit_structure(&t->out, dw.dwarf_tag(die) == DW_TAG_union_type, dw.dwarf_diename(die), (uint32_t)size,
		               &list);
	else
		emit_unknown(&t->out);
	free(list.items);
}
