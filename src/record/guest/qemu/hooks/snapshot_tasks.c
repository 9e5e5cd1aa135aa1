/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A guest that was running before QEMU was, restored from a snapshot: its tasks and modules are there already. */
#include "hooks.h"

#define LIST_MAX 65536 /* entries of a list that are looked at */

/* Walks over a list of the kernel (struct list_head) and calls `each` with what is `offset` bytes before each entry. */
static void walk(struct plugin *p, struct vcpu *v, const char *head, uint64_t start, uint64_t offset,
                 void (*each)(struct plugin *, struct vcpu *, uint64_t))
{
	const struct kallsym *symbol = kallsyms_find(&p->kernel.table, head);
	uint64_t first = symbol ? symbol->address + start : 0, at = first;

	for (unsigned i = 0; symbol && i < LIST_MAX; i++) {
		if (!hook_read(v, at, &at, sizeof(at)) || at == first || !kernel_address(at))
			return;
		each(p, v, at - offset);
	}
}

void snapshot_tasks(struct plugin *p, struct vcpu *v)
{
	const struct kallsym *first = kallsyms_find(&p->kernel.table, "init_task");

	if (first)
		hook_task(p, v, first->address);
	if (p->types.tasks)
		walk(p, v, "init_task", p->types.task_tasks, p->types.task_tasks, hook_task);
}

void snapshot_module(struct plugin *p, struct vcpu *v)
{
	const struct kallsym *head = kallsyms_find(&p->kernel.table, "modules");
	uint64_t at = 0;

	if (p->types.modules && head && hook_read(v, head->address, &at, sizeof(at)) && at != head->address)
		hook_module(p, v, at - p->types.module_list);
}

static void callback_live(unsigned vcpu, void *none)
{
	struct plugin *p = plugin_self();
	struct vcpu *v = p->vcpus[vcpu];

	(void)none;
	if (!v || (!v->registers && !p->blind) || p->looked)
		return;
	p->looked = true;
	snapshot_tasks(p, v);
	if (p->types.modules)
		walk(p, v, "modules", 0, p->types.module_list, hook_module);
}

void snapshot_watch(struct plugin *p, struct qemu_tb *tb)
{
	if (!p->looked && kernel_address(p->qemu.tb_address(tb)))
		p->qemu.on_tb(tb, callback_live, QEMU_NO_REGISTERS, NULL);
}
