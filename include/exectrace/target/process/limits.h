/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The resource limits of another process. */
#ifndef EXECTRACE_TARGET_PROCESS_LIMITS_H
#define EXECTRACE_TARGET_PROCESS_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

#define LIMITS 16 /* RLIMIT_CPU to RLIMIT_RTTIME (asm-generic/resource.h) */

/* "CPU", "FSIZE", ...: in the order of RLIMIT_... */
extern const char *const limit_names[LIMITS];

/* Reads all of them. False when they cannot be read. */
bool limits_read(struct rlimit limits[LIMITS], pid_t pid);

/* As limits_read, from the text of /proc/PID/limits. */
bool limits_parse(struct rlimit limits[LIMITS], const char *text);

#endif
