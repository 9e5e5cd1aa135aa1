/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a process hands to the program that it executes, as lines that say how that differs from our own: "env A=1",
 * "unset B", "umask 0077", "limit NOFILE 32 1024" (soft, hard), "ignored INT", "blocked CHLD", "fd 3 /tmp/x" (open,
 * and the exec will not close it), "closed 0", "uid 0 1000 0" (real, effective, saved), "gid ...", "groups 4 24",
 * "capabilities 0000000000000000" (the effective ones), "ns net:[1]", "cgroup ...".
 */
#ifndef EXECTRACE_TARGET_PROCESS_STATE_H
#define EXECTRACE_TARGET_PROCESS_STATE_H

#include <exectrace/base/strv.h>
#include <sys/types.h>

struct state_base;

/* Our own state, to compare with. 0 or -ENOMEM; what cannot be read is not compared. */
int state_base_new(struct state_base **base);

/* Adds it as lines, of which those of state_read are the differences: but no "unset" and "closed". 0 or -ENOMEM. */
int state_base_lines(const struct state_base *base, struct strv *lines);

void state_base_free(struct state_base *base);

/*
 * Adds the lines of a thread that waits or is stopped. env: the environment of the new program; NULL: unknown. No file
 * but those of /proc is opened. 0; -ENOMEM; -errno when nothing can be read.
 */
int state_read(const struct state_base *base, pid_t tid, const struct strv *env, struct strv *lines);

#endif
