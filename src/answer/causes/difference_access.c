/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files and addresses that a process had to do with in one of two runs only. */
#include <exectrace/answer/causes/difference.h>

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* An access by what it is compared by. */
struct keyed {
	char *key;
	const struct access *access;
};

struct keys {
	struct keyed *items;
	size_t n;
};

void difference_key(struct buf *out, const char *name, const char *directory)
{
	size_t n = strlen(directory);

	if (n > 1 && strncmp(name, directory, n) == 0 && name[n] == '/') {
		buf_putc(out, '.');
		name += n;
	}
	while (*name) {
		if (isdigit((unsigned char)*name)) {
			buf_putc(out, '0');
			name += strspn(name, "0123456789");
		} else if (strncmp(name, "/tmp/", 5) == 0) {
			buf_puts(out, "/tmp/?");
			name += 5;
			name += strcspn(name, "/");
		} else {
			buf_putc(out, *name++);
		}
	}
}

static int by_key(const void *a, const void *b)
{
	const struct keyed *one = a, *two = b;
	int order = (int)one->access->kind - (int)two->access->kind;

	if (!order)
		order = strcmp(one->key, two->key);
	if (!order && one->access->time != two->access->time)
		order = one->access->time < two->access->time ? -1 : 1;
	return order;
}

static bool same(const struct keyed *a, const struct keyed *b)
{
	return a->access->kind == b->access->kind && strcmp(a->key, b->key) == 0;
}

static void keys_release(struct keys *keys)
{
	for (size_t i = 0; i < keys->n; i++)
		free(keys->items[i].key);
	free(keys->items);
	*keys = (struct keys){0};
}

/* Of each key the first access, by their keys. 0 or -ENOMEM. */
static int keys_make(struct keys *keys, const struct story *s, const struct process_history *p)
{
	const char *directory = story_cwd(s, s->root);
	size_t kept = 0;

	*keys = (struct keys){.items = calloc(p->accesses.n + 1, sizeof(*keys->items))};
	for (size_t i = 0; keys->items && i < p->accesses.n; i++) {
		const struct access *access = &p->accesses.items[i];
		struct buf key = BUF_INIT;

		difference_key(&key, objects_at(&s->history.objects, access->object)->name, directory);
		keys->items[keys->n] = (struct keyed){buf_steal(&key), access};
		if (!keys->items[keys->n].key)
			return -ENOMEM;
		keys->n++;
	}
	if (!keys->items)
		return -ENOMEM;
	qsort(keys->items, keys->n, sizeof(*keys->items), by_key);
	for (size_t i = 0; i < keys->n; i++) {
		if (kept && same(&keys->items[kept - 1], &keys->items[i]))
			free(keys->items[i].key);
		else
			keys->items[kept++] = keys->items[i];
	}
	keys->n = kept;
	return 0;
}

/* Calls of the process for that name that fail in the other run are a difference of their own. */
static bool fails(const struct process_history *p, const char *name)
{
	for (size_t i = 0; i < p->n_failures; i++)
		if (difference_alike(p->failures[i].what, name))
			return true;
	return false;
}

static void found(struct comparing *c, const struct keyed *k, const struct tree_node *node,
                  const struct tree_node *other, bool bad)
{
	const struct story *s = bad ? c->bad : c->good, *t = bad ? c->good : c->bad;
	const char *name = objects_at(&s->history.objects, k->access->object)->name;

	if (strncmp(name, "/proc/", 6) == 0 || fails(story_history(t, other), name))
		return;
	comparing_add(c,
	              &(struct difference){.kind = DIFFERENT_ACCESS,
	                                   .time = story_time(s, k->access->time),
	                                   .bad = bad,
	                                   .node = node,
	                                   .access = k->access,
	                                   .line = name},
	              node, other);
}

void difference_accesses(struct comparing *c, const struct tree_node *good, const struct tree_node *bad)
{
	const struct process_history *p = story_history(c->good, good), *q = story_history(c->bad, bad);
	struct keys one = {0}, two = {0};
	size_t i = 0, j = 0;

	if (!p || !q || c->err)
		return;
	c->err = keys_make(&one, c->good, p);
	if (!c->err)
		c->err = keys_make(&two, c->bad, q);
	while (!c->err && (i < one.n || j < two.n)) {
		const struct keyed *a = i < one.n ? &one.items[i] : NULL, *b = j < two.n ? &two.items[j] : NULL;

		if (a && b && same(a, b)) {
			i++;
			j++;
		} else if (a && (!b || by_key(a, b) < 0)) {
			found(c, a, good, bad, false);
			i++;
		} else if (b) {
			found(c, b, bad, good, true);
			j++;
		}
	}
	keys_release(&one);
	keys_release(&two);
}
