/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lines.h"

#include <errno.h>
#include <exectrace/base/fd.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINES_BUFFER (1u << 20)

_Static_assert(LINES_BUFFER > 2 * LINE_MAX_BYTES, "a line and more");

static int failed(const struct lines *l, int rc, struct buf *why)
{
	return buf_printf(why, "%s: %s", l->name, strerror(-rc)) ? -ENOMEM : rc;
}

int lines_open(struct lines *l, const char *path, struct buf *why)
{
	struct stat st;

	*l = (struct lines){.name = path, .fd = -1};
	l->bytes = malloc(LINES_BUFFER);
	if (!l->bytes)
		return -ENOMEM;
	if (strcmp(path, "-") == 0) {
		l->name = "standard input";
		l->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	} else {
		l->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	}
	if (l->fd < 0)
		return failed(l, -errno, why);
	if (!fstat(l->fd, &st) && S_ISREG(st.st_mode))
		l->total = (uint64_t)st.st_size;
	return 0;
}

void lines_close(struct lines *l)
{
	fd_close(&l->fd);
	free(l->bytes);
	l->bytes = NULL;
}

int lines_bad(const struct lines *l, struct buf *why, const char *what)
{
	int rc = buf_printf(why, "%s:%llu: %s", l->name, (unsigned long long)l->number, what);

	return rc ? rc : -EBADMSG;
}

/* Moves what is left to the front and reads more behind it. 0 or -errno with a line. */
static int fill(struct lines *l, struct buf *why)
{
	size_t left = l->have - l->at;
	long got;

	memmove(l->bytes, l->bytes + l->at, left);
	l->at = 0;
	l->have = left;
	got = fd_read_all(l->fd, l->bytes + left, LINES_BUFFER - left);
	if (got < 0)
		return failed(l, (int)got, why);
	l->have += (size_t)got;
	l->ended = l->have < LINES_BUFFER;
	l->got += (uint64_t)got;
	if (l->progress && l->total)
		l->progress(l->ctx, l->got < l->total ? l->got : l->total, l->total);
	return 0;
}

int lines_peek(struct lines *l, struct span *bytes, struct buf *why)
{
	int rc = l->have || l->ended ? 0 : fill(l, why);

	*bytes = (struct span){l->bytes + l->at, l->bytes + l->have};
	return rc;
}

int lines_next(struct lines *l, struct span *line, struct buf *why)
{
	char *p = l->bytes + l->at, *end = l->at < l->have ? memchr(p, '\n', l->have - l->at) : NULL;
	int rc;

	if (__builtin_expect(!end && !l->ended, 0)) {
		rc = fill(l, why);
		if (rc)
			return rc;
		p = l->bytes;
		end = l->have ? memchr(p, '\n', l->have) : NULL;
	}
	if (l->at == l->have)
		return 0;
	l->number++;
	if (!end)
		end = l->bytes + l->have;
	if ((size_t)(end - p) > LINE_MAX_BYTES)
		return lines_bad(l, why, "this line is too long to be one of a log");
	l->at = (size_t)(end - l->bytes) + (end < l->bytes + l->have);
	*line = (struct span){p, end > p && end[-1] == '\r' ? end - 1 : end};
	return 1;
}

int lines_bytes(struct lines *l, size_t n, const char **bytes, struct buf *why)
{
	int rc = l->have - l->at < n && !l->ended ? fill(l, why) : 0;

	if (rc || l->have - l->at < n)
		return rc;
	*bytes = l->bytes + l->at;
	l->at += n;
	l->offset += n;
	return 1;
}

bool lines_cut(const struct lines *l)
{
	return l->ended && l->at == l->have && l->have && l->bytes[l->have - 1] != '\n';
}

/* --- Words ---------------------------------------------------------------------------------------------------------
 */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

bool span_word(struct span *line, struct span *word)
{
	while (line->p < line->end && is_blank(*line->p))
		line->p++;
	word->p = line->p;
	while (line->p < line->end && !is_blank(*line->p))
		line->p++;
	word->end = line->p;
	return word->p < word->end;
}

bool span_skip(struct span *text, const char *prefix)
{
	size_t n = strlen(prefix);

	if (span_length(text) < n || memcmp(text->p, prefix, n) != 0)
		return false;
	text->p += n;
	return true;
}

bool span_behind(struct span *text, const char *what)
{
	const char *at = text->p < text->end ? memmem(text->p, span_length(text), what, strlen(what)) : NULL;

	if (!at)
		return false;
	text->p = at + strlen(what);
	return true;
}

bool span_decimal(struct span *text, uint64_t *value)
{
	const char *start = text->p;

	*value = 0;
	for (; text->p < text->end && *text->p >= '0' && *text->p <= '9'; text->p++)
		if (__builtin_mul_overflow(*value, UINT64_C(10), value) ||
		    __builtin_add_overflow(*value, (uint64_t)(*text->p - '0'), value))
			return false;
	return text->p > start;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool span_hex(struct span *text, uint64_t *value)
{
	const char *start = text->p;
	int d;

	*value = 0;
	for (; text->p < text->end && (d = digit(*text->p)) >= 0; text->p++) {
		if (*value >> 60)
			return false;
		*value = *value << 4 | (uint64_t)d;
	}
	return text->p > start;
}
