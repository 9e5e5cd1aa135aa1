/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exectrace-trace: what `exectrace --run=trace` starts, and a program to be used by hand. */
#ifndef EXECTRACE_CLI_TRACE_H
#define EXECTRACE_CLI_TRACE_H

#include <stdbool.h>

/* True when that is what argv[0] asks for. */
bool trace_is_meant(const char *name);

/* Runs it. The exit status. */
int trace_command(char **argv);

#endif
