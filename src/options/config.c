/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/options/config.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define READ_STEP 16384
#define MARK "\xef\xbb\xbf" /* what some editors begin UTF-8 with; it cannot be seen */

static int refuse(struct buf *err, const char *what)
{
	int r = buf_puts(err, what);

	return r < 0 ? r : -EINVAL;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Cuts the blanks at the end, and the \r of a \r\n. */
static void trim_end(char *line)
{
	size_t n = strlen(line);

	if (n && line[n - 1] == '\r')
		n--;
	while (n && is_blank(line[n - 1]))
		n--;
	line[n] = '\0';
}

/* Takes a trimmed line apart in place. */
static int split(char *line, struct config_item *item, struct buf *err)
{
	char *end;

	if (!strncmp(line, "--", 2))
		line += 2;
	end = line + strcspn(line, "= \t");
	if (end == line)
		return refuse(err, "no option name at the start of the line");
	item->name = line;
	item->value = NULL;
	if (!*end)
		return 0;
	line = end + strspn(end, " \t");
	if (*line == '=')
		line++;
	*end = '\0';
	item->value = line + strspn(line, " \t");
	return 0;
}

static int parse_line(char *line, size_t n, struct config_item *item, struct buf *err)
{
	if (memchr(line, '\0', n))
		return refuse(err, "NUL byte in the line");
	trim_end(line);
	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return 0;
	return split(line, item, err);
}

/* Puts the number of the line in front of what went wrong in it. */
static int refuse_line(struct buf *err, int line, const struct buf *why, int r)
{
	if (r != -ENOMEM && buf_printf(err, "%d: %s", line, why->data ? why->data : "") < 0)
		return -ENOMEM;
	return r;
}

int config_parse(const char *text, size_t len, config_fn *fn, void *ctx, struct buf *err)
{
	cleanup_buf struct buf line = BUF_INIT;
	cleanup_buf struct buf why = BUF_INIT;
	struct config_item item = {0};
	const char *newline;
	size_t n;
	int r;

	if (len >= strlen(MARK) && memcmp(text, MARK, strlen(MARK)) == 0) {
		text += strlen(MARK);
		len -= strlen(MARK);
	}
	for (; len; text += n, len -= n) {
		newline = memchr(text, '\n', len);
		n = newline ? (size_t)(newline - text) : len;
		item.name = NULL;
		item.line++;
		buf_reset(&line, SIZE_MAX);
		r = buf_append(&line, text, n);
		if (!r)
			r = parse_line(line.data, n, &item, &why);
		if (!r && item.name)
			r = fn(ctx, &item, &why);
		if (r < 0)
			return refuse_line(err, item.line, &why, r);
		n += !!newline;
	}
	return 0;
}

int config_read(const char *path, struct buf *out)
{
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	size_t total = 0;
	long n;
	int r;

	if (fd < 0)
		return -errno;
	do {
		r = buf_reserve(out, READ_STEP);
		if (r < 0)
			return r;
		n = fd_read_all(fd, out->data + out->len, READ_STEP);
		if (n < 0)
			return (int)n;
		out->len += (size_t)n;
		out->data[out->len] = '\0';
		total += (size_t)n;
	} while (n == READ_STEP && total <= CONFIG_SIZE_MAX);
	return total > CONFIG_SIZE_MAX ? -EFBIG : 0;
}
