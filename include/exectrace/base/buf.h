/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing buffer of bytes. `data` is always followed by a NUL that `len` does not count, or NULL when nothing was
 * ever added.
 *
 * Errors are sticky: after the first failure every append does nothing and returns that failure, until buf_reset or
 * buf_release. So a writer may append without looking and return `err` at the end.
 */
#ifndef EXECTRACE_BASE_BUF_H
#define EXECTRACE_BASE_BUF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct buf {
	char *data;
	size_t len; /* bytes used */
	size_t cap; /* bytes allocated */
	int err;    /* 0, or the -errno of the first append that failed */
};

#define BUF_INIT ((struct buf){0})

/* Records a failure, unless there was one before; for writers whose own source fails. Returns `err`. */
int buf_fail(struct buf *buf, int err);

/* Makes room for n more bytes (and a NUL). 0 or -ENOMEM. */
int buf_reserve(struct buf *buf, size_t n);

/* buf_append() where there is no room. */
int buf_append_grown(struct buf *buf, const void *bytes, size_t n);

/* Adds n bytes. 0 or -ENOMEM. Inline: lines are made of many small pieces. */
static inline int buf_append(struct buf *buf, const void *bytes, size_t n)
{
	if (!buf->data || buf->err || n >= buf->cap - buf->len)
		return buf_append_grown(buf, bytes, n);
	if (bytes) /* NULL only with n = 0 */
		memcpy(buf->data + buf->len, bytes, n);
	buf->len += n;
	buf->data[buf->len] = '\0';
	return 0;
}

/* As buf_reserve, without a call where there is room. */
static inline int buf_room(struct buf *buf, size_t n)
{
	return !buf->err && buf->cap - buf->len > n ? 0 : buf_reserve(buf, n);
}

/* Adds the first n of the 8 bytes in `word`. 0 or -ENOMEM. */
static inline int buf_word(struct buf *buf, uint64_t word, size_t n)
{
	int rc = buf_room(buf, sizeof(word));

	if (rc)
		return rc;
	memcpy(buf->data + buf->len, &word, sizeof(word));
	buf->len += n;
	buf->data[buf->len] = '\0';
	return 0;
}

/* Adds a string. 0 or -ENOMEM. */
int buf_puts(struct buf *buf, const char *text);

/* Adds one byte. 0 or -ENOMEM. */
int buf_putc(struct buf *buf, char c);

/* Adds a number, with zeroes in front up to `width` digits: a tenth of what buf_printf takes. 0 or -ENOMEM. */
int buf_decimal(struct buf *buf, uint64_t number, unsigned width);

/* Adds formatted text. 0 or -ENOMEM. */
int buf_printf(struct buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Forgets what is behind the first n bytes, if there is anything. */
void buf_cut(struct buf *buf, size_t n);

/* Forgets the content and the failure. Memory is kept for the next use unless more than `keep` bytes are allocated. */
void buf_reset(struct buf *buf, size_t keep);

/* Hands the content to the caller, who frees it; "" when empty; NULL, with nothing left, after a failure. */
char *buf_steal(struct buf *buf);

/* Frees everything and empties the struct. */
void buf_release(struct buf *buf);

#endif
