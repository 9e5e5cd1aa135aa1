/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of classes: how C++ passes them (Itanium C++ ABI, 3.1.2.3). */
#include "private.h"

#include <string.h>

#define STEPS_MAX 2000 /* members and functions that are looked at */
#define NESTED_MAX 8

static bool is_class(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* A constructor, a destructor, or a virtual function: a constructor has the name of its template, too. */
static bool is_special(Dwarf_Die *function, const char *class)
{
	const char *name = dw.dwarf_diename(function);
	size_t n = class ? strcspn(class, "<") : 0;

	if (dw.dwarf_hasattr(function, DW_AT_virtuality) || !name || *name == '~')
		return true;
	return n && strncmp(name, class, n) == 0 && (!name[n] || name[n] == '<');
}

static bool is_plain(Dwarf_Die *class, unsigned nested, unsigned *steps);

/* The class of a member, or of items of an array of them, is plain, if it is one. */
static bool is_plain_member(Dwarf_Die *member, unsigned nested, unsigned *steps)
{
	Dwarf_Die type, items;

	if (!types_peel(member, &type))
		return false;
	for (unsigned i = 0; i < NESTED_MAX && dw.dwarf_tag(&type) == DW_TAG_array_type; i++) {
		if (!types_peel(&type, &items))
			return false;
		type = items;
	}
	return !is_class(dw.dwarf_tag(&type)) || is_plain(&type, nested, steps);
}

/* True for one of which it is sure that it is copied byte for byte: where functions may do that, it is not. */
static bool is_plain(Dwarf_Die *class, unsigned nested, unsigned *steps)
{
	const char *name = dw.dwarf_diename(class);
	Dwarf_Die child;
	int rc;

	if (!nested || dw.dwarf_hasattr(class, DW_AT_declaration) || dw.dwarf_hasattr(class, DW_AT_containing_type))
		return false;
	for (rc = dw.dwarf_child(class, &child); rc == 0; rc = dw.dwarf_siblingof(&child, &child)) {
		int tag = dw.dwarf_tag(&child);

		if (!*steps)
			return false;
		--*steps;
		if (tag == DW_TAG_subprogram && is_special(&child, name))
			return false;
		if (tag == DW_TAG_inheritance && dw.dwarf_hasattr(&child, DW_AT_virtuality))
			return false;
		if ((tag == DW_TAG_inheritance ||
		     (tag == DW_TAG_member && !dw.dwarf_hasattr(&child, DW_AT_declaration))) &&
		    !is_plain_member(&child, nested - 1, steps))
			return false;
	}
	return rc > 0;
}

enum passing_class classes_passing(Dwarf_Die *holder)
{
	uint64_t convention = 0;
	unsigned steps = STEPS_MAX;
	Dwarf_Die type;

	if (!types_peel(holder, &type) || !is_class(dw.dwarf_tag(&type)))
		return PASSED_AS_C;
	/* clang says it. */
	if (!attribute_number(&type, DW_AT_calling_convention, &convention))
		return is_plain(&type, NESTED_MAX, &steps) ? PASSED_AS_C : PASSED_UNKNOWN;
	return convention == DW_CC_pass_by_value ? PASSED_AS_C : PASSED_BY_REFERENCE;
}
