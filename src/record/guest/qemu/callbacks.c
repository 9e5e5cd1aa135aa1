/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is called while the guest runs, ten million times a second: short. */
#include "private.h"

#include <exectrace/base/clock.h>

#define SYNC_WORDS 1024 /* of the ring between two looks at the clocks */
#define PHASE_SLOT 8    /* of the frame of what runs before the kernel: no stack is there */
#define NARROW_SHIFT 2  /* of the size of an address of 32 bits */

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

void callback_call(unsigned vcpu, qemu_access_t access, uint64_t address, void *user)
{
	struct site *site = user;
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
	function = site->function ? site->function : target_of_call(v, site, address, shift == NARROW_SHIFT);
	if (function && !function->what)
		function = site->inside ? plugin_self()->filtered : NULL;
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
	    track_return(&v->track, clock, address)) {
		hook_syscall_end(plugin_self(), v, clock);
		track_resume(&v->track, clock);
	}
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
