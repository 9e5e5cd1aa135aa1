/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plugin: one for each QEMU. */
#ifndef EXECTRACE_SRC_RECORD_GUEST_QEMU_PRIVATE_H
#define EXECTRACE_SRC_RECORD_GUEST_QEMU_PRIVATE_H

#include "options.h"
#include "x86.h"
#include <exectrace/format/gate/outcome.h>
#include <exectrace/record/guest/api/qemu.h>
#include <exectrace/record/guest/api/register_api.h>
#include <exectrace/record/guest/api/register_scan.h>
#include <exectrace/record/guest/core/drain.h>
#include <exectrace/record/guest/core/functions.h>
#include <exectrace/record/guest/core/ram.h>
#include <exectrace/record/guest/core/ring.h>
#include <exectrace/record/guest/core/stacks.h>
#include <exectrace/record/guest/linux/arguments.h>
#include <exectrace/record/guest/linux/descriptors.h>
#include <exectrace/record/guest/linux/hostfile.h>
#include <exectrace/record/guest/linux/interrupts.h>
#include <exectrace/record/guest/linux/kernel.h>
#include <exectrace/record/guest/linux/messages.h>
#include <exectrace/record/guest/linux/modules.h>
#include <exectrace/record/guest/linux/pages.h>
#include <exectrace/record/guest/linux/programs.h>
#include <exectrace/record/guest/linux/types.h>
#include <pthread.h>
#include <x86intrin.h>

#define VCPUS_MAX DRAIN_CPUS

/* Of the kernel's stack pointer, where it has to be had from what is written and read (sp_from_stores.c). */
struct pushes {
	uint64_t slot;                    /* where a call has put its return address last */
	bool fresh;                       /* what it has called has not begun */
	bool armed;                       /* a call is being executed */
	uint64_t held;                    /* an interrupt came then: the slot; 0: it did not */
	const struct function *interrupt; /* that begins, and has not used its stack */
};

/* One vCPU. Its callbacks run in one thread at a time. */
struct vcpu {
	struct track track;
	struct ring ring;
	const uint64_t *counter;   /* instructions; NULL: the time stamp counter is the clock */
	const uint64_t *registers; /* the 16 general ones, in QEMU's own state; NULL: not known */
	void *cpu;                 /* QEMU's, for its memory */
	const void *armed;         /* the call site that is being executed */
	struct pushes pushes;
	struct {
		uint64_t slot, process; /* of the last call of a stub that leads to the dynamic linker; 0: none */
	} unbound;
	struct descriptors descriptors;
	uint8_t takes_descriptors[512]; /* by the number of a system call, for hookcalls.c */
	uint64_t next_sync;             /* position in the ring from which on the clocks are compared again */
};

/* A call of a program; with lists of functions, of the kernel too. They live until QEMU throws all translations away.
 */
struct site {
	struct site *next;
	const struct function *function; /* that is always called; NULL: that is not known, or varies */
	struct function *fixed;      /* then: where the call goes, which is a stub or may be one; NULL: that varies */
	uint64_t address;            /* of that, where the block was translated */
	struct x86_operand operand;  /* otherwise: where it is */
	uint64_t behind;             /* the address behind the call */
	uint64_t target;             /* where the last call went, ... */
	const struct function *last; /* ... and the function */
	uint64_t process;            /* through a stub: of whom (targets.c), for others may have another; else 0 */
	bool inside;                 /* it is within a function that is wanted */
};

/* Where in QEMU's own state of a CPU the memory callbacks are that may outlive their block (qemu72_callbacks.c). */
struct qemu72_callbacks {
	size_t offset;  /* 0: not known */
	unsigned looks; /* left */
};

#define STALE_LOOKS 64

/* What the kernel logs. */
struct messages {
	pthread_mutex_t lock; /* of what follows */
	struct message_open open;
	uint64_t log; /* address of the variable that has the ring buffer in use; 0: not looked for yet, or there is
	                 none */
	bool looked;
};

struct hook;
struct past;

struct plugin {
	qemu_id_t id;
	struct qemu qemu;
	struct plugin_options options;
	struct functions functions;
	struct stacks stacks;
	struct drain drain;
	struct vcpu *vcpus[VCPUS_MAX];
	pthread_mutex_t lock; /* of what follows: translation */
	struct ram ram;
	struct kernel kernel;
	struct types types;
	struct modules modules;
	struct pages pages;
	struct programs programs;
	struct registers registers;
	struct qemu72_callbacks stale;
	struct register_api asked;       /* while `blind` */
	struct past *past;               /* what was known before the guest booted again */
	_Atomic uint32_t processes;      /* how often a task was made, or has begun another program */
	_Atomic uint64_t renamed;        /* how often the guest has mounted or renamed anything */
	struct messages messages;        /* has its own lock */
	struct output output;            /* the file, and ... */
	struct output panic;             /* ... what tells how the guest went; dir is negative: nothing */
	enum guest_outcome outcome;      /* that it tells */
	struct origin *user;             /* code of programs whose file is not known */
	struct origin *guest;            /* all code, while `plain`; NULL: it was never */
	struct kernel_file names;        /* for that, out of a file */
	bool plain;                      /* the guest's kernel is none that is known (unknown_kernel.c) */
	const struct function *filtered; /* stands for calls that are left out; NULL: none are */
	bool lists;                      /* of functions or modules: others are not called back for */
	bool elsewhere;                  /* with them: calls may end wherever any function returns, ... */
	bool astray;                     /* ... and where they do cannot be known */
	unsigned again;                  /* with them: how often all was translated again */
	unsigned args_again;             /* how often all was translated again for arguments */
	bool gated;                      /* there are other rules */
	bool blind;                      /* QEMU's registers cannot be had */
	const struct function *firmware, *loader, *phase; /* what runs before the kernel; the one translated last */
	bool loading;                                     /* the loader has begun */
	bool looked;                                      /* what there was before the first block is known */
	bool leaving;                                     /* the kernel gives way to another, by kexec(8) */
	struct site *sites;
	struct qemu_scoreboard *score; /* of instruction counters */
	uint64_t counter;              /* where there is no scoreboard */
	bool count;                    /* instructions are the clock */
	uint32_t cpus;                 /* vCPUs there are at first */
	bool begun;                    /* the file is open, the thread runs */
	bool failed;                   /* that was not possible */
};

/* hookends.c: tells exectrace how the guest went, unless it went worse before. Not while the lock is held. */
void plugin_tell(struct plugin *p, enum guest_outcome outcome);

/* plugin.c: a vCPU will run; all ends. */
void plugin_vcpu(unsigned index, void *none);
void plugin_end(void *none);

/* events.c: has QEMU tell of those, of translations, and of vCPUs that wait. */
void events_register(const struct plugin *p);

/*
 * user.c: the function of a program at an address, `physical` being where that is; UINT64_MAX: not known. With the lock
 * held. NULL: no memory.
 */
struct function *user_function(struct plugin *p, uint64_t address, uint64_t physical);

/* user.c: the function of a program that a call goes to, at `distance` from code at a physical address. The same. */
struct function *user_target(struct plugin *p, uint64_t target, uint64_t physical, uint64_t distance);

/*
 * user.c: the function at `distance` from code at a physical address, when both are code of the same file. `always`:
 * that is where it is in each process. NULL: it is elsewhere, or the file is not known.
 */
struct function *user_in_file(struct plugin *p, uint64_t physical, uint64_t distance, bool *always);

/* user.c: looks at the n bytes that a function of a program begins with: is it a stub? With the lock. */
void user_look_at_stub(struct function *function, const uint8_t *bytes, size_t n);

/*
 * targets.c: the function that a call of a program leads to, which has put its return address in `slot`; through a stub
 * what that jumps to. `narrow`: in code of 32 bits. NULL: no memory.
 */
const struct function *target_of_call(struct vcpu *v, struct site *site, uint64_t slot, bool narrow);

/* targets.c: true for a jump with which a dynamic linker may go on to a function that it has looked up. */
bool target_may_be_bound(const struct x86_insn *insn);

/* targets.c: such a jump is executed: when a stub that was not bound has led there, its call becomes one of that
 * function. */
void callback_bound(unsigned vcpu, void *none);

/* unknown_kernel.c: true when a block is of a guest whose kernel is not known: then calls are told by their addresses
 * alone. */
bool unknown_kernel_is(struct plugin *p, struct qemu_tb *tb, uint64_t address);

/* unknown_kernel.c: a function at an address of such a guest. NULL: no memory. */
struct function *unknown_kernel_function(struct plugin *p, uint64_t address);

/* plugin.c: the one plugin. QEMU's callbacks carry nothing that could lead to it; set once, before any of them. */
extern struct plugin *the_plugin;

static inline struct plugin *plugin_self(void)
{
	return the_plugin;
}

/* callbacks.c: tells how the vCPU's clock and the host's time go together. */
void vcpu_sync(struct vcpu *v, uint64_t clock);

static inline uint64_t vcpu_clock(const struct vcpu *v)
{
	return v->counter ? *v->counter : __rdtsc();
}

/* True when there is nothing to be done for the vCPU before an event, and its registers are known. */
static inline bool vcpu_is_ready(const struct vcpu *v)
{
	return v && v->registers && v->ring.at < v->next_sync;
}

/* The vCPU, ready for an event at *clock. NULL: there was no memory for it. */
static inline struct vcpu *vcpu_at(unsigned index, uint64_t *clock)
{
	struct vcpu *v = plugin_self()->vcpus[index];

	if (__builtin_expect(!v, 0))
		return NULL;
	*clock = vcpu_clock(v);
	if (__builtin_expect(v->ring.at >= v->next_sync, 0))
		vcpu_sync(v, *clock);
	return v;
}

/* translate.c: QEMU has translated a block: chooses what of it calls us. */
void plugin_translate(struct qemu_tb *tb, void *none);

/*
 * function_filter.c: with lists of functions: the one that code of a program is part of, `host` being where it is in
 * this process. NULL: none that is wanted, or not known.
 */
const struct function *function_filter_program(struct plugin *p, const void *host);

/* function_filter.c: from now on returns that cannot count are left out, where translations can be thrown away. With
 * the lock. */
void function_filter_start(struct plugin *p);

/* function_filter.c: the function that code of the kernel or a module is part of. NULL: not known, or a label. */
struct function *function_filter_code(struct plugin *p, uint64_t address);

/* function_filter.c: false for one of which no return can end a call that is told, nor a system call. */
bool function_filter_return_counts(struct plugin *p, struct function *function);

/* function_filter.c: true for where functions jump to instead of a return, on processors that want that. */
bool function_filter_is_return(const struct plugin *p, uint64_t address);

/* function_filter.c: how code of a function ends, `behind` being where it does: looks where that may lead. */
void function_filter_end(struct plugin *p, const struct function *function, const struct x86_insn *insn,
                         uint64_t behind);

/* function_filter.c: the function of the kernel or of a module that begins at an address. NULL: none, or one that is a
 * label. */
const struct function *function_filter_at(struct plugin *p, uint64_t address);

/* translate.c: all translations are gone. */
void plugin_flush(void *none);

/* qemu72_callbacks.c: true when there is something to look for. */
bool qemu72_callbacks_wanted(const struct plugin *p);

/* qemu72_callbacks.c: looks for it, where an instruction is executed that has callbacks for its memory. */
void qemu72_callbacks_find(struct plugin *p, const struct vcpu *v);

/* qemu72_callbacks.c: takes it away, for the vCPUs of which none runs; with the lock. */
void qemu72_callbacks_forget(struct plugin *p);

/* hooks.c: what more there is to do where a function of the kernel begins; without registers, other things. NULL:
 * nothing. */
const struct hook *hook_of(const struct plugin *p, const char *name);

/* hooks.c, hookcalls.c: runs a hook, or the end of a system call, on a vCPU whose registers are known. */
void hook_run(struct plugin *p, struct vcpu *v, uint64_t clock, const struct hook *hook);
void hook_syscall_end(struct plugin *p, struct vcpu *v, uint64_t clock);

/* hookcalls.c: the call that is being made on a stack, as the words of RING_UNFINISHED; its texts go with them. */
void hook_unfinished(struct stack *stack, uint64_t words[12]);

/* hookmessages.c: takes the record of the kernel's log that is open, which will not go on. */
struct message_open hook_open_message(struct plugin *p);

/* snapshot_tasks.c: looks at what there is already, once the kernel's code runs. */
void snapshot_watch(struct plugin *p, struct qemu_tb *tb);

/* hookcalls.c: the path of the program that a system call in progress executes, where it is not known yet. */
void hook_executed(struct stack *stack, const char *path, size_t n);

/* hooks.c: copies n bytes of the memory of the task that a vCPU runs. */
bool hook_read(struct vcpu *v, uint64_t address, void *to, size_t n);

/* hooks.c: the same, for those who read structures of the guest. */
struct guest_memory hook_memory(struct vcpu *v);

/* hooks.c: tells of a struct task_struct, a struct module, that is there already. */
void hook_task(struct plugin *p, struct vcpu *v, uint64_t task);
void hook_module(struct plugin *p, struct vcpu *v, uint64_t module);

/* snapshot_tasks.c: tells of all tasks there are, and of the module that was added last. */
void snapshot_tasks(struct plugin *p, struct vcpu *v);
void snapshot_module(struct plugin *p, struct vcpu *v);

/* reset.c: looks whether a block is the first one that a machine runs, or that one kernel leaves to another, to notice
 * when that is done. */
void reset_watch(struct plugin *p, struct qemu_tb *tb);

/* callargs.c: true when arguments of any function are asked for. */
bool callargs_asked(const struct plugin *p);

/* callargs.c: true when those of this function are: then it has them from now on. With the lock. */
bool callargs_of(struct plugin *p, struct function *function);

/* callargs.c: where code of a function whose result is asked for ends with a jump to another one, the result is that
 * one's: then it is asked for its arguments and result, too. With the lock. */
void callargs_jump(struct plugin *p, uint64_t address, const struct x86_insn *insn);

/* callargs.c: true when a return in code at an address, which is at `host` in this process, may give a result that is
 * asked for. With the lock. */
bool callargs_return(struct plugin *p, uint64_t address, const void *host);

/* callargs.c: tells the arguments of a call that begins with its return address in `slot`, by these registers; by those
 * that can be had. */
void callargs_enter(struct vcpu *v, uint64_t clock, uint64_t slot, const uint64_t *registers,
                    const struct function *function);
void callargs_call(struct vcpu *v, uint64_t clock, uint64_t slot, const struct function *function);

/* callargs.c: callback_function, callback_enter and the callbacks of returns where arguments, or results, are asked
 * for. */
void callback_function_args(unsigned vcpu, void *id);
void callback_enter_args(unsigned vcpu, void *id);
void callback_return_args(unsigned vcpu, qemu_access_t access, uint64_t address, void *none);

/* callbacks.c: what runs with the guest. */
void callback_hook(unsigned vcpu, void *hook);
void callback_function(unsigned vcpu, void *id); /* a number, so that nothing is read for it */
void callback_interrupt(unsigned vcpu, void *function);
void callback_phase(unsigned vcpu, void *function);
void callback_kernel(unsigned vcpu, void *none);
void callback_arm(unsigned vcpu, void *site);
void callback_call(unsigned vcpu, qemu_access_t access, uint64_t address, void *site);
void callback_leave(unsigned vcpu, void *function);
void callback_touch(unsigned vcpu, void *none);
void callback_back(unsigned vcpu, void *none);
void callback_return_listed(unsigned vcpu, qemu_access_t access, uint64_t address, void *none);
void callback_return(unsigned vcpu, qemu_access_t access, uint64_t address, void *none);
void callback_iret(unsigned vcpu, qemu_access_t access, uint64_t address, void *none);

/* sp_from_stores.c: the same without registers. Before a call, and what it writes; where functions begin; where they
 * end; where an interrupt begins, what it writes, where it ends. */
void callback_push_arm(unsigned vcpu, void *none);
void callback_push(unsigned vcpu, qemu_access_t access, uint64_t address, void *none);
void callback_enter(unsigned vcpu, void *id);
uint64_t callback_slot(const struct vcpu *v); /* of the function that begins now; 0: not known */
void callback_enter_hook(unsigned vcpu, void *hook);
void callback_return_push(unsigned vcpu, qemu_access_t access, uint64_t address, void *none);
void callback_interrupt_begin(unsigned vcpu, void *function);
void callback_interrupt_push(unsigned vcpu, qemu_access_t access, uint64_t address, void *none);
void callback_iret_push(unsigned vcpu, qemu_access_t access, uint64_t address, void *none);

/* callbacks.c: the vCPU begins or ends to wait. */
void callback_idle(unsigned vcpu, void *none);

#endif
