/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the words of the command line to the command that they mean. */
#ifndef EXECTRACE_CLI_DISPATCH_H
#define EXECTRACE_CLI_DISPATCH_H

/*
 * Runs the command named by the first word that is no option; when that names none of ours, or stands behind "--", runs
 * it as a program. argv[0] is our own name. The exit status.
 */
int dispatch(char **argv);

#endif
