/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes as text that any reader takes. */
#ifndef EXECTRACE_ANSWER_FORMAT_TEXT_H
#define EXECTRACE_ANSWER_FORMAT_TEXT_H

#include <exectrace/base/buf.h>
#include <exectrace/format/data/record.h>
#include <string.h>

/*
 * Adds text; control characters, bytes that are not UTF-8 and the character `refused` (0: none) become \xNN. 0 or
 * -ENOMEM.
 */
int text_append(struct buf *out, struct data_text text, char refused);

/* A string as a text. NULL: empty. */
struct data_text text_of(const char *string);

/* For millions of lines: these write into room that the buffer has (buf_reserve), and leave no NUL behind. */
#define TEXT_NUMBER_BYTES 20u /* of a number, at most */

static inline void text_put(struct buf *out, const char *text)
{
	size_t n = strlen(text);

	memcpy(out->data + out->len, text, n);
	out->len += n;
}

/* The last n digits of a number, with zeros in front. */
static inline void text_put_digits(struct buf *out, uint64_t value, unsigned n)
{
	for (unsigned i = n; i; i--, value /= 10)
		out->data[out->len + i - 1] = (char)('0' + value % 10);
	out->len += n;
}

static inline void text_put_number(struct buf *out, uint64_t value)
{
	unsigned n = 1;

	for (uint64_t rest = value; rest >= 10; rest /= 10)
		n++;
	text_put_digits(out, value, n);
}

#endif
