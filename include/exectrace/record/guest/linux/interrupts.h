/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupts and exceptions on shadow stacks. */
#ifndef EXECTRACE_RECORD_GUEST_LINUX_INTERRUPTS_H
#define EXECTRACE_RECORD_GUEST_LINUX_INTERRUPTS_H

#include <exectrace/record/guest/core/stacks.h>

/*
 * The entry of an interrupt or exception, with this stack pointer. One that comes to a program is on the stack of its
 * task from the beginning, although the processor and the kernel use another one for the first and the last
 * instructions. apart: one that always has a stack of its own.
 */
void track_interrupt(struct track *t, uint64_t clock, uint64_t slot, uint32_t function, bool apart);

/* An iret, which reads its first word from `slot`. */
void track_iret(struct track *t, uint64_t clock, uint64_t slot);

#endif
