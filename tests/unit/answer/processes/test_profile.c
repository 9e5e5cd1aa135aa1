/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random trees: which rows there are, in which order, and what is folded, against functions that do it the slow way. */
#include <exectrace/answer/processes/profile_view.h>
#include <exectrace/answer/recording/program.h>

#include "sample_dir.h"
#include "tap.h"

#include <exectrace/base/cleanup.h>

#define PROCESSES 40
#define NODES (3 * PROCESSES) /* with parents that had ended, so that others took their place */

static const char *const programs[] = {"/usr/bin/cc1", "as", "sh", "it's", "-bash"};
static const char *const names[] = {"cc1", "as", "sh", "it's", "bash"};

static const struct tree_node *nodes[NODES];
static size_t n_nodes;
static struct profile_options options;

/* A random run; what each process used is put into the tree, which is ours. */
static struct process_tree *make(const char *dir, const char *path, struct recording **r)
{
	struct process_tree *tree = NULL;
	FILE *file = fopen(path, "w");

	for (unsigned i = 1; file && i <= PROCESSES; i++) {
		unsigned parent = i == 1 ? 999 : 1 + (unsigned)rand() % (i < 6 ? i - 1 : 5);
		unsigned start = i == 1 ? 100 : 100 + (unsigned)rand() % 50;

		fprintf(file, "{\"pid\":%u,\"ppid\":%u,\"depth\":%u,\"time\":%u.%09u,\"argv\":[\"%s\",\"a%d\"]", i,
		        parent, i > 1, start, i, programs[(unsigned)rand() % COUNT(programs)], rand() % 3);
		if (rand() % 12)
			fprintf(file, ",\"status\":%d,\"duration\":%d.5", rand() % 10 ? 0 : 3, rand() % 30);
		fputs("}\n", file);
	}
	if (!CHECK(file) || !CHECK_INT(fclose(file), 0))
		return NULL;
	*r = sample_dir_open(dir, NULL);
	n_nodes = 0;
	if (!CHECK_INT(process_tree_new(&tree, *r, NULL, NULL), 0))
		return NULL;
	for (const struct tree_node *node = process_tree_first(tree); node; node = process_tree_next(node)) {
		struct exec_usage *usage = &((struct tree_node *)node)->end.usage;

		*usage = (struct exec_usage){.cpu = rand() % 2, .peak = (uint64_t)rand() % 5};
		usage->user = usage->cpu ? (uint64_t)rand() % 100 : 0;
		if (n_nodes < NODES)
			nodes[n_nodes++] = node;
	}
	return tree;
}

/* --- The slow way --------------------------------------------------------------------------------------------------
 */

static bool too_short(const struct tree_node *node)
{
	uint64_t time;

	return options.min && profile_time(node, &time) && time < options.min;
}

static bool fits(const struct tree_node *node)
{
	return !options.failed || (node->end.known && node->end.wait_status);
}

static bool below_fits(const struct tree_node *node)
{
	bool any = fits(node);

	for (const struct tree_node *child = node->child; child; child = child->sibling)
		any |= below_fits(child);
	return any;
}

static bool long_below(const struct tree_node *node)
{
	bool any = below_fits(node) && !too_short(node);

	for (const struct tree_node *child = node->child; child; child = child->sibling)
		any |= long_below(child);
	return any;
}

static bool visible(const struct tree_node *node)
{
	return (!options.levels || node->depth < options.levels) && long_below(node);
}

static uint64_t used(const struct tree_node *node)
{
	uint64_t own = options.order == PROFILE_PEAK ? node->end.usage.peak : node->end.usage.user, time = 0;

	if (options.order == PROFILE_TIME)
		return profile_time(node, &time) ? time : 0;
	if (options.order != PROFILE_CPU && options.order != PROFILE_PEAK)
		return 0;
	for (const struct tree_node *child = node->child; child; child = child->sibling) {
		uint64_t more = used(child);

		own = options.order == PROFILE_CPU ? own + more : own > more ? own : more;
	}
	return own;
}

/* What is alike has the same text; "" is alike to nothing. */
static void signature(const struct tree_node *node, struct buf *out)
{
	struct buf children[NODES] = {BUF_INIT};
	cleanup_buf struct buf name = BUF_INIT;
	bool alike = node->end.ended && !node->end.wait_status;
	size_t n = 0;

	for (const struct tree_node *child = node->child; child; child = child->sibling) {
		struct buf text = BUF_INIT;
		size_t at = 0;

		if (!visible(child))
			continue;
		signature(child, &text);
		alike &= text.len != 0;
		while (at < n && strcmp(children[at].data, text.data ? text.data : "") < 0)
			at++;
		if (at < n && strcmp(children[at].data, text.data ? text.data : "") == 0) {
			buf_release(&text);
			continue;
		}
		memmove(&children[at + 1], &children[at], (n++ - at) * sizeof(struct buf));
		children[at] = text;
		buf_puts(&children[at], "");
	}
	program_name(&name, node);
	if (alike)
		buf_printf(out, "%s(", name.data);
	for (size_t i = 0; i < n; i++) {
		if (alike)
			buf_printf(out, "%s ", children[i].data);
		buf_release(&children[i]);
	}
	buf_puts(out, alike ? ")" : "");
}

static void print_row(struct buf *out, const struct tree_node *first, size_t count, size_t depth)
{
	buf_printf(out, "%*s%u x %zu\n", (int)depth, "", first->pid, count);
}

struct slow_row {
	const struct tree_node *members[NODES];
	size_t n;
	uint64_t key;
	bool fold;
	char *kind;
};

static int compare(const void *a, const void *b)
{
	const struct slow_row *one = a, *two = b;

	if (one->key != two->key)
		return one->key > two->key ? -1 : 1;
	return one->members[0]->index < two->members[0]->index ? -1 : 1;
}

/* Adds one to those that it is alike to. */
static void add(struct slow_row *rows, size_t *n, const struct tree_node *node)
{
	struct buf kind = BUF_INIT;
	size_t at = 0;

	signature(node, &kind);
	while (at < *n && (!options.fold || !kind.len || strcmp(rows[at].kind, kind.data) != 0))
		at++;
	if (at == *n)
		rows[(*n)++] = (struct slow_row){.kind = buf_steal(&kind)};
	rows[at].members[rows[at].n++] = node;
	buf_release(&kind);
}

/* Less than three are no row of their own. */
static size_t split(struct slow_row *rows, size_t n)
{
	size_t all = n;

	for (size_t i = 0; i < n; i++) {
		free(rows[i].kind);
		if (rows[i].n != 2)
			continue;
		rows[all] = (struct slow_row){.members = {rows[i].members[1]}, .n = 1};
		all++;
		rows[i].n = 1;
	}
	for (size_t i = 0; i < all; i++)
		for (size_t m = 0; m < rows[i].n; m++) {
			uint64_t key = used(rows[i].members[m]);

			rows[i].key = options.order != PROFILE_PEAK ? rows[i].key + key
			              : rows[i].key > key           ? rows[i].key
			                                            : key;
		}
	return all;
}

/* All rows below those of some siblings; NULL: the roots. */
static void slow(struct buf *out, const struct slow_row *above, size_t depth)
{
	struct slow_row *rows = calloc(NODES, sizeof(*rows));
	size_t n = 0;

	for (size_t i = 0; i < n_nodes && rows; i++) {
		bool below = !above && !nodes[i]->parent;

		for (size_t m = 0; above && m < above->n; m++)
			below |= nodes[i]->parent == above->members[m];
		if (below && visible(nodes[i]))
			add(rows, &n, nodes[i]);
	}
	if (rows)
		n = split(rows, n);
	if (n)
		qsort(rows, n, sizeof(*rows), compare);
	for (size_t i = 0; i < n; i++) {
		print_row(out, rows[i].members[0], rows[i].n, depth);
		slow(out, &rows[i], depth + 1);
	}
	free(rows);
}

/* --- Comparing -----------------------------------------------------------------------------------------------------
 */

/* It, or one above it. */
static bool has_row(const struct tree_node *node)
{
	return node && (visible(node) || has_row(node->parent));
}

static bool same(const struct process_tree *tree)
{
	cleanup_buf struct buf got = BUF_INIT, want = BUF_INIT;
	struct profile *p = NULL;
	size_t wanted = 0, shown = 0, left_out = 0, kept = 0;

	buf_puts(&got, "");
	buf_puts(&want, "");
	if (!CHECK_INT(profile_new(&p, tree, &options), 0))
		return false;
	for (const struct profile_row *row = profile_first(p); row; row = profile_next(row)) {
		size_t depth = 0;

		for (const struct profile_row *up = row->parent; up; up = up->parent)
			depth++;
		print_row(&got, row->node, row->count, depth);
		shown += row->count;
		left_out += row->shorter + row->deeper;
	}
	slow(&want, NULL, 0);
	for (size_t i = 0; i < n_nodes; i++) {
		bool deep = options.levels && nodes[i]->depth >= options.levels;

		wanted += fits(nodes[i]) && !too_short(nodes[i]) && !deep;
		kept += below_fits(nodes[i]) && (visible(nodes[i]) || (!nodes[i]->lost && has_row(nodes[i]->parent)));
	}
	wanted = profile_wanted(p) == wanted;
	left_out = shown + left_out == kept;
	profile_free(p);
	if (strcmp(got.data, want.data) != 0) {
		tap_show("got", got.data);
		tap_show("want", want.data);
	}
	return wanted && left_out && strcmp(got.data, want.data) == 0;
}

static void test_random(void)
{
	char dir[] = "/tmp/exectrace-profile-XXXXXX", path[256];
	int bad = 0;

	if (!CHECK(mkdtemp(dir)))
		return;
	snprintf(path, sizeof(path), "%s/execs.jsonl", dir);
	for (int round = 1; round <= 60 && !bad; round++) {
		struct recording *r = NULL;
		struct process_tree *tree;

		srand((unsigned)round);
		tree = make(dir, path, &r);
		for (int i = 0; i < 20 && tree && !bad; i++) {
			options = (struct profile_options){.failed = rand() % 4 == 0,
			                                   .fold = rand() % 2,
			                                   .min = rand() % 2 ? (uint64_t)(rand() % 20) * 1000000000 : 0,
			                                   .levels = rand() % 3 ? 0 : 1 + (size_t)rand() % 3,
			                                   .order = (enum profile_order)(rand() % 4)};
			bad = same(tree) ? 0 : round;
		}
		process_tree_free(tree);
		recording_close(r);
	}
	CHECK_INT(bad, 0);
	unlink(path);
	rmdir(dir);
}

static void test_names(void)
{
	for (size_t i = 0; i < COUNT(names); i++) {
		cleanup_buf struct buf name = BUF_INIT, line = BUF_INIT;
		struct tree_node node = {.n_commands = 2};

		buf_printf(&line, "first one%c", 0);
		if (strchr(programs[i], '\''))
			buf_puts(&line, "'it'\\''s' -c x");
		else
			buf_printf(&line, "%s -c /x/y", programs[i]);
		node.commands = line;
		CHECK_INT(program_name(&name, &node), 0);
		CHECK_STR(name.data, names[i]);
	}
}

/* The columns, once something is known for them. */
static void test_columns(void)
{
	static const char lines[] =
		"{\"pid\":1,\"ppid\":9,\"depth\":0,\"time\":1,\"argv\":[\"make\"],\"status\":2,\"duration\":9}\n"
		"{\"pid\":2,\"ppid\":1,\"depth\":1,\"time\":2,\"argv\":[\"cc\",\"a\"],\"status\":0,\"duration\":1}\n"
		"{\"pid\":3,\"ppid\":1,\"depth\":1,\"time\":3,\"argv\":[\"cc\",\"b\"],\"status\":0,\"duration\":2}\n"
		"{\"pid\":4,\"ppid\":1,\"depth\":1,\"time\":5,\"argv\":[\"cc\",\"c\"],\"status\":0,\"duration\":3}\n";
	char dir[] = "/tmp/exectrace-profile-XXXXXX", path[256];
	struct profile_options fold = {.fold = true};
	struct process_tree *tree = NULL;
	struct profile *p = NULL;
	struct page page = {0};
	struct profile_view view = {.page = &page, .wide = true};
	struct recording *r;

	if (!CHECK(mkdtemp(dir)))
		return;
	snprintf(path, sizeof(path), "%s/execs.jsonl", dir);
	CHECK_INT(sample_write_text(path, lines), 0);
	r = sample_dir_open(dir, NULL);
	CHECK_INT(process_tree_new(&tree, r, NULL, NULL), 0);
	for (const struct tree_node *node = process_tree_first(tree); node; node = process_tree_next(node))
		if (node->pid > 1)
			((struct tree_node *)node)->end.usage = (struct exec_usage){.cpu = true,
			                                                            .user = 100000000,
			                                                            .system = 1000000 * node->pid,
			                                                            .peak = 1048576 * node->pid,
			                                                            .io = true,
			                                                            .read = 1000 * node->pid,
			                                                            .written = node->pid};
	CHECK_INT(profile_new(&p, tree, &fold), 0);
	view.start = process_tree_start(tree);
	CHECK_INT(profile_show_tree(&view, p), 0);
	CHECK_STR(page.text.data,
	          " Time    CPU   Peak   Read  Written  Start  Status  Process\n"
	          "9.00s                                  0ns  exit 2  make  [1]\n"
	          "6.00s  309ms  4.00M  8.79K        9  1.00s          └── cc ...  x 3, 1.00s to 3.00s\n");
	buf_release(&page.text);
	profile_free(p);
	process_tree_free(tree);
	recording_close(r);
	unlink(path);
	rmdir(dir);
}

/* A critical chain: the child that ended last before the parent went on. */
static void test_chain(void)
{
	static const char lines[] =
		"{\"pid\":1,\"ppid\":9,\"depth\":0,\"time\":1.0,\"argv\":[\"make\"],\"status\":0,\"duration\":10.0}\n"
		"{\"pid\":2,\"ppid\":1,\"depth\":1,\"time\":2.0,\"argv\":[\"a\"],\"status\":0,\"duration\":1.0}\n"
		"{\"pid\":3,\"ppid\":1,\"depth\":1,\"time\":2.1,\"argv\":[\"b\"],\"status\":0,\"duration\":3.0}\n"
		"{\"pid\":4,\"ppid\":3,\"depth\":2,\"time\":2.2,\"argv\":[\"c\"],\"status\":0,\"duration\":0.5}\n"
		"{\"pid\":5,\"ppid\":1,\"depth\":1,\"time\":6.0,\"argv\":[\"d\"],\"status\":0,\"duration\":4.0}\n"
		"{\"pid\":6,\"ppid\":1,\"depth\":1,\"time\":6.5,\"argv\":[\"e\"],\"status\":0,\"duration\":2.0}\n"
		"{\"pid\":7,\"ppid\":1,\"depth\":1,\"time\":3.0,\"argv\":[\"x\"],\"status\":0,\"duration\":99.0}\n";
	char dir[] = "/tmp/exectrace-profile-XXXXXX", path[256];
	struct profile_options critical = {.critical = true};
	cleanup_buf struct buf got = BUF_INIT;
	struct process_tree *tree = NULL;
	struct profile *p = NULL;
	struct recording *r;

	if (!CHECK(mkdtemp(dir)))
		return;
	snprintf(path, sizeof(path), "%s/execs.jsonl", dir);
	CHECK_INT(sample_write_text(path, lines), 0);
	r = sample_dir_open(dir, NULL);
	CHECK_INT(process_tree_new(&tree, r, NULL, NULL), 0);
	CHECK_INT(profile_new(&p, tree, &critical), 0);
	for (const struct profile_row *row = profile_first(p); row; row = profile_next(row))
		buf_printf(&got, "%u ", row->node->pid);
	CHECK_STR(got.data, "1 3 4 5 ");
	profile_free(p);
	process_tree_free(tree);
	recording_close(r);
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	test_random();
	test_names();
	test_columns();
	test_chain();
	return TAP_DONE();
}
