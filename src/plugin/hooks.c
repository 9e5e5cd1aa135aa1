/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of the kernel whose arguments tell more than that they were called: tasks, modules, system calls. What they
 * point to is read as the kernel itself would at this moment.
 */
#include "private.h"

#include <exectrace/base/clock.h>
#include <exectrace/base/fd.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <string.h>

#define RDI 7 /* where the first two arguments are */
#define RSI 6
#define COMM_SIZE 16 /* TASK_COMM_LEN */
#define WORD 8

/* struct pt_regs of x86-64 (arch/x86/include/asm/ptrace.h), in words. */
enum { PT_BP = 4, PT_BX = 5, PT_R10 = 7, PT_R9, PT_R8, PT_AX, PT_CX, PT_DX, PT_SI, PT_DI, PT_ORIG_AX, PT_WORDS };

struct hook {
	const char *name; /* of the function */
	void (*run)(struct plugin *p, struct vcpu *v, uint64_t clock);
};

static bool read_guest(void *user, uint64_t address, void *to, size_t n)
{
	struct vcpu *v = user;
	const struct qemu *q = &plugin_self()->qemu;

	return q->read_memory && v->cpu && q->read_memory(v->cpu, address, to, n, false) == 0;
}

/* --- Tasks -------------------------------------------------------------------------------------------------------- */

/* Tells of the task at an address. name: where it will have its name; 0: where it has it. */
static void tell_task(struct plugin *p, struct vcpu *v, uint64_t clock, uint64_t task, uint64_t name)
{
	const struct types *types = &p->types;
	uint64_t words[5] = {0}, at = 0;
	uint32_t pid = 0, tgid = 0;
	char text[COMM_SIZE] = "";
	struct stack *stack = NULL;
	size_t n;

	if (!types->tasks || !read_guest(v, task + types->task_stack, &at, sizeof(at)) ||
	    !read_guest(v, task + types->task_pid, &pid, sizeof(pid)) ||
	    !read_guest(v, task + types->task_tgid, &tgid, sizeof(tgid)) ||
	    !read_guest(v, name ? name : task + types->task_comm, text, sizeof(text)))
		return;
	stack = stacks_at(&p->stacks, at);
	if (!stack)
		return;
	stack->pid = pid;
	stack->tgid = tgid;
	n = strnlen(text, COMM_SIZE - 1);
	memset(text + n, 0, COMM_SIZE - n);
	words[0] = stack->id;
	words[1] = (uint64_t)pid << 32 | tgid;
	words[2] = clock_now();
	memcpy(&words[3], text, COMM_SIZE);
	ring_put_more(&v->ring, clock, RING_TASK, words);
}

/* wake_up_new_task(task), init_idle(task, cpu) */
static void on_task(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	tell_task(p, v, clock, v->registers[RDI], 0);
}

/* __set_task_comm(task, name, exec) */
static void on_comm(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	tell_task(p, v, clock, v->registers[RDI], v->registers[RSI]);
}

/* start_kernel() */
static void on_start(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	const struct kallsym *first = kallsyms_find(&p->kernel.table, "init_task");

	if (first)
		tell_task(p, v, clock, first->address, 0);
}

/* panic(format, ...) */
static void on_panic(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	static const char note[] = "the guest's kernel panicked";
	uint64_t word = (uintptr_t)note;
	int fd = p->options.panic ? open(p->options.panic, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666) : -1;

	fd_close(&fd);
	ring_put_more(&v->ring, clock, RING_NOTE, &word);
}

/* --- Modules ------------------------------------------------------------------------------------------------------ */

/* do_init_module(module): its own code has not run yet. */
static void on_module(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	const struct guest_memory memory = {read_guest, v};
	const struct module *m = NULL;
	uint64_t word = 0;

	if (!p->types.modules)
		return;
	pthread_mutex_lock(&p->lock);
	m = modules_add(&p->modules, &p->types, &memory, v->registers[RDI], &p->functions);
	pthread_mutex_unlock(&p->lock);
	if (!m || !m->origin)
		return;
	word = (uintptr_t)m->origin;
	ring_put_more(&v->ring, clock, RING_MODULE, &word);
}

/* --- System calls ------------------------------------------------------------------------------------------------- */

/* The stack in use, where the function that does a system call has just been entered. */
static void begin_call(struct vcpu *v, uint32_t machine, const uint8_t order[6])
{
	uint64_t slot = v->registers[X86_RSP], regs[PT_WORDS];
	struct stack *stack = v->track.stack;

	/* The registers that the program had were pushed last before the call. */
	if (!stack || !read_guest(v, slot + WORD, regs, sizeof(regs)))
		return;
	stack->call.slot = slot;
	stack->call.enter = clock_now();
	stack->call.what = (uint64_t)machine << 32 | (uint32_t)regs[PT_ORIG_AX];
	for (int i = 0; i < 6; i++)
		stack->call.args[i] = machine == AUDIT_ARCH_X86_64 ? regs[order[i]] : (uint32_t)regs[order[i]];
}

static void on_call64(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	static const uint8_t order[6] = {PT_DI, PT_SI, PT_DX, PT_R10, PT_R8, PT_R9};

	(void)p;
	(void)clock;
	begin_call(v, AUDIT_ARCH_X86_64, order);
}

static void on_call32(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	static const uint8_t order[6] = {PT_BX, PT_CX, PT_DX, PT_SI, PT_DI, PT_BP};

	(void)p;
	(void)clock;
	begin_call(v, AUDIT_ARCH_I386, order);
}

void hook_syscall_end(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	struct syscall *call = &v->track.stack->call;
	uint64_t words[11] = {call->what, v->track.stack->pid, call->enter, clock_now(), 0};
	uint64_t slot = call->slot;

	(void)p;
	call->slot = 0;
	if (!read_guest(v, slot + WORD + PT_AX * WORD, &words[4], WORD))
		return;
	if (call->what >> 32 != AUDIT_ARCH_X86_64)
		words[4] = (uint64_t)(int64_t)(int32_t)words[4];
	memcpy(&words[5], call->args, sizeof(call->args));
	ring_put_more(&v->ring, clock, RING_SYSCALL, words);
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

static const struct hook hooks[] = {
	{"start_kernel", on_start},
	{"init_idle", on_task},
	{"wake_up_new_task", on_task},
	{"__set_task_comm", on_comm},
	{"do_init_module", on_module},
	{"do_syscall_64", on_call64},
	{"panic", on_panic},
	{"do_int80_syscall_32", on_call32},
	{"do_fast_syscall_32", on_call32},
};

const struct hook *hook_of(const struct plugin *p, const char *name)
{
	for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++) {
		if (strcmp(hooks[i].name, name) == 0)
			return p->qemu.read_memory ? &hooks[i] : NULL;
	}
	return NULL;
}

void hook_run(struct plugin *p, struct vcpu *v, uint64_t clock, const struct hook *hook)
{
	hook->run(p, v, clock);
}
