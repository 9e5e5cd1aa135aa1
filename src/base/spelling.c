/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/base/spelling.h>

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Upper and lower case are the same. */
static bool differ(char a, char b)
{
	return tolower((unsigned char)a) != tolower((unsigned char)b);
}

size_t spelling_distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t row[3][SPELLING_MAX + 1];
	size_t *before = row[0], *last = row[1], *now = row[2], *spare;

	for (size_t j = 0; j <= nb; j++)
		last[j] = before[j] = j;
	for (size_t i = 1; i <= na; i++) {
		now[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			now[j] = min3(last[j] + 1, now[j - 1] + 1, last[j - 1] + differ(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] < now[j])
				now[j] = before[j - 2] + 1;
		}
		spare = before;
		before = last;
		last = now;
		now = spare;
	}
	return last[nb];
}

void spelling_start(struct spelling *s, const char *word, size_t n)
{
	*s = (struct spelling){.word = word, .n = n, .limit = n < 2 || n > SPELLING_MAX ? 0 : (n + 2) / 3 + 1};
}

void spelling_try(struct spelling *s, const char *candidate)
{
	size_t n = strlen(candidate), edits;

	if (!s->limit || n > SPELLING_MAX)
		return;
	edits = spelling_distance(s->word, s->n, candidate, n);
	if (edits < s->limit) {
		s->limit = edits;
		s->nearest = candidate;
	}
}
