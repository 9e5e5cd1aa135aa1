/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/base/bound.h>
#include <exectrace/target/symbol/maps.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define CHUNK 32768u /* bytes a read of /proc, which gives a page at a time */

/* Where the parser is. */
struct maps_cursor {
	char *at;
	char *end; /* of the text; a NUL is there */
};

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* Reads a number in that base and the character behind it, which must be `after`. False when it is not there. */
static bool number(struct maps_cursor *c, unsigned base, char after, uint64_t *value)
{
	char *start = c->at;

	*value = 0;
	for (; c->at < c->end && (unsigned)digit_of(*c->at) < base; c->at++)
		if (__builtin_mul_overflow(*value, base, value) ||
		    __builtin_add_overflow(*value, (uint64_t)digit_of(*c->at), value))
			return false;
	return c->at > start && *c->at == after && c->at++ < c->end;
}

static bool flags(struct maps_cursor *c, struct map *map)
{
	if (c->end - c->at < 5 || c->at[4] != ' ')
		return false;
	map->prot = (unsigned char)((c->at[0] == 'r' ? PROT_READ : 0) | (c->at[1] == 'w' ? PROT_WRITE : 0) |
	                            (c->at[2] == 'x' ? PROT_EXEC : 0));
	map->shared = c->at[3] == 's';
	c->at += 5;
	return true;
}

/* The rest of a line: blanks, and a path or nothing. */
static void path(struct maps_cursor *c, struct map *map)
{
	static const char gone[] = " (deleted)";
	char *end = memchr(c->at, '\n', (size_t)(c->end - c->at));
	size_t n = 0;

	if (!end)
		end = c->end;
	while (c->at < end && *c->at == ' ')
		c->at++;
	n = (size_t)(end - c->at);
	map->path = c->at;
	map->deleted = n >= sizeof(gone) - 1 && memcmp(end - (sizeof(gone) - 1), gone, sizeof(gone) - 1) == 0;
	if (map->deleted)
		end[-(ptrdiff_t)(sizeof(gone) - 1)] = '\0';
	c->at = end < c->end ? end + 1 : end;
	*end = '\0';
}

static bool parse_line(struct maps_cursor *c, struct map *map)
{
	uint64_t major = 0, minor = 0;
	char *inode_end = NULL;

	if (!number(c, 16, '-', &map->start) || !number(c, 16, ' ', &map->end) || !flags(c, map) ||
	    !number(c, 16, ' ', &map->offset) || !number(c, 16, ':', &major) || !number(c, 16, ' ', &minor))
		return false;
	inode_end = c->at + strspn(c->at, "0123456789");
	/* A line without a path may end right behind the inode. */
	if (!number(c, 10, *inode_end, &map->inode) || (*inode_end && !strchr(" \n", *inode_end)))
		return false;
	c->at = inode_end;
	map->dev = makedev((unsigned)major, (unsigned)minor);
	path(c, map);
	return map->start < map->end;
}

static size_t count_lines(const char *text, size_t n)
{
	size_t lines = 1;

	for (size_t i = 0; i < n; i++)
		lines += text[i] == '\n';
	return lines;
}

/* Parses text, n bytes and a NUL, which becomes the maps' own. */
static int parse_own(char *text, size_t n, struct maps *maps)
{
	struct maps_cursor c = {text, text + n};
	struct maps got = {.items = calloc(count_lines(text, n), sizeof(struct map)), .text = text};
	uint64_t last = 0;

	if (!got.items || memchr(text, 0, n)) {
		int err = got.items ? -EBADMSG : -ENOMEM;

		maps_release(&got);
		return err;
	}
	while (c.at < c.end) {
		struct map *map = &got.items[got.n];

		if (!parse_line(&c, map) || map->start < last) {
			maps_release(&got);
			return -EBADMSG;
		}
		last = map->end;
		got.n++;
	}
	*maps = got;
	return 0;
}

int maps_parse(const char *text, size_t n, struct maps *maps)
{
	char *copy = malloc(n + 1);

	if (!copy)
		return -ENOMEM;
	if (n)
		memcpy(copy, text, n);
	copy[n] = '\0';
	return parse_own(copy, n, maps);
}

int maps_read(int fd, struct maps *maps)
{
	cleanup_buf struct buf text = BUF_INIT;
	off_t at = 0;

	for (;;) {
		ssize_t got = 0;

		if (buf_reserve(&text, CHUNK))
			return -ENOMEM;
		got = pread(fd, text.data + text.len, CHUNK, at);
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		text.len += (size_t)got;
		at += got;
	}
	if (!text.len)
		return -ESRCH;
	text.data[text.len] = '\0';
	at = (off_t)text.len;
	return parse_own(buf_steal(&text), (size_t)at, maps);
}

const struct map *maps_find(const struct maps *maps, uint64_t addr)
{
	size_t i = BOUND_ABOVE(maps->items, maps->n, end, addr);

	return i < maps->n && maps->items[i].start <= addr ? &maps->items[i] : NULL;
}

const struct map *maps_named(const struct maps *maps, const char *name)
{
	for (size_t i = 0; i < maps->n; i++)
		if (strcmp(maps->items[i].path, name) == 0)
			return &maps->items[i];
	return NULL;
}

static bool same(const struct map *a, const struct map *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset && a->dev == b->dev &&
	       a->inode == b->inode && a->prot == b->prot && a->shared == b->shared;
}

static const struct map *next_code(const struct maps *maps, size_t *at)
{
	while (*at < maps->n) {
		const struct map *map = &maps->items[(*at)++];

		if (map->prot & PROT_EXEC)
			return map;
	}
	return NULL;
}

bool maps_same_code(const struct maps *a, const struct maps *b)
{
	size_t at_a = 0, at_b = 0;

	for (;;) {
		const struct map *x = next_code(a, &at_a), *y = next_code(b, &at_b);

		if (!x || !y)
			return x == y;
		if (!same(x, y))
			return false;
	}
}

bool maps_equal(const struct maps *a, const struct maps *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		const struct map *x = &a->items[i], *y = &b->items[i];

		if (!same(x, y) || x->deleted != y->deleted || strcmp(x->path, y->path) != 0)
			return false;
	}
	return true;
}

void maps_release(struct maps *maps)
{
	free(maps->items);
	free(maps->text);
	*maps = MAPS_INIT;
}
