/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/base/strv.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST 8

/* Makes room for one more string and the NULL behind it. */
static int grow(struct strv *v)
{
	size_t cap = v->cap ? v->cap * 2 : SMALLEST;
	char **items;

	if (v->n + 2 <= v->cap)
		return 0;
	items = reallocarray(v->items, cap, sizeof(*items));
	if (!items)
		return -ENOMEM;
	v->items = items;
	v->cap = cap;
	return 0;
}

int strv_pushn(struct strv *v, const char *text, size_t n)
{
	char *copy;
	int rc = grow(v);

	if (rc)
		return rc;
	/* A failure below must not leave the vector without its NULL. */
	v->items[v->n] = NULL;
	copy = malloc(n + 1);
	if (!copy)
		return -ENOMEM;
	if (n)
		memcpy(copy, text, n);
	copy[n] = '\0';
	v->items[v->n++] = copy;
	v->items[v->n] = NULL;
	return 0;
}

int strv_push(struct strv *v, const char *text)
{
	return strv_pushn(v, text, strlen(text));
}

int strv_extend(struct strv *v, const struct strv *from)
{
	size_t n = from->n;

	for (size_t i = 0; i < n; i++) {
		int rc = strv_push(v, from->items[i]);

		if (rc)
			return rc;
	}
	return 0;
}

void strv_release(struct strv *v)
{
	for (size_t i = 0; i < v->n; i++)
		free(v->items[i]);
	free(v->items);
	*v = STRV_INIT;
}
