/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first bytes of an executable: how the kernel will load it. Remembered, for a build executes the same few files
 * again and again. */
#ifndef EXECTRACE_SRC_TARGET_EXECUTABLE_HEADER_H
#define EXECTRACE_SRC_TARGET_EXECUTABLE_HEADER_H

#include "searchable_dirs.h"

#include <exectrace/target/executable/target.h>
#include <stdbool.h>
#include <sys/stat.h>

#define HEADER_BYTES 512u     /* bytes looked at: an ELF header and more program headers than linkers write */
#define HEADER_INTERP_MAX 256 /* BINPRM_BUF_SIZE of Linux 5.1 and later: no #! line is longer */

enum header_kind {
	HEADER_UNREADABLE, /* nothing is known */
	HEADER_ELF,        /* interp: the loader it names, "" for a static one */
	HEADER_SCRIPT,     /* interp: from its #! line */
	HEADER_UNKNOWN,    /* neither: ENOEXEC unless binfmt_misc knows it */
};

struct header {
	enum header_kind kind;
	char interp[HEADER_INTERP_MAX];
	char arg[HEADER_INTERP_MAX]; /* the one argument a #! line may give */
	bool has_arg;                /* it may be empty */
};

#define HEADER_SLOTS 256u /* a power of two */

#define LOOK_DEPTH 5 /* interpreters of interpreters: the kernel's own limit (fs/exec.c, exec_binprm) */

/* What is remembered of one file. */
struct header_slot {
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec changed;
	bool local; /* on a file system that answers by itself: no server, no other program has to be asked */
	struct header header;
};

/* What is remembered of files. */
struct target_cache {
	struct header_slot *slot[HEADER_SLOTS];
	struct header_slot used[LOOK_DEPTH + 1]; /* those that the look under way has needed */
	size_t n_used;
	struct searchable_dirs ways;
};

/* Parses the first n bytes of a file. Pure; for any input. Of an ELF file the loader's name is read from fd when fd >=
 * 0. */
void header_parse(const unsigned char *bytes, size_t n, int fd, struct header *header);

/* The header of an open file (an O_PATH descriptor will do), from the cache when it has not changed. May wait. */
void header_look(struct target_cache *cache, int fd, const struct stat *st, struct header *header);

/* The header of a file as it is remembered, without touching the file: false when it has changed, when it was never
 * looked at, or when its file system has to be asked each time. */
bool header_known(struct target_cache *cache, const struct stat *st, struct header *header);

/* Remembers what was found out elsewhere. */
void header_learn(struct target_cache *cache, const struct header_slot *slot);

/*
 * False when it is sure that no other formats are registered with the kernel for thread tid
 * (Documentation/admin-guide/binfmt-misc.rst). They are a matter of its user namespace (Linux 6.7), and need not be
 * mounted where we are. May wait.
 */
bool header_other_formats(pid_t tid);

#endif
