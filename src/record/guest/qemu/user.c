/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of programs: by their file where that can be known, else by their address alone. */
#include "private.h"

static struct programs_context context_of(struct plugin *p)
{
	return (struct programs_context){&p->types, &p->pages, &p->functions, &p->kernel, p->options.root};
}

/* The place in a file of code at a physical address. */
static bool place_of(struct plugin *p, uint64_t physical, struct program_place *place)
{
	const struct programs_context context = context_of(p);

	return physical != UINT64_MAX && pages_find(&p->pages) &&
	       programs_find(&p->programs, &context, physical, place);
}

void user_look_at_stub(struct function *function, const uint8_t *bytes, size_t n)
{
	struct x86_stub stub;

	function->stub = x86_is_stub(bytes, n, &stub) ? FUNCTION_STUB : FUNCTION_NO_STUB;
	if (function->stub == FUNCTION_STUB) {
		function->stub_size = stub.size;
		function->stub_slot = stub.slot;
	}
}

/* In the file, where the page need not be mapped yet. No symbol is at a stub; what has a name is a function. */
static void look_at_stub(struct plugin *p, const struct program_place *place, struct function *function)
{
	const struct programs_context context = context_of(p);
	size_t left = PAGE_BYTES - place->offset % PAGE_BYTES, n = left < X86_STUB_MAX ? left : X86_STUB_MAX;
	uint8_t bytes[X86_STUB_MAX];

	if (function->name)
		function->stub = FUNCTION_NO_STUB;
	else if (programs_read(&context, place, bytes, n))
		user_look_at_stub(function, bytes, n);
}

struct function *user_target(struct plugin *p, uint64_t target, uint64_t physical, uint64_t distance)
{
	struct function want, *function = NULL;
	struct program_place place;
	bool known = !p->plain && place_of(p, physical, &place);

	if (p->plain)
		return unknown_kernel_function(p, target);
	if (known)
		place.offset += distance;
	if (!known || !(known = program_function(&place, &want)))
		want = (struct function){.origin = p->user, .address = target};
	function = functions_get(&p->functions, &want);
	if (function && known && function->stub == FUNCTION_STUB_UNKNOWN)
		look_at_stub(p, &place, function);
	return function;
}

struct function *user_in_file(struct plugin *p, uint64_t physical, uint64_t distance, bool *always)
{
	struct program_place place;
	struct function want;
	uint64_t here;

	if (p->plain || !place_of(p, physical, &place))
		return NULL;
	here = elfimage_address(&place.program->image, place.offset);
	place.offset += distance;
	/* Code of one file is mapped with the distances that the linker has set. */
	if (!here || !program_function(&place, &want) || want.address - here != distance)
		return NULL;
	*always = !place.program->image.dynamic;
	return functions_get(&p->functions, &want);
}

struct function *user_function(struct plugin *p, uint64_t address, uint64_t physical)
{
	return user_target(p, address, physical, 0);
}
