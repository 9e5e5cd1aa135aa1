/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/base/quote.h>
#include <exectrace/base/utf8.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* C0, DEL, and C1 as UTF-8 encodes it. len is what utf8_len says of p. */
static bool is_control(const char *p, size_t len)
{
	const unsigned char *u = (const unsigned char *)p;

	return (len == 1 && (u[0] < 0x20 || u[0] == 0x7f)) || (len == 2 && u[0] == 0xc2 && u[1] < 0xa0);
}

size_t quote_shown_len(const char *bytes, size_t n)
{
	size_t len = utf8_len(bytes, n);

	return len && is_control(bytes, len) ? 0 : len;
}

int quote_terminal(struct buf *out, const char *bytes, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc;) {
		size_t len = 0, one = 1;

		while (i + len < n && (one = quote_shown_len(bytes + i + len, n - i - len)))
			len += one;
		rc = len ? buf_append(out, bytes + i, len) : buf_printf(out, "\\x%02x", (unsigned char)bytes[i]);
		i += len ? len : 1;
	}
	return rc;
}

/* What stands for itself in the name of a file. */
static bool is_harmless(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("._+=@-", c));
}

int quote_file_name(struct buf *out, const char *bytes, size_t n)
{
	size_t most = n < QUOTE_FILE_NAME_MAX ? n : QUOTE_FILE_NAME_MAX;
	int rc = n ? 0 : buf_putc(out, '_');

	for (size_t i = 0; i < most && !rc; i++) {
		bool special = i == 0 && (bytes[0] == '-' || bytes[0] == '.');

		rc = buf_putc(out, is_harmless(bytes[i]) && !special ? bytes[i] : '_');
	}
	return rc;
}

enum shell_form { SHELL_BARE, SHELL_SINGLE, SHELL_DOLLAR };

static bool is_bare(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("@%+=:,./_-", c));
}

static enum shell_form shell_form(const char *bytes, size_t n)
{
	enum shell_form form = n ? SHELL_BARE : SHELL_SINGLE;

	for (size_t i = 0; i < n;) {
		size_t len = utf8_len(bytes + i, n - i);

		if (len == 0 || is_control(bytes + i, len))
			return SHELL_DOLLAR;
		if (!is_bare(bytes[i]))
			form = SHELL_SINGLE;
		i += len;
	}
	return form;
}

static int shell_single(struct buf *out, const char *bytes, size_t n)
{
	int rc = buf_putc(out, '\'');

	for (size_t i = 0; i < n && !rc; i++)
		rc = bytes[i] == '\'' ? buf_puts(out, "'\\''") : buf_putc(out, bytes[i]);
	return rc ? rc : buf_putc(out, '\'');
}

/* The letter after the backslash for c in C, the shell and JSON alike; 0 when there is none. */
static char short_escape(char c)
{
	static const char plain[] = "\b\f\n\r\t", letters[] = "bfnrt";
	const char *at = c ? strchr(plain, c) : NULL;

	return at ? letters[at - plain] : '\0';
}

static int shell_escape(struct buf *out, char c)
{
	char letter = c == '\'' || c == '\\' ? c : short_escape(c);

	return letter ? buf_printf(out, "\\%c", letter) : buf_printf(out, "\\x%02x", (unsigned char)c);
}

static int shell_dollar(struct buf *out, const char *bytes, size_t n)
{
	int rc = buf_puts(out, "$'");

	for (size_t i = 0; i < n && !rc;) {
		size_t len = utf8_len(bytes + i, n - i);
		bool escape = len == 0 || is_control(bytes + i, len) || strchr("'\\", bytes[i]);

		if (len == 0)
			len = 1;
		for (size_t k = 0; k < len && !rc; k++)
			rc = escape ? shell_escape(out, bytes[i + k]) : buf_putc(out, bytes[i + k]);
		i += len;
	}
	return rc ? rc : buf_putc(out, '\'');
}

/* Appends what was made in word, so that a failure half way leaves out as it was. */
static int commit(struct buf *out, const struct buf *word, int rc)
{
	return rc ? rc : buf_append(out, word->data, word->len);
}

int quote_shell(struct buf *out, const char *bytes, size_t n)
{
	cleanup_buf struct buf word = BUF_INIT;

	switch (shell_form(bytes, n)) {
	case SHELL_BARE:
		return buf_append(out, bytes, n);
	case SHELL_SINGLE:
		return commit(out, &word, shell_single(&word, bytes, n));
	default:
		return commit(out, &word, shell_dollar(&word, bytes, n));
	}
}

int quote_shell_strv(struct buf *out, const struct strv *v)
{
	cleanup_buf struct buf line = BUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < v->n && !rc; i++) {
		if (i)
			rc = buf_putc(&line, ' ');
		if (!rc)
			rc = quote_shell(&line, v->items[i], strlen(v->items[i]));
	}
	return commit(out, &line, rc);
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

size_t quote_unescape(const char *text, size_t n, char *c)
{
	static const char plain[] = "\b\f\n\r\t", letters[] = "bfnrt";
	const char *at = strchr(letters, *text);

	*c = at && *at ? plain[at - letters] : *text;
	if (n < 3 || *text != 'x' || hex_digit(text[1]) < 0 || hex_digit(text[2]) < 0)
		return 1;
	*c = (char)(hex_digit(text[1]) << 4 | hex_digit(text[2]));
	return 3;
}

int quote_shell_undo(struct buf *out, const char *line)
{
	enum shell_form form = SHELL_BARE;

	while (*line) {
		char c = *line++;

		if (form == SHELL_BARE && c == '$' && *line == '\'') {
			form = SHELL_DOLLAR;
			line++;
			continue;
		}
		if (c == '\'') {
			form = form == SHELL_BARE ? SHELL_SINGLE : SHELL_BARE;
			continue;
		}
		if (c == '\\' && form != SHELL_SINGLE && *line)
			line += quote_unescape(line, strnlen(line, 3), &c);
		buf_putc(out, c);
	}
	return out->err;
}

/* Adds one code point of len bytes, or one byte that is not UTF-8, in this form, when len is 0. */
static int json_char(struct buf *out, const char *p, size_t len, const char *other)
{
	unsigned char last = (unsigned char)p[len ? len - 1 : 0];

	if (len == 0)
		return buf_printf(out, "%s%02x", other, last);
	if (*p == '"' || *p == '\\')
		return buf_printf(out, "\\%c", *p);
	if (len == 1 && short_escape(*p))
		return buf_printf(out, "\\%c", short_escape(*p));
	/* Only C0 must be escaped; the others would still disturb a terminal. The low byte of C1 is its last in UTF-8.
	 */
	if (is_control(p, len))
		return buf_printf(out, "\\u%04x", last);
	return buf_append(out, p, len);
}

/* The number of bytes that stand for themselves in a JSON string: printable ASCII. Most texts are nothing else. */
static size_t json_plain(const char *bytes, size_t n)
{
	size_t i = 0;

	while (i < n && bytes[i] >= ' ' && bytes[i] < 0x7f && bytes[i] != '"' && bytes[i] != '\\')
		i++;
	return i;
}

static int quote_as_json(struct buf *out, const char *bytes, size_t n, const char *other)
{
	size_t before = out->len;
	int rc = buf_putc(out, '"');

	for (size_t i = 0; i < n && !rc;) {
		size_t len = json_plain(bytes + i, n - i);

		if (len) {
			rc = buf_append(out, bytes + i, len);
			i += len;
			continue;
		}
		len = utf8_len(bytes + i, n - i);
		rc = json_char(out, bytes + i, len, other);
		i += len ? len : 1;
	}
	if (!rc)
		rc = buf_putc(out, '"');
	if (rc && out->data) {
		out->len = before;
		out->data[before] = '\0';
	}
	return rc;
}

int quote_json(struct buf *out, const char *bytes, size_t n)
{
	return quote_as_json(out, bytes, n, "\\udc");
}

int quote_json_valid(struct buf *out, const char *bytes, size_t n)
{
	return quote_as_json(out, bytes, n, "\\\\x");
}

/* Splitting: where we are in the text, and the word being put together. */
struct splitter {
	const char *text;
	size_t at;
	size_t opened; /* offset of the quote or backslash being read */
	struct buf word;
};

/* A backslash outside quotes or inside "...": 0, -ENOMEM or -EINVAL when nothing follows. */
static int split_backslash(struct splitter *s, bool in_quotes)
{
	char c = s->text[s->at + 1];

	if (!in_quotes)
		s->opened = s->at;
	if (c == '\0')
		return -EINVAL;
	s->at += 2;
	if (c == '\n')
		return 0;
	if (in_quotes && !strchr("$`\"\\", c)) {
		int rc = buf_putc(&s->word, '\\');

		if (rc)
			return rc;
	}
	return buf_putc(&s->word, c);
}

static int split_quoted(struct splitter *s, char quote)
{
	int rc = 0;

	s->opened = s->at++;
	while (!rc && s->text[s->at] != quote) {
		if (s->text[s->at] == '\0')
			return -EINVAL;
		if (quote == '"' && s->text[s->at] == '\\')
			rc = split_backslash(s, true);
		else
			rc = buf_putc(&s->word, s->text[s->at++]);
	}
	s->at++;
	return rc;
}

/* Reads one word into s->word. *found stays false when it was only a backslash and a newline. */
static int split_word(struct splitter *s, bool *found)
{
	int rc = 0;

	while (!rc && s->text[s->at] != '\0' && !strchr(" \t\n", s->text[s->at])) {
		char c = s->text[s->at];

		if (c != '\\' || s->text[s->at + 1] != '\n')
			*found = true;
		if (c == '\\')
			rc = split_backslash(s, false);
		else if (c == '\'' || c == '"')
			rc = split_quoted(s, c);
		else
			rc = buf_putc(&s->word, s->text[s->at++]);
	}
	return rc;
}

int quote_split(const char *text, struct strv *words, size_t *bad)
{
	struct splitter s = {.text = text};
	int rc = 0;

	while (!rc) {
		bool found = false;

		s.at += strspn(text + s.at, " \t\n");
		if (text[s.at] == '\0')
			break;
		s.word.len = 0;
		rc = split_word(&s, &found);
		if (!rc && found)
			rc = strv_pushn(words, s.word.data ? s.word.data : "", s.word.len);
	}
	if (rc == -EINVAL && bad)
		*bad = s.opened;
	buf_release(&s.word);
	return rc;
}

int quote_csv(struct buf *out, const char *bytes, size_t n)
{
	cleanup_buf struct buf cell = BUF_INIT;
	int rc;

	if (!n || (!memchr(bytes, '"', n) && !memchr(bytes, ',', n) && bytes[0] != ' ' && bytes[n - 1] != ' '))
		return quote_terminal(out, bytes, n);
	rc = buf_putc(&cell, '"');
	for (size_t i = 0; i < n && !rc;) {
		size_t len = 0;

		while (i + len < n && bytes[i + len] != '"')
			len++;
		rc = quote_terminal(&cell, bytes + i, len);
		i += len;
		if (!rc && i < n)
			rc = buf_puts(&cell, "\"\"");
		i++;
	}
	if (!rc)
		rc = buf_putc(&cell, '"');
	return commit(out, &cell, rc);
}
