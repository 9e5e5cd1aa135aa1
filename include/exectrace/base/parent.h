/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process of ours that is of no use without the one that forked it. */
#ifndef EXECTRACE_BASE_PARENT_H
#define EXECTRACE_BASE_PARENT_H

#include <sys/types.h>

/*
 * For the child, right behind a fork: it is killed (SIGKILL) when its parent, whose pid that is, ends: more exactly,
 * when the thread that forked it does (prctl(2), PR_SET_PDEATHSIG). Of a parent that ended before that nothing would
 * tell: then this does not return, the child ends with status 0. An exec of a program with more rights takes it back. 0
 * or -errno: the kernel refuses, as a filter may have it do, and the child outlives its parent.
 */
int parent_die_with(pid_t parent);

/*
 * For the parent: kills such a child, and reaps it, so that no zombie is left to a process 1 that reaps none. One that
 * cannot die at once, in a call of a file system that does not answer, is left to that after 200 ms.
 */
void parent_end_child(pid_t child);

#endif
