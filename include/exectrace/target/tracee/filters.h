/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a thread's own seccomp filters would say to a call, known before the call is made. A filter is classic BPF over
 * struct seccomp_data and nothing else (seccomp(2)), so its answer is a pure function of the call.
 */
#ifndef EXECTRACE_TARGET_TRACEE_FILTERS_H
#define EXECTRACE_TARGET_TRACEE_FILTERS_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Runs one filter. 0 with *result (SECCOMP_RET_* and its data); -EINVAL for what seccomp(2) accepts no program with
 * (seccomp_check_filter, kernel/seccomp.c).
 */
int filter_run(const struct sock_filter *insns, size_t n, const struct seccomp_data *call, uint32_t *result);

/* The action that counts of two: KILL_PROCESS, KILL_THREAD, TRAP, ERRNO, USER_NOTIF, TRACE, LOG, ALLOW (seccomp(2)). */
uint32_t filter_stronger(uint32_t a, uint32_t b);

/*
 * What all filters of a stopped tracee of ours together say to `call` (PTRACE_SECCOMP_GET_FILTER, Linux 4.4). 0 with
 * *action, without data; -errno when they cannot be read: -EACCES without CAP_SYS_ADMIN, or when the caller has a
 * filter itself; -EIO without CONFIG_CHECKPOINT_RESTORE.
 */
int filters_judge(pid_t tid, const struct seccomp_data *call, uint32_t *action);

#endif
