/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of functions. What is on none costs nothing where it runs; but the functions that are wanted have to be told
 * from what they call, or its time would be taken for theirs. So a call that is made in one of them and leads to none
 * becomes a call of [filtered], which ends where its caller goes on.
 *
 * The returns of others need not be seen, unless a function that is told jumps to one of them at its end: then that
 * one's return ends the call. What was translated before that was known is translated again. Where such a jump leads
 * cannot always be foretold; once there is one of those, all returns are looked at.
 */
#include "private.h"

#include <exectrace/base/bound.h>
#include <string.h>

#define NAME_BYTES 512 /* of a function of the kernel (KSYM_NAME_LEN) */
#define AGAIN_MAX 16   /* times that all is translated again for one more function */

/* The last symbol that begins at an address or before it, as far as it reaches. */
static bool symbol_around(const struct symbols *table, uint64_t address, struct function *want)
{
	size_t n = BOUND_ABOVE(table->items, table->n, address, address);
	const struct symbol *symbol = n ? &table->items[n - 1] : NULL;

	/* Several may begin there; the others look for the first. */
	symbol = symbol ? symbols_at(table, symbol->address) : NULL;
	if (!symbol || (symbol->size && address - symbol->address >= symbol->size))
		return false;
	want->address = symbol->address;
	want->size = symbol->size;
	want->name = symbol->name;
	return true;
}

static bool module_around(const struct plugin *p, uint64_t address, struct function *want)
{
	for (const struct module *m = p->modules.first; m; m = m->next) {
		if (m->gone || address < m->start || address >= m->end || !symbol_around(&m->symbols, address, want))
			continue;
		want->origin = m->origin;
		return true;
	}
	return false;
}

/* How long a name is without what the compiler adds for the part that seldom runs, which lies elsewhere. */
static size_t name_length(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold && (!cold[5] || cold[5] == '.') ? (size_t)(cold - name) : strlen(name);
}

/* For the part of a wanted function that seldom runs: the function. */
static void whole_function(const struct plugin *p, struct function *want)
{
	const struct kallsyms *table = &p->kernel.table;
	size_t n = name_length(want->name);
	const struct kallsym *symbol = NULL;
	char name[NAME_BYTES];

	if (!want->name[n] || n >= sizeof(name))
		return;
	memcpy(name, want->name, n);
	name[n] = '\0';
	if (control_function(p->functions.control, name, want->origin->name, want->address, want->size) &
	    CONTROL_WANTED)
		symbol = kallsyms_find(table, name);
	if (symbol)
		(void)kernel_look(&p->kernel, symbol->address, want);
}

static bool kernel_around(const struct plugin *p, uint64_t address, struct function *want)
{
	bool inside = address >= p->kernel.start && address < p->kernel.end;
	const struct kallsym *symbol = inside ? kallsyms_function(&p->kernel.table, address) : NULL;

	if (!symbol || kernel_look(&p->kernel, symbol->address, want) != KERNEL_FUNCTION)
		return false;
	if (p->functions.control)
		whole_function(p, want);
	return true;
}

static bool program_around(struct plugin *p, const void *host, struct function *want)
{
	const struct programs_context context = {&p->types, &p->pages, &p->functions, &p->kernel, p->options.root};
	struct program_place place;
	uint64_t address, physical = host && p->pages.root ? pages_physical(&p->pages, (uintptr_t)host) : UINT64_MAX;

	if (physical == UINT64_MAX || !programs_find(&p->programs, &context, physical, &place))
		return false;
	address = elfimage_address(&place.program->image, place.offset);
	want->origin = place.program->origin;
	return address && symbol_around(&place.program->image.symbols, address, want);
}

const struct function *function_filter_program(struct plugin *p, const void *host)
{
	struct function want = {0};
	const struct function *function = program_around(p, host, &want) ? functions_get(&p->functions, &want) : NULL;

	return function && function->what & CONTROL_WANTED ? function : NULL;
}

struct function *function_filter_code(struct plugin *p, uint64_t address)
{
	struct function want = {0};
	bool known = kernel_around(p, address, &want) || module_around(p, address, &want);

	return known ? functions_get(&p->functions, &want) : NULL;
}

bool function_filter_return_counts(struct plugin *p, struct function *function)
{
	if (p->elsewhere || !function || function->what || function->ends || hook_of(p, function->name))
		return true;
	function->passed = true;
	return false;
}

/* --- Jumps to others ---------------------------------------------------------------------------------------------- */

void function_filter_start(struct plugin *p)
{
	if (p->blind || p->astray || !p->elsewhere || !qemu_can_translate_again(&p->qemu))
		return;
	p->elsewhere = false;
	if (p->begun)
		qemu_translate_again(&p->qemu);
}

/* From now on all returns count. */
static void give_up(struct plugin *p)
{
	if (!p->elsewhere)
		qemu_translate_again(&p->qemu);
	p->elsewhere = p->astray = true;
}

bool function_filter_is_return(const struct plugin *p, uint64_t address)
{
	const struct kallsym *symbol = kallsyms_lookup(&p->kernel.table, address);

	return symbol && symbol->address == address && strstr(kallsyms_name(&p->kernel.table, symbol), "return_thunk");
}

/* Code of a function may go on at an address. */
static void goes_on(struct plugin *p, const struct function *function, uint64_t address)
{
	struct function *there = function_filter_code(p, address);

	if (!there && !function_filter_is_return(p, address))
		give_up(p);
	if (!there || there == function || there->what || there->ends)
		return;
	there->ends = true;
	if (there->passed && p->again++ < AGAIN_MAX)
		qemu_translate_again(&p->qemu);
	else if (there->passed)
		give_up(p);
}

void function_filter_end(struct plugin *p, const struct function *function, const struct x86_insn *insn,
                         uint64_t behind)
{
	if (p->astray || !(function->what || function->ends))
		return;
	if (insn->flow == X86_JUMP_INDIRECT)
		give_up(p);
	if (insn->flow == X86_JUMP || insn->flow == X86_BRANCH)
		goes_on(p, function, insn->target);
	if (insn->flow == X86_OTHER || insn->flow == X86_BRANCH)
		goes_on(p, function, behind);
}

const struct function *function_filter_at(struct plugin *p, uint64_t address)
{
	struct function want;

	if (kernel_look(&p->kernel, address, &want) != KERNEL_FUNCTION && !modules_look(&p->modules, address, &want))
		return NULL;
	return functions_get(&p->functions, &want);
}
