/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Directories that everybody may search, with all above them: of a file there it need not be asked who wants it. Most
 * programs of a build are in a few of these, and to ask /proc who a caller is takes longer than to find the program.
 */
#ifndef EXECTRACE_SRC_TRACEE_WAYS_H
#define EXECTRACE_SRC_TRACEE_WAYS_H

#include <stdbool.h>

#define WAYS 64 /* directories remembered */

struct ways {
	char *open[WAYS]; /* each at the place of its hash; NULL: none */
};

void ways_release(struct ways *ways);

/*
 * True when the modes of all directories that an absolute path names let everybody search them, now or when that was
 * looked at last. Where symbolic links lead is not looked at, as it is not in target_resolve().
 */
bool ways_open(struct ways *ways, const char *path);

#endif
