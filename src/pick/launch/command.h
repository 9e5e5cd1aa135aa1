/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The root becomes the command. */
#ifndef EXECTRACE_SRC_PICK_LAUNCH_COMMAND_H
#define EXECTRACE_SRC_PICK_LAUNCH_COMMAND_H

#include <exectrace/pick/launch/launch.h>

/* Executes it, found in our PATH, as the user and in the environment that are asked for. Returns -errno on failure. */
int command_execute(const struct launch *launch);

#endif
