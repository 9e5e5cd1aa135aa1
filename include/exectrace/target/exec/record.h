/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One exec as plain data: who called, with which arguments, on which file. Fields are filled when they are wanted: a
 * rule that looks only at the command line costs no look at the environment. All strings are bytes, not text: they may
 * hold newlines and bytes that are not UTF-8.
 */
#ifndef EXECTRACE_TARGET_EXEC_RECORD_H
#define EXECTRACE_TARGET_EXEC_RECORD_H

#include <exectrace/base/buf.h>
#include <exectrace/base/strv.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The groups of fields that are filled together. */
enum exec_field {
	EXEC_ARGV = 1 << 0,      /* argv, cmdline */
	EXEC_TARGET = 1 << 1,    /* path, exe, interp, outcome */
	EXEC_CWD = 1 << 2,       /* cwd */
	EXEC_ENV = 1 << 3,       /* env */
	EXEC_IDS = 1 << 4,       /* pid, ppid, threads */
	EXEC_ANCESTORS = 1 << 5, /* ancestors, depth */
	EXEC_USER = 1 << 6,      /* uid */
	EXEC_STATE = 1 << 8,     /* state */
	EXEC_OUTCOME = 1 << 7, /* outcome, at less cost than EXEC_TARGET: for an absolute path perhaps by the files that
	                          we see, where the caller has another root */
};

struct exec_record {
	/* who */
	pid_t pid;        /* process (thread group), in our pid namespace; EXEC_IDS */
	pid_t tid;        /* the calling thread; always set */
	pid_t ppid;       /* EXEC_IDS */
	uid_t uid;        /* effective user; EXEC_USER */
	unsigned threads; /* of the process, the caller's included; EXEC_IDS */
	/* when */
	uint64_t when;      /* CLOCK_MONOTONIC, ns */
	uint64_t when_wall; /* CLOCK_REALTIME, ns */
	/* what */
	struct strv argv;   /* EXEC_ARGV; n is 0 when the caller gave none */
	struct buf cmdline; /* EXEC_ARGV: argv joined by single spaces; the path when argv is empty */
	char *path;         /* EXEC_TARGET: the file name as the caller gave it ("" for fexecve) */
	char *exe;          /* EXEC_TARGET: the resolved file, NULL when unknown */
	char *interp;       /* EXEC_TARGET: the file named by its #! line, NULL when there is none */
	int outcome;        /* EXEC_TARGET: 0 when the exec will probably succeed, else the -errno it will fail with */
	bool setid;         /* EXEC_TARGET: the file is set-user-id, set-group-id */
	char *cwd;          /* EXEC_CWD: absolute; NULL when unknown */
	struct strv env;    /* EXEC_ENV */
	struct strv state;  /* EXEC_STATE: what the new program starts with, as lines (target/process/state.h) */
	/* from where: command lines of the parent, its parent, ... within the tree; [0] is the parent's */
	struct strv ancestors; /* EXEC_ANCESTORS */
	unsigned depth;        /* EXEC_ANCESTORS: 0 for the root command */
	/* how to fill */
	unsigned have;  /* of enum exec_field: filled, or tried and found impossible */
	unsigned error; /* of enum exec_field: could not be read */
	unsigned later; /* of enum exec_field, set in error, too: could not be read without waiting for a file. Whoever
	                   has to decide about the exec must not do so yet (engine_look) */
	int refused;    /* 0, or the -errno with which a look at argv or at the target was refused to us */
	/* fills at least `fields`; NULL when nothing can be filled */
	void (*fill)(struct exec_record *, unsigned fields, void *ctx);
	void *ctx;
};

/* Sees to it that the fields are filled if they can be; those that fill leaves out are marked in have and error. */
void exec_record_want(struct exec_record *rec, unsigned fields);

/* Sets argv's joined form from argv and path. 0 or -ENOMEM. */
int exec_record_join(struct exec_record *rec);

/* Empties the record. Memory above 256 KiB is given back, less is kept for the next exec. */
void exec_record_reset(struct exec_record *rec);

/* Frees all. */
void exec_record_release(struct exec_record *rec);

/* Deep copy of all but fill and ctx; *to is uninitialised before. 0 or -ENOMEM (then *to is empty). */
int exec_record_copy(struct exec_record *to, const struct exec_record *from);

#endif
