/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trees of the stacks of system calls: by what functions are told apart, sums, and what is around a function. */
#include <exectrace/answer/calltree/calltree.h>

#include "sample_dir.h"
#include "tap.h"

static char dir[] = "/tmp/exectrace-stacks-XXXXXX";

struct world {
	struct recording *recording;
	struct calltree *tree;
	struct calltree_stacks *stacks;
};

static struct world open_sample(unsigned keys, bool number)
{
	const struct recording_options by_files = {.names = true, .by_files = true};
	const struct calltree_stacks_options options = {.event = SELECT_CALLS,
	                                                .keys = keys,
	                                                .calls = "[kernel]",
	                                                .unknown = "[unknown]",
	                                                .number = number};
	struct world w = {.recording = sample_dir_open(dir, &by_files), .tree = calltree_new()};
	struct recorded_event event;

	w.stacks = calltree_stacks_new(w.tree, w.recording, &options);
	while (recording_next(w.recording, &event) == 1)
		CHECK(!calltree_stacks_add(w.stacks, &event));
	calltree_sum(w.tree, false);
	CHECK_INT(calltree_finish(w.tree), 0);
	return w;
}

static void done(struct world *w)
{
	calltree_stacks_free(w->stacks);
	calltree_free(w->tree);
	recording_close(w->recording);
}

static int by_weight(const void *a, const void *b)
{
	const struct calltree_function *one = *(const struct calltree_function *const *)a;
	const struct calltree_function *two = *(const struct calltree_function *const *)b;

	if (one->sides[0].total != two->sides[0].total)
		return one->sides[0].total > two->sides[0].total ? -1 : 1;
	return strcmp(one->name, two->name) ? strcmp(one->name, two->name) : strcmp(one->module, two->module);
}

static void check(unsigned keys, bool number, const char *want)
{
	struct world w = open_sample(keys, number);
	struct buf out = BUF_INIT;
	const struct calltree_function *all[64];
	size_t n;
	const struct calltree_function *f = calltree_functions(w.tree, &n);

	for (size_t i = 0; i < n && i < 64; i++)
		all[i] = &f[i];
	qsort(all, n, sizeof(*all), by_weight);
	/* The last one is the root's. */
	for (size_t i = 0; i + 1 < n; i++)
		buf_printf(&out, "%llu %llu %s|%s|%s%s\n", (unsigned long long)all[i]->sides[0].total,
		           (unsigned long long)all[i]->sides[0].self, all[i]->comm, all[i]->module, all[i]->name,
		           all[i]->kernel ? "!" : "");
	CHECK_STR(out.data, want);
	buf_release(&out);
	done(&w);
}

static void test_functions(void)
{
	check(CALLTREE_NAME, true,
	      "2 2 ||[openat]!\n2 0 ||__libc_start_main\n2 0 ||main\n2 0 ||write\n1 0 ||0x7e0000000123\n"
	      "1 0 ||0x7f0000009000\n1 1 ||[close]!\n1 1 ||[exit_group]!\n1 1 ||[getpid]!\n1 1 ||[write]!\n"
	      "1 0 ||pool::work\n");
	check(CALLTREE_MODULE, false,
	      "11000500 11000500 |[kernel]|!\n4000000 0 |[unknown]|\n4000000 0 |libc.so.6|\n4000000 0 |prog|\n");
	check(CALLTREE_COMM, false, "11000000 11000000 prog||!\n500 500 sh||!\n");
}

static void print_tree(struct buf *out, const struct calltree *t, uint32_t node, int depth)
{
	size_t n;
	const struct calltree_node *nodes = calltree_nodes(t, &n);
	const struct calltree_function *f = calltree_functions(t, &n);

	for (node = nodes[node].child; node; node = nodes[node].sibling) {
		if (!nodes[node].sides[0].total)
			continue;
		buf_printf(out, "%*s%s %llu\n", depth, "", f[nodes[node].function].name,
		           (unsigned long long)nodes[node].sides[0].total / 1000);
		print_tree(out, t, node, depth + 1);
	}
}

static void check_graph(const char *function, bool callers, const char *want)
{
	struct world w = open_sample(CALLTREE_NAME, false);
	struct calltree *graph = NULL;
	struct buf out = BUF_INIT;
	size_t n = 0;
	const struct calltree_function *f = calltree_functions(w.tree, &n);

	for (uint32_t i = 1; i < n; i++)
		if (!strcmp(f[i].name, function))
			CHECK(graph = calltree_graph(w.tree, &i, 1, callers ? CALLTREE_INNERMOST : CALLTREE_CALLEES,
			                             99));
	if (graph)
		print_tree(&out, graph, CALLTREE_ROOT, 0);
	CHECK_STR(out.data, want);
	calltree_free(graph);
	buf_release(&out);
	done(&w);
}

static void test_graphs(void)
{
	check_graph("main", false,
	            "main 4000\n pool::work 3000\n  pool::work 3000\n   write 3000\n    [write] 3000\n write 1000\n"
	            "  [openat] 1000\n");
	check_graph("[openat]", true,
	            "[openat] 5000\n 0x7e0000000123 4000\n  0x7f0000009000 4000\n write 1000\n  main 1000\n"
	            "   __libc_start_main 1000\n");
	/* A function that calls itself: from the outermost visit down, from the innermost one up. */
	check_graph("pool::work", false, "pool::work 3000\n pool::work 3000\n  write 3000\n   [write] 3000\n");
	check_graph("pool::work", true, "pool::work 3000\n pool::work 3000\n  main 3000\n   __libc_start_main 3000\n");
}

static void test_totals(void)
{
	struct world w = open_sample(CALLTREE_NAME, false);
	const struct calltree_stacks_sum *sum = calltree_stacks_sum(w.stacks);

	CHECK_INT(sum->weight, 11 * MS + 500);
	CHECK_INT(calltree_total(w.tree, 0), 11 * MS + 500);
	CHECK_INT(sum->calls, 6);
	CHECK_INT(sum->stacked, 3);
	CHECK_INT(sum->samples, 0);
	done(&w);
}

int main(void)
{
	if (sample_dir_make(dir)) {
		test_functions();
		test_graphs();
		test_totals();
	}
	sample_dir_remove(dir);
	return TAP_DONE();
}
