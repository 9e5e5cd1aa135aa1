/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What calls of programs lead to when that is not the same each time. A call of a stub is one of what the stub jumps to:
 * where its slot leads is looked up once for a process, and once for all where no dynamic linker fills it.
 */
#include "private.h"

#define PAGE_MASK (~4095ull)
#define LOADS_BITS 30 /* of a number of a process */

/*
 * A number that stays as long as a vCPU runs the same task, and no program has begun anywhere: so long functions of
 * the same file have the same targets.
 */
static uint64_t process_of(const struct vcpu *v)
{
	uint32_t loads = atomic_load_explicit(&plugin_self()->processes, memory_order_relaxed);

	return v->track.kernel_key << LOADS_BITS | (loads & ((1u << LOADS_BITS) - 1));
}

/*
 * Where an indirect call goes. False: cannot be known. In code of 32 bits addresses are of that size, and what would be
 * relative to the instruction is not.
 */
static bool indirect_target(const struct vcpu *v, const struct site *site, bool narrow, uint64_t *target)
{
	const struct x86_operand *operand = &site->operand;
	const struct qemu *q = &plugin_self()->qemu;
	uint64_t address;

	if (!v->registers || operand->segment)
		return false;
	address = x86_address(operand, v->registers);
	if (narrow)
		address = (uint32_t)(address - (operand->base == X86_RIP ? site->behind : 0));
	if (!operand->memory)
		*target = v->registers[operand->base];
	else if (!q->read_memory || q->read_memory(v->cpu, address, target, sizeof(*target), false) != 0)
		return false;
	if (narrow)
		*target = (uint32_t)*target;
	return true;
}

/* Where an address of the program that runs is in the guest's memory. */
static uint64_t physical_of(const struct vcpu *v, uint64_t address)
{
	const struct qemu *q = &plugin_self()->qemu;
	uint64_t attributes[2] = {0}; /* flags, which are not needed; no version has more of them */
	uint64_t page = UINT64_MAX;

	if (q->translate && !q->translate(address & PAGE_MASK, &page))
		page = UINT64_MAX;
	else if (!q->translate && q->physical_page && v->cpu)
		page = q->physical_page(v->cpu, address & PAGE_MASK, attributes);
	return page == UINT64_MAX ? UINT64_MAX : (page & PAGE_MASK) | (address & ~PAGE_MASK);
}

/* --- Stubs -------------------------------------------------------------------------------------------------------- */

/* What there is at an address, up to the end of its page. How many bytes. */
static size_t read_code(struct vcpu *v, uint64_t address, uint8_t bytes[X86_STUB_MAX])
{
	size_t left = PAGE_BYTES - address % PAGE_BYTES, n = left < X86_STUB_MAX ? left : X86_STUB_MAX;

	return hook_read(v, address, bytes, n) ? n : 0;
}

static bool is_stub(struct vcpu *v, struct function *function, uint64_t address)
{
	uint8_t bytes[X86_STUB_MAX];
	size_t n;

	if (function->stub == FUNCTION_STUB_UNKNOWN && function->name)
		function->stub = FUNCTION_NO_STUB;
	if (function->stub == FUNCTION_STUB_UNKNOWN && (n = read_code(v, address, bytes)))
		user_look_at_stub(function, bytes, n);
	return function->stub == FUNCTION_STUB;
}

/* Where a stub at an address jumps to. 0: not to be known, or to the dynamic linker, which will fill the slot. */
static uint64_t behind_stub(struct vcpu *v, const struct function *stub, uint64_t address, bool narrow)
{
	uint64_t slot = address + stub->stub_size + (uint64_t)(int64_t)stub->stub_slot, target = 0;
	uint8_t bytes[X86_STUB_MAX];
	size_t n;

	if (narrow)
		slot = (uint32_t)stub->stub_slot;
	if (!hook_read(v, slot, &target, narrow ? sizeof(uint32_t) : sizeof(target)))
		return 0;
	n = read_code(v, target, bytes);
	return x86_is_unbound(bytes, n) ? 0 : target;
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

/* Where a call with a fixed target goes. Code that runs at several addresses may have been translated for another. */
static uint64_t fixed_target(struct vcpu *v, const struct site *site, uint64_t slot, bool narrow)
{
	uint64_t behind = 0;

	if (!hook_read(v, slot, &behind, narrow ? sizeof(uint32_t) : sizeof(behind)))
		return site->address;
	return site->address + (behind - site->behind);
}

/* What was found stays for the next calls, of all processes or of this one. */
static void keep(struct site *site, const struct function *function, uint64_t target, uint64_t process)
{
	site->target = 0;
	site->last = function;
	site->process = process;
	site->target = target;
}

/* A call of a stub, and what it was found to lead to. */
struct through {
	struct function *stub;
	uint64_t address, physical; /* of the stub */
	bool narrow;
	struct function *function; /* NULL: not known yet */
	bool known;                /* its file too, when it has one */
	bool always;               /* for each process */
};

static void follow(struct vcpu *v, struct through *t)
{
	struct plugin *p = plugin_self();
	uint64_t target = behind_stub(v, t->stub, t->address, t->narrow), physical;

	if (!target)
		return;
	t->function = user_behind_stub(p, t->physical, target - t->address, &t->always);
	t->known = t->function != NULL;
	if (t->known)
		return;
	physical = physical_of(v, target);
	t->function = user_function(p, target, physical);
	t->known = physical != UINT64_MAX; /* a page that is not there yet will be, with the file that it is of */
}

static const struct function *through_stub(struct vcpu *v, struct site *site, struct through *t)
{
	uint64_t process = process_of(v);

	follow(v, t);
	if (!t->function)
		return t->stub;
	(void)callargs_of(plugin_self(), t->function);
	if (t->always && site->fixed)
		site->function = t->function;
	else if (t->known)
		keep(site, t->function, site->fixed ? site->address : t->address, t->always ? 0 : process);
	return t->function;
}

static const struct function *look_up(struct vcpu *v, struct site *site, uint64_t slot, uint64_t target, bool narrow)
{
	struct plugin *p = plugin_self();
	uint64_t physical = UINT64_MAX;
	struct function *function = (struct function *)site->fixed;
	const struct function *found;

	if (function)
		target = fixed_target(v, site, slot, narrow);
	if (target)
		physical = physical_of(v, target);
	pthread_mutex_lock(&p->lock);
	if (!function)
		function = user_function(p, target, physical);
	found = function;
	if (function && target && is_stub(v, function, target)) {
		found = through_stub(v, site, &(struct through){.stub = function, .address = target, .physical = physical, .narrow = narrow});
	} else if (site->fixed) {
		site->function = function->stub == FUNCTION_NO_STUB ? function : NULL;
	} else {
		(void)callargs_of(p, function);
		keep(site, function, physical == UINT64_MAX ? 0 : target, 0);
	}
	pthread_mutex_unlock(&p->lock);
	return found;
}

const struct function *target_of_call(struct vcpu *v, struct site *site, uint64_t slot, bool narrow)
{
	uint64_t target = site->address;

	if (!site->fixed && !indirect_target(v, site, narrow, &target))
		target = 0;
	if (site->last && site->target == target && (!site->process || site->process == process_of(v)))
		return site->last;
	return look_up(v, site, slot, target, narrow);
}
