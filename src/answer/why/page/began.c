/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/page/began.h>

#include <exectrace/base/cleanup.h>
#include <stdlib.h>
#include <string.h>

#define STATE_MAX 8 /* parts of what it began with that are shown */

/* --- What it began with ------------------------------------------------------------------------------------------- */

const char *page_state_behind(const char *line, const char *word)
{
	size_t n = strlen(word);

	return strncmp(line, word, n) == 0 && line[n] == ' ' ? line + n + 1 : NULL;
}

const char *page_state(const struct strv *state, const char *word)
{
	const char *found = NULL;

	for (size_t i = 0; i < state->n && !found; i++)
		found = page_state_behind(state->items[i], word);
	return found;
}

static bool has_line(const struct strv *state, const char *line)
{
	for (size_t i = 0; i < state->n; i++)
		if (strcmp(state->items[i], line) == 0)
			return true;
	return false;
}

static bool is_shown(const char *line, enum page_place place)
{
	/* The environment is in the command to copy; a descriptor that exectrace was given, and it was not, is nothing.
	 */
	if (page_state_behind(line, "env") || page_state_behind(line, "unset") ||
	    (page_state_behind(line, "closed") && strtol(line + 7, NULL, 10) > 2))
		return false;
	if (place == PAGE_FAILURE)
		return true;
	/* A shell's background processes ignore these (sh(1)). */
	if (strcmp(line, "ignored INT") == 0 || strcmp(line, "ignored QUIT") == 0)
		return false;
	return page_state_behind(line, "ignored") || page_state_behind(line, "blocked") ||
	       page_state_behind(line, "limit") || page_state_behind(line, "umask");
}

/* gcc raises the limit for what it runs, whatever that is (gcc/gcc.cc, "stack_limit_increase"). */
static bool is_of_gcc(const char *line)
{
	return strncmp(line, "limit STACK 67108864 ", 21) == 0;
}

/* Who above began without it: it, or what it ran then, has changed that. */
static const struct tree_node *without(const struct tree_node *node, const char *line)
{
	while (node && has_line(&node->state, line))
		node = node->parent;
	return node && !node->lost ? node : NULL;
}

void page_began_with(const struct why *why, const struct tree_node *node, enum page_place place, struct buf *out)
{
	const struct tree_node *last = NULL;
	size_t n = 0;

	(void)why;
	for (size_t i = 0; i < node->state.n && n < STATE_MAX; i++) {
		const char *line = node->state.items[i];
		const struct tree_node *above = without(node, line);

		if (!is_shown(line, place) || is_of_gcc(line))
			continue;
		if (!n++)
			buf_puts(out, place == PAGE_FAILURE ? "  it began with: " : "                it began with: ");
		else
			buf_puts(out, "; ");
		page_foreign(out, line, COMMAND_MAX);
		if (above && !page_state_behind(line, "fd") && above != last) {
			buf_puts(out, ", unlike ");
			page_process(out, above, COMMAND_MAX / 2);
		}
		last = above;
	}
	buf_puts(out, n ? "\n" : "");
}

/* --- One after the other ------------------------------------------------------------------------------------------ */

/* -j, -j8, --jobs=8: among its words. */
static bool has_jobs(const struct tree_node *node)
{
	const char *command = program_command(node);

	return strstr(command, " -j") || strstr(command, " --jobs");
}

static bool is_make(const struct tree_node *node)
{
	cleanup_buf struct buf program = BUF_INIT;

	return !story_program(&program, node) && program.data &&
	       (strcmp(program.data, "make") == 0 || strcmp(program.data, "gmake") == 0);
}

/* A make that knows of no job server (make, "Job Slots"), below one that was told to run jobs side by side. */
static void lost_jobs(const struct tree_node *make, struct buf *out)
{
	const struct tree_node *above = make->parent;

	if (!is_make(make) || has_jobs(make))
		return;
	for (size_t i = 0; i < make->state.n; i++)
		if (strncmp(make->state.items[i], "env MAKEFLAGS=", 14) == 0 && strstr(make->state.items[i], "jobs"))
			return;
	while (above && !(is_make(above) && has_jobs(above)))
		above = above->parent;
	if (!above)
		return;
	buf_puts(out, ", which began without the MAKEFLAGS of ");
	page_process(out, above, COMMAND_MAX / 2);
}

void page_one_by_one(const struct why *why, const struct critical_group *g, struct buf *out)
{
	const struct tree_node *parent = g->latest->parent, *before = NULL;
	size_t n = 0;

	if (g->processes < 3 || !parent)
		return;
	for (const struct tree_node *c = parent->child; c; c = c->sibling) {
		if (!story_same_program(c, g->latest))
			continue;
		if (before && story_start(&why->story, c) < story_end(&why->story, before))
			return;
		before = c;
		n++;
	}
	if (n < 3)
		return;
	buf_puts(out, "                they ran one after the other, begun by ");
	page_process(out, parent, COMMAND_MAX);
	lost_jobs(parent, out);
	buf_putc(out, '\n');
}
