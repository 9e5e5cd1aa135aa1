/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a system call has to say that its registers do not: for those who keep calls to show them later. Taken while the
 * thread is stopped, in two phases as in decode.h. An argument that can be shown from its value alone has no extra; nor
 * has one that points to memory which cannot be read.
 */
#ifndef EXECTRACE_TARGET_DECODE_EXTRAS_H
#define EXECTRACE_TARGET_DECODE_EXTRAS_H

#include <exectrace/target/decode/decode.h>

enum extra_kind {
	EXTRA_BYTES, /* of memory, as they are; at most string_max, and fewer than the call says when that was less */
	EXTRA_NAME,  /* the name of a file, as it is in memory, without its NUL */
	EXTRA_TEXT,  /* what decode_enter and decode_exit would append for it */
};

#define EXTRA_RESULT SYSCALL_ARGS /* the extra is of the result: what stands behind "= " */

struct call_extra {
	uint8_t arg; /* the first register of the argument, 0 to 5; EXTRA_RESULT */
	enum extra_kind kind;
	size_t at, n; /* where it is in call_extras.bytes */
};

/* Those of one call, in the order in which they became known: by ascending arguments, the result last. */
struct call_extras {
	struct call_extra items[SYSCALL_ARGS + 1];
	unsigned n;
	struct buf bytes;
};

/* Takes those that are known at the entry of a call; what was there before is forgotten. 0 or -ENOMEM. */
int extras_enter(const struct decoder *d, const struct syscall_call *call, struct decode_state *state,
                 struct call_extras *extras);

/* Adds those that are known at its end, and that of the result. 0 or -ENOMEM. */
int extras_exit(const struct decoder *d, const struct syscall_call *call, struct decode_state *state,
                const struct syscall_result *result, struct call_extras *extras);

/* Frees what it holds. */
void extras_release(struct call_extras *extras);

#endif
