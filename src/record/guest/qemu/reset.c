/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest that boots again in the same QEMU, or whose kernel starts another (kexec(8)): what was known of its kernel
 * holds no more.
 */
#include "private.h"

#include <stdlib.h>
#include <x86intrin.h>

#define RESET_VECTOR 0xfffffff0u /* where the first processor begins */

/* What functions have their names from. */
struct past {
	struct past *next;
	struct kallsyms table;
	struct modules modules;
	struct programs programs;
	struct types types;
};

static void forget(struct plugin *p)
{
	struct past *past = calloc(1, sizeof(*past));

	if (past) { /* else it is lost, but not freed: names are in use */
		*past = (struct past){p->past, p->kernel.table, p->modules, p->programs, p->types};
		p->past = past;
	}
	p->kernel = (struct kernel){.tries = KERNEL_TRIES, .file = p->options.symbols};
	p->modules = (struct modules){0};
	p->programs = (struct programs){0};
	p->types = (struct types){0};
	p->pages = (struct pages){0};
	p->phase = NULL;
	p->plain = false;
	p->looked = false;
	p->loading = false;
	p->leaving = false;
}

/* Ends all that was going on in the guest. */
static void end_all(struct plugin *p, struct vcpu *v)
{
	uint64_t clock = v->counter ? *v->counter : __rdtsc(), words[12];
	const struct message_open open = hook_open_message(p);
	const uint64_t message = (uintptr_t)open.message;

	if (open.message)
		ring_put_more(&v->ring, clock, RING_MESSAGE, &message);
	for (size_t i = 0; i < STACKS_TABLE; i++) {
		struct stack *stack = atomic_load_explicit(&p->stacks.table[i], memory_order_acquire);

		if (!stack)
			continue;
		if (stack->call.slot) {
			hook_unfinished(stack, words);
			ring_put_more(&v->ring, clock, RING_UNFINISHED, words);
		}
		track_end(&v->track, clock, stack);
	}
	for (unsigned i = 0; i < VCPUS_MAX; i++) {
		if (p->vcpus[i])
			track_again(&p->vcpus[i]->track);
	}
}

static void callback_reset(unsigned vcpu, void *none)
{
	struct plugin *p = plugin_self();
	struct vcpu *v = p->vcpus[vcpu];
	bool again, left;

	(void)none;
	pthread_mutex_lock(&p->lock);
	again = v && (p->kernel.table.n || !p->kernel.tries || p->plain);
	left = p->leaving;
	if (again) {
		end_all(p, v);
		forget(p);
	}
	pthread_mutex_unlock(&p->lock);
	if (again && !left)
		plugin_tell(p, GUEST_RESET);
}

void reset_watch(struct plugin *p, struct qemu_tb *tb)
{
	uint64_t address = p->qemu.tb_address(tb);

	/* What lies between two kernels is low, as between a machine's reset and the first. */
	if (address == RESET_VECTOR || (p->leaving && !kernel_address(address)))
		p->qemu.on_tb(tb, callback_reset, QEMU_NO_REGISTERS, NULL);
}
