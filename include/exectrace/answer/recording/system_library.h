/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which functions of a stack somebody has written, as against those that came with the system. */
#ifndef EXECTRACE_ANSWER_RECORDING_SYSTEM_LIBRARY_H
#define EXECTRACE_ANSWER_RECORDING_SYSTEM_LIBRARY_H

#include <exectrace/answer/recording/recording.h>

/* True for the shared libraries below /lib and /usr/lib, the vdso, and memory that belongs to no file. */
bool function_is_system(const struct recorded_function *function);

/*
 * Adds the names of a stack's own functions, the innermost first, joined by " < ": at most `depth` of them (0: all), a
 * function that calls itself once. Where there are none, those of the system. 0 or -ENOMEM.
 */
int own_functions(struct buf *out, const struct recorded_frame *frames, size_t n, unsigned depth);

#endif
