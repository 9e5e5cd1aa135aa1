/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keeper: a process of its own session, without terminal and with no descriptor but the listener, that answers for
 * the supervisor when that is dead, stopped or done. Without it every later execve in the tree would fail with ENOSYS
 * (seccomp_unotify(2)).
 */
#ifndef EXECTRACE_SRC_ENGINE_KEEPER_H
#define EXECTRACE_SRC_ENGINE_KEEPER_H

#include "shared.h"
#include <sys/types.h>

/*
 * Forks it from the supervisor, which it watches. It gets the listener through sock once there is one. The pid, or
 * -errno.
 */
pid_t keeper_start(struct shared *shared, int sock);

/* Tells it that shared->suspended has changed. */
void keeper_wake(pid_t keeper);

#endif
