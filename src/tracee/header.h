/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first bytes of an executable: how the kernel will load it. Remembered, for a build executes the same few files
 * again and again. */
#ifndef EXECTRACE_SRC_TRACEE_HEADER_H
#define EXECTRACE_SRC_TRACEE_HEADER_H

#include "ways.h"

#include <exectrace/tracee/target.h>
#include <stdbool.h>
#include <sys/stat.h>

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

struct slot;

/* What is remembered of files. */
struct target_cache {
	struct slot *slot[HEADER_SLOTS];
	int other_formats; /* -1: not asked yet */
	struct ways ways;
};

/* Parses the first n bytes of a file. Pure; for any input. Of an ELF file the loader's name is read from fd when fd >=
 * 0. */
void header_parse(const unsigned char *bytes, size_t n, int fd, struct header *header);

/* The header of an open file (an O_PATH descriptor will do), from the cache when it has not changed. */
void header_look(struct target_cache *cache, int fd, const struct stat *st, struct header *header);

/* The header of the file that thread tid means by path. 0 or -errno. (target.c) */
int header_of_path(struct target_cache *cache, pid_t tid, const char *path, struct header *header);

/* True when other formats are registered with the kernel (Documentation/admin-guide/binfmt-misc.rst). Asked once. */
bool header_other_formats(struct target_cache *cache);

#endif
