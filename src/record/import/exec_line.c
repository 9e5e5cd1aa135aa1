/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "exec_line.h"

#include <exectrace/base/clock.h>
#include <string.h>

#define CPU_MAX 1023
#define SECONDS_MAX UINT64_C(8000000000) /* so that ns fit */

/* --- -d exec -------------------------------------------------------------------------------------------------------
 */

/* What stands in the brackets: "pc", "cpu: pc", "cs_base/pc/flags", "cs_base/pc/flags/cflags". */
static bool take_brackets(struct span *text, struct exec_line *line)
{
	uint64_t first, second;

	if (!span_hex(text, &first))
		return false;
	line->pc = first;
	if (span_skip(text, ": ")) {
		if (first > CPU_MAX || !span_hex(text, &line->pc))
			return false;
		line->cpu = (uint32_t)first;
	} else if (span_skip(text, "/")) {
		if (!span_hex(text, &second))
			return false;
		line->pc = second;
	}
	return span_behind(text, "]");
}

/* Behind "Trace ": "0x7f12 [...] name" or "0: 0x7f12 [...] name". */
static enum exec_kind take_trace(struct span text, struct exec_line *line)
{
	struct span cpu = text;
	uint64_t number;

	if (span_decimal(&cpu, &number) && span_skip(&cpu, ": ")) {
		if (number > CPU_MAX)
			return EXEC_BAD;
		line->cpu = (uint32_t)number;
	}
	if (!span_behind(&text, "[") || !take_brackets(&text, line))
		return EXEC_BAD;
	(void)span_word(&text, &line->symbol);
	return EXEC_BLOCK;
}

/* --- exec_tb -------------------------------------------------------------------------------------------------------
 */

/* "12.345" in units of `scale` ns. */
static bool take_fraction(struct span *text, uint64_t scale, uint64_t *ns)
{
	uint64_t whole;

	if (!span_decimal(text, &whole) || whole > SECONDS_MAX)
		return false;
	*ns = whole * scale;
	if (!span_skip(text, "."))
		return true;
	for (; text->p < text->end && *text->p >= '0' && *text->p <= '9'; text->p++) {
		scale /= 10;
		*ns += scale * (uint64_t)(*text->p - '0');
	}
	return true;
}

/* simpletrace.py: a blank and the us since the event before. */
static bool take_delta(struct span *text, struct exec_line *line)
{
	struct span word, copy;
	bool negative;
	uint64_t ns;

	if (!span_word(text, &word))
		return false;
	negative = span_skip(&word, "-");
	copy = word;
	if (!take_fraction(&copy, NS_PER_US, &ns) || copy.p != copy.end)
		return false;
	line->clock = EXEC_DELTA;
	line->time = negative ? -(int64_t)ns : (int64_t)ns;
	return true;
}

/* Behind the name of an event: " 12.3 pid=1 tb=0x.. pc=0x..", or " tb:0x.. pc=0x.." as the log has it. */
static enum exec_kind take_event(struct span text, bool block, struct exec_line *line)
{
	struct span rest = text, word;

	if (span_word(&rest, &word) && (*word.p == '-' || (*word.p >= '0' && *word.p <= '9')) &&
	    !take_delta(&text, line))
		return EXEC_BAD;
	if (!block)
		return EXEC_TIME;
	if (!span_behind(&text, "pc=0x") || !span_hex(&text, &line->pc))
		return EXEC_BAD;
	return EXEC_BLOCK;
}

/* "4491@1458055333.123456:" in front of an event. */
static void take_stamp(struct span *text, struct exec_line *line)
{
	struct span copy = *text;
	uint64_t pid, ns;

	if (!span_decimal(&copy, &pid) || !span_skip(&copy, "@") || !take_fraction(&copy, 1000000000, &ns) ||
	    !span_skip(&copy, ":"))
		return;
	line->clock = EXEC_ABSOLUTE;
	line->time = (int64_t)ns;
	*text = copy;
}

static enum exec_kind take_lost(struct span text, struct exec_line *line)
{
	struct span count = text;

	line->lost = 1;
	if (span_behind(&count, "dropped=") && !span_decimal(&count, &line->lost))
		return EXEC_BAD;
	return take_delta(&text, line) ? EXEC_LOST : EXEC_BAD;
}

enum exec_kind exec_line_parse(struct span text, struct exec_line *line)
{
	*line = (struct exec_line){0};
	if (span_skip(&text, "Trace "))
		return take_trace(text, line);
	take_stamp(&text, line);
	if (span_skip(&text, "exec_tb_exit"))
		return take_event(text, false, line);
	if (span_skip(&text, "exec_tb_nocache") || span_skip(&text, "exec_tb"))
		return take_event(text, true, line);
	return span_skip(&text, "Dropped_Event") ? take_lost(text, line) : EXEC_OTHER;
}
