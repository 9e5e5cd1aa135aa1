/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is called while the guest runs, ten million times a second: short. */
#include "private.h"

#include <exectrace/base/clock.h>

#define SYNC_WORDS 1024 /* of the ring between two looks at the clocks */
#define PHASE_SLOT 8    /* of the frame of what runs before the kernel: no stack is there */
#define NARROW_SHIFT 2  /* of the size of an address of 32 bits */
#define PAGE_MASK (~4095ull)

void vcpu_sync(struct vcpu *v, uint64_t clock)
{
	uint64_t now = clock_now();

	ring_put_more(&v->ring, clock, RING_SYNC, &now);
	v->next_sync = v->ring.at + SYNC_WORDS;
}

static __attribute__((noinline)) void enter(unsigned vcpu, uint32_t id)
{
	uint64_t clock;
	struct vcpu *v = vcpu_at(vcpu, &clock);

	if (v && v->registers)
		track_enter(&v->track, clock, v->registers[X86_RSP], id);
}

void callback_function(unsigned vcpu, void *id)
{
	struct vcpu *v = plugin_self()->vcpus[vcpu];

	if (__builtin_expect(vcpu_is_ready(v), 1) &&
	    track_enter_quick(&v->track, vcpu_clock(v), v->registers[X86_RSP], (uint32_t)(uintptr_t)id))
		return;
	enter(vcpu, (uint32_t)(uintptr_t)id);
}

void callback_interrupt(unsigned vcpu, void *function)
{
	uint64_t clock;
	struct vcpu *v = vcpu_at(vcpu, &clock);

	if (v && v->registers)
		track_interrupt(&v->track, clock, v->registers[X86_RSP], ((const struct function *)function)->id,
		                ((const struct function *)function)->apart);
}

void callback_hook(unsigned vcpu, void *hook)
{
	uint64_t clock;
	struct vcpu *v = vcpu_at(vcpu, &clock);

	if (!v || !v->registers)
		return;
	/* With a list of functions this one may not have been told of. */
	track_touch(&v->track, clock, v->registers[X86_RSP]);
	hook_run(plugin_self(), v, clock, hook);
}

void callback_phase(unsigned vcpu, void *function)
{
	uint64_t clock;
	struct vcpu *v = vcpu_at(vcpu, &clock);

	if (v)
		track_enter(&v->track, clock, PHASE_SLOT, ((const struct function *)function)->id);
}

void callback_kernel(unsigned vcpu, void *none)
{
	uint64_t clock;
	struct vcpu *v = vcpu_at(vcpu, &clock);

	(void)none;
	if (v && v->track.stack && v->track.stack->depth)
		(void)track_return(&v->track, clock, PHASE_SLOT);
}

void callback_arm(unsigned vcpu, void *site)
{
	struct vcpu *v = plugin_self()->vcpus[vcpu];

	if (v)
		v->armed = site;
}

/*
 * Where an indirect call goes. False: cannot be known. In code of 32 bits addresses are of that size, and what would be
 * relative to the instruction is not.
 */
static bool target_of(const struct vcpu *v, const struct site *site, bool narrow, uint64_t *target)
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

static const struct function *function_of(const struct vcpu *v, struct site *site, bool narrow)
{
	struct plugin *p = plugin_self();
	uint64_t target = 0, physical;

	if (site->function)
		return site->function;
	if (!target_of(v, site, narrow, &target))
		target = 0;
	if (!site->last || site->target != target) {
		physical = target ? physical_of(v, target) : UINT64_MAX;
		pthread_mutex_lock(&p->lock);
		site->last = user_function(p, target, physical);
		(void)callargs_of(p, (struct function *)site->last);
		pthread_mutex_unlock(&p->lock);
		/* A page that is not there yet will be, with the file that it is of. */
		site->target = physical == UINT64_MAX ? 0 : target;
	}
	return site->last;
}

void callback_call(unsigned vcpu, qemu_access_t access, uint64_t address, void *site)
{
	uint64_t clock = 0;
	struct vcpu *v = vcpu_at(vcpu, &clock);
	const struct function *function = NULL;
	unsigned shift = 0;

	/* Accesses of later instructions may be reported with the last one that asked for any. */
	if (!v || v->armed != site || !plugin_self()->qemu.is_store(access))
		return;
	v->armed = NULL;
	shift = plugin_self()->qemu.size_shift(access);
	if (shift < NARROW_SHIFT) /* code of 16 bits is not looked at rightly */
		return;
	function = function_of(v, site, shift == NARROW_SHIFT);
	if (function && !function->what)
		function = ((const struct site *)site)->inside ? plugin_self()->filtered : NULL;
	if (!function)
		return;
	callargs_call(v, clock, address, function);
	track_call(&v->track, clock, address, function->id);
}

static __attribute__((noinline)) void end(unsigned vcpu, qemu_access_t access, uint64_t address)
{
	uint64_t clock;
	struct vcpu *v = vcpu_at(vcpu, &clock);

	/* What is reported with a return, but is of a later instruction, is never its slot. */
	if (v && (track_on_top(&v->track, address) || !plugin_self()->qemu.is_store(access)) &&
	    track_return(&v->track, clock, address))
		hook_syscall_end(plugin_self(), v, clock);
}

void callback_return(unsigned vcpu, qemu_access_t access, uint64_t address, void *none)
{
	struct vcpu *v = plugin_self()->vcpus[vcpu];

	(void)none;
	if (__builtin_expect(vcpu_is_ready(v), 1) && track_return_quick(&v->track, vcpu_clock(v), address))
		return;
	end(vcpu, access, address);
}

void callback_return_listed(unsigned vcpu, qemu_access_t access, uint64_t address, void *none)
{
	const struct vcpu *v = plugin_self()->vcpus[vcpu];

	(void)none;
	if (v && track_has(&v->track, address))
		end(vcpu, access, address);
}

/* A wanted function goes on behind a call, or for another reason where one is. */
void callback_back(unsigned vcpu, void *none)
{
	uint64_t clock, slot;
	struct vcpu *v = vcpu_at(vcpu, &clock);

	(void)none;
	if (!v || !v->registers)
		return;
	slot = v->registers[X86_RSP] - sizeof(slot);
	if (track_is_open(&v->track, slot))
		(void)track_return(&v->track, clock, slot);
}

void callback_leave(unsigned vcpu, void *function)
{
	uint64_t clock;
	struct vcpu *v = vcpu_at(vcpu, &clock);

	if (v && v->registers)
		track_leave(&v->track, clock, v->registers[X86_RSP], ((const struct function *)function)->id,
		            plugin_self()->filtered->id);
}

void callback_touch(unsigned vcpu, void *none)
{
	uint64_t clock;
	struct vcpu *v = vcpu_at(vcpu, &clock);

	(void)none;
	if (v && v->registers)
		track_touch(&v->track, clock, v->registers[X86_RSP]);
}

void callback_iret(unsigned vcpu, qemu_access_t access, uint64_t address, void *none)
{
	uint64_t clock;
	struct vcpu *v = vcpu_at(vcpu, &clock);

	(void)none;
	if (v && plugin_self()->stale.looks)
		qemu72_callbacks_find(plugin_self(), v);
	if (v && !plugin_self()->qemu.is_store(access))
		track_iret(&v->track, clock, address);
}

void callback_idle(unsigned vcpu, void *none)
{
	struct vcpu *v = plugin_self()->vcpus[vcpu];

	(void)none;
	if (v)
		vcpu_sync(v, v->counter ? *v->counter : __rdtsc());
}
