/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/recording/tree.h>

#include "exec_lines.h"
#include <errno.h>
#include <exectrace/answer/recording/idmap.h>
#include <exectrace/answer/recording/parts.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/grow.h>
#include <exectrace/base/quote.h>
#include <exectrace/target/exec/usage.h>
#include <string.h>

#define INHERITED_MAX (256u << 20) /* bytes; what is more goes by its path alone */

struct process_tree {
	struct tree_node **nodes;
	size_t n, cap;
	struct idmap by_pid; /* the newest node of a pid; older ones by `newer` of it, backwards */
	struct tree_node *first;
	uint64_t start;
	size_t inherited;            /* bytes of commands that are the parents' */
	struct tree_node **recorded; /* by the numbers of the recording's processes */
	size_t n_recorded;
};

static struct tree_node *new_node(struct process_tree *t, uint32_t pid)
{
	struct tree_node *node;

	if (grow_array((void **)&t->nodes, t->n, &t->cap, sizeof(node)))
		return NULL;
	node = calloc(1, sizeof(*node));
	if (!node)
		return NULL;
	node->pid = pid;
	node->newer = idmap_get(&t->by_pid, pid, 0);
	if (idmap_put(&t->by_pid, pid, 0, node)) {
		free(node);
		return NULL;
	}
	return t->nodes[t->n++] = node;
}

/* True when two stretches of time have something in common; an end of 0 is open. */
static bool overlap(uint64_t start, uint64_t end, uint64_t other, uint64_t other_end)
{
	return (!other_end || start <= other_end) && (!end || other <= end);
}

/* The node of a process that was there in that time. */
static struct tree_node *find_node(const struct process_tree *t, uint32_t pid, uint64_t start, uint64_t end)
{
	struct tree_node *node = idmap_get(&t->by_pid, pid, 0);

	while (node && (node->guest || !overlap(start, end, node->start, node->end.when)))
		node = node->newer;
	return node;
}

/* Makes room for one more command, which was executed at a time. */
static int add_exec(struct tree_node *node, uint64_t time)
{
	uint64_t *times = reallocarray(node->exec_times, node->n_commands + 1, sizeof(*times));

	if (!times)
		return -ENOMEM;
	node->exec_times = times;
	times[node->n_commands++] = time;
	return 0;
}

static int add_command(struct tree_node *node, const struct strv *argv, const char *path)
{
	return add_exec(node, 0) ? -ENOMEM : exec_line_command(&node->commands, argv, path);
}

/* Of a process that has executed nothing. Its parent may have a long one, and a million children. */
static int add_inherited(struct process_tree *t, struct tree_node *node, const struct recorded_process *p)
{
	static const struct strv none;
	bool much = t->inherited > INHERITED_MAX;
	size_t before = node->commands.len;
	int rc = add_command(node, much ? &none : &p->argv, p->path);

	t->inherited += node->commands.len - before;
	return rc;
}

/* --- execs.jsonl -------------------------------------------------------------------------------------------------- */

/* The node of a parent of which no exec was seen: a fork, or what is above the root. */
static struct tree_node *lost_parent(struct process_tree *t, const struct exec_line *line)
{
	struct tree_node *node = new_node(t, line->ppid);

	if (!node)
		return NULL;
	node->lost = node->forked = true;
	node->start = line->start;
	/* What is nearer is not known. */
	node->up = t->n > 1 ? t->nodes[0] : NULL;
	return node;
}

/* Hangs a node where its first exec says. 0 or -ENOMEM. */
static int set_parent(struct process_tree *t, struct tree_node *node, const struct exec_line *line)
{
	node->parent_pid = line->ppid;
	if (!line->ppid)
		return 0;
	node->up = find_node(t, line->ppid, line->start, line->start);
	if (!node->up && line->depth)
		node->up = lost_parent(t, line);
	return node->up || !line->depth ? 0 : -ENOMEM;
}

static int add_line(struct process_tree *t, struct exec_line *line)
{
	struct tree_node *node = find_node(t, line->pid, line->start, line->end.when);
	int rc = 0;

	if (!node) {
		node = new_node(t, line->pid);
		if (!node)
			return -ENOMEM;
		node->start = line->start;
	}
	if (!node->parent_pid)
		rc = set_parent(t, node, line);
	node->lost = node->forked = false;
	node->end = line->end;
	if (!rc)
		rc = add_exec(node, line->start);
	if (line->cwd) {
		free(node->cwd);
		strv_release(&node->state);
		node->state = line->state;
		line->state = STRV_INIT;
		node->cwd = line->cwd;
		line->cwd = NULL;
	}
	return rc ? rc : buf_append(&node->commands, line->command.data, line->command.len);
}

/* What stands in front of a damaged line is there all the same, as are the recorded processes: a note says so. */
static int add_execs(struct process_tree *t, struct recording *r)
{
	cleanup_buf struct buf why = BUF_INIT;
	struct exec_lines lines = {0};
	int rc = exec_lines_read(&lines, recording_execs(r), &why);

	if (rc && rc != -ENOMEM) {
		r->damaged = true;
		rc = recording_note(r, "%s", why.data);
	}
	for (size_t i = 0; i < lines.n && !rc; i++)
		rc = add_line(t, &lines.items[i]);
	exec_lines_release(&lines);
	return rc;
}

/* --- .xtr files --------------------------------------------------------------------------------------------------- */

static uint64_t time_of(const struct recording *r, const struct recorded_process *p, uint64_t time)
{
	uint64_t real = time ? recording_realtime(r, p->file, time) : 0;

	return real ? real : time;
}

/* What has only forked may tell by a name of its own what it does, as an applet of busybox. */
static int add_name(struct tree_node *node, const struct recorded_process *p)
{
	if (!node->forked || !*p->comm || !p->parent || strcmp(p->comm, p->parent->comm) == 0)
		return 0;
	node->renamed = strdup(p->comm);
	return node->renamed ? 0 : -ENOMEM;
}

/* A process of a guest. Threads of its kernel have no program, but names. */
static int add_guest(struct process_tree *t, const struct recording *r, const struct recorded_process *p,
                     struct tree_node **nodes)
{
	uint64_t start = time_of(r, p, p->start), end = time_of(r, p, p->end);
	struct tree_node *node = nodes[p->number] = new_node(t, p->pid);
	struct buf name = BUF_INIT;
	int rc;

	if (!node)
		return -ENOMEM;
	node->guest = true;
	node->start = start;
	node->parent_pid = p->parent_pid;
	if (p->parent)
		node->up = nodes[p->parent->number];
	else if ((node->up = find_node(t, recording_file(r, p->file)->pid, start, start)))
		node->up->picked = true;
	node->end = (struct exec_end){.known = p->ended, .wait_status = p->status, .ended = p->ended, .when = end};
	node->forked = !p->execs;
	if (p->argv.n || *p->path || !*p->comm) {
		rc = add_name(node, p);
		return rc ? rc : add_command(node, &p->argv, p->path);
	}
	rc = buf_printf(&name, "[%s]", p->comm);
	if (!rc)
		rc = add_command(node, &p->argv, name.data);
	node->forked = false;
	node->kernel = true;
	buf_release(&name);
	return rc;
}

/* nodes: of the processes of the recording, by their numbers; those before p are there. */
static int add_process(struct process_tree *t, const struct recording *r, const struct recorded_process *p,
                       struct tree_node **nodes)
{
	uint64_t start = time_of(r, p, p->start), end = time_of(r, p, p->end);
	struct tree_node *node = find_node(t, p->pid, start, end);
	bool known = node && !node->lost;
	struct exec_usage usage;

	if (!node)
		node = new_node(t, p->pid);
	if (!node)
		return -ENOMEM;
	nodes[p->number] = node;
	if (!node->process)
		node->process = p->number + 1;
	node->picked |= p->picked;
	node->lost = false;
	if (!node->start || start < node->start || !known)
		node->start = start;
	if (p->parent)
		node->up = nodes[p->parent->number];
	if (!node->parent_pid)
		node->parent_pid = p->parent_pid;
	if (!node->end.known && p->ended)
		node->end = (struct exec_end){true, p->status, true, end, node->end.usage};
	usage = p->usage; /* what the tracer saw is exact */
	exec_usage_complete(&usage, &node->end.usage);
	node->end.usage = usage;
	if (known)
		return 0;
	node->forked = !p->execs;
	/* One that was picked hangs where the tree knows its parent. */
	if (!node->up && p->parent_pid)
		node->up = find_node(t, p->parent_pid, start, start);
	return node->forked ? add_inherited(t, node, p) : add_command(node, &p->argv, p->path);
}

static int add_recorded(struct process_tree *t, struct recording *r, process_tree_event *each, void *ctx)
{
	struct recorded_event event;
	int rc;

	while ((rc = recording_next(r, &event)) == 1)
		if (each)
			each(ctx, &event);
	if (rc)
		return rc;
	t->recorded = calloc(recording_processes(r) + 1, sizeof(struct tree_node *));
	if (!t->recorded)
		return -ENOMEM;
	t->n_recorded = recording_processes(r);
	for (size_t i = 0; i < t->n_recorded && !rc; i++) {
		const struct recorded_process *p = recording_process(r, i);
		bool guest = recording_file(r, p->file)->guest_clock != DATA_CLOCK_NONE;

		rc = guest ? add_guest(t, r, p, t->recorded) : add_process(t, r, p, t->recorded);
	}
	return rc;
}

/* --- The tree ----------------------------------------------------------------------------------------------------- */

static int later_first(const void *a, const void *b)
{
	const struct tree_node *one = *(struct tree_node *const *)a, *two = *(struct tree_node *const *)b;

	if (one->start != two->start)
		return one->start > two->start ? -1 : 1;
	return one->pid > two->pid ? -1 : one->pid < two->pid;
}

/*
 * Parents that are each other's descendants, as a file may have them, would hang in the air. Until the tree is linked
 * `depth` is the number of the walk that came by.
 */
static void cut_circles(struct process_tree *t)
{
	for (size_t i = 0; i < t->n; i++) {
		unsigned walk = (unsigned)i + 1;
		struct tree_node *node = t->nodes[i];

		for (; node && !node->depth; node = node->up)
			node->depth = walk;
		if (node && node->depth == walk)
			node->up = NULL;
	}
}

static void link_nodes(struct process_tree *t)
{
	size_t index = 0;

	if (t->n)
		qsort(t->nodes, t->n, sizeof(struct tree_node *), later_first);
	for (size_t i = 0; i < t->n; i++) {
		struct tree_node *node = t->nodes[i];
		const struct tree_node **first = node->up ? &node->up->child : (const struct tree_node **)&t->first;

		node->parent = node->up;
		node->sibling = *first;
		*first = node;
		if (node->start)
			t->start = node->start;
	}
	for (struct tree_node *node = t->first; node; node = (struct tree_node *)process_tree_next(node)) {
		node->depth = node->parent ? node->parent->depth + 1 : 0;
		node->index = index++;
	}
}

/* A guest without its QEMU was there before its first process: all that is told of it counts from the same time. */
static void begin_with_guest(struct process_tree *t, const struct recording *r)
{
	const struct recorded_file *file = t->first && t->first->guest ? recording_file(r, 0) : NULL;
	uint64_t real = file ? recording_realtime(r, 0, file->start) : 0;

	if (file)
		t->start = real ? real : file->start;
}

int process_tree_new(struct process_tree **ret, struct recording *r, process_tree_event *each, void *ctx)
{
	struct process_tree *t = calloc(1, sizeof(*t));
	int rc = t ? 0 : -ENOMEM;

	if (!rc && recording_execs(r))
		rc = add_execs(t, r);
	if (!rc)
		rc = add_recorded(t, r, each, ctx);
	if (rc) {
		process_tree_free(t);
		return rc;
	}
	cut_circles(t);
	link_nodes(t);
	begin_with_guest(t, r);
	*ret = t;
	return 0;
}

void process_tree_free(struct process_tree *tree)
{
	if (!tree)
		return;
	for (size_t i = 0; i < tree->n; i++) {
		buf_release(&tree->nodes[i]->commands);
		free(tree->nodes[i]->exec_times);
		free(tree->nodes[i]->cwd);
		free(tree->nodes[i]->renamed);
		strv_release(&tree->nodes[i]->state);
		free(tree->nodes[i]);
	}
	free(tree->nodes);
	free(tree->recorded);
	idmap_release(&tree->by_pid);
	free(tree);
}

const struct tree_node *process_tree_first(const struct process_tree *tree)
{
	return tree->first;
}

const struct tree_node *process_tree_next(const struct tree_node *node)
{
	if (node->child)
		return node->child;
	while (node && !node->sibling)
		node = node->parent;
	return node ? node->sibling : NULL;
}

const struct tree_node *process_tree_node(const struct process_tree *tree, uint32_t number)
{
	return number < tree->n_recorded ? tree->recorded[number] : NULL;
}

size_t process_tree_size(const struct process_tree *tree)
{
	return tree->n;
}

uint64_t process_tree_start(const struct process_tree *tree)
{
	return tree->start;
}
