/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of execs.jsonl, by the time of the exec. */
#ifndef EXECTRACE_SRC_ANSWER_RECORDING_EXEC_LINES_H
#define EXECTRACE_SRC_ANSWER_RECORDING_EXEC_LINES_H

#include <exectrace/answer/recording/execs.h>

/* What the tree needs of one. */
struct exec_line {
	uint32_t pid, ppid;
	unsigned depth;
	uint64_t start; /* ns since 1970 */
	struct exec_end end;
	struct buf command; /* as exec_line_command has it */
	char *cwd;          /* NULL: unknown */
	struct strv state;  /* as struct exec_record has it */
};

/* All 0 at first. */
struct exec_lines {
	struct exec_line *items;
	size_t n, cap;
};

/*
 * Reads a file. The lines of a process that executes several programs come in any order there, as they end together. 0,
 * or as execs_read: then the lines before the damage are there.
 */
int exec_lines_read(struct exec_lines *lines, const char *path, struct buf *why);

void exec_lines_release(struct exec_lines *lines);

/* Adds a shell-quoted command line and a NUL: the path when there are no words, "?" without either. 0 or -ENOMEM. */
int exec_line_command(struct buf *out, const struct strv *argv, const char *path);

#endif
