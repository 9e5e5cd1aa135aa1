/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "alike.h"

#include <errno.h>
#include <exectrace/answer/causes/difference.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

const char *alike_key(struct alike *alike, const char *kind, const char *text)
{
	struct buf key = BUF_INIT;
	const char *made;

	buf_puts(&key, kind);
	difference_key(&key, text, alike->cwd);
	made = key.err ? "" : history_text(&alike->story->history, key.data ? key.data : "", key.len);
	buf_release(&key);
	return *made ? made : NULL;
}

static int add_member(struct alike *alike, const struct tree_node *node)
{
	const struct process_history *p = story_history(alike->story, node);
	struct alike_member member = {.node = node, .history = p};

	/* Of one that was picked late, or still ran, not all is known. */
	if (!p || node->forked || !node->end.when || !p->calls)
		return 0;
	member.key = alike_key(alike, "", program_command(node));
	if (!member.key || grow_array((void **)&alike->members, alike->n, &alike->cap, sizeof(member)))
		return -ENOMEM;
	alike->members[alike->n++] = member;
	return 0;
}

static int by_command(const void *a, const void *b)
{
	const struct alike_member *one = a, *two = b;
	int order = one->key == two->key ? 0 : strcmp(one->key, two->key);

	if (order || one->node->start == two->node->start)
		return order;
	return one->node->start < two->node->start ? -1 : 1;
}

int alike_read(struct alike *alike, struct story *s, const struct tree_node *top)
{
	int rc = 0;

	*alike = (struct alike){.story = s, .cwd = story_cwd(s, s->root)};
	for (const struct tree_node *node = top; node && !rc; node = process_tree_next(node)) {
		if (node != top && node->depth <= top->depth)
			break;
		rc = add_member(alike, node);
	}
	if (!rc && alike->n)
		qsort(alike->members, alike->n, sizeof(*alike->members), by_command);
	return rc;
}

size_t alike_end(const struct alike *alike, size_t first)
{
	size_t end = first + 1;

	while (end < alike->n && alike->members[end].key == alike->members[first].key)
		end++;
	return end;
}

void alike_release(struct alike *alike)
{
	free(alike->members);
	alike->members = NULL;
	alike->n = alike->cap = 0;
}
