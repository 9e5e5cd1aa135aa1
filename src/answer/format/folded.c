/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/format/folded.h>

#include <errno.h>
#include <exectrace/answer/format/text.h>
#include <exectrace/base/grow.h>
#include <exectrace/format/data/intern.h>
#include <stdlib.h>
#include <string.h>

struct line {
	char *text; /* the stack, NUL-terminated: text_append leaves no NUL in it */
	uint64_t weight;
};

struct folded {
	struct intern known; /* the numbers of the texts, from 1 */
	struct line *lines;
	struct line **sorted; /* NULL until the first line is asked for */
	size_t n, cap;
	struct buf text;
};

int folded_new(struct folded **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? 0 : -ENOMEM;
}

void folded_free(struct folded *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++)
		free(f->lines[i].text);
	intern_release(&f->known);
	buf_release(&f->text);
	free(f->lines);
	free(f->sorted);
	free(f);
}

/* A line that begins with # would be a comment. */
static int put_root(struct buf *out, struct data_text root)
{
	int err = 0;

	if (root.n && *root.bytes == '#') {
		err = buf_puts(out, "\\x23");
		root.bytes++;
		root.n--;
	} else if (!root.n) {
		err = buf_putc(out, '?');
	}
	return err ? err : text_append(out, root, ';');
}

static int put_stack(struct buf *out, const struct folded_stack *stack)
{
	int err = put_root(out, stack->root);

	for (size_t i = stack->n; i > 0 && !err; i--) {
		err = buf_putc(out, ';');
		if (!err)
			err = text_append(out, stack->functions[i - 1], ';');
	}
	if (err || !stack->leaf.n)
		return err;
	err = buf_puts(out, ";[");
	if (!err)
		err = text_append(out, stack->leaf, ';');
	return err ? err : buf_putc(out, ']');
}

/* The number of the line that is in `text`. */
static int find_line(struct folded *f, size_t *number)
{
	bool fresh = false;
	uint64_t id = 0;
	int err = grow_array((void **)&f->lines, f->n, &f->cap, sizeof(*f->lines));

	if (!err)
		err = intern(&f->known, f->text.data, f->text.len, &id, &fresh);
	if (err)
		return err;
	*number = (size_t)id - 1;
	if (fresh)
		f->lines[f->n++] = (struct line){.text = strdup(f->text.data)};
	return f->lines[*number].text ? 0 : -ENOMEM;
}

int folded_stack(struct folded *f, const struct folded_stack *stack, size_t *number)
{
	int err;

	buf_reset(&f->text, 65536);
	err = put_stack(&f->text, stack);
	return err ? err : find_line(f, number);
}

void folded_add(struct folded *f, size_t number, uint64_t weight)
{
	uint64_t *sum = &f->lines[number].weight;

	if (__builtin_add_overflow(*sum, weight, sum))
		*sum = UINT64_MAX;
}

/* The line of what is folded away of a root, which is the first part of `text`. */
static int rest_of(struct folded *f, const char *text, size_t *number)
{
	int err;

	buf_reset(&f->text, 65536);
	err = buf_append(&f->text, text, strcspn(text, ";"));
	if (!err)
		err = buf_puts(&f->text, ";[folded]");
	return err ? err : find_line(f, number);
}

int folded_fold(struct folded *f, uint64_t below)
{
	size_t n = f->n, rest;
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		uint64_t weight = f->lines[i].weight;

		if (!weight || weight >= below)
			continue;
		err = rest_of(f, f->lines[i].text, &rest);
		f->lines[i].weight = 0;
		if (!err)
			folded_add(f, rest, weight);
	}
	return err;
}

static int compare(const void *a, const void *b)
{
	return strcmp((*(struct line *const *)a)->text, (*(struct line *const *)b)->text);
}

static int sort(struct folded *f)
{
	f->sorted = calloc(f->n, sizeof(*f->sorted));
	if (!f->sorted)
		return -ENOMEM;
	for (size_t i = 0; i < f->n; i++)
		f->sorted[i] = &f->lines[i];
	qsort(f->sorted, f->n, sizeof(*f->sorted), compare);
	return 0;
}

int folded_line(struct folded *f, size_t i, struct buf *out, uint64_t *weight)
{
	const struct line *line;
	int err = 0;

	if (i >= f->n)
		return 0;
	if (!f->sorted)
		err = sort(f);
	if (err)
		return err;
	line = f->sorted[i];
	*weight = line->weight;
	if (line->weight)
		err = buf_printf(out, "%s %llu\n", line->text, (unsigned long long)line->weight);
	return err ? err : 1;
}
