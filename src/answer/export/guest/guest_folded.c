/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The own time of each path of calls. Paths are a tree, as their texts would be many times as large. */
#include <exectrace/answer/export/guest/nest.h>

#include <errno.h>
#include <exectrace/answer/calltree/calltree.h>
#include <exectrace/answer/format/text.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION_ROOT (1u << 31)      /* a root: the other bits are a place in `roots` */
#define FUNCTION_INTERRUPT (1u << 30) /* "[interrupt]" stands between it and the root */

/* A task: by name, or, where it has none, by number. */
struct root {
	const char *name;
	uint32_t pid;
};

struct folds {
	struct guest *g;
	struct nest nest;
	struct calltree *paths; /* below the root, which is nothing: roots */
	struct root *roots;
	size_t n_roots, cap_roots;
	struct buf chain; /* numbers of paths */
	bool counts;      /* weights are calls */
};

static int find_path(struct folds *f, uint32_t parent, uint32_t function, uint32_t *path)
{
	*path = calltree_child(f->paths, parent, function);
	return *path == CALLTREE_NONE ? -ENOMEM : 0;
}

static int find_root(struct folds *f, const struct call_line *line, uint32_t *path)
{
	struct root root = {line->told ? line->task : "[no task]", 0};
	size_t i = 0;
	int rc;

	if (!*root.name)
		root.pid = line->pid;
	while (i < f->n_roots && (f->roots[i].name != root.name || f->roots[i].pid != root.pid))
		i++;
	if (i == f->n_roots) {
		rc = grow_array((void **)&f->roots, i, &f->cap_roots, sizeof(*f->roots));
		if (rc)
			return rc;
		f->roots[f->n_roots++] = root;
	}
	return find_path(f, CALLTREE_ROOT, FUNCTION_ROOT | (uint32_t)i, path);
}

static int on_open(void *ctx, struct nest_stack *stack)
{
	struct folds *f = ctx;
	struct nest_call *call = &stack->calls[stack->n - 1];
	uint32_t function = call->line.function, parent, number;
	size_t n;
	int rc = 0;

	if (call->root)
		rc = find_root(f, &call->line, &parent);
	else
		parent = (uint32_t)call[-1].mark;
	if (call->root && call->line.interrupt)
		function |= FUNCTION_INTERRUPT;
	if (!rc)
		rc = find_path(f, parent, function, &number);
	if (rc)
		return rc;
	call->mark = number;
	calltree_nodes(f->paths, &n)[number].sides[0].self += f->counts ? 1 : call->line.self;
	return 0;
}

static int on_close(void *ctx, struct nest_stack *stack)
{
	(void)ctx;
	(void)stack;
	return 0;
}

static int on_line(void *ctx, const struct call_line *line)
{
	return nest_line(&((struct folds *)ctx)->nest, line);
}

/* --- The file ------------------------------------------------------------------------------------------------------
 */

static bool is_root(const struct calltree_node *path)
{
	return path->function & FUNCTION_ROOT;
}

/* Parents have lower numbers: from the end on, each path's total is complete. What is small goes to its parent. */
static void add_up(struct folds *f)
{
	const struct budget *budget = f->g->e->options.budget;
	size_t n;
	struct calltree_node *paths = calltree_nodes(f->paths, &n);

	for (size_t i = n; --i;) {
		struct calltree_weight *path = &paths[i].sides[0], *parent = &paths[paths[i].parent].sides[0];

		path->total += path->self;
		if (is_root(&paths[i]))
			continue;
		parent->total += path->total;
		if (budget && budget_folds(budget, path->total)) {
			parent->self += path->self;
			parent->total -= path->self;
			path->self = 0;
		}
	}
}

static int put_root(struct buf *out, const struct root *root)
{
	int rc = 0;

	if (!*root->name)
		return buf_printf(out, "task %u", root->pid);
	/* A line that begins with # would be a comment. */
	if (*root->name == '#')
		rc = buf_putc(out, '?');
	return rc ? rc : text_append(out, text_of(root->name), ';');
}

static int put_function(struct folds *f, const struct calltree_node *path)
{
	struct buf *out = &f->g->e->out.text;
	uint32_t function = path->function & ~(FUNCTION_ROOT | FUNCTION_INTERRUPT);
	int rc = 0;

	if (is_root(path))
		return put_root(out, &f->roots[function]);
	if (path->function & FUNCTION_INTERRUPT)
		rc = buf_puts(out, ";[interrupt]");
	if (!rc)
		rc = buf_putc(out, ';');
	return rc ? rc : text_append(out, text_of(replay_function(f->g->replay, function)->name), ';');
}

static int put_path(struct folds *f, uint32_t number)
{
	const uint32_t *chain;
	size_t n;
	const struct calltree_node *paths = calltree_nodes(f->paths, &n);
	int rc = 0;

	f->chain.len = 0;
	for (; number != CALLTREE_ROOT && !rc; number = paths[number].parent)
		rc = buf_append(&f->chain, &number, sizeof(number));
	chain = (const uint32_t *)(const void *)f->chain.data;
	n = f->chain.len / sizeof(number);
	for (; n && !rc; n--)
		rc = put_function(f, &paths[chain[n - 1]]);
	return rc;
}

static int put_line(struct folds *f, uint32_t number, const struct calltree_weight *path)
{
	struct exporter *e = f->g->e;
	uint64_t before = exporter_position(e);
	uint64_t weight = f->counts ? path->self : guest_ticks(f->g, path->self);
	int rc = weight ? put_path(f, number) : 0;

	if (!rc && weight)
		rc = buf_printf(&e->out.text, " %llu\n", (unsigned long long)weight);
	if (!rc && weight && exporter_measures(e))
		budget_add(e->options.budget, path->total, path->self, exporter_position(e) - before);
	return rc ? rc : spool_drain(&e->out);
}

int guest_folded(struct guest *g)
{
	struct folds f = {.g = g, .counts = g->e->options.weight == EXPORT_WEIGHT_COUNT, .paths = calltree_new()};
	const struct nest_sink sink = {&f, NULL, on_open, on_close};
	const struct calltree_node *paths;
	size_t n = 0;
	int rc;

	f.nest.sink = &sink;
	rc = f.paths ? guest_all_lines(g, on_line, &f) : -ENOMEM;
	if (!rc) {
		add_up(&f);
		paths = calltree_nodes(f.paths, &n);
		g->e->full = calltree_cut(f.paths) > 0;
	}
	for (uint32_t i = 1; i < n && !rc; i++)
		rc = put_line(&f, i, &paths[i].sides[0]);
	nest_release(&f.nest);
	buf_release(&f.chain);
	calltree_free(f.paths);
	free(f.roots);
	return rc;
}
