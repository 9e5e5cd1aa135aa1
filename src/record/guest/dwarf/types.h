/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types that are being made, for types.c and members.c. */
#ifndef EXECTRACE_SRC_RECORD_GUEST_DWARF_TYPES_H
#define EXECTRACE_SRC_RECORD_GUEST_DWARF_TYPES_H

#include "emit.h"

#define ITEMS_MAX 4096u
#define TABLE (2 * ITEMS_MAX) /* a power of two */

/* One type that is wanted. */
struct item {
	Dwarf_Die die;
	int depth;          /* pointers that lead on to structures with members; negative: none, nor has this one */
	unsigned dimension; /* of an array of arrays: how many are outside of this one */
	bool pointer;       /* not the DIE's own type, but what points to that */
};

struct types {
	struct emit out;
	struct item *items;
	size_t n, cap;
	uint16_t table[TABLE]; /* of items, by their hash: index + 1 */
	struct emit_list parameters;
	unsigned steps; /* DIEs that may still be looked at */
	bool failed;
};

/* What is only declared may be whole elsewhere (DWARF 4, 5.5.1). */
void types_find_whole(Dwarf_Die *die);

/* members.c: one type each. depth: as of an item. */
void members_of_enum(struct types *t, Dwarf_Die *die);
void members_of_structure(struct types *t, Dwarf_Die *die, int depth);

#endif
