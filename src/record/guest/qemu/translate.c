/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks as QEMU translates them: where functions begin and end, and what is to be called there. */
#include "private.h"

#include <stdlib.h>
#include <string.h>

#define USER_END (1ull << 47)
#define FIRMWARE_LOW (1ull << 20)   /* below it, and above ... */
#define FIRMWARE_HIGH (0xfc000000u) /* ... this: firmware */
#define LOADER_LOW (64ull << 20)    /* below it a loader begins */

/* The last instruction of a block. */
struct translate_block {
	struct qemu_tb *tb;
	struct qemu_insn *first, *last;
	uint64_t address;
	const void *host;
	struct x86_insn insn;
};

static bool look(const struct qemu *q, struct qemu_tb *tb, struct translate_block *b)
{
	size_t n = q->tb_size(tb), size;
	uint8_t bytes[X86_MAX];

	if (!n)
		return false;
	*b = (struct translate_block){.tb = tb, .address = q->tb_address(tb)};
	b->first = q->tb_insn(tb, 0);
	b->last = q->tb_insn(tb, n - 1);
	b->host = q->insn_host(b->first);
	size = qemu_insn_bytes(q, b->last, bytes, sizeof(bytes));
	x86_look(bytes, size, q->insn_address(b->last), &b->insn);
	return true;
}

/* --- The clock ---------------------------------------------------------------------------------------------------- */

/* Behind all that is called where the block begins: from QEMU 9.1 on this is done in the order in which it is asked
 * for. */
static void count(struct plugin *p, const struct translate_block *b)
{
	const struct qemu *q = &p->qemu;
	struct qemu_u64 entry = {p->score, 0};

	if (!p->count)
		return;
	if (p->score)
		q->tb_add_each(b->tb, QEMU_ADD_U64, entry, q->tb_size(b->tb));
	else
		q->tb_add(b->tb, QEMU_ADD_U64, &p->counter, q->tb_size(b->tb));
}

/* --- The kernel --------------------------------------------------------------------------------------------------- */

/*
 * What runs before the kernel. Firmware that has moved itself to the end of the memory is told from a loader by where
 * the latter begins, low; from then on there is no firmware above.
 */
static const struct function *phase_of(struct plugin *p, uint64_t address)
{
	if (address < FIRMWARE_LOW || (address >= FIRMWARE_HIGH && address <= UINT32_MAX))
		return p->firmware;
	p->loading |= address < LOADER_LOW;
	return p->loading ? p->loader : p->firmware;
}

/* Puts it into the trace where it changes. */
static void phase(struct plugin *p, const struct translate_block *b)
{
	const struct function *now = phase_of(p, b->address);

	if (now && now->what && now != p->phase)
		p->qemu.on_tb(b->tb, callback_phase, QEMU_NO_REGISTERS, (void *)now);
	p->phase = now;
}

static void find_kernel(struct plugin *p, const struct translate_block *b)
{
	ram_find(&p->ram, b->host);
	if (!p->ram.base || !kernel_find(&p->kernel, &p->ram, b->address, b->host))
		return;
	p->plain = false;
	p->kernel.origin =
		functions_origin(&p->functions, "[kernel]", p->kernel.start, p->kernel.end - p->kernel.start);
	types_read(&p->types, &p->kernel, &p->ram, callargs_asked(p));
	pages_init(&p->pages, &p->kernel, &p->ram);
	p->looked = !pages_find(&p->pages); /* a kernel that begins has not set up its view of the memory */
	p->qemu.on_tb(b->tb, callback_kernel, QEMU_NO_REGISTERS, NULL);
}

static void find_registers(struct plugin *p)
{
	if (!registers_find(&p->registers, &p->qemu))
		return;
	for (unsigned i = 0; i < VCPUS_MAX; i++) {
		if (p->vcpus[i] && !p->vcpus[i]->registers)
			p->vcpus[i]->registers = registers_of(&p->registers, &p->qemu, i, &p->vcpus[i]->cpu);
	}
}

static void interrupt_start(struct plugin *p, const struct translate_block *b, const struct function *function)
{
	const struct qemu *q = &p->qemu;

	q->on_tb(b->tb, p->blind ? callback_interrupt_begin : callback_interrupt, QEMU_NO_REGISTERS, (void *)function);
	for (size_t i = 0; p->blind && i < q->tb_size(b->tb); i++)
		q->on_memory(q->tb_insn(b->tb, i), callback_interrupt_push, QEMU_NO_REGISTERS, QEMU_MEMORY_RW, NULL);
}

/* Whether callbacks that read registers have to ask QEMU for them. */
static int asks(const struct plugin *p)
{
	return p->blind ? QEMU_READ_REGISTERS : QEMU_NO_REGISTERS;
}

static void function_start(struct plugin *p, const struct translate_block *b, struct function *function)
{
	bool args = callargs_of(p, function);
	qemu_exec_fn on_args = p->blind ? callback_enter_args : callback_function_args;
	qemu_exec_fn on_start = p->blind ? callback_enter : callback_function;

	p->qemu.on_tb(b->tb, args ? on_args : on_start, args ? asks(p) : QEMU_NO_REGISTERS,
	              (void *)(uintptr_t)function->id);
}

/* The beginning of a block of the kernel: is it that of a function? */
static void kernel_start(struct plugin *p, const struct translate_block *b)
{
	struct function want;
	struct function *function = NULL;
	const struct hook *hook = NULL;
	enum kernel_entry what = kernel_look(&p->kernel, b->address, &want);

	if (what == KERNEL_NOTHING && modules_look(&p->modules, b->address, &want))
		what = KERNEL_FUNCTION;
	if (what == KERNEL_NOTHING || !(p->registers.offset || p->blind))
		return;
	function = functions_get(&p->functions, &want);
	/* No list is about interrupts: what they take is not the time of what they interrupt. */
	if (function && (what == KERNEL_INTERRUPT || what == KERNEL_APART)) {
		function->apart = what == KERNEL_APART;
		interrupt_start(p, b, function);
	} else if (function && function->what) {
		function_start(p, b, function);
	}
	hook = want.origin == p->kernel.origin ? hook_of(p, want.name) : NULL;
	if (hook && p->blind)
		p->qemu.on_tb(b->tb, callback_enter_hook, QEMU_READ_REGISTERS, (void *)hook);
	else if (hook)
		p->qemu.on_tb(b->tb, callback_hook, QEMU_NO_REGISTERS, (void *)hook);
	else if (p->lists && want.origin == p->kernel.origin && strcmp(want.name, "__switch_to") == 0)
		p->qemu.on_tb(b->tb, callback_touch, QEMU_NO_REGISTERS, NULL);
}

/* Has a call at the end of the block told. */
static void tell_call(struct plugin *p, const struct translate_block *b, struct site want)
{
	struct site *site = malloc(sizeof(*site));

	if (!site)
		return;
	*site = want;
	site->next = p->sites;
	p->sites = site;
	p->qemu.on_insn(b->last, callback_arm, QEMU_NO_REGISTERS, site);
	p->qemu.on_memory(b->last, callback_call, callargs_asked(p) ? asks(p) : QEMU_NO_REGISTERS, QEMU_MEMORY_RW,
	                  site);
}

/* Without registers: where a call writes to. Those within a function only fill the predictor of returns. */
static void kernel_call(struct plugin *p, const struct translate_block *b)
{
	const struct kernel *k = &p->kernel;
	bool fixed = b->insn.flow == X86_CALL && b->insn.target >= k->start && b->insn.target < k->end;
	const struct kallsym *symbol = fixed ? kallsyms_function(&k->table, b->insn.target) : NULL;

	if ((b->insn.flow != X86_CALL && b->insn.flow != X86_CALL_INDIRECT) ||
	    (symbol && symbol->address != b->insn.target && !kernel_padding(kallsyms_name(&k->table, symbol))))
		return;
	p->qemu.on_insn(b->last, callback_push_arm, QEMU_NO_REGISTERS, NULL);
	p->qemu.on_memory(b->last, callback_push, QEMU_NO_REGISTERS, QEMU_MEMORY_RW, NULL);
}

/* What the kernel jumps to a register with: its own return ends no call. */
static bool in_retpoline(const struct plugin *p, uint64_t address)
{
	static const char prefix[] = "__x86_indirect_";
	const struct kallsyms *table = &p->kernel.table;
	const struct kallsym *symbol = table->n && kernel_address(address) ? kallsyms_function(table, address) : NULL;
	const char *name = symbol ? kallsyms_name(table, symbol) : "";

	return *name == *prefix && strncmp(name, prefix, sizeof(prefix) - 1) == 0;
}

/* Before the block, in the same page, there may be a call. */
static bool may_be_behind_call(const struct plugin *p, const struct translate_block *b)
{
	uint8_t bytes[X86_BEHIND];

	return b->address % PAGE_BYTES < sizeof(bytes) ||
	       !ram_read(&p->ram, (uintptr_t)b->host - sizeof(bytes), bytes, sizeof(bytes)) || x86_may_be_call(bytes);
}

/*
 * With lists: how a wanted function of the kernel is left, and come back to. A call of another that is wanted is told
 * by itself; it takes the place of [filtered] when where an indirect call goes is seen there.
 */
static void kernel_leaves(struct plugin *p, const struct translate_block *b, const struct function *around)
{
	bool call = b->insn.flow == X86_CALL || b->insn.flow == X86_CALL_INDIRECT;
	bool fixed = b->insn.flow == X86_CALL || b->insn.flow == X86_JUMP;
	const struct function *to = fixed ? function_filter_at(p, b->insn.target) : NULL;

	if (may_be_behind_call(p, b))
		p->qemu.on_tb(b->tb, callback_back, QEMU_NO_REGISTERS, NULL);
	if (to && to->what)
		return;
	if (call)
		tell_call(p, b, (struct site){.function = p->filtered});
	else if (b->insn.flow == X86_JUMP &&
	         (to ? function_filter_code(p, b->insn.target) != around : in_retpoline(p, b->insn.target)))
		p->qemu.on_tb(b->tb, callback_leave, QEMU_NO_REGISTERS, (void *)around);
}

/* With lists: code of the kernel. False: no return of it ends anything. */
static bool kernel_listed(struct plugin *p, const struct translate_block *b)
{
	struct function *around = function_filter_code(p, b->address);

	if (around && around->what & CONTROL_WANTED)
		kernel_leaves(p, b, around);
	if (around)
		function_filter_end(p, around, &b->insn, p->qemu.insn_address(b->last) + p->qemu.insn_size(b->last));
	return function_filter_return_counts(p, around);
}

/* --- Programs ----------------------------------------------------------------------------------------------------- */

/* The fixed target of a call of a program. Code and target are in one file: the linker has set the distance. */
static struct function *fixed_target(struct plugin *p, const struct translate_block *b)
{
	uint64_t here = p->qemu.insn_address(b->last);
	uintptr_t host = (uintptr_t)p->qemu.insn_host(b->last);
	uint64_t physical = p->pages.root && host ? pages_physical(&p->pages, host) : UINT64_MAX;

	return user_target(p, b->insn.target, physical, b->insn.target - here);
}

/* Whether the memory of programs can be read while they run. */
static bool reads_memory(const struct plugin *p)
{
	return p->blind ? p->qemu.ask_memory != NULL : p->qemu.read_memory != NULL;
}

static void user_call(struct plugin *p, const struct translate_block *b)
{
	uint64_t here = p->qemu.insn_address(b->last);
	struct site want = {.operand = b->insn.operand, .behind = here + p->qemu.insn_size(b->last)};
	struct function *fixed = NULL;

	if (target_may_be_bound(&b->insn))
		p->qemu.on_insn(b->last, callback_bound, QEMU_NO_REGISTERS, NULL);
	if (b->insn.flow != X86_CALL && b->insn.flow != X86_CALL_INDIRECT)
		return;
	if (p->lists)
		want.inside = function_filter_program(p, p->qemu.insn_host(b->last)) != NULL;
	if (b->insn.flow == X86_CALL && !(fixed = fixed_target(p, b)))
		return;
	(void)callargs_of(p, fixed);
	if (fixed && fixed->stub != FUNCTION_NO_STUB && reads_memory(p)) {
		want.fixed = fixed;
		want.address = b->insn.target;
	} else {
		want.function = fixed;
	}
	if (!want.function || want.function->what || want.inside)
		tell_call(p, b, want);
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

static void ends(struct plugin *p, const struct translate_block *b)
{
	qemu_memory_fn on_return = p->lists ? callback_return_listed : callback_return;

	if (b->insn.flow == X86_RETURN && in_retpoline(p, b->address))
		return;
	if (b->insn.flow == X86_RETURN && callargs_return(p, b->address, b->host))
		p->qemu.on_memory(b->last, callback_return_args, asks(p), QEMU_MEMORY_RW, NULL);
	else if (b->insn.flow == X86_RETURN)
		p->qemu.on_memory(b->last, p->blind ? callback_return_push : on_return, QEMU_NO_REGISTERS,
		                  QEMU_MEMORY_RW, NULL);
	else if (b->insn.flow == X86_IRET)
		p->qemu.on_memory(b->last, p->blind ? callback_iret_push : callback_iret, QEMU_NO_REGISTERS,
		                  QEMU_MEMORY_RW, NULL);
}

static void instrument(struct plugin *p, const struct translate_block *b)
{
	bool kernel = kernel_address(b->address), user = b->address < USER_END;

	if (kernel)
		kernel_start(p, b);
	if (kernel)
		callargs_jump(p, b->address, &b->insn);
	snapshot_watch(p, b->tb);
	if (kernel && p->blind)
		kernel_call(p, b);
	if (!kernel) /* earlier it would be what the kernel begins with */
		(void)pages_find(&p->pages);
	if (!kernel && !(user && p->options.user))
		return;
	if (!kernel)
		user_call(p, b);
	if (kernel && p->lists && p->registers.offset && !kernel_listed(p, b) && b->insn.flow == X86_RETURN)
		return;
	ends(p, b);
}

/* A guest whose kernel is not known. */
static void plain(struct plugin *p, const struct translate_block *b)
{
	if (!p->options.user && p->options.linux_kernel && b->address < USER_END)
		return;
	user_call(p, b);
	ends(p, b);
}

/* From QEMU 8.0 on a block may run at other addresses too: what the kernel runs early, low, it will run high. */
static void before_kernel(struct plugin *p, const struct translate_block *b)
{
	phase(p, b);
	ends(p, b);
}

void plugin_translate(struct qemu_tb *tb, void *none)
{
	struct plugin *p = plugin_self();
	struct translate_block b;

	(void)none;
	if (!p->begun || !look(&p->qemu, tb, &b))
		return;
	pthread_mutex_lock(&p->lock);
	reset_watch(p, tb);
	if (!p->kernel.table.n && p->options.linux_kernel)
		find_kernel(p, &b);
	if ((p->kernel.table.n || p->plain) && !p->registers.offset)
		find_registers(p);
	if (p->kernel.table.n)
		instrument(p, &b);
	else if (unknown_kernel_is(p, tb, b.address))
		plain(p, &b);
	else
		before_kernel(p, &b);
	count(p, &b);
	pthread_mutex_unlock(&p->lock);
}

void plugin_flush(void *none)
{
	struct plugin *p = plugin_self();

	(void)none;
	pthread_mutex_lock(&p->lock);
	while (p->sites) {
		struct site *next = p->sites->next;

		free(p->sites);
		p->sites = next;
	}
	qemu72_callbacks_forget(p);
	pthread_mutex_unlock(&p->lock);
}
