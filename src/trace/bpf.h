/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A filter of system calls as a program for seccomp(2) that stops the wanted ones (SECCOMP_RET_TRACE). */
#ifndef EXECTRACE_SRC_TRACE_BPF_H
#define EXECTRACE_SRC_TRACE_BPF_H

#include <exectrace/syscalls/filter.h>
#include <linux/filter.h>

struct bpf_program {
	struct sock_filter insns[BPF_MAXINSNS];
	unsigned n;
};

/*
 * Makes the program: a binary search over the numbers of each ABI. Calls that make a process or a thread stop as well,
 * whatever the filter says: the guard (guard.h) must know of them before they happen. Calls that execute do not when
 * `execs` is not set. 0; -E2BIG.
 */
int bpf_make(const struct syscall_filter *filter, bool execs, struct bpf_program *program);

/* True when nr (with nr_bit) of an ABI makes a process or a thread. */
bool bpf_is_fork(const struct arch *arch, uint32_t nr);

#endif
