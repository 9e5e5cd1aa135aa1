/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The own time of each path of calls. Paths are a tree, as their texts would be many times as large; a tree that gets
 * too large takes no more paths, and the time of others is given to the path around them.
 */
#include "nest.h"

#include "text.h"
#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

#define PATHS_MAX (1u << 21)
#define FUNCTION_ROOT (1u << 31)      /* a root: the other bits are a place in `roots` */
#define FUNCTION_INTERRUPT (1u << 30) /* "[interrupt]" stands between it and the root */

struct path {
	uint32_t parent, function;
	uint64_t self, total; /* total: with paths further in, once all is read */
};

/* A task: by name, or, where it has none, by number. */
struct root {
	const char *name;
	uint32_t pid;
};

struct folds {
	struct guest *g;
	struct nest nest;
	struct path *paths;
	size_t n, cap;
	uint32_t *table; /* numbers of paths, and 1: open addressing, a power of two at least twice as large as n */
	size_t slots;
	struct root *roots;
	size_t n_roots, cap_roots;
	struct buf chain; /* numbers of paths */
	bool counts;      /* weights are calls */
	bool full;
};

static size_t slot_of(const struct folds *f, uint32_t parent, uint32_t function)
{
	uint64_t mix = ((uint64_t)parent << 32 | function) * 0x9e3779b97f4a7c15ull;
	size_t at = (size_t)(mix ^ mix >> 32) & (f->slots - 1);

	while (f->table[at] &&
	       (f->paths[f->table[at] - 1].parent != parent || f->paths[f->table[at] - 1].function != function))
		at = (at + 1) & (f->slots - 1);
	return at;
}

static int widen(struct folds *f)
{
	uint32_t *old = f->table;

	f->slots = f->slots ? 2 * f->slots : 4096;
	f->table = calloc(f->slots, sizeof(*f->table));
	if (!f->table) {
		f->table = old;
		f->slots /= 2;
		return -ENOMEM;
	}
	free(old);
	for (size_t i = 0; i < f->n; i++)
		f->table[slot_of(f, f->paths[i].parent, f->paths[i].function)] = (uint32_t)i + 1;
	return 0;
}

/* The path of a function below another one; where there is no room for it, that one. */
static int find_path(struct folds *f, uint32_t parent, uint32_t function, uint32_t *path)
{
	int rc = 2 * f->n >= f->slots ? widen(f) : 0;
	size_t at = rc ? 0 : slot_of(f, parent, function);

	if (!rc && !f->table[at]) {
		/* Roots are as few as tasks. */
		if (f->n >= PATHS_MAX && !(function & FUNCTION_ROOT)) {
			f->full = true;
			*path = parent;
			return 0;
		}
		rc = grow_array((void **)&f->paths, f->n, &f->cap, sizeof(*f->paths));
		if (rc)
			return rc;
		f->paths[f->n++] = (struct path){.parent = parent, .function = function};
		f->table[at] = (uint32_t)f->n;
	}
	if (!rc)
		*path = f->table[at] - 1;
	return rc;
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
	return find_path(f, 0, FUNCTION_ROOT | (uint32_t)i, path);
}

static int on_open(void *ctx, struct nest_stack *stack)
{
	struct folds *f = ctx;
	struct nest_call *call = &stack->calls[stack->n - 1];
	uint32_t function = call->line.function, parent, number;
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
	f->paths[number].self += f->counts ? 1 : call->line.self;
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

static bool is_root(const struct path *path)
{
	return path->function & FUNCTION_ROOT;
}

/* Parents have lower numbers: from the end on, each path's total is complete. What is small goes to its parent. */
static void add_up(struct folds *f)
{
	const struct budget *budget = f->g->e->options.budget;

	for (size_t i = 0; i < f->n; i++)
		f->paths[i].total = 0;
	for (size_t i = f->n; i; i--) {
		struct path *path = &f->paths[i - 1];

		path->total += path->self;
		if (is_root(path))
			continue;
		f->paths[path->parent].total += path->total;
		if (budget && budget_folds(budget, path->total)) {
			f->paths[path->parent].self += path->self;
			f->paths[path->parent].total -= path->self;
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

static int put_function(struct folds *f, const struct path *path)
{
	struct buf *out = &f->g->e->out;
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
	int rc = 0;

	f->chain.len = 0;
	for (;; number = f->paths[number].parent) {
		rc = buf_append(&f->chain, &number, sizeof(number));
		if (rc || is_root(&f->paths[number]))
			break;
	}
	chain = (const uint32_t *)(const void *)f->chain.data;
	n = f->chain.len / sizeof(number);
	for (; n && !rc; n--)
		rc = put_function(f, &f->paths[chain[n - 1]]);
	return rc;
}

static int put_line(struct folds *f, uint32_t number)
{
	struct exporter *e = f->g->e;
	const struct path *path = &f->paths[number];
	uint64_t before = exporter_position(e);
	uint64_t weight = f->counts ? path->self : guest_ticks(f->g, path->self);
	int rc = weight ? put_path(f, number) : 0;

	if (!rc && weight)
		rc = buf_printf(&e->out, " %llu\n", (unsigned long long)weight);
	if (!rc && weight && exporter_measures(e))
		budget_add(e->options.budget, path->total, path->self, exporter_position(e) - before);
	return rc ? rc : exporter_drain(e);
}

int guest_folded(struct guest *g)
{
	struct folds f = {.g = g, .counts = g->e->options.weight == EXPORT_WEIGHT_COUNT};
	const struct nest_sink sink = {&f, NULL, on_open, on_close};
	int rc;

	f.nest.sink = &sink;
	rc = guest_all_lines(g, on_line, &f);
	if (!rc)
		add_up(&f);
	for (size_t i = 0; i < f.n && !rc; i++)
		rc = put_line(&f, (uint32_t)i);
	g->e->full = f.full;
	nest_release(&f.nest);
	buf_release(&f.chain);
	free(f.paths);
	free(f.table);
	free(f.roots);
	return rc;
}
