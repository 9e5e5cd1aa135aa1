/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which part of a file's debug information is about the code at an address: each unit is only looked at when it is. */
#include "private.h"

#include <errno.h>
#include <exectrace/base/bound.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

#define UNITS_MAX (1u << 18)
#define RANGES_MAX (1u << 20)
#define FUNCTIONS_MAX (1u << 22)
#define NESTED_MAX 16 /* namespaces within each other */
#define OVERLAPS_MAX 8
#define OLD_CLANG 16 /* the first version that is not */

/* What was compiled at once. */
struct unit {
	Dwarf_Die die;
	struct function_terms terms;
	bool known;  /* its language is */
	bool walked; /* its functions are among those below */
};

/* Code of a unit. */
struct range {
	uint64_t start, end;
	uint32_t unit;
};

struct code {
	uint64_t address;
	Dwarf_Die die;
	uint32_t unit;
};

struct debuginfo {
	struct sections sections;
	Elf *elf;
	Dwarf *dwarf;
	struct debuginfo *other; /* that it needs */
	bool looked;             /* the units are known */
	struct unit *units;
	size_t n_units, cap_units;
	struct range *ranges; /* by their start */
	size_t n_ranges, cap_ranges;
	struct code *functions; /* of the units that were walked, by their address */
	size_t n_functions, cap_functions;
};

bool debuginfo_can(void)
{
	return libdw();
}

int debuginfo_open(struct debuginfo **ret, const struct elf_source *file)
{
	struct debuginfo *d;
	int rc;

	if (!libdw())
		return -ENOSYS;
	d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	rc = sections_read(&d->sections, file);
	if (!rc) {
		d->elf = dw.elf_memory(d->sections.image, d->sections.size);
		d->dwarf = d->elf ? dw.dwarf_begin_elf(d->elf, DWARF_C_READ, NULL) : NULL;
		rc = d->dwarf ? 0 : -EBADMSG;
	}
	if (rc)
		debuginfo_close(d);
	else
		*ret = d;
	return rc;
}

void debuginfo_close(struct debuginfo *d)
{
	if (!d)
		return;
	if (d->dwarf)
		(void)dw.dwarf_end(d->dwarf);
	if (d->elf)
		(void)dw.elf_end(d->elf);
	debuginfo_close(d->other);
	free(d->sections.image);
	free(d->units);
	free(d->ranges);
	free(d->functions);
	free(d);
}

size_t debuginfo_size(const struct debuginfo *d)
{
	return d->sections.size + (d->other ? d->other->sections.size : 0);
}

const struct debuginfo_link *debuginfo_link(const struct debuginfo *d)
{
	return *d->sections.link.path ? &d->sections.link : NULL;
}

void debuginfo_set_link(struct debuginfo *d, struct debuginfo *other)
{
	d->other = other;
	dw.dwarf_setalt(d->dwarf, other->dwarf);
}

/* --- Units -------------------------------------------------------------------------------------------------------- */

/* C or C++, which pass arguments as the ABI for them has it. */
static bool language(int number, struct function_terms *terms)
{
	switch (number) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case 0x2c: /* DW_LANG_C17, newer than the oldest header we build with */
	case 0x3e: /* DW_LANG_C23 */
		return true;
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2a: /* DW_LANG_C_plus_plus_17 */
	case 0x2b: /* DW_LANG_C_plus_plus_20 */
	case 0x3a: /* DW_LANG_C_plus_plus_23 */
		terms->cxx = true;
		return true;
	default:
		return false;
	}
}

static bool is_old_clang(Dwarf_Die *die)
{
	static const char clang[] = "clang version ";
	Dwarf_Attribute attribute;
	const char *producer = dw.dwarf_attr(die, DW_AT_producer, &attribute) ? dw.dwarf_formstring(&attribute) : NULL;
	const char *found = producer ? strstr(producer, clang) : NULL;

	return found && strtol(found + sizeof(clang) - 1, NULL, 10) < OLD_CLANG;
}

static void add_ranges(struct debuginfo *d, Dwarf_Die *die)
{
	Dwarf_Addr base = 0, start = 0, end = 0;
	ptrdiff_t at = 0;

	while (d->n_ranges < RANGES_MAX && (at = dw.dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (start >= end)
			continue;
		if (grow_array((void **)&d->ranges, d->n_ranges, &d->cap_ranges, sizeof(*d->ranges)))
			return;
		d->ranges[d->n_ranges++] = (struct range){start, end, (uint32_t)d->n_units - 1};
	}
}

static int by_start(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Finds out which units there are, and what code each is about. */
static void find_units(struct debuginfo *d)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type = 0;

	d->looked = true;
	while (d->n_units < UNITS_MAX && dw.dwarf_get_units(d->dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		if (!die.addr || dw.dwarf_tag(&die) != DW_TAG_compile_unit)
			continue;
		if (grow_array((void **)&d->units, d->n_units, &d->cap_units, sizeof(*d->units)))
			break;
		d->units[d->n_units++] = (struct unit){.die = die};
		add_ranges(d, &die);
	}
	if (d->n_ranges)
		qsort(d->ranges, d->n_ranges, sizeof(*d->ranges), by_start);
}

/* --- Functions ---------------------------------------------------------------------------------------------------- */

/* Where a function begins, also one whose code is in several places. */
static bool find_address(Dwarf_Die *die, uint64_t *address)
{
	Dwarf_Addr start = 0, base = 0, end = 0;

	if (dw.dwarf_lowpc(die, &start) && dw.dwarf_ranges(die, 0, &base, &start, &end) <= 0)
		return false;
	*address = start;
	return start != 0;
}

static void walk(struct debuginfo *d, Dwarf_Die *parent, uint32_t unit, unsigned depth)
{
	Dwarf_Die die;
	int rc = dw.dwarf_child(parent, &die);

	for (; rc == 0 && d->n_functions < FUNCTIONS_MAX; rc = dw.dwarf_siblingof(&die, &die)) {
		struct code code = {.die = die, .unit = unit};
		int tag = dw.dwarf_tag(&die);

		if ((tag == DW_TAG_namespace || tag == DW_TAG_module) && depth)
			walk(d, &die, unit, depth - 1);
		if (tag != DW_TAG_subprogram || !find_address(&die, &code.address))
			continue;
		if (grow_array((void **)&d->functions, d->n_functions, &d->cap_functions, sizeof(*d->functions)))
			return;
		d->functions[d->n_functions++] = code;
	}
}

static int by_address(const void *a, const void *b)
{
	const struct code *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void walk_unit(struct debuginfo *d, uint32_t number)
{
	struct unit *unit = &d->units[number];

	if (unit->walked)
		return;
	unit->walked = true;
	unit->known = language(dw.dwarf_srclang(&unit->die), &unit->terms);
	unit->terms.old_clang = is_old_clang(&unit->die);
	if (!unit->known)
		return;
	walk(d, &unit->die, number, NESTED_MAX);
	if (d->n_functions)
		qsort(d->functions, d->n_functions, sizeof(*d->functions), by_address);
}

/* Walks the units that have code at an address. They may overlap where a linker has merged code. */
static void walk_units_of(struct debuginfo *d, uint64_t address)
{
	size_t n = BOUND_ABOVE(d->ranges, d->n_ranges, start, address);

	for (unsigned i = 0; i < OVERLAPS_MAX && i < n; i++) {
		const struct range *range = &d->ranges[n - 1 - i];

		if (address < range->end)
			walk_unit(d, range->unit);
	}
}

static bool is_named(Dwarf_Die *die, const char *name)
{
	Dwarf_Attribute attribute;
	const char *linked = NULL, *plain = dw.dwarf_diename(die);

	if (dw.dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute))
		linked = dw.dwarf_formstring(&attribute);
	return (linked && strcmp(linked, name) == 0) || (plain && strcmp(plain, name) == 0);
}

/* The one at an address; of several, which one linker has made one, that of the name. */
static struct code *find(struct debuginfo *d, uint64_t address, const char *name)
{
	size_t end = BOUND_ABOVE(d->functions, d->n_functions, address, address), at = end;

	while (at && d->functions[at - 1].address == address)
		at--;
	if (end - at == 1)
		return &d->functions[at];
	for (; at < end; at++) {
		if (is_named(&d->functions[at].die, name))
			return &d->functions[at];
	}
	return NULL;
}

int debuginfo_function(struct debuginfo *d, uint64_t address, const char *name, unsigned depth,
                       struct debug_function *f)
{
	struct function_terms terms;
	struct code *code;

	if (!d->looked)
		find_units(d);
	walk_units_of(d, address);
	code = find(d, address, name);
	if (!code)
		return -ENOENT;
	terms = d->units[code->unit].terms;
	terms.depth = depth;
	return function_of(&code->die, address, &terms, f);
}
