/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scheduling. Until an exec's notification is received, its caller sleeps interruptibly, and a signal whose handler
 * lacks SA_RESTART makes its execve fail with EINTR (seccomp_unotify(2)): whoever receives must come first.
 */
#ifndef EXECTRACE_PICK_LAUNCH_PRIORITY_H
#define EXECTRACE_PICK_LAUNCH_PRIORITY_H

#include <stdbool.h>

/*
 * The calling thread receives notifications and answers most: at the best nice value (RLIMIT_NICE). urgent: SCHED_FIFO
 * (sched(7)) where allowed (CAP_SYS_NICE, RLIMIT_RTPRIO), which costs all others more. Children do not inherit it.
 */
void priority_receiver(bool urgent);

/* The calling thread answers the others: a better nice value where allowed. Children do not inherit it. */
void priority_supervisor(void);

/*
 * Where memory is short the calling process is killed among the last (oom_score_adj -900, proc_pid_oom_score_adj(5)):
 * not never, as with -1000, which would put it above what the machine itself needs. Without CAP_SYS_RESOURCE nobody
 * gets below what a process with that has last set; what was raised since becomes 0 again. It is never raised. Children
 * inherit it.
 */
void priority_survive(void);

#endif
