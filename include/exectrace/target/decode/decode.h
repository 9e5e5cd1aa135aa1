/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A system call as text, in the layout of strace(1): `openat(AT_FDCWD, "/etc/x", O_RDONLY) = 3`. In two phases, since
 * a call may take long: decode_enter at its entry, up to the first argument that only the kernel fills in, decode_exit
 * at its end. Whatever the memory of the traced process holds, the text is bounded: strings and arrays are cut, and
 * what cannot be read is shown as its address.
 */
#ifndef EXECTRACE_TARGET_DECODE_DECODE_H
#define EXECTRACE_TARGET_DECODE_DECODE_H

#include <exectrace/target/decode/values/decoder.h>

/*
 * Appends the name, "(" and the arguments that are known at the entry, and a comma when more are to come. 0 or -ENOMEM,
 * with the text cut short.
 */
int decode_enter(const struct decoder *d, const struct syscall_call *call, struct decode_state *state, struct buf *out);

/* Appends the other arguments, ")" and the result, without a newline. 0 or -ENOMEM. */
int decode_exit(const struct decoder *d, const struct syscall_call *call, struct decode_state *state,
                const struct syscall_result *result, struct buf *out);

/*
 * Appends what ends the line of a call whose process is gone: ") = ?", or " <unfinished ...>) = ?" when arguments are
 * missing; the process's memory is not read. 0 or -ENOMEM.
 */
int decode_gone(const struct decoder *d, const struct syscall_call *call, struct decode_state *state, struct buf *out);

/* How many registers the arguments of a call are in: a position is in two, preadv(2). At most SYSCALL_ARGS. */
unsigned decode_registers(const struct syscall_desc *desc);

/* Appends the "= -1 ENOENT (No such file or directory)" of a result, without arguments. 0 or -ENOMEM. */
int decode_result(const struct syscall_call *call, const struct syscall_result *result, struct buf *out);

/* Appends a siginfo as strace does: `{si_signo=SIGCHLD, si_code=CLD_EXITED, ...}`. raw: 128 bytes. d: how constants are
 * shown; NULL: as names. 0 or -ENOMEM. */
int decode_siginfo(const struct decoder *d, const struct arch *arch, const void *raw, struct buf *out);

#endif
