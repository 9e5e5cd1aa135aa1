/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The formats that import.c chooses from. */
#ifndef EXECTRACE_SRC_RECORD_IMPORT_PRIVATE_H
#define EXECTRACE_SRC_RECORD_IMPORT_PRIVATE_H

#include "lines.h"
#include "product.h"
#include "symbols.h"

/* What all formats work with. */
struct import {
	struct lines lines;
	struct import_symbols symbols;
	struct import_counts *counts;
	struct buf *why;
	int fd; /* the recording goes there */
};

/* Read the log to its end. 0; -EBADMSG or -errno with a line in why; -ENOMEM; what a write failed with, without one. */
int import_kft(struct import *in);
int import_exec(struct import *in);
int import_simple(struct import *in);

/* Whether the beginning of a log looks like this format. */
bool kft_likely(struct span text);
bool exec_likely(struct span text);
bool simple_likely(struct span text);

#endif
