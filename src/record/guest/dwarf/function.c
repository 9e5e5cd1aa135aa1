/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one function takes and gives. The calling convention says where that is, unless the compiler knew all callers,
 * of a function that has no name outside of its file: it may then leave out a parameter that is not needed, and what
 * follows moves up. So what is said about the place of each at the first instruction (DW_AT_location) counts first.
 */
#include "private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ORIGINS_MAX 4       /* instances of instances */
#define CHILDREN_MAX 100000 /* of a function that are looked at */
#define GENERAL 16          /* registers that have such numbers */
#define LATER_MAX 8         /* places of a parameter that are looked at */

enum where {
	WHERE_MISSING,  /* it has no place there */
	WHERE_REGISTER, /* it is in a general register */
	WHERE_OTHER,    /* in memory, in several, in a register for floating-point numbers */
	WHERE_LATER,    /* it has one a few instructions later: so it was given */
};

/* A function's DIE, and that which has all parameters. */
struct subject {
	Dwarf_Die die, list;
	uint64_t address;
	bool inner;     /* it has no name outside of its file */
	bool usual;     /* it is called as the convention has it, as far as is said */
	bool in_memory; /* a parameter is, as all are where nothing was optimised, ... */
	bool elsewhere; /* ... or is not */
};

/* Numbers of registers in DWARF (System V ABI, AMD64, 3.6.2) to those in instructions. */
static const uint8_t registers[GENERAL] = {0, 2, 1, 3, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15};

/* --- Places ------------------------------------------------------------------------------------------------------- */

/* Not a place, but a value. */
static bool is_value(uint8_t operation)
{
	switch (operation) {
	case DW_OP_stack_value:
	case DW_OP_implicit_value:
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
	case DW_OP_addr:
	case DW_OP_addrx:
		return true;
	default:
		return false;
	}
}

/* A value that is made of what is in a register for arguments, as that of a bool whose other bits do not count. */
static bool is_made_of_argument(const Dwarf_Op *operations, size_t n)
{
	switch (operations->atom) {
	case DW_OP_breg1:
	case DW_OP_breg2:
	case DW_OP_breg4:
	case DW_OP_breg5:
	case DW_OP_breg8:
	case DW_OP_breg9:
		return n > 1 && operations[n - 1].atom == DW_OP_stack_value;
	default:
		return false;
	}
}

static bool is_register(const Dwarf_Op *operation)
{
	return operation->atom >= DW_OP_reg0 && operation->atom < DW_OP_reg0 + GENERAL;
}

static enum where find_later(Dwarf_Attribute *attribute)
{
	Dwarf_Addr base, start, end;
	Dwarf_Op *operations;
	size_t n = 0;
	ptrdiff_t at = 0;

	for (int i = 0; i < LATER_MAX; i++) {
		at = dw.dwarf_getlocations(attribute, at, &base, &start, &end, &operations, &n);
		if (at <= 0)
			break;
		if (n == 1 && is_register(operations))
			return WHERE_LATER;
	}
	return WHERE_MISSING;
}

/* Where a parameter is when its function begins. */
static enum where find_place(Dwarf_Die *die, uint64_t address, uint8_t *place)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *operations;
	size_t n = 0;

	if (!dw.dwarf_attr(die, DW_AT_location, &attribute))
		return WHERE_MISSING;
	if (dw.dwarf_getlocation_addr(&attribute, address, &operations, &n, 1) != 1 || !n)
		return find_later(&attribute);
	if (n == 1 && is_register(operations)) {
		*place = registers[operations->atom - DW_OP_reg0];
		return WHERE_REGISTER;
	}
	for (size_t i = 0; i < n && !is_made_of_argument(operations, n); i++) {
		if (is_value(operations[i].atom))
			return WHERE_MISSING;
	}
	return WHERE_OTHER;
}

/* The DIE of a parameter in the instance whose code there is. False: it was left out there. */
static bool find_instance(struct subject *s, Dwarf_Die *parameter, Dwarf_Die *instance)
{
	Dwarf_Die origin;
	int rc, left = CHILDREN_MAX;

	*instance = *parameter;
	if (s->list.addr == s->die.addr)
		return true;
	for (rc = dw.dwarf_child(&s->die, instance); rc == 0 && left--; rc = dw.dwarf_siblingof(instance, instance)) {
		if (dw.dwarf_tag(instance) == DW_TAG_formal_parameter &&
		    attribute_die(instance, DW_AT_abstract_origin, &origin) && origin.addr == parameter->addr)
			return true;
	}
	return false;
}

static uint8_t place_of(struct subject *s, Dwarf_Die *parameter, bool *sure)
{
	uint8_t place = DEBUGINFO_NOWHERE;
	enum where where = WHERE_MISSING;
	Dwarf_Die instance;

	if (find_instance(s, parameter, &instance))
		where = find_place(&instance, s->address, &place);
	s->in_memory |= where == WHERE_OTHER;
	s->elsewhere |= where != WHERE_OTHER;
	if (where != WHERE_REGISTER && where != WHERE_OTHER && s->inner)
		*sure = false;
	if ((where == WHERE_OTHER || where == WHERE_LATER) && *sure)
		return DEBUGINFO_BY_RULE;
	return place; /* nowhere, too, when nobody needs it: callers that know that pass anything */
}

/* --- Types -------------------------------------------------------------------------------------------------------- */

static uint32_t parameter_type(struct types *t, Dwarf_Die *parameter, bool cxx, int depth)
{
	switch (cxx ? classes_passing(parameter) : PASSED_AS_C) {
	case PASSED_BY_REFERENCE:
		return types_pointer_to(t, parameter, depth);
	case PASSED_UNKNOWN:
		return TYPES_UNKNOWN;
	default:
		return types_of(t, parameter, depth);
	}
}

static uint32_t result_type(struct types *t, Dwarf_Die *die, bool cxx, int depth, bool *hidden)
{
	enum passing_class passing = cxx ? classes_passing(die) : PASSED_AS_C;

	*hidden = passing == PASSED_BY_REFERENCE;
	return passing == PASSED_AS_C ? types_of(t, die, depth) : TYPES_UNKNOWN;
}

/* --- The function ------------------------------------------------------------------------------------------------- */

static void read_parameters(struct subject *s, struct types *t, const struct function_terms *terms,
                            struct debug_function *f)
{
	unsigned n = 0;
	bool sure = s->usual;
	Dwarf_Die child;
	int rc = dw.dwarf_child(&s->list, &child), left = CHILDREN_MAX;

	for (; rc == 0 && n < DEBUGINFO_PLACES && left--; rc = dw.dwarf_siblingof(&child, &child)) {
		int tag = dw.dwarf_tag(&child);

		if (tag == DW_TAG_unspecified_parameters || tag == DW_TAG_GNU_formal_parameter_pack)
			break;
		if (tag != DW_TAG_formal_parameter)
			continue;
		f->places[n++] = place_of(s, &child, &sure);
		types_parameter(t, dw.dwarf_diename(&child), parameter_type(t, &child, terms->cxx, (int)terms->depth));
	}
}

/* Before version 16 clang does not say of which functions it has left out parameters, or a result that nobody looks at:
 * of any that only their own file knows, when it optimises. */
static void distrust(struct subject *s, struct debug_function *f)
{
	bool optimised = s->elsewhere || !s->in_memory || dw.dwarf_hasattr(&s->die, DW_AT_call_all_calls) ||
	                 dw.dwarf_hasattr(&s->die, DW_AT_GNU_all_call_sites);

	if (!s->inner || !optimised)
		return;
	for (unsigned i = 0; i < DEBUGINFO_PLACES; i++)
		f->places[i] = f->places[i] == DEBUGINFO_BY_RULE ? DEBUGINFO_NOWHERE : f->places[i];
	f->result = false;
}

/* Finds out how a function is called. */
static void look(struct subject *s, Dwarf_Die *die, uint64_t address)
{
	uint64_t convention = DW_CC_normal;
	Dwarf_Die origin;

	*s = (struct subject){.die = *die, .list = *die, .address = address};
	for (int i = 0; i < ORIGINS_MAX && attribute_die(&s->list, DW_AT_abstract_origin, &origin); i++)
		s->list = origin;
	(void)attribute_number(die, DW_AT_calling_convention, &convention);
	s->inner = !attribute_flag(die, DW_AT_external);
	s->usual = convention == DW_CC_normal;
}

int function_of(Dwarf_Die *die, uint64_t address, const struct function_terms *terms, struct debug_function *f)
{
	struct types *t = types_new();
	struct subject s;
	uint32_t result;
	size_t n = 0;
	int rc = -ENOMEM;

	*f = (struct debug_function){0};
	if (!t)
		return rc;
	memset(f->places, DEBUGINFO_NOWHERE, sizeof(f->places));
	look(&s, die, address);
	read_parameters(&s, t, terms, f);
	f->result = s.usual;
	if (terms->old_clang)
		distrust(&s, f);
	result = result_type(t, die, terms->cxx, (int)terms->depth, &f->hidden);
	f->bytes = types_finish(t, result, &f->type, &n);
	if (f->bytes)
		rc = btf_open(&f->btf, f->bytes, n);
	if (rc) {
		free(f->bytes);
		f->bytes = NULL;
	}
	types_free(t);
	return rc;
}
