/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments and results of functions: read where a call enters, and where it returns, of the functions asked for. */
#include "private.h"

#include <string.h>

#define AGAIN_MAX \
	32 /* times that all is translated again, since code of a function was before its arguments mattered */

bool callargs_asked(const struct plugin *p)
{
	const struct control_config *control = &p->options.control;

	return p->options.args.n || control_compares(control, CONTROL_START | CONTROL_STOP);
}

static bool is_wanted(const struct plugin *p, const struct function *function)
{
	if (!function->name ||
	    !(function->what & CONTROL_WANTED || control_compares(&p->options.control, function->what)))
		return false;
	return control_compares(&p->options.control, function->what) ||
	       control_list_has(&p->options.args, function->name, function->address, function->size);
}

/* The types that a function is told in; NULL: none, as of programs, whose functions have their own. */
static struct btf *types_of(const struct plugin *p, const struct function *function)
{
	if (function->origin == p->kernel.origin)
		return p->types.btf;
	for (const struct module *m = p->modules.first; m; m = m->next) {
		if (m->origin == function->origin)
			return m->types.btf;
	}
	return NULL;
}

/* The name that a function has without what the compiler put behind it; its arguments are not those of its source then.
 */
static bool is_whole(const char *name)
{
	return !strchr(name, '.');
}

/* What is to be read of a function. NULL: no memory. */
static const struct arguments *find(struct plugin *p, const struct function *function)
{
	struct debug_function types;

	if (!is_whole(function->name))
		return arguments_of(NULL, function->name);
	if (programs_types(&p->programs, p->options.root, function, p->options.args_depth, &types))
		return arguments_of_program(&types);
	return arguments_of(types_of(p, function), function->name);
}

bool callargs_of(struct plugin *p, struct function *function)
{
	if (!function || !callargs_asked(p))
		return false;
	if (!function->args && !function->bare && is_wanted(p, function))
		function->args = find(p, function);
	function->bare = !function->args;
	return function->args != NULL;
}

void callargs_jump(struct plugin *p, uint64_t address, const struct x86_insn *insn)
{
	bool jumps = insn->flow == X86_JUMP || insn->flow == X86_BRANCH;
	const struct function *around = NULL;
	struct function *to = NULL;

	if (!callargs_asked(p) || !jumps)
		return;
	around = function_filter_code(p, address);
	to = around && around->args ? (struct function *)function_filter_at(p, insn->target) : NULL;
	if (!to || to == around || to->args || !(to->what & CONTROL_WANTED))
		return;
	to->args = find(p, to);
	if (to->bare && p->args_again++ < AGAIN_MAX && qemu_can_translate_again(&p->qemu))
		qemu_translate_again(&p->qemu);
}

bool callargs_return(struct plugin *p, uint64_t address, const void *host)
{
	const struct function *around;

	if (!callargs_asked(p))
		return false;
	if (!kernel_address(address))
		around = function_filter_program(p, host);
	else
		around = function_filter_code(p, address);
	return (around && around->args) || function_filter_is_return(p, address);
}

/* --- While the guest runs ----------------------------------------------------------------------------------------- */

static void put_values(struct vcpu *v, uint64_t clock, enum ring_more what, uint32_t function,
                       struct ring_values *values)
{
	uint64_t word = (uintptr_t)values;

	if (!values)
		return;
	values->function = function;
	ring_put_more(&v->ring, clock, what, &word);
}

void callargs_enter(struct vcpu *v, uint64_t clock, uint64_t slot, const uint64_t *registers,
                    const struct function *function)
{
	const struct guest_memory memory = hook_memory(v);
	const struct frame *top;

	track_touch(&v->track, clock, slot);
	top = track_on_top(&v->track, slot) ? &v->track.stack->frames[v->track.stack->depth - 1] : NULL;
	if (!function->args || (top && top->function == function->id && !top->interrupt))
		return; /* it jumps back to its own beginning: that is no call */
	put_values(v, clock, RING_ARGS, function->id,
	           arguments_read(function->args, registers, &memory, plugin_self()->options.args_depth));
}

/* The registers of a vCPU while it runs a callback that may ask for them; NULL: they are not to be had. */
static const uint64_t *registers_now(const struct vcpu *v, uint64_t room[REGISTER_API_COUNT])
{
	struct plugin *p = plugin_self();

	if (v->registers)
		return v->registers;
	return p->asked.n == REGISTER_API_COUNT && register_api_read(&p->asked, &p->qemu, room) ? room : NULL;
}

void callback_function_args(unsigned vcpu, void *id)
{
	uint64_t clock;
	struct vcpu *v = vcpu_at(vcpu, &clock);
	const struct function *function = functions_at(&plugin_self()->functions, (uint32_t)(uintptr_t)id);

	if (v && v->registers && function)
		callargs_enter(v, clock, v->registers[X86_RSP], v->registers, function);
	callback_function(vcpu, id);
}

void callback_enter_args(unsigned vcpu, void *id)
{
	uint64_t clock, room[REGISTER_API_COUNT];
	struct vcpu *v = vcpu_at(vcpu, &clock);
	const struct function *function = functions_at(&plugin_self()->functions, (uint32_t)(uintptr_t)id);
	uint64_t slot = v ? callback_slot(v) : 0;
	const uint64_t *registers = slot && function ? registers_now(v, room) : NULL;

	if (registers)
		callargs_enter(v, clock, slot, registers, function);
	callback_enter(vcpu, id);
}

void callargs_call(struct vcpu *v, uint64_t clock, uint64_t slot, const struct function *function)
{
	uint64_t room[REGISTER_API_COUNT];
	const uint64_t *registers = function->args ? registers_now(v, room) : NULL;

	if (registers)
		callargs_enter(v, clock, slot, registers, function);
}

/* The result of the innermost call, when a return from `slot` is its own. */
static void tell_result(struct vcpu *v, uint64_t clock, uint64_t slot)
{
	const struct guest_memory memory = hook_memory(v);
	const struct function *function = NULL;
	uint64_t room[REGISTER_API_COUNT];
	const uint64_t *registers;

	track_touch(&v->track, clock, slot);
	if (track_on_top(&v->track, slot) && !v->track.stack->frames[v->track.stack->depth - 1].interrupt)
		function = functions_at(&plugin_self()->functions,
		                        v->track.stack->frames[v->track.stack->depth - 1].function);
	if (!function || !function->args || function->args->result.place == ARGUMENT_NOWHERE)
		return;
	registers = registers_now(v, room);
	if (registers)
		put_values(
			v, clock, RING_RESULT, function->id,
			arguments_read_result(function->args, registers, &memory, plugin_self()->options.args_depth));
}

void callback_return_args(unsigned vcpu, qemu_access_t access, uint64_t address, void *none)
{
	uint64_t clock;
	struct vcpu *v = vcpu_at(vcpu, &clock);
	const struct plugin *p = plugin_self();

	if (v && !p->qemu.is_store(access) && track_has(&v->track, address))
		tell_result(v, clock, address);
	if (p->blind)
		callback_return_push(vcpu, access, address, none);
	else if (p->lists)
		callback_return_listed(vcpu, access, address, none);
	else
		callback_return(vcpu, access, address, none);
}
