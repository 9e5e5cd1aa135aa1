/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this program is and what it is made with. */
#ifndef EXECTRACE_CLI_VERSION_H
#define EXECTRACE_CLI_VERSION_H

/* Prints what `exectrace --version` says. The exit status. */
int version_show(void);

#endif
