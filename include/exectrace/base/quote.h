/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes as text: quoted for a shell, for JSON; and the other way, a line split into words as a shell would. */
#ifndef EXECTRACE_BASE_QUOTE_H
#define EXECTRACE_BASE_QUOTE_H

#include <exectrace/base/buf.h>
#include <exectrace/base/strv.h>
#include <stddef.h>

/*
 * Adds one word to out so that a POSIX shell (bash or zsh when $'...' is needed) reads back the same bytes: as it is
 * when it holds only letters, digits and @%+=:,./_-; in '...' when it holds other printable text; in $'...' with
 * escapes when it holds control characters or bytes that are not UTF-8. "" becomes ''. 0 or -ENOMEM.
 */
int quote_shell(struct buf *out, const char *bytes, size_t n);

/* Adds all words of v, each quoted by quote_shell, joined by single spaces. 0 or -ENOMEM. */
int quote_shell_strv(struct buf *out, const struct strv *v);

/*
 * Adds a line that quote_shell and quote_shell_strv have made without its quotes: the words, joined by single spaces.
 * Of any other text something that is no longer than it. 0 or -ENOMEM.
 */
int quote_shell_undo(struct buf *out, const char *line);

/*
 * The character for which a backslash and the n >= 1 bytes behind it stand: b, f, n, r and t, xNN, any other itself.
 * How many bytes those are.
 */
size_t quote_unescape(const char *text, size_t n, char *c);

/*
 * Adds a JSON string with its quotes (RFC 8259). A byte NN that is not part of valid UTF-8 becomes \udcNN, as Python's
 * surrogateescape does, so that no byte is lost. 0 or -ENOMEM.
 */
int quote_json(struct buf *out, const char *bytes, size_t n);

/*
 * Likewise, but such a byte becomes the text \xNN, as quote_terminal has it: a lone surrogate is no Unicode, and many
 * readers refuse all of a file that has one.
 */
int quote_json_valid(struct buf *out, const char *bytes, size_t n);

/* Adds a cell of comma-separated values (RFC 4180), as quote_terminal has it and with quotes when it needs them. 0 or
 * -ENOMEM. */
int quote_csv(struct buf *out, const char *bytes, size_t n);

/*
 * Adds text that came from elsewhere so that a terminal shows it and obeys nothing in it: each byte of a control
 * character (C0, DEL, and C1 as UTF-8, which some terminals take for ESC and a letter), and each that is not part of
 * valid UTF-8, becomes \xNN. Newlines and tabs are such, too. 0 or -ENOMEM.
 */
int quote_terminal(struct buf *out, const char *bytes, size_t n);

/* The length of the character at bytes that quote_terminal leaves as it is, 0 for a byte that it does not. n >= 1. */
size_t quote_shown_len(const char *bytes, size_t n);

/* Bytes that quote_file_name adds at most: leaves room in NAME_MAX (limits.h) for what is put before and behind it. */
#define QUOTE_FILE_NAME_MAX 128

/*
 * Adds text that came from elsewhere as a part of a file name that is harmless in a path, as a word of a shell and as
 * an argument of a tool: letters, digits and ._+=@- stay, any other byte becomes _, as do a - or . at the beginning. At
 * most QUOTE_FILE_NAME_MAX bytes, never none. 0 or -ENOMEM.
 */
int quote_file_name(struct buf *out, const char *bytes, size_t n);

/*
 * Splits text into words by the quoting rules of a POSIX shell (XCU 2.2: backslash, '...', "..."), without any
 * expansion. 0; -ENOMEM; -EINVAL when a quote or backslash is left open, with its offset in *bad (NULL is allowed);
 * words read before stay in *words.
 */
int quote_split(const char *text, struct strv *words, size_t *bad);

#endif
