/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/base/buf.h>

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST 64
#define PRINTF_GUESS 32 /* bytes: most of what is formatted fits, and is then formatted once */
#define DIGITS_MAX 20   /* of 64 bits */

int buf_fail(struct buf *buf, int err)
{
	if (!buf->err)
		buf->err = err;
	return buf->err;
}

int buf_reserve(struct buf *buf, size_t n)
{
	size_t need, cap = buf->cap ? buf->cap : SMALLEST;
	char *data;

	if (buf->err)
		return buf->err;
	/* Half the address space is more than malloc gives, and leaves doubling without overflow. */
	if (n >= SIZE_MAX / 2 - buf->len)
		return buf_fail(buf, -ENOMEM);
	need = buf->len + n + 1;
	if (need <= buf->cap)
		return 0;
	while (cap < need)
		cap *= 2;
	data = realloc(buf->data, cap);
	if (!data)
		return buf_fail(buf, -ENOMEM);
	buf->data = data;
	buf->cap = cap;
	data[buf->len] = '\0';
	return 0;
}

int buf_append_grown(struct buf *buf, const void *bytes, size_t n)
{
	int rc = buf_reserve(buf, n);

	if (rc)
		return rc;
	if (n)
		memcpy(buf->data + buf->len, bytes, n);
	buf->len += n;
	buf->data[buf->len] = '\0';
	return 0;
}

int buf_puts(struct buf *buf, const char *text)
{
	return buf_append(buf, text, strlen(text));
}

int buf_putc(struct buf *buf, char c)
{
	if (buf->err || buf->len + 2 > buf->cap)
		return buf_append(buf, &c, 1);
	buf->data[buf->len++] = c;
	buf->data[buf->len] = '\0';
	return 0;
}

static unsigned decimal_digits(uint64_t number)
{
	unsigned n = 1;
	uint64_t limit = 10;

	while (n < DIGITS_MAX && number >= limit) {
		n++;
		limit = n < DIGITS_MAX ? limit * 10 : UINT64_MAX;
	}
	return n;
}

int buf_decimal(struct buf *buf, uint64_t number, unsigned width)
{
	unsigned n = decimal_digits(number);
	int rc = buf_reserve(buf, DIGITS_MAX);
	char *at;

	if (rc)
		return rc;
	if (n < width)
		n = width < DIGITS_MAX ? width : DIGITS_MAX;
	buf->len += n;
	at = buf->data + buf->len;
	*at = '\0';
	for (; n; n--, number /= 10)
		*--at = (char)('0' + number % 10);
	return 0;
}

int buf_printf(struct buf *buf, const char *fmt, ...)
{
	va_list args;
	size_t room;
	int len, rc = buf_reserve(buf, PRINTF_GUESS);

	if (rc)
		return rc;
	room = buf->cap - buf->len;
	va_start(args, fmt);
	len = vsnprintf(buf->data + buf->len, room, fmt, args);
	va_end(args);
	if (len >= 0 && (size_t)len >= room) {
		buf->data[buf->len] = '\0';
		rc = buf_reserve(buf, (size_t)len);
		if (rc)
			return rc;
		va_start(args, fmt);
		len = vsnprintf(buf->data + buf->len, (size_t)len + 1, fmt, args);
		va_end(args);
	}
	if (len < 0) {
		buf->data[buf->len] = '\0';
		return buf_fail(buf, -ENOMEM);
	}
	buf->len += (size_t)len;
	return 0;
}

void buf_cut(struct buf *buf, size_t n)
{
	if (buf->len <= n)
		return;
	buf->len = n;
	buf->data[n] = '\0';
}

void buf_reset(struct buf *buf, size_t keep)
{
	if (buf->cap > keep) {
		buf_release(buf);
		return;
	}
	buf->len = 0;
	buf->err = 0;
	if (buf->data)
		buf->data[0] = '\0';
}

char *buf_steal(struct buf *buf)
{
	char *data;

	if (buf->err) {
		buf_release(buf);
		return NULL;
	}
	data = buf->data ? buf->data : strdup("");
	*buf = BUF_INIT;
	return data;
}

void buf_release(struct buf *buf)
{
	if (buf->data) /* most have none */
		free(buf->data);
	*buf = BUF_INIT;
}
