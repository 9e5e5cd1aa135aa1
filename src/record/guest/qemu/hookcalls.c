/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls of the guest, with the texts that their arguments point to. */
#include "hooks.h"

#include <exectrace/base/clock.h>
#include <linux/audit.h>
#include <stdlib.h>
#include <string.h>

#define WORD 8
#define TEXT_BYTES 4096 /* of an argument */

/* struct pt_regs of x86-64 (arch/x86/include/asm/ptrace.h), in words. */
enum { PT_BP = 4, PT_BX = 5, PT_R10 = 7, PT_R9, PT_R8, PT_AX, PT_CX, PT_DX, PT_SI, PT_DI, PT_ORIG_AX, PT_WORDS };

static void forget_texts(struct stack *stack)
{
	ring_texts_free(stack->call.texts);
	stack->call.texts = NULL;
}

/* The stack in use, where the function that does a system call has just been entered. */
static void begin_call(struct vcpu *v, uint32_t machine, const uint8_t order[6])
{
	uint64_t slot = v->registers[X86_RSP], regs[PT_WORDS];
	struct stack *stack = v->track.stack;

	if (stack)
		forget_texts(stack);
	/* The registers that the program had were pushed last before the call. */
	if (!stack || !hook_read(v, slot + WORD, regs, sizeof(regs)))
		return;
	stack->call.slot = slot;
	stack->call.enter = clock_now();
	stack->call.what = (uint64_t)machine << 32 | (uint32_t)regs[PT_ORIG_AX];
	for (int i = 0; i < 6; i++)
		stack->call.args[i] = machine == AUDIT_ARCH_X86_64 ? regs[order[i]] : (uint32_t)regs[order[i]];
}

/* The text that an argument points to, as far as it is there. */
static void add_text(struct vcpu *v, struct syscall *call, uint8_t arg)
{
	char text[TEXT_BYTES + 1];
	size_t n = hook_read_some(v, call->args[arg], text, TEXT_BYTES);
	char *copy = NULL;

	text[n] = '\0';
	if (!n || (!call->texts && !(call->texts = calloc(1, sizeof(*call->texts)))) || !(copy = strdup(text)))
		return;
	call->texts->items[call->texts->n].arg = arg;
	call->texts->items[call->texts->n++].text = copy;
}

static bool has_text(const struct syscall *call, uint8_t arg)
{
	for (unsigned i = 0; call->texts && i < call->texts->n; i++) {
		if (call->texts->items[i].arg == arg)
			return true;
	}
	return false;
}

/* The kernel is about to copy a text of the program: it may be an argument. */
static void look_at_text(struct vcpu *v, uint64_t address)
{
	struct stack *stack = v->track.stack;
	struct syscall *call = stack ? &stack->call : NULL;

	for (uint8_t i = 0; call && call->slot && i < RING_TEXTS; i++) {
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

	(void)p;
	(void)clock;
	begin_call(v, AUDIT_ARCH_X86_64, order);
}

void on_call32(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	static const uint8_t order[6] = {PT_BX, PT_CX, PT_DX, PT_SI, PT_DI, PT_BP};

	(void)p;
	(void)clock;
	begin_call(v, AUDIT_ARCH_I386, order);
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

	(void)p;
	call->slot = 0;
	if (!hook_read(v, slot + WORD + PT_AX * WORD, &result, WORD)) {
		forget_texts(v->track.stack);
		return;
	}
	hook_unfinished(v->track.stack, words);
	words[4] = result;
	if (call->what >> 32 != AUDIT_ARCH_X86_64)
		words[4] = (uint64_t)(int64_t)(int32_t)words[4];
	ring_put_more(&v->ring, clock, RING_SYSCALL, words);
}
