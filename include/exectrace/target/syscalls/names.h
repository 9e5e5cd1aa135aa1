/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as names: errors and signals. */
#ifndef EXECTRACE_TARGET_SYSCALLS_NAMES_H
#define EXECTRACE_TARGET_SYSCALLS_NAMES_H

#include <exectrace/base/buf.h>
#include <stddef.h>

#define SIGNAL_NAME_MAX 16 /* bytes that signal_name may need */

/* "ENOENT", also the kernel's own such as "ERESTARTSYS"; NULL when there is no name. err: positive. */
const char *errno_name(int err);

/* "No such file or directory", in English whatever the locale; NULL when there is none. err: positive. */
const char *errno_text(int err);

/* "SIGINT", "SIGRTMIN", "SIGRT_1", or the number. Written to buf, which has SIGNAL_NAME_MAX bytes; returns buf. */
const char *signal_name(int sig, char *buf);

/* The number of "SIGINT", "INT", "SIGRT_1" or "2", in any case; 0 when there is no such signal. */
int signal_number(const char *name);

#endif
