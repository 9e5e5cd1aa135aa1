/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "exec_lines.h"

#include <errno.h>
#include <exectrace/base/grow.h>
#include <exectrace/base/quote.h>
#include <stdlib.h>
#include <string.h>

int exec_line_command(struct buf *out, const struct strv *argv, const char *path)
{
	if (argv->n)
		quote_shell_strv(out, argv);
	else
		buf_puts(out, path && *path ? path : "?");
	return buf_append(out, "", 1);
}

static int take_line(void *ctx, const struct exec_record *rec, const struct exec_end *end)
{
	struct exec_lines *lines = ctx;
	struct exec_line *line;

	if (grow_array((void **)&lines->items, lines->n, &lines->cap, sizeof(*line)))
		return -ENOMEM;
	line = &lines->items[lines->n++];
	*line = (struct exec_line){
		.pid = (uint32_t)rec->pid,
		.ppid = (uint32_t)rec->ppid,
		.depth = rec->depth,
		.start = rec->when_wall,
		.end = *end,
		.cwd = rec->cwd ? strdup(rec->cwd) : NULL,
	};
	if ((rec->cwd && !line->cwd) || strv_extend(&line->state, &rec->state))
		return -ENOMEM;
	return exec_line_command(&line->command, &rec->argv, rec->path);
}

static int earlier(const void *a, const void *b)
{
	const struct exec_line *one = a, *two = b;

	if (one->start != two->start)
		return one->start < two->start ? -1 : 1;
	return one->depth < two->depth ? -1 : one->depth > two->depth;
}

int exec_lines_read(struct exec_lines *lines, const char *path, struct buf *why)
{
	int rc = execs_read(path, take_line, lines, why);

	if (lines->n)
		qsort(lines->items, lines->n, sizeof(*lines->items), earlier);
	return rc;
}

void exec_lines_release(struct exec_lines *lines)
{
	for (size_t i = 0; i < lines->n; i++) {
		buf_release(&lines->items[i].command);
		free(lines->items[i].cwd);
		strv_release(&lines->items[i].state);
	}
	free(lines->items);
	*lines = (struct exec_lines){0};
}
