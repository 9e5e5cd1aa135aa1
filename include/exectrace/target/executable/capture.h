/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fills an exec_record from a process: while it waits in its execve, or when it stands in its new program. */
#ifndef EXECTRACE_TARGET_EXECUTABLE_CAPTURE_H
#define EXECTRACE_TARGET_EXECUTABLE_CAPTURE_H

#include <exectrace/target/exec/record.h>
#include <exectrace/target/executable/target.h>
#include <exectrace/target/process/lineage.h>
#include <exectrace/target/process/mem.h>
#include <exectrace/target/process/state.h>

/* The arguments of an execve or execveat as the caller passed them (execve(2), execveat(2)). */
struct exec_call {
	const struct arch *arch;
	pid_t tid;
	int dirfd; /* AT_FDCWD for execve */
	remote_addr_t path;
	remote_addr_t argv;
	remote_addr_t envp;
};

/* What filling needs beside the process itself. Must outlive the record it fills. */
struct capture {
	struct exec_call call;
	struct target_cache *cache;
	struct lineage *lineage;       /* NULL: ancestors are not known */
	const struct state_base *base; /* what states are compared with; NULL: they are not known */
	const struct target *known;    /* what looks.h has found of this call's target; NULL: nothing was asked yet */
	unsigned words;                /* of a started script: that #! lines put in front; set as it is filled */
};

/* Takes the call apart. args: the six arguments. */
struct exec_call capture_call(const struct arch *arch, pid_t tid, uint32_t nr, const uint64_t *args);

/*
 * Prepares rec to be filled, lazily, from the caller waiting in capture->call. rec must be empty. No file of the
 * caller's is touched: what would take that is left out, and marked in rec->later, until capture->known has it. Its
 * memory is read; where a page of that has to be fetched from a file first, this waits: no call of the kernel reads
 * another's memory without.
 */
void capture_waiting(struct exec_record *rec, struct capture *capture);

/*
 * Prepares rec to be filled from a thread that stands at the beginning of its new program. argv is then what the kernel
 * left on the stack with the words that a #! line put in front taken away; the argv[0] of a script is lost, its path
 * takes the place. Files are as for capture_waiting().
 */
void capture_started(struct exec_record *rec, pid_t tid, struct capture *capture);

/* The file name that an exec is about, and for looks_begin the directory it is relative to. NULL when it is not known.
 */
const char *capture_path(struct exec_record *rec, const struct capture *capture, int *dirfd);

#endif
