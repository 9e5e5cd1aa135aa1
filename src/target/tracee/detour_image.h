/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of a detour, and where it is put. x86-64. */
#ifndef EXECTRACE_SRC_TARGET_TRACEE_DETOUR_IMAGE_H
#define EXECTRACE_SRC_TARGET_TRACEE_DETOUR_IMAGE_H

#include <exectrace/target/tracee/detour.h>
#include <sys/user.h>

#define DETOUR_CODE_AT 16u
#define DETOUR_SYSCALL_BYTES 2u
#define DETOUR_MAIN_AT (DETOUR_CODE_AT + 24u)
#define DETOUR_MADE_AT (DETOUR_MAIN_AT + 7u) /* behind the call */

struct detour_image {
	unsigned char bytes[DETOUR_BYTES];
	size_t n;
	size_t entry; /* where the thread is to be put */
};

/*
 * A name; from DETOUR_MAIN_AT on the call, the registers that it or the way to it has changed, and a jump to where the
 * thread was with `saved`; the data.
 *
 * Where a call was interrupted, the thread is put behind what looks like one, with the result and the number of its
 * own: the kernel decides by that (arch_do_signal_or_restart, arch/x86/kernel/signal.c). It goes two bytes back, which
 * is the way to the call, unless a handler comes first; then what follows is executed after the handler, and the
 * thread's own call fails with EINTR.
 */
void detour_lay_out(struct detour_image *image, const struct user_regs_struct *saved, const struct detour_call *call);

#endif
