/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keeper: a process of its own session, without terminal and with no descriptor but the listener and, while the
 * supervisor lives, what leads to that. It answers for the supervisor when that is dead, stopped or done. Without it
 * every later execve in the tree would fail with ENOSYS (seccomp_unotify(2)).
 */
#ifndef EXECTRACE_SRC_PICK_LAUNCH_KEEPER_H
#define EXECTRACE_SRC_PICK_LAUNCH_KEEPER_H

#include <exectrace/pick/launch/shared.h>
#include <sys/types.h>

/*
 * Forks it from the supervisor, which it watches. Through sock it says, each time an int, that it is ready, then gets
 * the listener once there is one, and says that it has it; without sock (-1) it has `listener`, or none. queue: takes
 * numbers of slots with what it has received and only the supervisor can answer. wake: see shared->armed. The pid, or
 * -errno.
 */
pid_t keeper_start(struct shared *shared, int sock, int listener, int queue, int wake);

#endif
