/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arguments of a command that are no options. */
#ifndef EXECTRACE_SRC_ANSWER_VIEW_ANALYSIS_WORDS_H
#define EXECTRACE_SRC_ANSWER_VIEW_ANALYSIS_WORDS_H

#include <exectrace/answer/view/analysis.h>

/* Takes them, once all options were read; argv[at] was the first argument. 0; -EINVAL with a line in err; -ENOMEM. */
int analysis_words(struct analysis *a, const struct analysis_command *command, const struct options *o, int at,
                   struct buf *err);

#endif
