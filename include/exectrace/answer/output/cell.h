/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cells of tables, for people and as CSV (RFC 4180). All add to out and return 0 or -ENOMEM. */
#ifndef EXECTRACE_ANSWER_OUTPUT_CELL_H
#define EXECTRACE_ANSWER_OUTPUT_CELL_H

#include <exectrace/base/buf.h>
#include <stddef.h>
#include <stdint.h>

/* Text that a terminal shows and does not obey: control characters, and what is not UTF-8, as \xNN. */
int cell_text(struct buf *out, const char *bytes, size_t n);

/* How many columns of a terminal a text takes. */
int cell_columns(const char *text);

/* A duration with its unit, right-aligned in `width` columns, a blank in front. */
int cell_duration(struct buf *out, uint64_t ns, int width);

/* A number for people: "173,049". */
int cell_grouped(struct buf *out, uint64_t number);

/* A text for CSV, quoted when it has to be. */
int cell_csv(struct buf *out, const char *bytes, size_t n);

#endif
