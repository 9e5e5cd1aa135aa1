/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines and words of text. Logs may be many gigabytes: what is handed out points into one buffer. */
#ifndef EXECTRACE_SRC_RECORD_IMPORT_LINES_H
#define EXECTRACE_SRC_RECORD_IMPORT_LINES_H

#include <exectrace/base/buf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_MAX_BYTES 65536u

/* Bytes without an end of their own. */
struct span {
	const char *p, *end;
};

struct lines {
	const char *name; /* of the file, for messages */
	int fd;
	char *bytes; /* LINES_BUFFER of them */
	size_t at, have;
	uint64_t number; /* of the line given last, from 1 */
	uint64_t offset; /* bytes that lines_bytes has given */
	bool ended;      /* the file has no more bytes */
	/* Told that `got` of `total` bytes have been read, when that is known; the caller sets it. NULL: nobody. */
	void (*progress)(void *ctx, uint64_t got, uint64_t total);
	void *ctx;
	uint64_t got, total; /* total: 0 when it is no regular file */
};

/* Opens a file; "-" is standard input. 0; -errno with a line in why; -ENOMEM. lines_close in any case. */
int lines_open(struct lines *l, const char *path, struct buf *why);
void lines_close(struct lines *l);

/* The first bytes of the file, before a line was asked for. 0, or as lines_next. */
int lines_peek(struct lines *l, struct span *bytes, struct buf *why);

/*
 * The next line without its end, valid until the next one. 1; 0 at the end; -EBADMSG for one that is too long, -errno
 * of a failed read, both with a line in why.
 */
int lines_next(struct lines *l, struct span *line, struct buf *why);

/*
 * The next n bytes (at most LINE_MAX_BYTES) of a file that has no lines, valid until the next ones. 1; 0 when there are
 * not so many left; -errno of a failed read with a line in why.
 */
int lines_bytes(struct lines *l, size_t n, const char **bytes, struct buf *why);

/* True when the line given last is the file's last and has no newline: its writer may have been killed in it. */
bool lines_cut(const struct lines *l);

/* Adds "FILE:LINE: what" for the line given last. -EBADMSG or -ENOMEM. */
int lines_bad(const struct lines *l, struct buf *why, const char *what);

/* --- Words ---------------------------------------------------------------------------------------------------------
 */

/* The next word, behind blanks, taken off the line. False when there is none. */
bool span_word(struct span *line, struct span *word);

/* Takes a prefix off. False when it is not there. */
bool span_skip(struct span *text, const char *prefix);

/* Goes behind the first place where `text` has `what`. False when it is not there. */
bool span_behind(struct span *text, const char *what);

/* Takes a number off, of digits or of hexadecimal digits without 0x. False when there is none or it is too large. */
bool span_decimal(struct span *text, uint64_t *value);
bool span_hex(struct span *text, uint64_t *value);

static inline size_t span_length(const struct span *s)
{
	return (size_t)(s->end - s->p);
}

#endif
