/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who has the lock that a thread is about to wait for. */
#ifndef EXECTRACE_RECORD_TRACE_PROCESS_LOCK_OWNER_H
#define EXECTRACE_RECORD_TRACE_PROCESS_LOCK_OWNER_H

#include <exectrace/record/calls/call.h>

/*
 * The thread has entered its call: if that is a futex(2) for a lock that another thread has, the text of the first
 * argument becomes "0x4010<locked by 4711>". The number is that which the program knows. Kernel locks (FUTEX_LOCK_PI),
 * robust ones and those of musl have it in the word; pthread_mutex_t of glibc has it two words behind, and 2 in the
 * word while others wait. 0 or -ENOMEM.
 */
int lock_owner_note(struct thread *thread);

#endif
