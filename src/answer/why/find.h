/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which process of a recording is asked for. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_FIND_H
#define EXECTRACE_SRC_ANSWER_WHY_FIND_H

#include <exectrace/answer/why/page/page.h>
#include <exectrace/answer/why/why.h>

/*
 * The first process that the options ask for; *ret stays as it is when they ask for none. others (NULL: none): gets the
 * numbers of those that fit, too, as " 4711 4712". 0; -ENOMEM; -ENOENT, -EINVAL with a line in err.
 */
int page_find(const struct tree_node **ret, const struct story *s, const struct why_options *options,
              struct buf *others, struct buf *err);

#endif
