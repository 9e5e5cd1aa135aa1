/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types as BTF (include/uapi/linux/btf.h), so that what prints the kernel's prints these, too. Each DIE of a type
 * becomes one type, whose number is known as soon as it is wanted: they are made in the order in which they were, so
 * that types may lead to each other, and what is nearest to the function is there when there are too many.
 */
#include "types.h"

#include <errno.h>
#include <exectrace/base/grow.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>

#define PEELS_MAX 16         /* names for a type behind each other */
#define STEPS_MAX (1u << 17) /* DIEs that are looked at for one function */
#define BYTES_MAX (4u << 20)

struct types *types_new(void)
{
	struct types *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->steps = STEPS_MAX;
	emit_begin(&t->out);
	return t;
}

void types_free(struct types *t)
{
	if (!t)
		return;
	emit_release(&t->out);
	free(t->parameters.items);
	free(t->items);
	free(t);
}

/* --- What is wanted ----------------------------------------------------------------------------------------------- */

static bool is_same(const struct item *a, const struct item *b)
{
	return a->die.addr == b->die.addr && a->depth == b->depth && a->dimension == b->dimension &&
	       a->pointer == b->pointer;
}

static size_t hash(const struct item *item)
{
	uint64_t key = (uintptr_t)item->die.addr * 16 + (unsigned)item->depth;

	key = (key ^ item->dimension << 1 ^ item->pointer) * 0x9e3779b97f4a7c15ull;
	return (size_t)(key >> 32) % TABLE;
}

/* The number of a type; TYPES_UNKNOWN when there are too many. */
static uint32_t want(struct types *t, const struct item *item)
{
	size_t at = hash(item);

	for (; t->table[at]; at = (at + 1) % TABLE) {
		if (is_same(&t->items[t->table[at] - 1], item))
			return TYPES_UNKNOWN + t->table[at];
	}
	if (t->n == ITEMS_MAX)
		return TYPES_UNKNOWN;
	if (grow_array((void **)&t->items, t->n, &t->cap, sizeof(*t->items))) {
		t->failed = true;
		return TYPES_UNKNOWN;
	}
	t->items[t->n++] = *item;
	t->table[at] = (uint16_t)t->n;
	return TYPES_UNKNOWN + (uint32_t)t->n;
}

/* The type of a DIE. False, with its number, where that is not worth looking at. */
static bool find(Dwarf_Die *holder, struct item *item, uint32_t *number)
{
	Dwarf_Attribute attribute;

	*number = 0;
	if (!dw.dwarf_attr_integrate(holder, DW_AT_type, &attribute))
		return false;
	*number = TYPES_UNKNOWN;
	return dw.dwarf_formref_die(&attribute, &item->die);
}

uint32_t types_of(struct types *t, Dwarf_Die *holder, int depth)
{
	struct item item = {.depth = depth};
	uint32_t number;

	return find(holder, &item, &number) ? want(t, &item) : number;
}

uint32_t types_pointer_to(struct types *t, Dwarf_Die *holder, int depth)
{
	struct item item = {.depth = depth, .pointer = true};
	uint32_t number;

	return find(holder, &item, &number) ? want(t, &item) : TYPES_UNKNOWN;
}

static bool is_other_name(int tag)
{
	return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
	       tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type || tag == DW_TAG_template_alias;
}

void types_find_whole(Dwarf_Die *die)
{
	Dwarf_Die whole;

	if (attribute_flag(die, DW_AT_declaration) && attribute_die(die, DW_AT_signature, &whole))
		*die = whole;
}

bool types_peel(Dwarf_Die *holder, Dwarf_Die *type)
{
	struct item item;
	uint32_t number;

	for (int i = 0; i < PEELS_MAX && find(holder, &item, &number); i++) {
		*type = item.die;
		if (!is_other_name(dw.dwarf_tag(type))) {
			types_find_whole(type);
			return true;
		}
		holder = type;
	}
	return false;
}

void types_parameter(struct types *t, const char *name, uint32_t type)
{
	t->failed |= emit_list_add(&t->parameters, &(struct emit_member){emit_name(&t->out, name), type, 0, 0}) != 0;
}

/* --- Each kind of them -------------------------------------------------------------------------------------------- */

static void put_base(struct types *t, Dwarf_Die *die)
{
	const char *name = dw.dwarf_diename(die);
	uint64_t encoding = 0, size = 0;

	if (!attribute_number(die, DW_AT_encoding, &encoding) || !attribute_number(die, DW_AT_byte_size, &size) ||
	    !size || size > 64)
		return emit_unknown(&t->out);
	switch (encoding) {
	case DW_ATE_boolean:
		return emit_number(&t->out, name, BTF_INT_BOOL, (uint32_t)size);
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		return emit_number(&t->out, name, BTF_INT_SIGNED, (uint32_t)size);
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		return emit_number(&t->out, name, 0, (uint32_t)size);
	case DW_ATE_float:
	case DW_ATE_complex_float:
	case DW_ATE_imaginary_float:
	case DW_ATE_decimal_float:
		return emit_sized(&t->out, name, BTF_KIND_FLOAT, (uint32_t)size);
	default:
		return emit_unknown(&t->out);
	}
}

/* A pointer has one level less in front of it. */
static void put_pointer(struct types *t, Dwarf_Die *die, int depth)
{
	uint64_t size = EMIT_POINTER;

	if (attribute_number(die, DW_AT_byte_size, &size) && size != EMIT_POINTER)
		return emit_unknown(&t->out);
	emit_other(&t->out, "", BTF_KIND_PTR, depth < 0 ? 0 : types_of(t, die, depth - 1));
}

/* To a member of a class: an offset, or for a function that and an address (Itanium C++ ABI, 2.3). */
static void put_member_pointer(struct types *t, Dwarf_Die *die)
{
	Dwarf_Die type;

	if (!types_peel(die, &type))
		return emit_unknown(&t->out);
	emit_number(&t->out, "", 0, dw.dwarf_tag(&type) == DW_TAG_subroutine_type ? 2 * EMIT_POINTER : EMIT_POINTER);
}

/* How many items dimension `i` of an array has, in *count: 0 where that is not told. False: there is no such one. */
static bool dimension(Dwarf_Die *die, unsigned i, uint64_t *count)
{
	Dwarf_Die child;
	int rc = dw.dwarf_child(die, &child);

	for (; rc == 0; rc = dw.dwarf_siblingof(&child, &child)) {
		if (dw.dwarf_tag(&child) != DW_TAG_subrange_type || i--)
			continue;
		if (attribute_number(&child, DW_AT_count, count))
			return true;
		if (!attribute_number(&child, DW_AT_upper_bound, count) || ++*count > UINT32_MAX)
			*count = 0;
		return true;
	}
	return false;
}

/* Numbers that are worked with together: in the registers of floating-point numbers. */
static void put_vector(struct types *t, Dwarf_Die *die)
{
	uint64_t count = 0, size = 0;
	Dwarf_Die type;

	if (!types_peel(die, &type) || !attribute_number(&type, DW_AT_byte_size, &size) || !dimension(die, 0, &count) ||
	    !size || !count || size > 16 || count > 16 / size)
		return emit_unknown(&t->out);
	emit_sized(&t->out, "", BTF_KIND_FLOAT, (uint32_t)(size * count));
}

static void put_array(struct types *t, const struct item *item)
{
	Dwarf_Die die = item->die;
	struct item inner = *item;
	uint64_t count = 0, more;
	uint32_t of;

	if (attribute_flag(&die, DW_AT_GNU_vector))
		return put_vector(t, &die);
	(void)dimension(&die, item->dimension, &count);
	inner.dimension++;
	of = dimension(&die, inner.dimension, &more) ? want(t, &inner) : types_of(t, &die, item->depth);
	emit_array(&t->out, of, count <= UINT32_MAX ? (uint32_t)count : 0);
}

/* Of what has no type in C++, there is only the one of nullptr. */
static void put_unspecified(struct types *t, Dwarf_Die *die)
{
	const char *name = dw.dwarf_diename(die);

	if (name && strstr(name, "nullptr"))
		emit_other(&t->out, "", BTF_KIND_PTR, 0);
	else
		emit_unknown(&t->out);
}

static void put_other_name(struct types *t, Dwarf_Die *die, int depth)
{
	switch (dw.dwarf_tag(die)) {
	case DW_TAG_typedef:
	case DW_TAG_template_alias:
		return emit_other(&t->out, dw.dwarf_diename(die), BTF_KIND_TYPEDEF, types_of(t, die, depth));
	case DW_TAG_const_type:
		return emit_other(&t->out, "", BTF_KIND_CONST, types_of(t, die, depth));
	default:
		return emit_other(&t->out, "", BTF_KIND_VOLATILE, types_of(t, die, depth));
	}
}

static void put(struct types *t, const struct item *item)
{
	Dwarf_Die die = item->die;
	int tag = dw.dwarf_tag(&die);

	if (item->pointer) {
		struct item target = {.die = die, .depth = item->depth - 1};

		return emit_other(&t->out, "", BTF_KIND_PTR, want(t, &target));
	}
	if (is_other_name(tag))
		return put_other_name(t, &die, item->depth);
	switch (tag) {
	case DW_TAG_base_type:
		return put_base(t, &die);
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return put_pointer(t, &die, item->depth);
	case DW_TAG_ptr_to_member_type:
		return put_member_pointer(t, &die);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return members_of_structure(t, &die, item->depth);
	case DW_TAG_enumeration_type:
		return members_of_enum(t, &die);
	case DW_TAG_array_type:
		return put_array(t, item);
	case DW_TAG_unspecified_type:
		return put_unspecified(t, &die);
	default:
		return emit_unknown(&t->out);
	}
}

char *types_finish(struct types *t, uint32_t result, uint32_t *function, size_t *n)
{
	for (size_t i = 0; i < t->n && !t->failed; i++) {
		const struct item item = t->items[i]; /* they move when there are more */

		if (t->out.types.len < BYTES_MAX)
			put(t, &item);
		else
			emit_unknown(&t->out);
	}
	*function = TYPES_UNKNOWN + (uint32_t)t->n + 1;
	emit_function(&t->out, result, &t->parameters);
	return t->failed ? NULL : emit_end(&t->out, n);
}
