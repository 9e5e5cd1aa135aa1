/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of a guest that took most. */
#ifndef EXECTRACE_ANSWER_WHY_GUEST_STORY_TOP_H
#define EXECTRACE_ANSWER_WHY_GUEST_STORY_TOP_H

#include <exectrace/answer/format/jsonl.h>
#include <exectrace/answer/why/guest/story/story.h>

/* Puts a function among the *n that took most, GUEST_TOP at most, when it is one of them. */
void top_put(struct guest_function *top, size_t *n, const struct guest_function *one);

/* Adds the member `functions`. */
void top_json(struct jsonl *j, const struct guest_function *functions, size_t n);

#endif
