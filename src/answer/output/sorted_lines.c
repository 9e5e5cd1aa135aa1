/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/output/sorted_lines.h>

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>

#define SPARE 4096 /* lines above the limit that are held before the last ones go */

static int by_key(const void *a, const void *b)
{
	const struct sorted_line *one = a, *two = b;

	if (one->key != two->key)
		return one->key < two->key ? -1 : 1;
	return one->order < two->order ? -1 : one->order > two->order;
}

/* Drops what is behind the limit. 0 or -ENOMEM. */
static int shrink(struct sorted_lines *s)
{
	struct buf kept = BUF_INIT;
	int rc = 0;

	qsort(s->lines, s->n, sizeof(*s->lines), by_key);
	s->n = s->limit;
	for (size_t i = 0; i < s->n && !rc; i++) {
		rc = buf_append(&kept, s->text.data + s->lines[i].at, s->lines[i].n);
		s->lines[i].at = kept.len - s->lines[i].n;
	}
	s->full = true;
	s->last = s->lines[s->n - 1].key;
	buf_release(&s->text);
	s->text = kept;
	return rc;
}

bool sorted_lines_wants(const struct sorted_lines *s, uint64_t key)
{
	return !s->full || key < s->last;
}

int sorted_lines_add(struct sorted_lines *s, uint64_t key, const char *bytes, size_t n)
{
	if (grow_array((void **)&s->lines, s->n, &s->cap, sizeof(*s->lines)))
		return -ENOMEM;
	if (buf_append(&s->text, bytes, n))
		return -ENOMEM;
	s->lines[s->n++] = (struct sorted_line){key, s->added++, s->text.len - n, n};
	return s->limit && s->n - s->limit == SPARE ? shrink(s) : 0;
}

int sorted_lines_show(struct sorted_lines *s, struct page *page, const char *first, const char *others)
{
	int rc = 0;

	if (s->n)
		qsort(s->lines, s->n, sizeof(*s->lines), by_key);
	for (size_t i = 0; i < s->n && (!s->limit || i < s->limit) && !rc; i++) {
		rc = buf_puts(&page->text, i ? others : first);
		if (!rc)
			rc = buf_append(&page->text, s->text.data + s->lines[i].at, s->lines[i].n);
		if (!rc)
			rc = page_flush(page);
	}
	return rc;
}

void sorted_lines_release(struct sorted_lines *s)
{
	free(s->lines);
	buf_release(&s->text);
	*s = (struct sorted_lines){0};
}
