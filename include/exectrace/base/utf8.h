/* SPDX-License-Identifier: GPL-2.0-or-later */
/* UTF-8 (RFC 3629), of which a text of others may be something else. */
#ifndef EXECTRACE_BASE_UTF8_H
#define EXECTRACE_BASE_UTF8_H

#include <exectrace/base/buf.h>

/* The length of the valid UTF-8 sequence at bytes (1 to 4), 0 when it is not one. n: bytes that may be read, >= 1. */
size_t utf8_len(const char *bytes, size_t n);

/* How many bytes there are before the first that is not part of valid UTF-8. */
size_t utf8_valid(const char *bytes, size_t n);

/* Adds the text with U+FFFD for each byte that is not part of valid UTF-8. 0 or -ENOMEM. */
int utf8_replace(struct buf *out, const char *bytes, size_t n);

#endif
