/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process may fail for what it finds: a lock file that is left, a file of another test. */
#include "page.h"

#define SHOWN_MAX 3 /* files */

static bool is_below(const struct tree_node *node, const struct tree_node *top)
{
	while (node && node != top)
		node = node->parent;
	return node != NULL;
}

void page_found(const struct why *why, const struct tree_node *node, struct buf *out)
{
	const struct story *s = &why->story;
	const struct process_history *p = story_history(s, node);
	unsigned shown = 0;

	for (unsigned i = p ? p->n_found : 0; i-- > 0 && shown < SHOWN_MAX;) {
		const struct found_file *found = &p->found[i];
		const struct object *o = objects_at(&s->history.objects, found->object);

		if (is_below(process_tree_node(s->tree, o->maker - 1), node))
			continue;
		if (!shown++)
			buf_puts(out, "  what others of this run had made, and it found there, the last one first:\n");
		buf_puts(out, "    ");
		page_at(why, found->time, out);
		buf_puts(out, "  ");
		page_foreign(out, o->name, 2 * COMMAND_MAX);
		page_who_made(why, found->object, found->time, out);
		buf_putc(out, '\n');
	}
}
