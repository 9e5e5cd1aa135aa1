/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * While an instruction runs whose memory is looked at, QEMU keeps in its state of the CPU whom to call for it. QEMU 7.2
 * leaves that there when a block ends. When all translations are thrown away that is freed; the next access of a vCPU
 * that did not throw them away itself then finds anything there, and QEMU aborts: "plugins/core.c:
 * qemu_plugin_vcpu_mem_cb: code should not be reached" (7.2.22, in 3 of 4 boots with 4 vCPUs and -accel tcg,tb-size=4).
 * So the place is looked for, and emptied when translations go.
 */
#include "private.h"

#include <string.h>

#define CALLBACK_BYTES 40 /* of one callback in the array (struct qemu_plugin_dyn_cb) */
#define CALLBACKS_MAX 16  /* of an instruction */

/* True for an array of callbacks that has one of ours. Most words of the state are no addresses. */
static bool is_ours(uintptr_t address)
{
	static const qemu_memory_fn ours[] = {callback_iret, callback_return, callback_return_listed, callback_call,
	                                      callback_return_args};
	uint64_t words[CALLBACKS_MAX * CALLBACK_BYTES / sizeof(uint64_t)];
	struct garray array;
	size_t n;

	if (!address || address % sizeof(void *) || !ram_peek(address, &array, sizeof(array)) || !array.n ||
	    array.n > CALLBACKS_MAX)
		return false;
	n = array.n * CALLBACK_BYTES;
	if (!ram_peek((uintptr_t)array.items, words, n))
		return false;
	for (size_t i = 0; i < n / sizeof(words[0]); i++) {
		for (size_t k = 0; k < sizeof(ours) / sizeof(ours[0]); k++) {
			if (words[i] == (uintptr_t)ours[k])
				return true;
		}
	}
	return false;
}

bool qemu72_callbacks_wanted(const struct plugin *p)
{
	return p->qemu.version == 1 && !p->blind;
}

void qemu72_callbacks_find(struct plugin *p, const struct vcpu *v)
{
	const uintptr_t *state = v->cpu;
	size_t end = p->registers.offset / sizeof(*state);

	if (!state)
		return;
	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < end && p->stale.looks && !p->stale.offset; i++) {
		if (is_ours(state[i]))
			p->stale.offset = i * sizeof(*state);
	}
	if (p->stale.looks)
		p->stale.looks--;
	if (p->stale.offset)
		p->stale.looks = 0;
	if (p->stale.offset && p->lists)
		function_filter_start(p);
	pthread_mutex_unlock(&p->lock);
}

void qemu72_callbacks_forget(struct plugin *p)
{
	for (unsigned i = 0; i < VCPUS_MAX && p->stale.offset; i++) {
		if (p->vcpus[i] && p->vcpus[i]->cpu)
			memset((char *)p->vcpus[i]->cpu + p->stale.offset, 0, sizeof(void *));
	}
}
