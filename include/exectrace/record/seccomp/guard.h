/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who takes the tracer's place. Threads with a filter that says SECCOMP_RET_TRACE must have a tracer: without one their
 * filtered calls fail with ENOSYS (seccomp(2)). So when the tracer ends in any way, a process of its own, the guard,
 * attaches to all of them and lets them run through each stop, until the last has ended.
 *
 * It must be quicker than the kernel, which lets the threads run when the tracer is gone. It is woken before that: the
 * tracer holds robust futexes (get_robust_list(2)), which the kernel gives up early in a process's death (exit_mm
 * before exit_notify in do_exit, kernel/exit.c). From then on the tracer does not go on dying: it is bound to one
 * processor, which a thread of the guard with a real-time priority keeps busy. Another one binds the traced threads to
 * the same processor, so that none of them gets back to its program, then lets the tracer end elsewhere, attaches, and
 * takes all of that back. The threads get no signal and see no stop. It knows of a thread before that gets its filter,
 * and how far the getting has come (install.h): half of it is undone before the thread is back in its program.
 */
#ifndef EXECTRACE_RECORD_SECCOMP_GUARD_H
#define EXECTRACE_RECORD_SECCOMP_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

#define GUARD_NONE (-1)

struct guard;
struct install;

/*
 * Starts one for the calling process. 0 or -errno: -EPERM where it could not do its work. It may not use a real-time
 * priority (sched(7)), has one processor only, or Yama lets only a parent attach
 * (Documentation/admin-guide/LSM/Yama.rst).
 */
int guard_start(struct guard **guard);

/* The thread that must always be bound to the processor to which the caller is. */
pid_t guard_watcher(const struct guard *guard);

/* True when that is the guard's process: its stops are its own, and no thread's. */
bool guard_is(const struct guard *guard, pid_t pid);

/* Where it is noted how far a filter has been installed: what is half done the guard puts back. */
struct install *guard_install(struct guard *guard);

/*
 * A thread that the guard must know, before it runs. The number it has from now on; GUARD_NONE when there is no room
 * for it (after 65,536 of them).
 */
int guard_add(struct guard *guard, pid_t tgid, pid_t tid);

/* It has ended, or goes on under another number. A number that is GUARD_NONE is ignored, here and below. */
void guard_remove(struct guard *guard, int number);

/* It is about to make a process or a thread, or has done so and that has been added. */
void guard_forking(struct guard *guard, int number, bool forking);

/* There are no threads left: the guard ends, and is waited for. Frees. */
void guard_end(struct guard *guard);

/* There are some, and the calling process will end soon: frees what is not needed for that. */
void guard_leave(struct guard *guard);

#endif
