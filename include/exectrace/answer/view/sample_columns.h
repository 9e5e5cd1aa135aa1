/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of calls that show samples instead. */
#ifndef EXECTRACE_ANSWER_VIEW_SAMPLE_COLUMNS_H
#define EXECTRACE_ANSWER_VIEW_SAMPLE_COLUMNS_H

#include <exectrace/answer/output/table.h>

/* Columns of a table that counts samples, not calls: those about calls get names of samples. to: TABLE_COLUMNS. */
void sample_columns(const struct table_column *columns, struct table_column *to);

#endif
