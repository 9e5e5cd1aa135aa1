/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which system calls are wanted: "openat,%network,/^mmap/,!close". Items apply from left to right; `!` takes calls out
 * again. A list that begins with `!` begins with all calls. An item is a name, the %class of strace(1) (also %all), a
 * POSIX extended /regex/ that is looked for in the name (the last / may be missing when no comma is in it), or a
 * number; `all` and `none`; with `?` in front it may mean no call, with @64, @32 or @x32 behind it calls of that ABI
 * only. Commas too many are passed over.
 */
#ifndef EXECTRACE_TARGET_SYSCALLS_FILTER_H
#define EXECTRACE_TARGET_SYSCALLS_FILTER_H

#include <exectrace/base/buf.h>
#include <exectrace/target/arch/arch.h>
#include <exectrace/target/syscalls/table.h>
#include <stdbool.h>
#include <stdint.h>

/* Plain data: to copy it is to copy the filter; nothing to release. */
struct syscall_filter {
	uint64_t bits[SYSCALL_ABIS][SYSCALL_NR_MAX / 64]; /* by number, nr_bit taken off */
	bool unknown;                                     /* numbers beyond the tables, and other ABIs */
};

/* Sets *f to what text says. 0; -ENOMEM; -EINVAL with one line in err that names the offending text and its offset. */
int syscall_filter_parse(struct syscall_filter *f, const char *text, struct buf *err);

/* Sets *f to all calls. */
void syscall_filter_all(struct syscall_filter *f);

/* Adds the calls of another one. */
void syscall_filter_add(struct syscall_filter *f, const struct syscall_filter *more);

/* Takes away the calls that are not in another one. */
void syscall_filter_keep(struct syscall_filter *f, const struct syscall_filter *of);

/* Makes it that of all other calls. */
void syscall_filter_invert(struct syscall_filter *f);

/* True when call nr (with nr_bit) of an ABI is wanted. */
bool syscall_filter_has(const struct syscall_filter *f, const struct arch *arch, uint32_t nr);

/* True when a call that executes a program is, of any ABI. */
bool syscall_filter_has_exec(const struct syscall_filter *f);

#endif
