/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Matching of file names, by characters when they are UTF-8 and else by bytes. */
#ifndef EXECTRACE_TARGET_MATCH_GLOB_H
#define EXECTRACE_TARGET_MATCH_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/*
 * True when the glob matches the whole of n bytes. A star and `?` do not cross '/', two stars do; two stars and '/' at
 * the start of a component also stand for no directory at all. In brackets: ranges, a first `!` or `^` negates,
 * [:alpha:] and its like are ASCII; no bracket matches '/'. A backslash takes the next character as it is. An unclosed
 * bracket is a plain '['.
 */
bool glob_match(const char *glob, const char *bytes, size_t n);

/* True when text has a character that means more than itself in a glob. */
bool glob_is_special(const char *text);

#endif
