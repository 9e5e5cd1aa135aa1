/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What exectrace says: one line, one write(2), to standard error, as "exectrace: text". Bytes that would disturb a
 * terminal (control characters, a newline too, and what is not UTF-8) are shown as \xNN. Library layers do not call
 * this; commands and the supervisor do.
 */
#ifndef EXECTRACE_BASE_ERR_H
#define EXECTRACE_BASE_ERR_H

#include <stdarg.h>

enum err_level {
	ERR_ERROR,   /* always shown */
	ERR_NOTE,    /* shown unless -q */
	ERR_VERBOSE, /* shown with -v */
};

/* Sets how much is said: -1 errors only (-q), 0 the default, 1 everything (-v). The only global state there is. */
void err_set_verbosity(int verbosity);

/* The verbosity set last. */
int err_verbosity(void);

/* Says one line. Keeps errno. A line of any length leaves in one write. */
void err_say(enum err_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Likewise without the "exectrace: " in front, for blocks of output such as the tree of `log`. */
void err_line(enum err_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
