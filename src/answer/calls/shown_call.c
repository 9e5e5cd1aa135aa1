/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls with their descriptors as people know them. */
#include <exectrace/answer/calls/peers.h>

#include <stdlib.h>
#include <string.h>

#define TEXT_KEPT 65536 /* bytes of a text whose memory is used again */

#define UNIX "UNIX:"

/* How much of the beginning of a path can be left out, since it is below dir; 0: nothing. */
static size_t beginning(const char *path, size_t n, const char *dir)
{
	size_t len = dir ? strlen(dir) : 0;

	if (len < 2 || n <= len + 1 || memcmp(path, dir, len) != 0 || path[len] != '/')
		return 0;
	return len + 1;
}

void path_shorten(struct buf *path, const char *dir)
{
	size_t at = path->len > strlen(UNIX) && memcmp(path->data, UNIX, strlen(UNIX)) == 0 ? strlen(UNIX) : 0;
	size_t n = path->len ? beginning(path->data + at, path->len - at, dir) : 0;

	if (path->len && dir && dir[0] && dir[1] && strcmp(path->data, dir) == 0) {
		buf_reset(path, TEXT_KEPT);
		buf_putc(path, '.');
	}
	if (!n)
		return;
	memmove(path->data + at, path->data + at + n, path->len - at - n + 1);
	path->len -= n;
}

/* The name to be put in place of what stands behind a '<', and how much of that it replaces. NULL: it stays. */
static const char *better(const char *at, const char *end, const struct peers *peers, const char *dir, size_t *n)
{
	static const char socket[] = "socket:[";
	size_t left = (size_t)(end - at), prefix = 0, len = dir ? strlen(dir) : 0;

	if (left > sizeof(socket) && memcmp(at, socket, sizeof(socket) - 1) == 0) {
		const char *close = memchr(at, ']', left);

		*n = close ? (size_t)(close + 1 - at) : 0;
		return close && peers ? peers_find(peers, strtoull(at + sizeof(socket) - 1, NULL, 10)) : NULL;
	}
	if (left > strlen(UNIX) && memcmp(at, UNIX, strlen(UNIX)) == 0)
		prefix = strlen(UNIX);
	*n = beginning(at + prefix, left - prefix, dir);
	if (*n) {
		*n += prefix;
		return prefix ? UNIX : "";
	}
	*n = len;
	return len > 1 && left > len && memcmp(at, dir, len) == 0 && at[len] == '>' ? "." : NULL;
}

/* A copy of a text with better names. 0 or -ENOMEM. */
static int copy(struct buf *out, struct data_text text, const struct peers *peers, const char *dir)
{
	const char *at = text.bytes, *end = at + text.n;
	int rc = 0;

	while (!rc && at < end) {
		const char *open = memchr(at, '<', (size_t)(end - at)), *name;
		size_t n = 0;

		if (!open)
			return buf_append(out, at, (size_t)(end - at));
		rc = buf_append(out, at, (size_t)(open + 1 - at));
		at = open + 1;
		name = better(at, end, peers, dir, &n);
		if (name && !rc)
			rc = buf_puts(out, name);
		if (name)
			at += n;
	}
	return rc;
}

int shown_call_make(struct shown_call *to, const struct data_syscall *call, const struct peers *peers, const char *dir)
{
	size_t begins[DATA_EXTRAS_MAX + 1] = {0};
	int rc = 0;

	to->call = *call;
	to->call.extras = to->extras;
	buf_reset(&to->text, TEXT_KEPT);
	for (size_t i = 0; i < call->nextras && !rc; i++) {
		const struct data_extra *extra = &call->extras[i];

		to->extras[i] = *extra;
		begins[i] = to->text.len;
		if ((extra->kind == DATA_EXTRA_TEXT || extra->kind == DATA_EXTRA_DESCRIPTOR) && extra->text.n)
			rc = copy(&to->text, extra->text, peers, dir);
		begins[i + 1] = to->text.len;
	}
	for (size_t i = 0; i < call->nextras && !rc; i++)
		if (begins[i + 1] > begins[i])
			to->extras[i].text = (struct data_text){to->text.data + begins[i], begins[i + 1] - begins[i]};
	return rc;
}

void shown_call_release(struct shown_call *shown)
{
	buf_release(&shown->text);
}
