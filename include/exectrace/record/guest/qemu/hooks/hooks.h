/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What functions of the guest's kernel tell beside that they were called: tasks, modules, system calls, locks, what is
 * logged, how it ends. A hook is run where such a function begins, before its first instruction; what its arguments
 * point to is read as the kernel itself would at this moment.
 */
#ifndef EXECTRACE_RECORD_GUEST_QEMU_HOOKS_HOOKS_H
#define EXECTRACE_RECORD_GUEST_QEMU_HOOKS_HOOKS_H

#include <exectrace/record/guest/qemu/state/state.h>

struct hook;

/* What more there is to do where a function of the kernel begins; without registers, other things. NULL: nothing. */
const struct hook *hook_of(const struct plugin *p, const char *name);

/* Runs a hook, or the end of a system call, on a vCPU whose registers are known. */
void hook_run(struct plugin *p, struct vcpu *v, uint64_t clock, const struct hook *hook);
void hook_syscall_end(struct plugin *p, struct vcpu *v, uint64_t clock);

/* The call that is being made on a stack, as the words of RING_UNFINISHED; its texts go with them. */
void hook_unfinished(struct stack *stack, uint64_t words[12]);

/* Takes the record of the kernel's log that is open, which will not go on. */
struct message_open hook_open_message(struct plugin *p);

/* Copies n bytes of the memory of the task that a vCPU runs. */
bool hook_read(struct vcpu *v, uint64_t address, void *to, size_t n);

/* The same, for those who read structures of the guest. */
struct guest_memory hook_memory(struct vcpu *v);

/* Looks at what there is already, once the kernel's code runs. */
void snapshot_watch(struct plugin *p, struct qemu_tb *tb);

/* Tells exectrace how the guest went, unless it went worse before. Not while the lock is held. */
void plugin_tell(struct plugin *p, enum guest_outcome outcome);

#endif
