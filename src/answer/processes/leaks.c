/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/processes/leaks.h>

#include "uses.h"
#include <errno.h>
#include <exectrace/answer/processes/state_diff.h>
#include <exectrace/answer/recording/program.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

/* A descriptor that a process left unused. */
struct leak {
	const char *line; /* "fd 3 /tmp/x" */
	const struct tree_node *node;
	const struct tree_node *from; /* the process that handed it down first; NULL: none of the run */
	size_t count;                 /* processes, of the first one of a group */
};

/* A process, by its index in the tree. */
struct heir {
	struct strv fds; /* all descriptors that its program began with, as lines */
	struct uses *uses;
	bool known; /* it is known what its program began with; else it has what its parent had, as far as is known */
};

struct leaks {
	struct uses *uses; /* by number of the process */
	size_t n, cap;
	int err;
	struct heir *heirs;
	size_t n_heirs;
	size_t judged; /* processes of which enough is known */
	struct leak *items;
	size_t n_items, cap_items;
};

struct leaks *leaks_new(void)
{
	return calloc(1, sizeof(struct leaks));
}

void leaks_free(struct leaks *leaks)
{
	if (!leaks)
		return;
	for (size_t i = 0; leaks->heirs && i < leaks->n_heirs; i++)
		strv_release(&leaks->heirs[i].fds);
	free(leaks->heirs);
	free(leaks->items);
	free(leaks->uses);
	free(leaks);
}

/* What is known of a process. Numbers come one after the other. */
static struct uses *uses_of(struct leaks *leaks, uint32_t number)
{
	while (leaks->n <= number && !leaks->err) {
		leaks->err = grow_array((void **)&leaks->uses, leaks->n, &leaks->cap, sizeof(*leaks->uses));
		if (!leaks->err)
			leaks->uses[leaks->n++] = (struct uses){0};
	}
	return leaks->err ? NULL : &leaks->uses[number];
}

void leaks_event(void *ctx, const struct recorded_event *event)
{
	struct leaks *leaks = ctx;
	struct uses *uses = event->thread ? uses_of(leaks, event->thread->process->number) : NULL;

	if (!uses)
		return;
	if (event->record->type == DATA_EXEC)
		*uses = (struct uses){0};
	else if (event->record->type == DATA_SYSCALL || event->record->type == DATA_UNFINISHED)
		leaks->err = uses_take(uses, &event->record->syscall);
}

/* --- What was handed down ------------------------------------------------------------------------------------------
 */

/* The number in "fd 3 /tmp/x" and "closed 3"; USES_MAX when it is none that is looked at. */
static int number_of(const char *line)
{
	const char *number = strncmp(line, "fd ", 3) == 0 ? line + 3 : strncmp(line, "closed ", 7) == 0 ? line + 7 : "";
	size_t n = strspn(number, "0123456789");
	long fd = n && n < 4 && (!number[n] || number[n] == ' ') ? strtol(number, NULL, 10) : USES_MAX;

	return fd < USES_MAX ? (int)fd : USES_MAX;
}

static int only_descriptors(struct strv *to, const struct strv *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		if (number_of(lines->items[i]) < USES_MAX && strv_push(to, lines->items[i]))
			return -ENOMEM;
	return 0;
}

static int fill_heir(struct leaks *leaks, const struct tree_node *node, const struct strv *given)
{
	struct heir *heir = &leaks->heirs[node->index];
	cleanup_strv struct strv own = STRV_INIT;

	if (node->process && node->process <= leaks->n)
		heir->uses = &leaks->uses[node->process - 1];
	heir->known = !node->forked && !node->lost && node->cwd;
	if (!heir->known)
		return 0;
	if (only_descriptors(&own, &node->state))
		return -ENOMEM;
	return state_lines_join(&heir->fds, given, &own);
}

static const struct tree_node *upper(const struct tree_node *node)
{
	do
		node = node->parent;
	while (node && (node->forked || node->lost));
	return node;
}

/* What is used below a process, or might be, is used by all that have handed it down. */
static void hand_up(const struct leaks *leaks, const struct tree_node *node)
{
	const struct heir *heir = &leaks->heirs[node->index];
	struct uses *up = node->parent ? leaks->heirs[node->parent->index].uses : NULL;

	for (int fd = 3; up && fd < USES_MAX && !heir->known && heir->uses; fd++)
		if (uses_has(heir->uses->used, fd))
			uses_set(up->used, fd);
	for (size_t i = 0; up && i < heir->fds.n; i++) {
		int fd = number_of(heir->fds.items[i]);

		if (!heir->uses || !heir->uses->detailed || uses_has(heir->uses->used, fd))
			uses_set(up->used, fd);
	}
}

static bool has_line(const struct strv *lines, const char *line)
{
	for (size_t i = 0; i < lines->n; i++)
		if (strcmp(lines->items[i], line) == 0)
			return true;
	return false;
}

static int judge(struct leaks *leaks, const struct tree_node *node)
{
	const struct heir *heir = &leaks->heirs[node->index];

	if (!heir->uses || !heir->uses->detailed || !heir->known)
		return 0;
	leaks->judged++;
	for (size_t i = 0; i < heir->fds.n; i++) {
		const char *line = heir->fds.items[i];
		const struct tree_node *up = upper(node);
		int fd = number_of(line);

		if (fd < 3 || fd >= USES_MAX || uses_has(heir->uses->used, fd) || uses_has(heir->uses->closed, fd))
			continue;
		while (up && has_line(&leaks->heirs[up->index].fds, line))
			up = upper(up);
		if (grow_array((void **)&leaks->items, leaks->n_items, &leaks->cap_items, sizeof(*leaks->items)))
			return -ENOMEM;
		leaks->items[leaks->n_items++] = (struct leak){line, node, up, 1};
	}
	return 0;
}

static int by_descriptor(const void *a, const void *b)
{
	const struct leak *one = a, *two = b;
	int order = strcmp(one->line, two->line);
	/* Nobody comes first. */
	size_t from = one->from ? one->from->index + 1 : 0, other = two->from ? two->from->index + 1 : 0;

	if (order || from != other)
		return order ? order : from < other ? -1 : 1;
	return one->node->index < two->node->index ? -1 : 1;
}

static int most_first(const void *a, const void *b)
{
	const struct leak *one = a, *two = b;

	return one->count != two->count ? (one->count > two->count ? -1 : 1) : by_descriptor(a, b);
}

/* Those that one process has handed down are one. */
static void group(struct leaks *leaks)
{
	size_t n = 0;

	if (!leaks->n_items)
		return;
	qsort(leaks->items, leaks->n_items, sizeof(*leaks->items), by_descriptor);
	for (size_t i = 1; i < leaks->n_items; i++) {
		struct leak *last = &leaks->items[n], *next = &leaks->items[i];

		if (strcmp(last->line, next->line) == 0 && last->from == next->from)
			last->count++;
		else
			leaks->items[++n] = *next;
	}
	leaks->n_items = n + 1;
	qsort(leaks->items, leaks->n_items, sizeof(*leaks->items), most_first);
}

static int find_all(struct leaks *leaks, const struct tree_node **nodes, const struct process_select *select)
{
	int rc = 0;

	for (size_t i = leaks->n_heirs; i--;)
		hand_up(leaks, nodes[i]);
	for (size_t i = 0; i < leaks->n_heirs && !rc; i++)
		if (process_selected(select, nodes[i]))
			rc = judge(leaks, nodes[i]);
	return rc;
}

int leaks_find(struct leaks *leaks, const struct process_tree *tree, const struct recording *r,
               const struct process_select *select, struct buf *err)
{
	const struct recorded_run *run = recording_run(r);
	const struct tree_node **nodes = calloc(process_tree_size(tree) + 1, sizeof(*nodes));
	cleanup_strv struct strv given = STRV_INIT;
	int rc = leaks->err;

	leaks->n_heirs = process_tree_size(tree);
	leaks->heirs = calloc(leaks->n_heirs + 1, sizeof(*leaks->heirs));
	if (!nodes || !leaks->heirs)
		rc = -ENOMEM;
	if (!rc && run)
		rc = only_descriptors(&given, &run->given);
	for (const struct tree_node *node = process_tree_first(tree); node && !rc; node = process_tree_next(node)) {
		nodes[node->index] = node;
		rc = fill_heir(leaks, node, &given);
	}
	if (!rc)
		rc = find_all(leaks, nodes, select);
	free(nodes);
	if (!rc && (!leaks->judged || !given.n)) {
		buf_puts(err, given.n ? "what processes did with their descriptors was not recorded: that takes "
		                        "--run='trace --format=data', or --why"
		                      : "what programs begin with was not recorded; runs with -o do that");
		rc = err->err ? err->err : -ENOENT;
	}
	if (!rc)
		group(leaks);
	return rc;
}

/* --- Showing -------------------------------------------------------------------------------------------------------
 */

static const struct table_column columns[] = {
	{"Processes", "processes", .text = false},
	{"FD", "fd", .text = false},
	{"File", "file", .left = true, .text = true, .cut = true},
	{"", "from_pid", .text = false},
	{"From", "from", .left = true, .text = true, .cut = true},
	{"", "pid", .text = false},
	{"First", "command", .left = true, .text = true, .cut = true},
	{0},
};

static void put_command(struct table *t, const struct tree_node *node)
{
	cleanup_buf struct buf text = BUF_INIT;

	if (t->format != TABLE_TEXT) {
		table_text(t, node ? program_command(node) : "");
		return;
	}
	if (node && !t->err)
		t->err = buf_printf(&text, "[%u] %s", node->pid, program_command(node));
	table_text(t, node ? text.data : "outside");
}

static void put_pid(struct table *t, const struct tree_node *node)
{
	if (node)
		table_number(t, node->pid);
	else
		table_text(t, "");
}

int leaks_show(const struct leaks *leaks, struct page *page, enum table_format format)
{
	static const struct replay_clock clock = {DATA_CLOCK_MONOTONIC, NS_PER_S};
	struct table t;

	if (format == TABLE_TEXT && !leaks->n_items)
		return buf_printf(&page->text, "no descriptor was left unused by the %zu processes that are known\n",
		                  leaks->judged);
	table_begin(&t, page, format, columns, clock);
	for (size_t i = 0; i < leaks->n_items; i++) {
		const struct leak *leak = &leaks->items[i];
		const char *file = strchr(leak->line + 3, ' ');

		table_number(&t, leak->count);
		table_number(&t, (uint64_t)number_of(leak->line));
		table_text(&t, file ? file + 1 : "");
		put_pid(&t, leak->from);
		put_command(&t, leak->from);
		put_pid(&t, leak->node);
		put_command(&t, leak->node);
	}
	return table_end(&t);
}
