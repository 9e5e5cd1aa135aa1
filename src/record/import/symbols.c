/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols.h"

#include "lines.h"
#include <errno.h>
#include <exectrace/base/bound.h>
#include <exectrace/base/grow.h>
#include <exectrace/target/symbol/kallsyms.h>
#include <stdlib.h>
#include <string.h>

/* nm(1): text is t, weak symbols are w; capital letters are global. */
static uint8_t rank_of(char type)
{
	switch (type) {
	case 'T':
		return 0;
	case 'W':
	case 'w':
		return 1;
	case 't':
		return 2;
	default:
		return RANK_NONE;
	}
}

static int add(struct import_symbols *s, const struct import_symbol *symbol)
{
	int rc = grow_array((void **)&s->items, s->n, &s->cap, sizeof(*s->items));

	if (!rc)
		s->items[s->n++] = *symbol;
	return rc;
}

static int by_start(const void *a, const void *b)
{
	const struct import_symbol *one = a, *two = b;

	if (one->start != two->start)
		return one->start < two->start ? -1 : 1;
	return one->rank - two->rank;
}

/* Sorts, ends each where the next begins, and keeps the functions, one an address. */
static void settle(struct import_symbols *s)
{
	size_t kept = 0;

	qsort(s->items, s->n, sizeof(*s->items), by_start);
	for (size_t i = 0; i < s->n;) {
		struct import_symbol first = s->items[i];

		while (i < s->n && s->items[i].start == first.start)
			i++;
		if (i < s->n && (!first.end || first.end > s->items[i].start))
			first.end = s->items[i].start;
		if (first.rank < RANK_NONE)
			s->items[kept++] = first;
	}
	s->n = kept;
}

/* --- System.map ----------------------------------------------------------------------------------------------------
 */

static int add_line(struct import_symbols *s, const struct lines *l, const struct span *text, struct buf *why)
{
	struct import_symbol symbol = {0};
	struct kallsyms_line line;
	size_t at = s->names.len;
	int rc;

	if (text->p == text->end)
		return 0;
	if (!kallsyms_line(text->p, text->end, &line))
		return lines_bad(l, why, "not a line of a System.map: address, type, name");
	/* The names move while more are added. */
	symbol = (struct import_symbol){.start = line.address,
	                                .name = (const char *)(uintptr_t)at,
	                                .rank = rank_of(line.type)};
	rc = buf_append(&s->names, line.name, line.name_bytes);
	if (!rc)
		rc = buf_putc(&s->names, '\0');
	return rc ? rc : add(s, &symbol);
}

static int read_map(struct import_symbols *s, const char *path, struct buf *why)
{
	struct lines l;
	struct span line;
	uint64_t any = 0;
	int rc = lines_open(&l, path, why);

	while (!rc && (rc = lines_next(&l, &line, why)) == 1)
		rc = add_line(s, &l, &line, why);
	lines_close(&l);
	for (size_t i = 0; i < s->n; i++) {
		s->items[i].name = s->names.data + (uintptr_t)s->items[i].name;
		any |= s->items[i].start;
	}
	if (!rc && !any)
		rc = buf_printf(why, "%s: it has no addresses; /proc/kallsyms shows them to root only", path)
		             ? -ENOMEM
		             : -EBADMSG;
	return rc;
}

/* --- vmlinux -------------------------------------------------------------------------------------------------------
 */

static int read_elf(struct import_symbols *s)
{
	const struct elf_symbol *items;
	size_t n;
	int rc = 0;

	items = elf_symbols(s->elf, &n);
	for (size_t i = 0; i < n && !rc; i++)
		rc = add(s, &(struct import_symbol){items[i].start, items[i].end, items[i].name, 0});
	return rc;
}

int symbols_read(struct import_symbols *s, const char *path, struct buf *why)
{
	int rc;

	*s = SYMBOLS_INIT;
	rc = elf_open(path, &s->elf);
	if (rc == -ENOEXEC)
		rc = read_map(s, path, why);
	else if (!rc)
		rc = read_elf(s);
	else if (rc != -ENOMEM && buf_printf(why, "%s: %s", path, strerror(-rc)))
		rc = -ENOMEM;
	if (!rc)
		settle(s);
	if (!rc && !s->n)
		rc = buf_printf(why, "%s: there are no functions in it", path) ? -ENOMEM : -EBADMSG;
	return rc;
}

void symbols_release(struct import_symbols *s)
{
	free(s->items);
	buf_release(&s->names);
	elf_unref(s->elf);
	*s = SYMBOLS_INIT;
}

const struct import_symbol *symbols_at(const struct import_symbols *s, uint64_t address)
{
	size_t before = BOUND_ABOVE(s->items, s->n, start, address);

	if (!before || (s->items[before - 1].end && address >= s->items[before - 1].end))
		return NULL;
	return &s->items[before - 1];
}
