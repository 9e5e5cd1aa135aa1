/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of hooks share. A hook is run where a function of the kernel begins, before its first instruction. */
#ifndef EXECTRACE_SRC_RECORD_GUEST_QEMU_HOOKS_H
#define EXECTRACE_SRC_RECORD_GUEST_QEMU_HOOKS_H

#include "private.h"

#define RDI 7 /* where the first two arguments are */
#define RSI 6
#define RDX 2 /* and the third */

/* hooks.c: reads up to n bytes, page by page, as far as they are there; how many. */
size_t hook_read_some(struct vcpu *v, uint64_t address, char *to, size_t n);

/* hookcalls.c: do_syscall_64; those of 32 bits; strncpy_from_user(to, from, n); strndup_user(from, n). */
void on_call64(struct plugin *p, struct vcpu *v, uint64_t clock);
void on_signal_of(struct plugin *p, struct vcpu *v, uint64_t clock);
void on_call32(struct plugin *p, struct vcpu *v, uint64_t clock);
void on_text_copied(struct plugin *p, struct vcpu *v, uint64_t clock);
void on_text_duplicated(struct plugin *p, struct vcpu *v, uint64_t clock);

/* hookcalls.c: adds to what is known of an argument (enum data_extra_kind): bytes, copied; the file of a descriptor. */
void hook_add_extra(struct syscall *call, uint8_t arg, uint8_t kind, const char *bytes, size_t n);
void hook_add_descriptor(struct plugin *p, struct vcpu *v, uint8_t arg, uint8_t kind, uint64_t value);

/* hookmemory.c: adds what arguments lead to, where a call begins; and where it has ended. */
void hook_look_before(struct plugin *p, struct vcpu *v, struct stack *stack);
void hook_look_behind(struct plugin *p, struct vcpu *v, struct stack *stack, uint64_t result);

/* hookwakes.c: the task whose kernel stack that is may run again. */
void hook_wake(struct plugin *p, struct vcpu *v, uint64_t clock, uint64_t address, bool is_new);

/* try_to_wake_up(task, state, flags) */
void on_wake(struct plugin *p, struct vcpu *v, uint64_t clock);

/* hooklocks.c: slow paths of locks, of which the first argument is the lock; schedule_preempt_disabled() */
void on_mutex(struct plugin *p, struct vcpu *v, uint64_t clock);
void on_semaphore(struct plugin *p, struct vcpu *v, uint64_t clock);
void on_lock_sleep(struct plugin *p, struct vcpu *v, uint64_t clock);

/* hookends.c: panic(format, ...); machine_kexec(image) */
void on_panic(struct plugin *p, struct vcpu *v, uint64_t clock);
void on_kexec(struct plugin *p, struct vcpu *v, uint64_t clock);

/* hookmessages.c: prb_commit(entry), prb_final_commit(entry) */
void on_commit(struct plugin *p, struct vcpu *v, uint64_t clock);
void on_final_commit(struct plugin *p, struct vcpu *v, uint64_t clock);

#endif
