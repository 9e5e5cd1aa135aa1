/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's stack pointer where QEMU's registers cannot be had. A function that is called begins where the call has
 * written its return address, which QEMU's memory callbacks tell; one that is jumped to, where the function has its own
 * that jumps there, or, at the bottom of a stack, where the call before it had it.
 */
#include "private.h"

#define WORD 8

uint64_t callback_slot(const struct vcpu *v)
{
	return v->pushes.fresh ? v->pushes.slot : track_slot(&v->track, v->pushes.slot);
}

void callback_push_arm(unsigned vcpu, void *none)
{
	struct vcpu *v = plugin_self()->vcpus[vcpu];

	(void)none;
	if (v)
		v->pushes.armed = true;
}

void callback_push(unsigned vcpu, qemu_access_t access, uint64_t address, void *none)
{
	struct vcpu *v = plugin_self()->vcpus[vcpu];

	(void)none;
	/* As with callback_call. */
	if (!v || !v->pushes.armed || !plugin_self()->qemu.is_store(access))
		return;
	v->pushes.armed = false;
	v->pushes.fresh = true;
	v->pushes.slot = address;
}

void callback_enter(unsigned vcpu, void *id)
{
	uint64_t clock;
	struct vcpu *v = vcpu_at(vcpu, &clock);
	uint64_t slot = v ? callback_slot(v) : 0;

	if (!slot)
		return;
	v->pushes.fresh = false;
	track_enter(&v->track, clock, slot, (uint32_t)(uintptr_t)id);
}

void callback_enter_hook(unsigned vcpu, void *hook)
{
	struct plugin *p = plugin_self();
	uint64_t clock, registers[REGISTER_API_COUNT] = {0};
	struct vcpu *v = vcpu_at(vcpu, &clock);
	uint64_t slot = v ? callback_slot(v) : 0;

	if (!slot)
		return;
	track_touch(&v->track, clock, slot);
	if (p->asked.n == REGISTER_API_COUNT && !register_api_read(&p->asked, &p->qemu, registers))
		return;
	registers[X86_RSP] = slot;
	v->registers = registers;
	hook_run(p, v, clock, hook);
	v->registers = NULL;
}

void callback_return_push(unsigned vcpu, qemu_access_t access, uint64_t address, void *none)
{
	struct vcpu *v = plugin_self()->vcpus[vcpu];
	uint64_t returns;

	if (!v || plugin_self()->qemu.is_store(access))
		return;
	returns = v->track.counts.returns;
	callback_return(vcpu, access, address, none);
	/* A thunk that calls itself, and returns to its target, leaves it to the call before that. */
	if (v->track.counts.returns != returns || address + WORD != v->pushes.slot)
		v->pushes.fresh = false;
}

void callback_interrupt_begin(unsigned vcpu, void *function)
{
	struct vcpu *v = plugin_self()->vcpus[vcpu];

	if (!v)
		return;
	v->pushes.interrupt = function;
	/* It may have come between a call and the first instruction behind it. */
	v->pushes.held = v->pushes.fresh ? v->pushes.slot : 0;
	v->pushes.fresh = false;
}

void callback_interrupt_push(unsigned vcpu, qemu_access_t access, uint64_t address, void *none)
{
	uint64_t clock;
	struct vcpu *v = vcpu_at(vcpu, &clock);
	const struct function *function = v ? v->pushes.interrupt : NULL;

	(void)none;
	if (!function || !plugin_self()->qemu.is_store(access))
		return;
	v->pushes.interrupt = NULL;
	track_interrupt(&v->track, clock, address + WORD, function->id, function->apart);
}

void callback_iret_push(unsigned vcpu, qemu_access_t access, uint64_t address, void *none)
{
	struct vcpu *v = plugin_self()->vcpus[vcpu];
	uint64_t irets = v ? v->track.counts.irets : 0;

	callback_iret(vcpu, access, address, none);
	if (!v || v->track.counts.irets == irets)
		return;
	v->pushes.fresh = v->pushes.held != 0;
	v->pushes.slot = v->pushes.held;
	v->pushes.held = 0;
}
