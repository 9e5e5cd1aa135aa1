/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A vector of strings, always ended by a NULL pointer once something was added. The strings are its own. */
#ifndef EXECTRACE_BASE_STRV_H
#define EXECTRACE_BASE_STRV_H

#include <stddef.h>

struct strv {
	char **items; /* n strings and a NULL; NULL when never used */
	size_t n;
	size_t cap;
};

#define STRV_INIT ((struct strv){0})

/* Adds a copy of text. 0 or -ENOMEM. */
int strv_push(struct strv *v, const char *text);

/* Adds a copy of the first n bytes of text (which hold no NUL). 0 or -ENOMEM. */
int strv_pushn(struct strv *v, const char *text, size_t n);

/* Adds copies of all of `from`. 0 or -ENOMEM; what was added before a failure stays. */
int strv_extend(struct strv *v, const struct strv *from);

/* Frees everything and empties the struct. */
void strv_release(struct strv *v);

#endif
