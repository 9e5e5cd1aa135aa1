/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives a stopped thread a seccomp filter, as if it had made the call itself (inject.h). */
#ifndef EXECTRACE_SRC_RECORD_SECCOMP_INSTALL_H
#define EXECTRACE_SRC_RECORD_SECCOMP_INSTALL_H

#include "bpf.h"
#include <exectrace/target/tracee/inject.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* True when a thread stopped by PTRACE_INTERRUPT is between two instructions of its program, not in a call. */
bool install_is_outside(pid_t tid);

/* How far it has come. */
enum install_stage {
	INSTALL_NONE,
	INSTALL_SIGNALS, /* the thread blocks other signals than its own */
	INSTALL_CALL,    /* ... and has other registers and text */
};

/* What has to be put back, for whoever takes the place of a caller that dies in the middle. Begins as zeroes. */
struct install {
	enum install_stage stage;
	pid_t tid;
	uint64_t mask;
	struct inject inject;
};

/* True when a thread stopped by PTRACE_INTERRUPT is in a call that the kernel restarts. */
bool install_is_restarting(pid_t tid);

/*
 * Installs the program in the thread, which is the only one of its process and is stopped outside all calls or at the
 * end of one that is not to be restarted. 0; -EACCES when the kernel does not allow it: that needs CAP_SYS_ADMIN or
 * no_new_privs (seccomp(2)), and the latter is not ours to set; or another -errno. Nothing has changed then. When the
 * thread has ended meanwhile, *status says how (wait(2)), and wait will not say it again; else it is left as it is.
 */
int install_filter(struct install *install, pid_t tid, const struct bpf_program *program, int *status);

/* Puts back what the thread, which is stopped anywhere, had before. 0 or -errno. */
int install_undo(struct install *install);

#endif
