/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of the kernel whose arguments tell more than that they were called: tasks, modules, system calls. What they
 * point to is read as the kernel itself would at this moment.
 */
#include "hooks.h"

#include <exectrace/base/clock.h>
#include <exectrace/base/kerrno.h>
#include <linux/audit.h>
#include <linux/sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define COMM_SIZE 16    /* TASK_COMM_LEN */
#define EXEC_PATH 4096  /* bytes of a program's path */
#define EXEC_BYTES 8192 /* of its words */
#define EXEC_WORDS 1024
#define MODULE_COMING 1 /* MODULE_STATE_COMING */

struct hook {
	const char *name;                                              /* of the function */
	void (*run)(struct plugin *p, struct vcpu *v, uint64_t clock); /* NULL: nothing more is done */
	enum guest_outcome outcome;                                    /* that it tells exectrace */
};

/* Without QEMU's help: what the kernel has mapped for itself. */
static bool read_kernel(struct plugin *p, uint64_t address, void *to, size_t n)
{
	return kernel_address(address) && pages_read(&p->pages, address, to, n);
}

static bool read_guest(void *user, uint64_t address, void *to, size_t n)
{
	struct vcpu *v = user;
	const struct qemu *q = &plugin_self()->qemu;

	if (plugin_self()->blind)
		return read_kernel(plugin_self(), address, to, n) || register_api_memory(q, address, to, n);
	return q->read_memory && v->cpu && q->read_memory(v->cpu, address, to, n, false) == 0;
}

bool hook_read(struct vcpu *v, uint64_t address, void *to, size_t n)
{
	return pages_copy(&plugin_self()->pages, address, to, n) || read_guest(v, address, to, n);
}

static bool read_for(void *user, uint64_t address, void *to, size_t n)
{
	return hook_read(user, address, to, n);
}

struct guest_memory hook_memory(struct vcpu *v)
{
	return (struct guest_memory){read_for, v};
}

/* --- Tasks -------------------------------------------------------------------------------------------------------- */

/* What a struct task_struct says. */
struct task {
	uint64_t at;    /* where it is */
	uint64_t stack; /* where that is */
	uint64_t mm;    /* 0: a thread of the kernel */
	uint32_t pid, tgid;
	char comm[COMM_SIZE];
};

/* comm: where it will have its name; 0: where it has it. */
static bool read_task(const struct plugin *p, struct vcpu *v, uint64_t at, uint64_t comm, struct task *task)
{
	const struct types *types = &p->types;
	size_t n;

	*task = (struct task){.at = at};
	if (!types->tasks || !read_guest(v, at + types->task_stack, &task->stack, sizeof(task->stack)) ||
	    !read_guest(v, at + types->task_mm, &task->mm, sizeof(task->mm)) ||
	    !read_guest(v, at + types->task_pid, &task->pid, sizeof(task->pid)) ||
	    !read_guest(v, at + types->task_tgid, &task->tgid, sizeof(task->tgid)) ||
	    !read_guest(v, comm ? comm : at + types->task_comm, task->comm, sizeof(task->comm)))
		return false;
	n = strnlen(task->comm, COMM_SIZE - 1);
	memset(task->comm + n, 0, COMM_SIZE - n);
	return true;
}

/* maker: the thread that has made it; 0: unknown. */
static void tell_task(struct plugin *p, struct vcpu *v, uint64_t clock, const struct task *task, bool is_new,
                      uint32_t maker)
{
	struct stack *stack = stacks_at(&p->stacks, task->stack);
	struct stack *program = task->mm ? stacks_user(&p->stacks, task->stack) : NULL;
	uint64_t words[6] = {0};

	if (!stack)
		return;
	stack->named = true;
	stack->pid = task->pid;
	stack->tgid = task->tgid;
	stack->descriptor = task->at;
	if (is_new)
		stack->call.slot = 0;
	words[0] = stack->id;
	words[1] = (uint64_t)task->pid << 32 | task->tgid;
	words[2] = clock_now();
	memcpy(&words[3], task->comm, COMM_SIZE);
	words[5] = (uint64_t)maker << 32 | (program ? program->id << 1 : 0) | is_new;
	ring_put_more(&v->ring, clock, RING_TASK, words);
}

/* init_idle(task, cpu) */
static void on_task(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	struct task task;

	if (read_task(p, v, v->registers[RDI], 0, &task))
		tell_task(p, v, clock, &task, true, v->track.stack ? v->track.stack->pid : 0);
}

/* True when a system call makes a child that goes on with the caller's stack, or a copy of it: clone(2). */
static bool keeps_stack(struct vcpu *v, const struct syscall *call)
{
	const uint64_t x86_64 = (uint64_t)AUDIT_ARCH_X86_64 << 32;
	uint64_t stack = 0;

	if (!call->slot)
		return false;
	if (call->what == (x86_64 | SYS_clone))
		return !call->args[1];
	if (call->what == (x86_64 | SYS_clone3))
		return hook_read(v, call->args[0] + offsetof(struct clone_args, stack), &stack, sizeof(stack)) &&
		       !stack;
	return call->what == (x86_64 | SYS_fork) || call->what == (x86_64 | SYS_vfork);
}

/* wake_up_new_task(task) */
static void on_new_task(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	struct task task;

	atomic_fetch_add_explicit(&p->processes, 1, memory_order_relaxed);
	if (!read_task(p, v, v->registers[RDI], 0, &task))
		return;
	track_bury(&v->track, clock, task.stack);
	tell_task(p, v, clock, &task, true, v->track.stack ? v->track.stack->pid : 0);
	if (v->track.stack && keeps_stack(v, &v->track.stack->call))
		track_fork(&v->track, clock, task.stack);
	hook_wake(p, v, clock, task.stack, true);
}

void hook_task(struct plugin *p, struct vcpu *v, uint64_t at)
{
	struct task task;

	if (read_task(p, v, at, 0, &task))
		tell_task(p, v, v->ring.clock, &task, true, 0);
}

/* __set_task_comm(task, name, exec) */
static void on_comm(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	struct task task;

	if (read_task(p, v, v->registers[RDI], v->registers[RSI], &task))
		tell_task(p, v, clock, &task, false, 0);
}

/* x86_64_start_kernel() and others that run before it */
static void on_start(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	const struct kallsym *first = kallsyms_find(&p->kernel.table, "init_task");
	struct task task;

	if (first && v->track.stack && !v->track.stack->named && read_task(p, v, first->address, 0, &task))
		tell_task(p, v, clock, &task, true, 0);
}

/* What handles an interrupt: where that is not on the stack of a task, it has one of its own. */
static void on_handler(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	struct stack *stack = v->track.stack;
	uint64_t words[6] = {0};

	(void)p;
	if (!stack || stack->named)
		return;
	stack->named = true;
	words[0] = stack->id;
	memcpy(&words[3], "[irq]", 5);
	ring_put_more(&v->ring, clock, RING_TASK, words);
}

/* --- Programs ----------------------------------------------------------------------------------------------------- */

size_t hook_read_some(struct vcpu *v, uint64_t address, char *to, size_t n)
{
	const struct guest_memory memory = {read_guest, v};

	return guest_memory_some(&memory, address, to, n);
}

/* How many bytes `count` texts have, each with its NUL; *count: how many of them are whole within n bytes. */
static size_t whole_texts(const char *text, size_t n, uint32_t *count)
{
	uint32_t want = *count;
	size_t size = 0;

	for (*count = 0; *count < want; (*count)++) {
		size_t one = strnlen(text + size, n - size);

		if (one == n - size)
			break;
		size += one + 1;
	}
	return size;
}

/* The stack of a new program begins with the number of its words and where they are, one behind the other. */
static size_t read_words(struct vcpu *v, uint64_t stack, char *to, size_t n, uint32_t *count)
{
	uint64_t start[2] = {0};

	*count = 0;
	if (!read_guest(v, stack, start, sizeof(start)))
		return 0;
	if (start[0] > UINT32_MAX) { /* a program of 32 bits */
		start[1] = start[0] >> 32;
		start[0] = (uint32_t)start[0];
	}
	*count = start[0] < EXEC_WORDS ? (uint32_t)start[0] : EXEC_WORDS;
	return whole_texts(to, hook_read_some(v, start[1], to, n), count);
}

/* finalize_exec(bprm): the program is there, and runs next. */
static void on_exec(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	const struct stack *stack = v->track.stack;
	struct ring_exec *exec = NULL;
	uint64_t bprm = v->registers[RDI], path = 0, top = 0, word;
	uint32_t one = 1;

	atomic_fetch_add_explicit(&p->processes, 1, memory_order_relaxed);
	track_exec(&v->track, clock);
	if (!p->types.execs || !stack || !stack->pid ||
	    !read_guest(v, bprm + p->types.exec_path, &path, sizeof(path)) ||
	    !read_guest(v, bprm + p->types.exec_stack, &top, sizeof(top)) ||
	    !(exec = malloc(sizeof(*exec) + EXEC_PATH + EXEC_BYTES)))
		return;
	*exec = (struct ring_exec){.when = clock_now(), .pid = stack->pid};
	exec->path_size = (uint32_t)whole_texts(exec->text, hook_read_some(v, path, exec->text, EXEC_PATH), &one);
	hook_executed(v->track.stack, exec->text, exec->path_size ? exec->path_size - 1 : 0);
	exec->argv_size = (uint32_t)read_words(v, top, exec->text + exec->path_size, EXEC_BYTES, &exec->argc);
	word = (uintptr_t)exec;
	ring_put_more(&v->ring, clock, RING_EXEC, &word);
}

/* A system call that will not return to its program. It may be over: then a signal ends the process. */
static void end_call(struct vcpu *v, uint64_t clock, struct stack *stack)
{
	const bool over = stack->call.signaled && !is_restart((int64_t)stack->call.result);
	uint64_t words[12];

	if (!stack->call.slot)
		return;
	hook_unfinished(stack, words);
	words[4] = over ? stack->call.result : 0;
	ring_put_more(&v->ring, clock, over ? RING_SYSCALL : RING_UNFINISHED, words);
	stack->call.slot = 0;
}

/* do_exit(status) */
static void on_exit_of(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	struct stack *stack = v->track.stack;
	uint64_t words[3];

	(void)p;
	if (!stack || !stack->pid)
		return;
	end_call(v, clock, stack);
	words[0] = (uint64_t)stack->pid << 32 | stack->tgid;
	words[1] = clock_now();
	words[2] = (uint32_t)v->registers[RDI];
	ring_put_more(&v->ring, clock, RING_EXIT, words);
}

/* --- Modules ------------------------------------------------------------------------------------------------------ */

void hook_module(struct plugin *p, struct vcpu *v, uint64_t module)
{
	const struct guest_memory memory = {read_guest, v};
	const struct module *m = NULL;
	uint64_t word = 0;

	if (!p->types.modules)
		return;
	pthread_mutex_lock(&p->lock);
	m = modules_add(&p->modules, &p->types, &memory, module, &p->functions);
	pthread_mutex_unlock(&p->lock);
	if (!m || !m->origin)
		return;
	word = (uintptr_t)m->origin;
	ring_put_more(&v->ring, v->ring.clock, RING_MODULE, &word);
}

/* do_init_module(module): its own code has not run yet. */
static void on_module(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	(void)clock;
	hook_module(p, v, v->registers[RDI]);
}

/* btf_module_notify(block, operation, module): the file that it is loaded from is still there. */
static void on_module_coming(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	const struct guest_memory memory = {read_guest, v};

	(void)clock;
	if (v->registers[RSI] != MODULE_COMING || !p->types.btf)
		return;
	pthread_mutex_lock(&p->lock);
	modules_coming(&p->modules, &p->types, &memory, v->registers[RDX]);
	pthread_mutex_unlock(&p->lock);
}

/* --- Without arguments -------------------------------------------------------------------------------------------- */

/* The thread of a stack is known when all tasks have been looked at. */
static void on_call_of(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	struct stack *stack = v->track.stack;

	if (stack && !stack->named) {
		snapshot_tasks(p, v);
		stack->named = true;
	}
	on_call64(p, v, clock);
}

/* The call will not return, and the stack will be another task's. */
static void on_end_of(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	struct stack *stack = v->track.stack;

	(void)p;
	if (stack)
		end_call(v, clock, stack);
	if (stack)
		stack->named = false;
}

static void on_newest_module(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	(void)clock;
	snapshot_module(p, v);
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

static const struct hook hooks[] = {
	{.name = "early_setup_idt", .run = on_start},
	{.name = "x86_64_start_kernel", .run = on_start},
	{.name = "start_kernel", .run = on_start},
	{.name = "init_idle", .run = on_task},
	{.name = "__common_interrupt", .run = on_handler},
	{.name = "__sysvec_apic_timer_interrupt", .run = on_handler},
	{.name = "__do_softirq", .run = on_handler},
	{.name = "handle_softirqs", .run = on_handler},
	{.name = "__sysvec_call_function_single", .run = on_handler},
	{.name = "wake_up_new_task", .run = on_new_task},
	{.name = "try_to_wake_up", .run = on_wake},
	{.name = "__set_task_comm", .run = on_comm},
	{.name = "strncpy_from_user", .run = on_text_copied},
	{.name = "strndup_user", .run = on_text_duplicated},
	{.name = "finalize_exec", .run = on_exec},
	{.name = "do_exit", .run = on_exit_of},
	{.name = "do_init_module", .run = on_module},
	{.name = "btf_module_notify", .run = on_module_coming},
	{.name = "do_syscall_64", .run = on_call64},
	{.name = "arch_do_signal_or_restart", .run = on_signal_of},
	{.name = "arch_do_signal", .run = on_signal_of},
	{.name = "prb_commit", .run = on_commit},
	{.name = "prb_final_commit", .run = on_final_commit},
	{.name = "__mutex_lock_slowpath", .run = on_mutex},
	{.name = "__mutex_lock_killable_slowpath", .run = on_mutex},
	{.name = "__mutex_lock_interruptible_slowpath", .run = on_mutex},
	{.name = "__mutex_lock.isra.0", .run = on_mutex},
	{.name = "__mutex_lock.constprop.0", .run = on_mutex},
	{.name = "rwsem_down_write_slowpath", .run = on_semaphore},
	{.name = "rwsem_down_read_slowpath", .run = on_semaphore},
	{.name = "schedule_preempt_disabled", .run = on_lock_sleep},
	{.name = "do_int80_syscall_32", .run = on_call32},
	{.name = "do_fast_syscall_32", .run = on_call32},
};

/* Where arguments are not known. */
static const struct hook blind_hooks[] = {
	{.name = "do_exit", .run = on_end_of},
	{.name = "do_init_module", .run = on_newest_module},
	{.name = "do_syscall_64", .run = on_call_of},
};

/* Whether arguments are known or not. */
static const struct hook ends[] = {
	{.name = "panic", .run = on_panic, .outcome = GUEST_PANICKED},
	{.name = "oops_enter", .outcome = GUEST_OOPSED},
	{.name = "machine_kexec", .run = on_kexec},
	{.name = "machine_power_off", .outcome = GUEST_POWERED_OFF},
	{.name = "machine_halt", .outcome = GUEST_HALTED},
	{.name = "machine_restart", .outcome = GUEST_RESET},
	{.name = "machine_emergency_restart", .outcome = GUEST_RESET},
};

static const struct hook *find(const struct hook *table, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	}
	return NULL;
}

const struct hook *hook_of(const struct plugin *p, const char *name)
{
	const struct hook *hook;

	if (!p->blind && !p->qemu.read_memory)
		return NULL;
	if (p->blind && p->asked.n < REGISTER_API_COUNT)
		hook = find(blind_hooks, sizeof(blind_hooks) / sizeof(blind_hooks[0]), name);
	else
		hook = find(hooks, sizeof(hooks) / sizeof(hooks[0]), name);
	return hook ? hook : find(ends, sizeof(ends) / sizeof(ends[0]), name);
}

void hook_run(struct plugin *p, struct vcpu *v, uint64_t clock, const struct hook *hook)
{
	if (hook->outcome != GUEST_RUNS)
		plugin_tell(p, hook->outcome);
	if (hook->run)
		hook->run(p, v, clock);
}
