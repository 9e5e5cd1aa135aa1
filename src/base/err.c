/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/base/err.h>

#include <errno.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/quote.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "exectrace: "

/*
 * Lines up to this length need no heap: a child forked while another thread held malloc's lock, or one that shares our
 * memory, can still say why it fails.
 */
#define SHORT_LINE 1024

/* The longest that one byte can become: \xNN. */
#define ESCAPED 4

static int verbosity;

void err_set_verbosity(int v)
{
	verbosity = v;
}

int err_verbosity(void)
{
	return verbosity;
}

static bool shown(enum err_level level)
{
	switch (level) {
	case ERR_NOTE:
		return verbosity >= 0;
	case ERR_VERBOSE:
		return verbosity > 0;
	default:
		return true;
	}
}

/* Writes text to out, which holds ESCAPED bytes for each of its n; the length written. */
static size_t sanitise(char *out, const char *text, size_t n)
{
	static const char hex[] = "0123456789abcdef";
	size_t used = 0;

	for (size_t i = 0; i < n;) {
		const unsigned char *p = (const unsigned char *)text + i;
		size_t len = quote_shown_len(text + i, n - i);
		bool escape = len == 0;

		if (len == 0)
			len = 1;
		for (size_t k = 0; k < len; k++) {
			if (!escape) {
				out[used++] = (char)p[k];
				continue;
			}
			out[used++] = '\\';
			out[used++] = 'x';
			out[used++] = hex[p[k] >> 4];
			out[used++] = hex[p[k] & 15];
		}
		i += len;
	}
	return used;
}

/* Writes prefix, text and a newline at once. room: where to put it together, enough for all. */
static void emit(char *room, const char *prefix, const char *text, size_t n)
{
	size_t used = strlen(prefix);

	memcpy(room, prefix, used);
	used += sanitise(room + used, text, n);
	room[used++] = '\n';
	/* Nobody is left to be told when standard error is gone; a write may also fail for the moment, with nothing
	 * written. */
	for (int i = 0; i < 2 && fd_write_all(STDERR_FILENO, room, used); i++) {
	}
}

__attribute__((format(printf, 2, 0))) static void say(const char *prefix, const char *fmt, va_list args)
{
	char text[SHORT_LINE], room[sizeof(PREFIX) + sizeof(text) * ESCAPED];
	char *long_text = NULL, *long_room = NULL;
	va_list again;
	int len;

	va_copy(again, args);
	len = vsnprintf(text, sizeof(text), fmt, args);
	if (len >= (int)sizeof(text)) {
		long_text = malloc((size_t)len + 1);
		long_room = malloc(sizeof(PREFIX) + (size_t)len * ESCAPED + 1);
	}
	if (long_text && long_room) {
		vsnprintf(long_text, (size_t)len + 1, fmt, again);
		emit(long_room, prefix, long_text, (size_t)len);
	} else if (len >= 0) {
		emit(room, prefix, text, strlen(text));
	}
	va_end(again);
	free(long_text);
	free(long_room);
}

void err_say(enum err_level level, const char *fmt, ...)
{
	int saved = errno;
	va_list args;

	if (!shown(level))
		return;
	va_start(args, fmt);
	say(PREFIX, fmt, args);
	va_end(args);
	errno = saved;
}

void err_line(enum err_level level, const char *fmt, ...)
{
	int saved = errno;
	va_list args;

	if (!shown(level))
		return;
	va_start(args, fmt);
	say("", fmt, args);
	va_end(args);
	errno = saved;
}
