/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine.h"

#include <string.h>

bool exec_likely(struct span text)
{
	struct span a = text, b = text;

	return span_skip(&a, "Trace ") || span_behind(&a, "\nTrace ") || span_behind(&b, "exec_tb");
}

static int add_line(struct block_machine *m, struct span text)
{
	struct exec_line line;
	enum exec_kind kind = exec_line_parse(text, &line);

	if (kind == EXEC_OTHER || (kind == EXEC_BAD && lines_cut(&m->in->lines)))
		return 0;
	if (kind == EXEC_BAD)
		return lines_bad(&m->in->lines, m->in->why, "not a line that QEMU writes about a block");
	return machine_take(m, kind, &line);
}

/* --- All -----------------------------------------------------------------------------------------------------------
 */

/* Whether the first block comes with a time, which decides what the clock counts. */
static int look_ahead(struct import *in, bool *timed)
{
	struct exec_line line;
	struct span text, one;
	int rc = lines_peek(&in->lines, &text, in->why);

	*timed = false;
	for (; !rc && text.p < text.end; text.p = one.end + (one.end < text.end)) {
		one.p = text.p;
		one.end = memchr(text.p, '\n', span_length(&text));
		if (!one.end)
			one.end = text.end;
		if (exec_line_parse(one, &line) == EXEC_BLOCK) {
			*timed = line.clock != EXEC_UNTIMED;
			break;
		}
	}
	return rc;
}

static int read_all(struct block_machine *m)
{
	struct span text;
	int rc;

	while ((rc = lines_next(&m->in->lines, &text, m->in->why)) == 1) {
		rc = add_line(m, text);
		if (rc)
			break;
	}
	return rc;
}

int import_exec(struct import *in)
{
	struct block_machine m;
	bool timed;
	int rc = look_ahead(in, &timed);

	if (rc)
		return rc;
	rc = machine_begin(&m, in, timed);
	return machine_end(&m, rc ? rc : read_all(&m));
}
