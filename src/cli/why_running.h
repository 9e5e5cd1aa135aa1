/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --why --pid=PID without a command: what processes that run already are waiting for. */
#ifndef EXECTRACE_SRC_CLI_WHY_RUNNING_H
#define EXECTRACE_SRC_CLI_WHY_RUNNING_H

#include <exectrace/pick/supervise/supervisor.h>

/*
 * Records what config->pids and all below them do, into the directory of the run, until they have ended or SIGINT,
 * SIGTERM or SIGHUP comes, and calls config->recorded. The exit status; of what could not be done there is one line.
 */
int why_running(const struct run_config *config);

#endif
