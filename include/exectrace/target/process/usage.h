/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel tells about what a process has used, while it is there: its clocks, and files below /proc. */
#ifndef EXECTRACE_TARGET_PROCESS_USAGE_H
#define EXECTRACE_TARGET_PROCESS_USAGE_H

#include <exectrace/target/exec/print.h>
#include <sys/types.h>

/*
 * Sets the processor time of a process with all its threads, ended ones too, without its children; of a zombie as well,
 * for whoever asks. By its clocks (clock_getcpuclockid(3)), in ns, where /proc has ticks. 0; -ESRCH: it is gone.
 */
int usage_cpu(pid_t pid, struct exec_usage *usage);

/*
 * The bytes that the system calls of one thread moved (proc_pid_io(5)); those of a whole process are not asked for, for
 * the kernel adds those of its reaped children to them (wait_task_zombie, kernel/exit.c). 0 or -errno; -EACCES: it is
 * not ours to look at, as a zombie is for anybody but root.
 */
int usage_io(pid_t pid, pid_t tid, uint64_t *read, uint64_t *written);

/*
 * The most memory that the program of a thread has had resident, bytes (VmHWM, proc_pid_status(5)); 0 when unknown. A
 * zombie has none any more.
 */
uint64_t usage_peak(pid_t tid);

/*
 * Sets what a zombie has moved when it can have had no other threads: the kernel has added nothing to what the first
 * one moved. 0 or -errno; -ENODATA: it is not known.
 */
int usage_zombie_io(pid_t pid, struct exec_usage *usage);

/* Sets *ns to how long a thread of a process has run so far, in its program and in the kernel (schedstat, proc(5)). 0
 * or -errno. */
int usage_run(pid_t pid, pid_t tid, uint64_t *ns);

#endif
