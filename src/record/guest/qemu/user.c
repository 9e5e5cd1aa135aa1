/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of programs: by their file where that can be known, else by their address alone. */
#include "private.h"

/* The place in a file of code at a physical address. */
static bool place_of(struct plugin *p, uint64_t physical, struct program_place *place)
{
	const struct programs_context context = {&p->types, &p->pages, &p->functions, &p->kernel, p->options.root};

	return physical != UINT64_MAX && pages_find(&p->pages) &&
	       programs_find(&p->programs, &context, physical, place);
}

const struct function *user_target(struct plugin *p, uint64_t target, uint64_t physical, uint64_t distance)
{
	struct function want = {.origin = p->user, .address = target};
	struct program_place place;

	if (p->plain)
		return unknown_kernel_function(p, target);
	if (place_of(p, physical, &place)) {
		place.offset += distance;
		if (!program_function(&place, &want))
			want = (struct function){.origin = p->user, .address = target};
	}
	return functions_get(&p->functions, &want);
}

const struct function *user_function(struct plugin *p, uint64_t address, uint64_t physical)
{
	return user_target(p, address, physical, 0);
}
