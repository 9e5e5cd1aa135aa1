/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/output/page.h>

#include <ctype.h>
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define FLUSH_BYTES (256u << 10)

static int terminal_width(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

void page_begin(struct page *page, bool paged, enum color_choice color)
{
	bool terminal = isatty(STDOUT_FILENO);

	*page = (struct page){.wants_pager = paged && terminal};
	page->width = terminal ? terminal_width() : 0;
	page->color = color_wanted(color, STDOUT_FILENO);
	signal(SIGPIPE, SIG_IGN);
}

/* Bytes of the first `width` columns of n bytes. */
static size_t bytes_of(const char *text, size_t n, size_t width)
{
	size_t at = 0;

	while (at < n && (width || ((unsigned char)text[at] & 0xc0) == 0x80))
		width -= ((unsigned char)text[at++] & 0xc0) != 0x80;
	return at;
}

void page_cut(struct page *page, size_t from)
{
	char *text = page->text.data, *to = text + from;
	size_t width = (size_t)page->width, end = page->text.len;

	for (size_t at = from; width && at < end;) {
		const char *line = text + at, *newline = memchr(line, '\n', end - at);
		size_t n = newline ? (size_t)(newline - line) : end - at, keep = bytes_of(line, n, width);
		bool cut = keep < n;

		if (cut)
			keep = bytes_of(line, n, width - 1);
		memmove(to, line, keep);
		to += keep;
		if (cut)
			*to++ = '>';
		if (newline)
			*to++ = '\n';
		at += n + 1;
	}
	if (width && end > from)
		page->text.len = (size_t)(to - text);
}

/* False when the shell would not find the program of a command line, and all that it is to show would be lost. */
static bool is_there(const char *command)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";
	size_t n = strspn(command, plain);
	cleanup_buf struct buf question = BUF_INIT;

	/* What begins with something else is for the shell to understand. */
	if (!n || *command == '-' || (command[n] && !isspace((unsigned char)command[n])))
		return true;
	return buf_printf(&question, "command -v %.*s >/dev/null 2>&1", (int)n, command) || system(question.data) == 0;
}

/* The first one that is there; "" when there is none, or none is wanted. */
static const char *pager_command(void)
{
	const char *const commands[] = {getenv("EXECTRACE_PAGER"), getenv("PAGER"), "less -FRX"};

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (commands[i] && (!*commands[i] || strcmp(commands[i], "cat") == 0))
			break;
		if (commands[i] && is_there(commands[i]))
			return commands[i];
	}
	return "";
}

/* Starts the pager; without one the terminal itself has to do. */
static void start_pager(struct page *page)
{
	const char *command = pager_command();

	page->wants_pager = false;
	if (!*command)
		return;
	/* less takes a hint that git gives as well, when it is started as plain "less". */
	setenv("LESS", "FRX", 0);
	signal(SIGPIPE, SIG_DFL);
	page->pager = popen(command, "we");
	signal(SIGPIPE, SIG_IGN);
	/* The keyboard belongs to the pager now: it ends when its reader wants. */
	if (page->pager)
		signal(SIGINT, SIG_IGN);
}

static int write_out(struct page *page)
{
	int rc;

	if (page->gone)
		return -EPIPE;
	if (page->writing)
		page->writing(page->ctx);
	if (page->wants_pager && page->text.len)
		start_pager(page);
	rc = fd_write_all(page->pager ? fileno(page->pager) : STDOUT_FILENO, page->text.data, page->text.len);
	page->gone = rc == -EPIPE;
	if (rc && !page->gone && page->err && !page->err->len)
		(void)buf_printf(page->err, "cannot write to standard output: %s", strerror(-rc));
	buf_reset(&page->text, 2 * FLUSH_BYTES);
	return rc;
}

int page_flush(struct page *page)
{
	return page->text.len < FLUSH_BYTES ? 0 : write_out(page);
}

int page_end(struct page *page, int rc)
{
	if (!rc)
		rc = write_out(page);
	if (page->pager)
		pclose(page->pager);
	buf_release(&page->text);
	return page->gone && rc == -EPIPE ? 0 : rc;
}
