/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A filter of system calls as a program for seccomp(2) that stops the wanted ones (SECCOMP_RET_TRACE). */
#ifndef EXECTRACE_SRC_RECORD_SECCOMP_BPF_H
#define EXECTRACE_SRC_RECORD_SECCOMP_BPF_H

#include <exectrace/target/decode/decode.h>
#include <exectrace/target/syscalls/filter.h>
#include <linux/filter.h>

struct bpf_program {
	struct sock_filter insns[BPF_MAXINSNS];
	unsigned n;
};

/*
 * Makes the program: a binary search over the numbers of each ABI. Two kinds of calls stop as well, whatever the filter
 * says: those that make a process or a thread, because the guard (guard.h) must know of them before they happen, and
 * those by which a thread may get a filter of its own, for that can answer other calls before this one
 * (seccomp_filter.h). Calls that execute do not stop when `execs` is not set. 0; -E2BIG.
 */
int bpf_make(const struct syscall_filter *filter, bool execs, struct bpf_program *program);

/* True when nr (with nr_bit) of an ABI makes a process or a thread. */
bool bpf_is_fork(const struct arch *arch, uint32_t nr);

/* True when nr (with nr_bit) of an ABI is one of those that can give a thread a filter. */
bool bpf_may_sandbox(const struct arch *arch, uint32_t nr);

/* True when a call gives its thread a seccomp filter, or strict mode, if it goes well. */
bool bpf_is_sandbox(const struct syscall_call *call);

#endif
