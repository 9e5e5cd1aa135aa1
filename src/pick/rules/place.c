/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/match/glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct rule_place {
	char *fixed; /* plain text, without '/' at its end; "" for the root */
	char *real;  /* the same with symbolic links followed; NULL when that changes nothing */
	char *rest;  /* a glob for what follows behind a '/'; NULL when there is none */
};

/* The components of a path, "." and ".." resolved. Of those the first `plain` are text even if they look like a glob.
 */
struct parts {
	struct strv names;
	size_t plain;
};

static void drop_last(struct parts *parts)
{
	struct strv *v = &parts->names;

	if (!v->n)
		return;
	free(v->items[--v->n]);
	v->items[v->n] = NULL;
	if (parts->plain > v->n)
		parts->plain = v->n;
}

static int add_parts(struct parts *parts, const char *path)
{
	int err = 0;

	while (*path && !err) {
		size_t len = strcspn(path, "/");

		if (len == 2 && path[0] == '.' && path[1] == '.')
			drop_last(parts);
		else if (len && !(len == 1 && path[0] == '.'))
			err = strv_pushn(&parts->names, path, len);
		path += len + (path[len] == '/');
	}
	return err;
}

/* Joins names [from, to) with '/' in front of each. */
static int join(char **ret, const struct strv *names, size_t from, size_t to)
{
	cleanup_buf struct buf path = BUF_INIT;
	int err = 0;

	for (size_t i = from; i < to && !err; i++)
		err = buf_printf(&path, "/%s", names->items[i]);
	if (!err) {
		*ret = buf_steal(&path);
		err = *ret ? 0 : -ENOMEM;
	}
	return err;
}

/* How many components need no glob. */
static size_t count_fixed(const struct parts *parts, enum place_kind kind)
{
	size_t n = parts->names.n, fixed = parts->plain;

	while (fixed < n && !glob_is_special(parts->names.items[fixed]))
		fixed++;
	return kind == PLACE_FILE && n && fixed == n ? n - 1 : fixed;
}

/* Turns plain text into globs that mean just that text. */
static int escape(struct strv *names, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		cleanup_buf struct buf text = BUF_INIT;
		char *escaped;
		int err = 0;

		for (const char *p = names->items[i]; *p && !err; p++)
			err = buf_printf(&text, "%s%c", strchr("*?[\\", *p) ? "\\" : "", *p);
		escaped = err ? NULL : buf_steal(&text);
		if (!escaped)
			return -ENOMEM;
		free(names->items[i]);
		names->items[i] = escaped;
	}
	return 0;
}

static int fill(struct rule_place *place, struct parts *parts, enum place_kind kind)
{
	size_t fixed = count_fixed(parts, kind);
	int err = join(&place->fixed, &parts->names, 0, fixed);

	if (err)
		return err;
	/* With the root there is nothing to follow; what does not exist yet is taken by its text. */
	place->real = *place->fixed ? realpath(place->fixed, NULL) : NULL;
	if (place->real && strcmp(place->real, place->fixed) == 0) {
		free(place->real);
		place->real = NULL;
	} else if (place->real && strcmp(place->real, "/") == 0) {
		*place->real = '\0';
	}
	if (fixed == parts->names.n)
		return 0;
	err = escape(&parts->names, fixed, parts->plain);
	return err ? err : join(&place->rest, &parts->names, fixed, parts->names.n);
}

int place_parse(const char *text, const char *cwd, enum place_kind kind, struct rule_place **ret)
{
	struct rule_place *place = calloc(1, sizeof(*place));
	struct parts parts = {.names = STRV_INIT};
	int err = place ? 0 : -ENOMEM;

	if (!err && *text != '/')
		err = add_parts(&parts, cwd);
	parts.plain = parts.names.n;
	if (!err)
		err = add_parts(&parts, text);
	if (!err)
		err = fill(place, &parts, kind);
	strv_release(&parts.names);
	if (err)
		place_free(place);
	else
		*ret = place;
	return err;
}

bool place_exists(const struct rule_place *place)
{
	return !*place->fixed || access(place->fixed, F_OK) == 0;
}

/* What follows base in path, from its '/' on or ""; NULL when path is not base and not below it. */
static const char *behind(const char *path, const char *base)
{
	size_t len = base ? strlen(base) : 0;

	if (!base || strncmp(path, base, len) != 0)
		return NULL;
	path += len;
	/* The root itself is below "", and has nothing behind it. */
	if (path[0] == '/' && path[1] == '\0')
		return path + 1;
	return *path == '\0' || *path == '/' ? path : NULL;
}

static bool holds_rest(const struct rule_place *place, const char *path)
{
	if (!path)
		return false;
	if (!place->rest)
		return true;
	for (const char *end = path; *end;) {
		end += 1 + strcspn(end + 1, "/");
		if (glob_match(place->rest, path, (size_t)(end - path)))
			return true;
	}
	return false;
}

static bool is_rest(const struct rule_place *place, const char *path)
{
	return path && (place->rest ? glob_match(place->rest, path, strlen(path)) : *path == '\0');
}

bool place_is(const struct rule_place *place, const char *path)
{
	return is_rest(place, behind(path, place->fixed)) || is_rest(place, behind(path, place->real));
}

bool place_holds(const struct rule_place *place, const char *path)
{
	return holds_rest(place, behind(path, place->fixed)) || holds_rest(place, behind(path, place->real));
}

void place_free(struct rule_place *place)
{
	if (!place)
		return;
	free(place->fixed);
	free(place->real);
	free(place->rest);
	free(place);
}
