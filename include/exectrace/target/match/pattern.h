/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Patterns over bytes: PCRE2 regular expressions (JIT) and globs. */
#ifndef EXECTRACE_TARGET_MATCH_PATTERN_H
#define EXECTRACE_TARGET_MATCH_PATTERN_H

#include <exectrace/base/buf.h>
#include <stddef.h>

struct pattern;

/*
 * Compiles a regular expression (PCRE2, unanchored; a dot matches a newline too, and there is no \C). UTF mode with
 * PCRE2_MATCH_INVALID_UTF, so that subjects which are not UTF-8 still match (pcre2unicode(3)); a pattern that is itself
 * not UTF-8 is compiled in byte mode. 0 with *ret set; -EINVAL with the library's message in err and the offset in *at;
 * -ENOMEM.
 */
int pattern_regex(const char *text, struct pattern **ret, struct buf *err, size_t *at);

/* Likewise of what begins at text + from; the line in why also says where in text, and how to write a glob. */
int pattern_regex_at(const char *text, size_t from, struct pattern **ret, struct buf *why);

/*
 * Compiles a glob: * ? [..] [!..] and backslash; `*` and `?` do not cross '/', `**` does, and a `**` that is a whole
 * component with a '/' behind it may also stand for nothing. Returns as pattern_regex does (an unclosed bracket is
 * literal, as in glob(7); so only -ENOMEM is likely).
 */
int pattern_glob(const char *text, struct pattern **ret, struct buf *err, size_t *at);

/*
 * 1 when the regular expression finds something in, or the glob matches the whole of, n bytes; 0 when not; -E2BIG when
 * PCRE2's limits (pcre2_set_match_limit(3)) ended the search. Not from two threads at once with the same pattern.
 */
int pattern_match(const struct pattern *p, const char *bytes, size_t n);

/* The text it was compiled from. */
const char *pattern_text(const struct pattern *p);

/* Frees it; NULL is allowed. */
void pattern_free(struct pattern *p);

#endif
