/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How values are passed to functions, and given back (System V ABI, AMD64 supplement, 3.2.3). */
#ifndef EXECTRACE_SRC_RECORD_GUEST_LINUX_PASSING_H
#define EXECTRACE_SRC_RECORD_GUEST_LINUX_PASSING_H

#include <exectrace/target/symbol/btf.h>

struct passing {
	bool known;       /* else nothing is, of what comes behind it neither */
	bool memory;      /* in memory, in no register; as a result, where the caller says */
	unsigned general; /* registers */
	unsigned floats;  /* registers for floating-point numbers, at most */
	bool wide;        /* one number in two registers */
};

struct passing passing_of(const struct btf *btf, const struct btf_value *value);

#endif
