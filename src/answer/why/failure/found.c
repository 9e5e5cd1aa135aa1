/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "found.h"

#include <exectrace/answer/why/page/who.h>
#include <string.h>

#define SHOWN_MAX 3 /* files */

/* The last file of the directory that a process removed which is not below `above`; NULL: there is none. *n: how many.
 */
static const struct object *removed_from(const struct why *why, const char *directory, const struct tree_node *above,
                                         size_t *n)
{
	const struct objects *objects = &why->story.history.objects;
	const struct object *last = NULL;
	size_t length = strlen(directory);

	*n = 0;
	for (size_t i = 1; i <= objects->n; i++) {
		const struct object *o = objects_at(objects, (uint32_t)i);

		if (!o->remover || o->removed < o->made || strncmp(o->name, directory, length) != 0 ||
		    o->name[length] != '/' || story_is_below(process_tree_node(why->story.tree, o->remover - 1), above))
			continue;
		++*n;
		if (!last || o->removed > last->removed)
			last = o;
	}
	return last;
}

static void removed(const struct why *why, const struct tree_node *node, const struct process_history *p,
                    struct buf *out)
{
	const struct history *h = &why->story.history;

	for (unsigned i = 0; i < p->n_directories && i < DIRECTORIES_MAX; i++) {
		const char *directory = objects_at(&h->objects, p->directories[i])->name;
		const struct object *last;
		size_t n;

		last = removed_from(why, directory, node->parent ? node->parent : node, &n);
		if (!last)
			continue;
		buf_printf(out, "  of a directory that it read, others of this run had removed %zu file%s:\n    ", n,
		           n == 1 ? "" : "s");
		page_name(out, directory, 2 * COMMAND_MAX);
		buf_puts(out, "; the last one by ");
		page_process_of(why, last->remover - 1, out);
		buf_puts(out, " at ");
		page_at(why, last->removed, out);
		buf_putc(out, '\n');
		return;
	}
}

void page_found(const struct why *why, const struct tree_node *node, struct buf *out)
{
	const struct story *s = &why->story;
	const struct process_history *p = story_history(s, node);
	unsigned shown = 0;

	for (unsigned i = p ? p->n_found : 0; i-- > 0 && shown < SHOWN_MAX;) {
		const struct found_file *found = &p->found[i];
		const struct object *o = objects_at(&s->history.objects, found->object);

		if (story_is_below(process_tree_node(s->tree, o->maker - 1), node))
			continue;
		if (!shown++)
			buf_puts(out, "  what others of this run had made, and it found there, the last one first:\n");
		buf_puts(out, "    ");
		page_at(why, found->time, out);
		buf_puts(out, "  ");
		page_foreign(out, o->name, 2 * COMMAND_MAX);
		page_who_made(why, found->object, found->time, out);
		if (found->writer) {
			buf_puts(out, "; ");
			page_process_of(why, found->writer - 1, out);
			buf_puts(out, " had it open to write then");
		}
		buf_putc(out, '\n');
	}
	if (p)
		removed(why, node, p, out);
}
