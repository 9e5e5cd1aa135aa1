/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lineage.h"

#include <errno.h>
#include <exectrace/base/quote.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND_MAX 90u /* bytes that people see */

/* The last one of a number: a trouble is near the end of those who are in it. NULL: none. */
static const struct recorded_process *find(const struct recording *r, size_t file, uint32_t pid)
{
	for (size_t i = recording_processes(r); i-- > 0;) {
		const struct recorded_process *p = recording_process(r, i);

		if (p->file == file && p->pid == pid)
			return p;
	}
	return NULL;
}

int lineage_find(struct guest_lineage *lineage, const struct recording *r, size_t file, uint32_t pid)
{
	const struct recorded_process *p = pid ? find(r, file, pid) : NULL;
	int rc = 0;

	lineage_release(lineage);
	for (; p && p->argv.n && lineage->n < GUEST_LINEAGE && !rc; p = p->parent) {
		struct buf command = BUF_INIT;

		rc = quote_shell_strv(&command, &p->argv);
		if (rc)
			buf_release(&command);
		else
			lineage->list[lineage->n++] = (struct guest_command){p->pid, command.data};
	}
	return rc;
}

void lineage_release(struct guest_lineage *lineage)
{
	while (lineage->n)
		free(lineage->list[--lineage->n].command);
}

void lineage_print(struct buf *out, const struct guest_lineage *lineage)
{
	for (size_t i = 0; i < lineage->n; i++) {
		const char *command = lineage->list[i].command;
		size_t n = strlen(command);

		buf_puts(out, i > 1 ? ", " : i ? ", started by " : "");
		quote_terminal(out, command, n < COMMAND_MAX ? n : COMMAND_MAX);
		buf_printf(out, "%s [%u]", n < COMMAND_MAX ? "" : "...", lineage->list[i].pid);
	}
}

void lineage_json(struct jsonl *j, const char *key, const struct guest_lineage *lineage)
{
	struct buf all = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < lineage->n; i++) {
		jsonl_begin(&one);
		jsonl_unsigned(&one, "pid", lineage->list[i].pid);
		jsonl_string(&one, "command", lineage->list[i].command);
		jsonl_end(&one);
		jsonl_object(&all, &one);
	}
	jsonl_objects(j, key, &all);
	buf_release(&text);
}
