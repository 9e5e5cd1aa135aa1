/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel of a guest logged. */
#ifndef EXECTRACE_ANSWER_VIEW_MESSAGES_TABLE_H
#define EXECTRACE_ANSWER_VIEW_MESSAGES_TABLE_H

#include <exectrace/answer/output/table.h>
#include <exectrace/answer/report/functions.h>

/* Shows the messages of a replay, of the tasks that `which` chooses. 0, -ENOMEM, -errno of a write. */
int messages_table_show(struct replay *p, const struct functions_options *which, enum table_format format,
                        struct page *page);

#endif
