/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls about files, addresses, directories, limits, and those that send signals. */
#ifndef EXECTRACE_SRC_ANSWER_STORY_FILES_H
#define EXECTRACE_SRC_ANSWER_STORY_FILES_H

#include "taken.h"

/* The file or address that a call is about, in full, to stay; "" for none. */
const char *files_what(struct history *h, struct process_history *p, const struct taken *c);

/* An access to a file, or to an address, that has succeeded. path "": unknown. */
void files_accessed(const struct taken *c, const char *path, enum access_kind kind);

/* A file was made, or an address bound. */
void files_made(const struct taken *c, const char *path);

/*
 * addresses.c: what the two ends of an address, as decode has it, agree on, to stay: "/tmp/x", "@x", "port 80" (a host
 * has many addresses, but one port); "" for none.
 */
const char *addresses_name(struct history *h, const struct process_history *p, struct data_text text);

/* The calls of each kind; those about sockets are in addresses.c. */
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
