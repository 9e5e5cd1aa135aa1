/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A directory as uftrace(1) records one (file format version 4): `info`, `task.txt`, the records of each task in
 * TID.dat, a memory map in sid-*.map, and the symbols of each module in MODULE.sym. Source: uftrace's documentation.
 *
 * Functions get addresses of our own, as those of different programs may be the same. Files are written as their
 * records come; only one is open at a time. Functions return 0, -ENOMEM, or -errno of a file.
 */
#ifndef EXECTRACE_ANSWER_FORMAT_UFTRACE_H
#define EXECTRACE_ANSWER_FORMAT_UFTRACE_H

#include <exectrace/answer/format/byte_map.h>
#include <exectrace/base/buf.h>
#include <exectrace/format/data/record.h>

#define UFTRACE_DEPTH 1023u /* calls that are deeper cannot be recorded */

struct uftrace_task {
	uint32_t tid, pid;
	uint64_t start; /* ns */
	char *name;
	struct buf records; /* not written yet */
	bool written;       /* there is a file */
};

struct uftrace_module {
	struct buf symbols; /* lines of its file */
	char *name;         /* of its file, without .sym */
	uint64_t next;      /* address for its next function */
	uint64_t base;
};

struct uftrace {
	int directory;             /* -1: nothing is written */
	struct byte_map functions; /* by name and module: the address */
	struct byte_map modules;   /* by name: the number, and 1 */
	struct uftrace_module *all;
	size_t n_all, cap_all;
	struct uftrace_task *tasks;
	size_t n, cap;
	uint64_t bytes; /* of records up to now */
	struct buf key;
};

enum uftrace_type { UFTRACE_ENTRY, UFTRACE_EXIT };

struct uftrace_record {
	enum uftrace_type type;
	uint64_t time; /* ns; those of a task never go back */
	unsigned depth;
	uint64_t address; /* of uftrace_function */
};

/* Begins. directory: of an empty one; 0: nothing is written, only counted. uftrace_release in any case. */
int uftrace_open(struct uftrace *u, int directory);
void uftrace_release(struct uftrace *u);

/* Adds a task; its number is u->n before. The id is its own. */
int uftrace_task(struct uftrace *u, uint32_t pid, uint32_t tid, uint64_t start, struct data_text name);

/* Gives a task another name, which has to be without slashes for uftrace: they become `_`. So with the first one. */
int uftrace_name(struct uftrace *u, size_t task, struct data_text name);

/* The address that stands for a function. */
int uftrace_function(struct uftrace *u, struct data_text name, struct data_text module, uint64_t *address);

/* Adds a record of task number `task`. */
int uftrace_add(struct uftrace *u, size_t task, const struct uftrace_record *record);

/* Writes what is left. command: what was recorded. */
int uftrace_finish(struct uftrace *u, struct data_text command);

#endif
