/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of hooks share. */
#ifndef EXECTRACE_SRC_RECORD_GUEST_QEMU_HOOKS_HOOKS_H
#define EXECTRACE_SRC_RECORD_GUEST_QEMU_HOOKS_HOOKS_H

#include <exectrace/record/guest/qemu/hooks/hooks.h>

#define RDI 7 /* where the first two arguments are */
#define RSI 6
#define RDX 2 /* and the third */
#define RSP 4

/* hooks.c: reads up to n bytes, page by page, as far as they are there; how many. */
size_t hook_read_some(struct vcpu *v, uint64_t address, char *to, size_t n);

/* hooks.c: tells of a struct task_struct, a struct module, that is there already. */
void hook_task(struct plugin *p, struct vcpu *v, uint64_t task);
void hook_module(struct plugin *p, struct vcpu *v, uint64_t module);

/* snapshot_tasks.c: tells of all tasks there are, and of the module that was added last. */
void snapshot_tasks(struct plugin *p, struct vcpu *v);
void snapshot_module(struct plugin *p, struct vcpu *v);

/* calls.c: do_syscall_64; those of 32 bits; strncpy_from_user(to, from, n); strndup_user(from, n). */
void on_call64(struct plugin *p, struct vcpu *v, uint64_t clock);
void on_signal_of(struct plugin *p, struct vcpu *v, uint64_t clock);
void on_call32(struct plugin *p, struct vcpu *v, uint64_t clock);
void on_text_copied(struct plugin *p, struct vcpu *v, uint64_t clock);
void on_text_duplicated(struct plugin *p, struct vcpu *v, uint64_t clock);

/* calls.c: the path of the program that a system call in progress executes, where it is not known yet. */
void hook_executed(struct stack *stack, const char *path, size_t n);

/* calls.c: adds to what is known of an argument (enum data_extra_kind): bytes, copied; the file of a descriptor. */
void hook_add_extra(struct syscall *call, uint8_t arg, uint8_t kind, const char *bytes, size_t n);
void hook_add_descriptor(struct plugin *p, struct vcpu *v, uint8_t arg, uint8_t kind, uint64_t value);

/* memory.c: adds what arguments lead to, where a call begins; and where it has ended. */
void hook_look_before(struct plugin *p, struct vcpu *v, struct stack *stack);
void hook_look_behind(struct plugin *p, struct vcpu *v, struct stack *stack, uint64_t result);

/* wakes.c: the task whose kernel stack that is may run again. */
void hook_wake(struct plugin *p, struct vcpu *v, uint64_t clock, uint64_t address, bool is_new);

/* try_to_wake_up(task, state, flags) */
void on_wake(struct plugin *p, struct vcpu *v, uint64_t clock);

/* locks.c: slow paths of locks, of which the first argument is the lock; schedule_preempt_disabled() */
void on_mutex(struct plugin *p, struct vcpu *v, uint64_t clock);
void on_semaphore(struct plugin *p, struct vcpu *v, uint64_t clock);
void on_lock_sleep(struct plugin *p, struct vcpu *v, uint64_t clock);

/* ends.c: panic(format, ...); machine_kexec(image) */
void on_panic(struct plugin *p, struct vcpu *v, uint64_t clock);
void on_kexec(struct plugin *p, struct vcpu *v, uint64_t clock);

/* messages.c: prb_commit(entry), prb_final_commit(entry) */
void on_commit(struct plugin *p, struct vcpu *v, uint64_t clock);
void on_final_commit(struct plugin *p, struct vcpu *v, uint64_t clock);

#endif
