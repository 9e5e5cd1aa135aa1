/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls about files, addresses, directories, limits, and those that send signals. */
#ifndef EXECTRACE_SRC_ANSWER_STORY_FILES_H
#define EXECTRACE_SRC_ANSWER_STORY_FILES_H

#include "taken.h"

/* The file or address that a call is about, in full, to stay; "" for none. */
const char *files_what(struct history *h, struct process_history *p, const struct taken *c);

/* The calls of each kind. */
void files_on_open(const struct taken *c);
void files_on_look(const struct taken *c);
void files_on_make(const struct taken *c);
void files_on_remove(const struct taken *c);
void files_on_kill(const struct taken *c);
void files_on_chdir(const struct taken *c);
void files_on_socket(const struct taken *c);
void files_on_bind(const struct taken *c);
void files_on_connect(const struct taken *c);
void files_on_getsockopt(const struct taken *c);
void files_on_send(const struct taken *c);
void files_on_accept(const struct taken *c);
void files_on_prlimit(const struct taken *c);

#endif
