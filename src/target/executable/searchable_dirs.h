/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Directories that everybody may search, with all above them: of a file there it need not be asked who wants it. Most
 * programs of a build are in a few of these, and to ask /proc who a caller is takes longer than to find the program.
 */
#ifndef EXECTRACE_SRC_TARGET_EXECUTABLE_SEARCHABLE_DIRS_H
#define EXECTRACE_SRC_TARGET_EXECUTABLE_SEARCHABLE_DIRS_H

#include <stdbool.h>
#include <sys/stat.h>

#define WAYS 64 /* directories remembered */

struct searchable_dirs {
	char *open[WAYS]; /* each at the place of its hash; NULL: none */
};

void searchable_dirs_release(struct searchable_dirs *ways);

/*
 * As stat(2), but without waiting: only what the kernel has in memory of names and files (openat2(2), RESOLVE_CACHED,
 * Linux 5.12). Type, mode, device and number; 0 or -errno, -EAGAIN when that is not all there.
 */
int stat_cached(const char *path, struct stat *st);

/*
 * True when the modes of all directories that an absolute path names let everybody search them, now or when that was
 * looked at last; false, too, where that cannot be told without waiting. Where symbolic links lead is not looked at, as
 * it is not in target_resolve().
 */
bool searchable_dirs_open(struct searchable_dirs *ways, const char *path);

#endif
