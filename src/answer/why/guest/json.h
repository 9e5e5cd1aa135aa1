/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What several parts of a guest's story have in JSON. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_GUEST_JSON_H
#define EXECTRACE_SRC_ANSWER_WHY_GUEST_JSON_H

#include <exectrace/answer/why/guest/guest.h>

/* Adds the member `functions`. */
void json_functions(struct jsonl *j, const struct guest_function *functions, size_t n);

#endif
