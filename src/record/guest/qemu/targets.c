/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What calls of programs lead to when that is not the same each time. A call of a stub is one of what the stub jumps
 * to: where its slot leads is looked up once for a process, and once for all where no dynamic linker fills it.
 */
#include "private.h"

#define PAGE_MASK (~4095ull)
#define LOADS_BITS 30 /* of a number of a process */
#define NEAR_STEP 8u  /* pages from one to the next that is looked at around one that is not there ... */
#define NEAR_MAX 32u  /* ... and how many on each side */
#define BOUND_MAX 64u /* bytes that a dynamic linker takes from the stack in front of its jump */

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

/* The function at an address whose page is not there, by the next pages around it that are. NULL: there are none. */
static struct function *function_near(const struct vcpu *v, uint64_t address, bool *always)
{
	for (uint64_t i = 1; i <= 2 * NEAR_MAX && plugin_self()->types.files; i++) {
		uint64_t away = ((i - 1) / 2 * NEAR_STEP + 1) * PAGE_BYTES, distance = i & 1 ? away : -away;
		uint64_t physical = physical_of(v, address - distance);
		struct function *function =
			physical == UINT64_MAX ? NULL : user_in_file(plugin_self(), physical, distance, always);

		if (function)
			return function;
	}
	return NULL;
}

/*
 * The function of a program at an address that code at `from` leads to. The page may not be there yet: it is when the
 * function begins to run. `known`: its file is, or it has none; `always`: from there it is the same in each process.
 */
static struct function *function_at(const struct vcpu *v, uint64_t address, uint64_t from, bool *known, bool *always)
{
	struct plugin *p = plugin_self();
	struct function *function = user_in_file(p, physical_of(v, from), address - from, always);
	uint64_t physical;

	*known = true;
	if (function)
		return function;
	*always = false;
	physical = physical_of(v, address);
	if (physical == UINT64_MAX)
		function = function_near(v, address, &(bool){false});
	*known = function || physical != UINT64_MAX;
	return function ? function : user_function(p, address, physical);
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

/* --- All ---------------------------------------------------------------------------------------------------------- */

/* What was found stays for the next calls, of all processes or of one; the target: UINT64_MAX for none. */
static void keep(struct site *site, const struct function *function, uint64_t target, uint64_t process)
{
	site->target = UINT64_MAX;
	site->last = function;
	site->process = process;
	site->target = target;
}

/* A call of a stub, and what it was found to lead to. */
struct through {
	struct function *stub;
	uint64_t address; /* of the stub */
	bool narrow;
	struct function *function; /* NULL: not known yet */
	bool unbound;              /* since the dynamic linker has not filled the slot */
	bool known, always;        /* as of function_at */
};

static void follow(struct vcpu *v, struct through *t)
{
	uint64_t slot = t->address + t->stub->stub_size + (uint64_t)(int64_t)t->stub->stub_slot, target = 0;
	uint8_t bytes[X86_STUB_MAX];

	if (t->narrow)
		slot = (uint32_t)t->stub->stub_slot;
	if (!hook_read(v, slot, &target, t->narrow ? sizeof(uint32_t) : sizeof(target)) || !target)
		return;
	t->unbound = x86_is_unbound(bytes, read_code(v, target, bytes));
	if (!t->unbound)
		t->function = function_at(v, target, t->address, &t->known, &t->always);
}

static const struct function *through_stub(struct vcpu *v, struct site *site, uint64_t slot, struct through *t)
{
	uint64_t process = process_of(v);

	follow(v, t);
	if (t->unbound) {
		v->unbound.slot = slot;
		v->unbound.process = process;
	}
	if (!t->function)
		return t->stub;
	(void)callargs_of(plugin_self(), t->function);
	if (t->always && site->fixed)
		site->function = t->function;
	else if (t->known && !plugin_self()->plain)
		keep(site, t->function, site->fixed ? site->address : t->address, t->always ? 0 : process);
	return t->function;
}

/* Where a call goes on whose return address is in `slot`; `else_behind` where that cannot be read. */
static uint64_t behind_call(struct vcpu *v, uint64_t slot, uint64_t else_behind, bool narrow)
{
	uint64_t behind = 0;

	return hook_read(v, slot, &behind, narrow ? sizeof(uint32_t) : sizeof(behind)) ? behind : else_behind;
}

static const struct function *look_up(struct vcpu *v, struct site *site, uint64_t slot, uint64_t target, bool narrow)
{
	struct plugin *p = plugin_self();
	uint64_t behind = behind_call(v, slot, site->behind, narrow);
	struct function *function = site->fixed;
	const struct function *found;
	bool known = true, always;

	/* Code that runs at several addresses may have been translated for another. */
	if (function)
		target = site->address + (behind - site->behind);
	pthread_mutex_lock(&p->lock);
	if (!function)
		function = target ? function_at(v, target, behind, &known, &always) : user_function(p, 0, UINT64_MAX);
	found = function;
	if (function && target && is_stub(v, function, target)) {
		found = through_stub(v, site, slot,
		                     &(struct through){.stub = function, .address = target, .narrow = narrow});
	} else if (site->fixed) {
		site->function = function->stub == FUNCTION_NO_STUB ? function : NULL;
	} else {
		(void)callargs_of(p, function);
		keep(site, function, known ? target : UINT64_MAX, 0);
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

/* --- What the dynamic linker looks up ----------------------------------------------------------------------------- */

bool target_may_be_bound(const struct x86_insn *insn)
{
	return insn->flow == X86_JUMP_INDIRECT && !insn->operand.memory && insn->operand.base == X86_R11;
}

void callback_bound(unsigned vcpu, void *none)
{
	struct plugin *p = plugin_self();
	uint64_t clock = 0, slot, address;
	struct vcpu *v = vcpu_at(vcpu, &clock);
	struct function *function;
	bool known, always;

	(void)none;
	if (!v || !v->registers || !v->unbound.slot)
		return;
	slot = v->unbound.slot;
	/* The stack pointer may be the one before the last instructions of the block. */
	if (slot - v->registers[X86_RSP] > BOUND_MAX || v->unbound.process != process_of(v))
		return;
	v->unbound.slot = 0;
	address = v->registers[X86_R11];
	pthread_mutex_lock(&p->lock);
	function = function_at(v, address, address, &known, &always);
	(void)callargs_of(p, function);
	pthread_mutex_unlock(&p->lock);
	if (!function || !function->what)
		return;
	callargs_call(v, clock, slot, function);
	track_enter(&v->track, clock, slot, function->id);
}
