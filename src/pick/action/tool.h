/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tools that attach to a pid: a row each. */
#ifndef EXECTRACE_SRC_PICK_ACTION_TOOL_H
#define EXECTRACE_SRC_PICK_ACTION_TOOL_H

#include <exectrace/pick/action/action.h>

struct output_options;

struct tool {
	const char *name;
	const char *usage;
	const char *summary;
	const char *const
		*batch; /* words that make it need no terminal, ended by NULL; NULL itself: it never needs one */
	unsigned ready; /* of enum tool_ready */
	bool restarts;  /* see struct action */
	bool own;       /* it is this program under another name, not one that is looked for in PATH */
	const struct output_options *records; /* how its words name the file that it writes, for --keep; NULL: they do
	                                         not, or make_argv knows */
	/* Makes argv out of the user's words, words[0] being the tool's name. 0, or -EINVAL with a line in err. */
	int (*make_argv)(struct action *action, const struct strv *words, struct buf *err);
};

/* The row of that name, NULL when there is none. */
const struct tool *tool_by_name(const char *name);

/* The i-th row, NULL after the last. */
const struct tool *tool_at(size_t i);

/* Fills action. 0, -EINVAL with a line in err, or -ENOMEM. */
int tool_parse(const struct tool *tool, struct action *action, const struct strv *words, struct buf *err);

/* The absolute path of a program, as execvp(3) would find it. 0 with *path (the caller frees), -ENOENT or -ENOMEM. */
int tool_find(const char *name, char **path);

#endif
