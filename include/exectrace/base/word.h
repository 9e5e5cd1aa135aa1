/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names in texts. */
#ifndef EXECTRACE_BASE_WORD_H
#define EXECTRACE_BASE_WORD_H

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* True when a text has a name of n bytes, n > 0, and not in the middle of a word: no letter or digit is beside it. */
static inline bool word_is_in(const char *text, const char *name, size_t n)
{
	size_t length = strlen(text);

	for (const char *at = text; (at = (const char *)memmem(at, length - (size_t)(at - text), name, n)); at++)
		if ((at == text || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[n]))
			return true;
	return false;
}

#endif
