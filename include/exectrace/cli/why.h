/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of `exectrace why` at the end of a run. */
#ifndef EXECTRACE_CLI_WHY_H
#define EXECTRACE_CLI_WHY_H

/* Prints it to standard error. data: the recording. */
void why_print(const char *data);

#endif
