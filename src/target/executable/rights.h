/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether the kernel will refuse a caller a file that we may use ourselves: we may be root, and the caller not. */
#ifndef EXECTRACE_SRC_TARGET_EXECUTABLE_RIGHTS_H
#define EXECTRACE_SRC_TARGET_EXECUTABLE_RIGHTS_H

#include <exectrace/target/process/procfs.h>
#include <stdbool.h>
#include <sys/stat.h>

/* Of thread tid, read when they are first needed: most files are for all. */
struct rights {
	pid_t tid;
	bool at_once; /* no file system may be asked */
	bool waits;   /* ... and one would have to be: rights_refuse() does not know */
	enum rights_state {
		RIGHTS_UNREAD,
		RIGHTS_READ,
		RIGHTS_UNSURE
	} state; /* unsure: it may be allowed everything */
	struct proc_rights proc;
};

/* Reads them; with `next`, those that the program which the thread is about to execute has (capabilities(7)). */
void rights_read(struct rights *rights, bool next);

/*
 * True when the thread surely may not do with the file that fd (O_PATH is enough) stands for what a bit of its mode is
 * for (path_resolution(7)): `other` is that bit as it is for others, S_IROTH, or S_IXOTH to execute it or to search a
 * directory. False where something else may have a say.
 */
bool rights_refuse(struct rights *rights, int fd, const struct stat *st, mode_t other);

#endif
