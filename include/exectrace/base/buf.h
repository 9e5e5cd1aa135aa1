/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing buffer of bytes. `data` is always followed by a NUL that `len` does not count, or NULL when nothing was
 * ever added. A failed append (-ENOMEM) leaves the buffer as it was.
 */
#ifndef EXECTRACE_BASE_BUF_H
#define EXECTRACE_BASE_BUF_H

#include <stddef.h>

struct buf {
	char *data;
	size_t len; /* bytes used */
	size_t cap; /* bytes allocated */
};

#define BUF_INIT ((struct buf){0})

/* Makes room for n more bytes (and a NUL). 0 or -ENOMEM. */
int buf_reserve(struct buf *buf, size_t n);

/* Adds n bytes. 0 or -ENOMEM. */
int buf_append(struct buf *buf, const void *bytes, size_t n);

/* Adds a string. 0 or -ENOMEM. */
int buf_puts(struct buf *buf, const char *text);

/* Adds one byte. 0 or -ENOMEM. */
int buf_putc(struct buf *buf, char c);

/* Adds formatted text. 0 or -ENOMEM. */
int buf_printf(struct buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Forgets the content. Memory is kept for the next use unless more than `keep` bytes are allocated. */
void buf_reset(struct buf *buf, size_t keep);

/* Hands the content to the caller, who frees it; "" when empty; NULL when there is no memory. */
char *buf_steal(struct buf *buf);

/* Frees everything and empties the struct. */
void buf_release(struct buf *buf);

#endif
