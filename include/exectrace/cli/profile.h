/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exectrace-profile: what `exectrace --run=profile` starts, and a program to be used by hand. */
#ifndef EXECTRACE_CLI_PROFILE_H
#define EXECTRACE_CLI_PROFILE_H

#include <stdbool.h>

/* True when that is what argv[0] asks for. */
bool profile_is_meant(const char *name);

/* Runs it. The exit status. */
int profile_command(char **argv);

#endif
