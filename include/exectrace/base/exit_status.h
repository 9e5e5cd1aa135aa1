/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How exectrace ends when the command's own status cannot be passed on; the values of env(1), timeout(1) and shells. */
#ifndef EXECTRACE_BASE_EXIT_STATUS_H
#define EXECTRACE_BASE_EXIT_STATUS_H

/* Exit statuses of our own, as env(1) and timeout(1) have them. */
enum run_status {
	RUN_FAILED = 125,    /* exectrace itself failed; the command was not started */
	RUN_CANNOT = 126,    /* the command was found but could not be run */
	RUN_NOT_FOUND = 127, /* the command was not found */
};

#endif
