/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the plugin share. */
#ifndef EXECTRACE_SRC_RECORD_GUEST_QEMU_PRIVATE_H
#define EXECTRACE_SRC_RECORD_GUEST_QEMU_PRIVATE_H

#include "x86.h"
#include <exectrace/record/guest/qemu/hooks/hooks.h>
#include <exectrace/record/guest/qemu/state/state.h>
#include <x86intrin.h>

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
