/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands in front of the lines of a trace: whose call it is, and when. */
#ifndef EXECTRACE_RECORD_FORM_PREFIXES_H
#define EXECTRACE_RECORD_FORM_PREFIXES_H

#include <exectrace/base/buf.h>
#include <exectrace/record/form/form.h>
#include <stdint.h>
#include <sys/types.h>

/* What begins all lines of a thread within a second. */
struct prefix_head {
	pid_t pid; /* 0: none */
	uint64_t second;
	char text[48]; /* to its end */
	const char *begin;
	size_t n;
};

/* Begins as zeroes. */
struct prefixes {
	struct prefix_head head;
	uint64_t before; /* the time of the last line; 0: there was none */
	size_t threads;  /* the caller's: how many there are */
};

/* What a line is of. */
struct prefix_line {
	pid_t pid;
	const char *name;    /* of its process; "": it is not shown */
	const char *context; /* its security context; "": it is not shown */
	uint64_t wall;       /* CLOCK_REALTIME, ns */
	uint32_t nr;         /* of its thread's last call */
	bool in_call;        /* there was one */
	bool has_pc;
	bool narrow; /* its program is of 32 bits */
	uint64_t pc; /* with form->placed: where the thread stands */
};

/* Appends what begins a line, as form has it. 0 or -ENOMEM. */
int prefixes_put(struct prefixes *p, const struct trace_form *form, const struct prefix_line *line, struct buf *out);

/* Appends <NAME>; nothing of "". 0 or -ENOMEM. */
int prefixes_name(const char *name, struct buf *out);

#endif
