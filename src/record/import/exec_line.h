/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of QEMU about blocks of instructions. */
#ifndef EXECTRACE_SRC_RECORD_IMPORT_EXEC_LINE_H
#define EXECTRACE_SRC_RECORD_IMPORT_EXEC_LINE_H

#include "lines.h"

enum exec_kind {
	EXEC_OTHER, /* QEMU says something else */
	EXEC_BLOCK, /* a block begins */
	EXEC_TIME,  /* only the time is told */
	EXEC_LOST,  /* events were dropped */
	EXEC_BAD,   /* it begins like one of these */
};

enum exec_clock {
	EXEC_UNTIMED,
	EXEC_ABSOLUTE, /* time is ns of some clock */
	EXEC_DELTA,    /* time is ns since the event before; may be negative */
};

struct exec_line {
	enum exec_clock clock;
	int64_t time;
	uint64_t pc;
	uint32_t cpu;
	uint64_t lost;
	struct span symbol; /* QEMU's own name for the place; may be empty */
};

/* Takes a line apart. What it does not say is 0. */
enum exec_kind exec_line_parse(struct span text, struct exec_line *line);

#endif
