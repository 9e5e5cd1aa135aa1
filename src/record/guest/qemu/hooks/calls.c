/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls of the guest, with the texts that their arguments point to. */
#include "hooks.h"

#include <exectrace/base/clock.h>
#include <exectrace/target/syscalls/table.h>
#include <linux/audit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define WORD 8
#define TEXT_BYTES 4096 /* of an argument */
#define BUFFER_BYTES 64 /* of what is read or written */
#define ERRNO_MAX 4095
#define DESCRIPTOR_BYTES 4160 /* with its path */

/* struct pt_regs of x86-64 (arch/x86/include/asm/ptrace.h), in words. */
enum { PT_BP = 4, PT_BX = 5, PT_R10 = 7, PT_R9, PT_R8, PT_AX, PT_CX, PT_DX, PT_SI, PT_DI, PT_ORIG_AX, PT_WORDS };

static void forget_texts(struct stack *stack)
{
	ring_texts_free(stack->call.texts);
	stack->call.texts = NULL;
	stack->call.missing = 0;
}

void hook_add_extra(struct syscall *call, uint8_t arg, uint8_t kind, const char *bytes, size_t n)
{
	struct ring_texts *texts = call->texts;
	char *copy = NULL;
	unsigned at;

	if (!texts && !(texts = malloc(sizeof(*texts))))
		return;
	if (!call->texts) {
		texts->n = 0;
		texts->used = 0;
	}
	call->texts = texts;
	if (texts->n == RING_TEXTS)
		return;
	if (n < sizeof(texts->room) - texts->used) {
		copy = texts->room + texts->used;
		texts->used += n;
	} else {
		copy = malloc(n + 1);
	}
	if (!copy)
		return;
	memcpy(copy, bytes, n);
	/* In the order of the arguments, which need not be that in which the kernel reads them. */
	for (at = texts->n++; at && texts->items[at - 1].arg > arg; at--)
		texts->items[at] = texts->items[at - 1];
	texts->items[at].arg = arg;
	texts->items[at].kind = kind;
	texts->items[at].n = n;
	texts->items[at].text = copy;
}

/* --- Descriptors -------------------------------------------------------------------------------------------------- */

static bool is_descriptor(const char *name)
{
	size_t n = strlen(name);

	return strstr(name, "fd") && name[n - 1] != 's' && strcmp(name, "pipefd") != 0 && strcmp(name, "targetfd") != 0;
}

#define LOOKED_UP 0x80               /* in the bits of a call, of which there is one for each argument, and ... */
#define RESULT_BIT (1u << DATA_ARGS) /* ... one for its result */

/* Which arguments of a call are descriptors. */
static uint8_t look_up(uint64_t what)
{
	const struct arch *arch = arch_by_call((uint32_t)(what >> 32), (uint32_t)what);
	const struct syscall_desc *desc = arch ? syscall_by_nr(arch, (uint32_t)what) : NULL;
	unsigned bits = LOOKED_UP;

	for (unsigned i = 0; desc && desc->classes & (SYSCALL_DESC | SYSCALL_NETWORK) && i < desc->nargs; i++)
		bits |= is_descriptor(desc->args[i].name) ? 1u << i : 0;
	if (desc && desc->ret == SYSCALL_RET_FD)
		bits |= RESULT_BIT;
	return (uint8_t)bits;
}

static uint8_t descriptors_of(struct vcpu *v, uint64_t what)
{
	uint32_t number = (uint32_t)what;

	if (what >> 32 != AUDIT_ARCH_X86_64 || number >= sizeof(v->takes_descriptors))
		return look_up(what);
	if (!v->takes_descriptors[number])
		v->takes_descriptors[number] = look_up(what);
	return v->takes_descriptors[number];
}

void hook_add_descriptor(struct plugin *p, struct vcpu *v, uint8_t arg, uint8_t kind, uint64_t value)
{
	const struct guest_memory memory = hook_memory(v);
	struct stack *stack = v->track.stack;
	const char *name = NULL;
	char text[DESCRIPTOR_BYTES];
	int n;

	if (!p->types.descriptors)
		return;
	v->descriptors.renamed = atomic_load_explicit(&p->renamed, memory_order_relaxed);
	if (value <= INT32_MAX)
		name = descriptors_find(&v->descriptors, &p->types, &memory, stack->descriptor, (uint32_t)value);
	n = name ? snprintf(text, sizeof(text), "%u<%s>", (uint32_t)value, name) : 0;
	if (n > 0 && (size_t)n < sizeof(text))
		hook_add_extra(&stack->call, arg, kind, text, (size_t)n);
}

static void look_at_descriptors(struct plugin *p, struct vcpu *v, struct stack *stack)
{
	unsigned bits = descriptors_of(v, stack->call.what);

	for (uint8_t i = 0; i < DATA_ARGS; i++) {
		if (bits >> i & 1)
			hook_add_descriptor(p, v, i, DATA_EXTRA_TEXT, (uint32_t)stack->call.args[i]);
	}
}

/* The descriptor that a call has made. */
static void look_at_result(struct plugin *p, struct vcpu *v, uint64_t result)
{
	if (descriptors_of(v, v->track.stack->call.what) & RESULT_BIT)
		hook_add_descriptor(p, v, DATA_ARGS, DATA_EXTRA_TEXT, result);
}

/* Paths that are remembered may no longer be those of their files. */
static void look_at_renames(struct plugin *p, const struct syscall *call)
{
	static const uint16_t numbers[] = {SYS_rename,  SYS_renameat,   SYS_renameat2, SYS_mount,
	                                   SYS_umount2, SYS_pivot_root, SYS_move_mount};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (call->what == ((uint64_t)AUDIT_ARCH_X86_64 << 32 | numbers[i]))
			atomic_fetch_add_explicit(&p->renamed, 1, memory_order_relaxed);
	}
}

/* --- Buffers ------------------------------------------------------------------------------------------------------ */

/* What is written, or was read, of programs of 64 bits. */
static const struct buffer {
	uint16_t number;
	uint8_t arg;
	bool out; /* filled by the call: as many bytes as its result says; else as the next argument says */
} buffers[] = {{SYS_read, 1, true},       {SYS_pread64, 1, true}, {SYS_recvfrom, 1, true},  {SYS_readlink, 1, true},
               {SYS_readlinkat, 2, true}, {SYS_write, 1, false},  {SYS_pwrite64, 1, false}, {SYS_sendto, 1, false}};

static void look_at_buffer(struct vcpu *v, struct syscall *call, bool out, uint64_t n)
{
	const struct buffer *buffer = NULL;
	char bytes[BUFFER_BYTES];

	for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++) {
		if (call->what == ((uint64_t)AUDIT_ARCH_X86_64 << 32 | buffers[i].number) && buffers[i].out == out)
			buffer = &buffers[i];
	}
	if (!buffer)
		return;
	n = out ? n : call->args[buffer->arg + 1];
	n = hook_read_some(v, call->args[buffer->arg], bytes, n < sizeof(bytes) ? n : sizeof(bytes));
	if (n)
		hook_add_extra(call, buffer->arg, DATA_EXTRA_BYTES, bytes, n);
}

/* --- Texts -------------------------------------------------------------------------------------------------------- */

/* The stack in use, where the function that does a system call has just been entered. */
static void begin_call(struct plugin *p, struct vcpu *v, uint32_t machine, const uint8_t order[6])
{
	uint64_t slot = v->registers[RSP], regs[PT_WORDS];
	struct stack *stack = v->track.stack;

	if (stack)
		forget_texts(stack);
	/* The registers that the program had were pushed last before the call. */
	if (!stack || !hook_read(v, slot + WORD, regs, sizeof(regs)))
		return;
	stack->call.slot = slot;
	stack->call.signaled = false;
	stack->call.enter = clock_now();
	stack->call.what = (uint64_t)machine << 32 | (uint32_t)regs[PT_ORIG_AX];
	for (int i = 0; i < 6; i++)
		stack->call.args[i] = machine == AUDIT_ARCH_X86_64 ? regs[order[i]] : (uint32_t)regs[order[i]];
	look_at_descriptors(p, v, stack);
	look_at_buffer(v, &stack->call, false, 0);
	hook_look_before(p, v, stack);
}

/* The text that an argument points to, as far as it is there. */
static void add_text(struct vcpu *v, struct syscall *call, uint8_t arg)
{
	char text[TEXT_BYTES + 1];
	size_t n = hook_read_some(v, call->args[arg], text, TEXT_BYTES);

	text[n] = '\0';
	if (n)
		call->missing &= (uint8_t) ~(1u << arg);
	else
		call->missing |= (uint8_t)(1u << arg);
	if (n)
		hook_add_extra(call, arg, DATA_EXTRA_PATH, text, strlen(text));
}

/* The kernel has read those since that were not there. */
static void add_missing(struct vcpu *v, struct syscall *call)
{
	for (uint8_t i = 0; i < DATA_ARGS; i++) {
		if (call->missing >> i & 1)
			add_text(v, call, i);
	}
}

void hook_executed(struct stack *stack, const char *path, size_t n)
{
	struct syscall *call = &stack->call;
	uint8_t arg = call->what == ((uint64_t)AUDIT_ARCH_X86_64 << 32 | SYS_execveat);

	if (!call->slot || !n || !(call->missing >> arg & 1))
		return;
	call->missing = 0; /* the program that they were of is gone */
	hook_add_extra(call, arg, DATA_EXTRA_PATH, path, n);
}

static bool has_text(const struct syscall *call, uint8_t arg)
{
	for (unsigned i = 0; call->texts && i < call->texts->n; i++) {
		if (call->texts->items[i].arg == arg && call->texts->items[i].kind == DATA_EXTRA_PATH)
			return true;
	}
	return false;
}

/* The kernel is about to copy a text of the program: it may be an argument. */
static void look_at_text(struct vcpu *v, uint64_t address)
{
	struct stack *stack = v->track.stack;
	struct syscall *call = stack ? &stack->call : NULL;

	for (uint8_t i = 0; call && call->slot && i < DATA_ARGS; i++) {
		if (call->args[i] == address && !has_text(call, i)) {
			add_text(v, call, i);
			return;
		}
	}
}

void on_text_copied(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	(void)p;
	(void)clock;
	look_at_text(v, v->registers[RSI]);
}

void on_text_duplicated(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	(void)p;
	(void)clock;
	look_at_text(v, v->registers[RDI]);
}

void on_call64(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	static const uint8_t order[6] = {PT_DI, PT_SI, PT_DX, PT_R10, PT_R8, PT_R9};

	(void)clock;
	begin_call(p, v, AUDIT_ARCH_X86_64, order);
}

void on_call32(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	static const uint8_t order[6] = {PT_BX, PT_CX, PT_DX, PT_SI, PT_DI, PT_BP};

	(void)clock;
	begin_call(p, v, AUDIT_ARCH_I386, order);
}

/* arch_do_signal_or_restart(regs): what a call returned, before a handler of the program gets its registers. */
void on_signal_of(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	struct stack *stack = v->track.stack;

	(void)p;
	(void)clock;
	if (!stack || !stack->call.slot || stack->call.signaled)
		return;
	stack->call.signaled = hook_read(v, v->registers[RDI] + PT_AX * WORD, &stack->call.result, WORD);
	if (stack->call.what >> 32 != AUDIT_ARCH_X86_64)
		stack->call.result = (uint64_t)(int64_t)(int32_t)stack->call.result;
}

void hook_unfinished(struct stack *stack, uint64_t words[12])
{
	struct syscall *call = &stack->call;

	words[0] = call->what;
	words[1] = stack->pid;
	words[2] = call->enter;
	words[3] = clock_now();
	words[4] = 0;
	memcpy(&words[5], call->args, sizeof(call->args));
	words[11] = (uintptr_t)call->texts;
	call->texts = NULL;
}

void hook_syscall_end(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	struct syscall *call = &v->track.stack->call;
	uint64_t words[12], slot = call->slot, result = 0;

	call->slot = 0;
	result = call->result;
	if (!call->signaled && !hook_read(v, slot + WORD + PT_AX * WORD, &result, WORD)) {
		forget_texts(v->track.stack);
		return;
	}
	if (call->missing)
		add_missing(v, call);
	if (result && result < (uint64_t)-ERRNO_MAX)
		look_at_buffer(v, call, true, result);
	hook_look_behind(p, v, v->track.stack, result);
	look_at_renames(p, call);
	look_at_result(p, v, result);
	hook_unfinished(v->track.stack, words);
	words[4] = result;
	if (call->what >> 32 != AUDIT_ARCH_X86_64)
		words[4] = (uint64_t)(int64_t)(int32_t)words[4];
	ring_put_more(&v->ring, clock, RING_SYSCALL, words);
}
