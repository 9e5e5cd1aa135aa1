/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Yama leaves us: sysctl kernel.yama.ptrace_scope (Documentation/admin-guide/LSM/Yama.rst of the kernel). It
 * governs attaching and, with the same check, reading and writing another process's memory.
 */
#ifndef EXECTRACE_TARGET_PROCESS_YAMA_H
#define EXECTRACE_TARGET_PROCESS_YAMA_H

#include <stdbool.h>
#include <sys/types.h>

enum yama {
	YAMA_ANY,         /* no Yama, scope 0, or a scope that the capability CAP_SYS_PTRACE lifts */
	YAMA_DESCENDANTS, /* scope 1: descendants, and those that have allowed it by PR_SET_PTRACER (prctl(2)) */
	YAMA_NOBODY,      /* scope 2 without the capability, or scope 3 */
};

/* Whom this process may attach to. scope: the sysctl, 0 without Yama; may be NULL. */
enum yama yama_restricts(int *scope);

/*
 * To be asked, with YAMA_DESCENDANTS, when reading a thread's memory was refused: true when that is Yama's doing. It
 * does not descend from this process, and what is asked before Yama allows it (ptrace(2), "Ptrace access mode
 * checking"): its user, its being dumpable.
 */
bool yama_refuses(pid_t tid);

#endif
