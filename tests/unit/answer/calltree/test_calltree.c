/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trees of call paths: small recordings with sums made by hand; what is around a function; what differs; two sides;
 * limits.
 */
#include <exectrace/answer/calltree/calldiff.h>

#include "guest_sample.h"

/* A tree of a recording given as text. */
struct world {
	struct guest guest;
	struct calltree *tree;
};

static bool make_of(struct world *w, const char *text, const struct functions_options *which, size_t nodes)
{
	static const struct functions_options all;
	struct buf why = BUF_INIT;
	struct replay *p = NULL;
	bool good;

	*w = (struct world){0};
	if (!guest_begin(&w->guest, DATA_CLOCK_INSTRUCTIONS, 0))
		return false;
	guest_add(&w->guest, text);
	w->tree = calltree_new();
	calltree_limit(w->tree, nodes, UINT32_MAX);
	good = guest_open_recording(&w->guest) &&
	       CHECK_INT(replay_new(&p, w->guest.recording, 0, &(struct replay_options){0}, &why), 0) &&
	       CHECK(w->tree) && CHECK_INT(calltree_replay(w->tree, p, which ? which : &all), 0) &&
	       CHECK_INT(calltree_finish(w->tree), 0);
	replay_free(p);
	buf_release(&why);
	return good;
}

static bool make(struct world *w, const char *text, const struct functions_options *which)
{
	return make_of(w, text, which, CALLTREE_PATHS);
}

static void done(struct world *w)
{
	calltree_free(w->tree);
	guest_end(&w->guest);
}

/* Adds "a 1 20 5 (b 2 15 15)" for each child of a node: calls, time, own time, and its children. */
static void describe(const struct calltree *t, uint32_t parent, struct buf *out)
{
	size_t n;
	const struct calltree_node *nodes = calltree_nodes(t, &n);
	const struct calltree_function *functions = calltree_functions(t, &n);

	for (uint32_t i = nodes[parent].child; i; i = nodes[i].sibling) {
		const struct calltree_weight *w = &nodes[i].sides[0];

		buf_printf(out, "%s%s %llu %llu %llu", i == nodes[parent].child ? "" : ", ",
		           functions[nodes[i].function].name, (unsigned long long)w->count,
		           (unsigned long long)w->total, (unsigned long long)w->self);
		if (!nodes[i].child)
			continue;
		buf_puts(out, " (");
		describe(t, i, out);
		buf_putc(out, ')');
	}
}

static void check_tree(const struct calltree *t, const char *want)
{
	struct buf got = BUF_INIT;

	describe(t, CALLTREE_ROOT, &got);
	CHECK_STR(got.len ? got.data : "", want);
	buf_release(&got);
}

static const struct calltree_weight *function(const struct calltree *t, const char *name)
{
	static const struct calltree_weight none;
	size_t n;
	const struct calltree_function *functions = calltree_functions(t, &n);

	for (size_t i = 0; i < n; i++)
		if (strcmp(functions[i].name, name) == 0)
			return &functions[i].sides[0];
	return &none;
}

static void test_paths(void)
{
	struct world w;

	/* b is called from a twice and from c once. */
	if (make(&w, "S1/0@0 Ca@0 Cb@5 R@10 Cb@12 R@22 R@30 Cc@30 Cb@32 R@33 R@40", NULL)) {
		check_tree(w.tree, "a 1 30 15 (b 2 15 15), c 1 10 9 (b 1 1 1)");
		CHECK_INT(function(w.tree, "b")->count, 3);
		CHECK_INT(function(w.tree, "b")->total, 16);
		CHECK_INT(calltree_total(w.tree, 0), 40);
	}
	done(&w);
}

/* A function within itself: its time counts once. */
static void test_recursion(void)
{
	struct world w;

	if (make(&w, "S1/0@0 Ca@0 Cb@2 Ca@4 R@8 R@9 R@10", NULL)) {
		check_tree(w.tree, "a 1 10 3 (b 1 7 3 (a 1 4 4))");
		CHECK_INT(function(w.tree, "a")->count, 2);
		CHECK_INT(function(w.tree, "a")->total, 10);
		CHECK_INT(function(w.tree, "a")->self, 7);
	}
	done(&w);
}

/* An interrupt is nobody's callee, and a task that does not run has no time. */
static void test_interruptions(void)
{
	const struct functions_options none = {.irq = FUNCTIONS_IRQ_NO}, only = {.irq = FUNCTIONS_IRQ_ONLY};
	const char *irq = "S1/0@0 Ca@0 Ii@5 Ch@6 R@8 X@9 R@20";
	struct world w;

	if (make(&w, irq, NULL))
		check_tree(w.tree, "a 1 16 16, i 1 4 2 (h 1 2 2)");
	done(&w);
	if (make(&w, irq, &none))
		check_tree(w.tree, "a 1 16 16");
	done(&w);
	if (make(&w, irq, &only))
		check_tree(w.tree, "i 1 4 2 (h 1 2 2)");
	done(&w);
	if (make(&w, "S1/0@0 Ca@0 Cs@5 S2/0@10 Cb@10 R@90 S1/0@90 R@95 R@100", NULL))
		check_tree(w.tree, "b 1 80 80, a 1 20 10 (s 1 10 10)");
	done(&w);
}

static void test_selection(void)
{
	const struct functions_options task = {.task = "sh"}, under = {.under = "b"};
	struct world w;

	if (make(&w, "S1/0@0 P1=7:sh@0 P2=8:ls@0 Ca@0 S2/0@10 Cb@10 R@20 S1/0@20 R@30", &task))
		check_tree(w.tree, "a 1 20 20");
	done(&w);
	if (make(&w, "S1/0@0 Ca@0 Cb@1 Cc@2 R@5 R@6 Cd@7 R@8 R@9", &under))
		check_tree(w.tree, "b 1 5 2 (c 1 3 3)");
	done(&w);
}

static void check_graph(const struct world *w, const char *name, enum calltree_graph what, unsigned depth,
                        const char *want)
{
	size_t n;
	const struct calltree_function *functions = calltree_functions(w->tree, &n);
	uint32_t wanted = 0;
	struct calltree *graph;

	for (uint32_t i = 1; i < n; i++)
		if (strcmp(functions[i].name, name) == 0)
			wanted = i;
	graph = calltree_graph(w->tree, &wanted, 1, what, depth);
	if (CHECK(graph))
		check_tree(graph, want);
	calltree_free(graph);
}

static void test_graph(void)
{
	struct world w;

	if (make(&w, "S1/0@0 Ca@0 Cb@5 Cd@6 R@8 R@10 Cb@12 R@22 R@30 Cc@30 Cb@32 Cd@32 R@33 R@33 R@40", NULL)) {
		check_graph(&w, "b", CALLTREE_CALLERS, 9, "b 3 16 13 (a 2 15 13, c 1 1 0)");
		check_graph(&w, "b", CALLTREE_CALLEES, 9, "b 3 16 13 (d 2 3 3)");
		check_graph(&w, "d", CALLTREE_CALLERS, 1, "d 2 3 3 (b 2 3 3)");
		check_graph(&w, "d", CALLTREE_CALLERS, 0, "d 2 3 3");
		check_graph(&w, "a", CALLTREE_CALLEES, 1, "a 1 30 15 (b 2 15 13)");
	}
	done(&w);
	/* The inner call is counted, and is its own caller; what it called is in the outer one already. */
	if (make(&w, "S1/0@0 Ca@0 Cb@2 Ca@4 Cd@5 R@6 R@8 R@9 R@10", NULL)) {
		check_graph(&w, "a", CALLTREE_CALLERS, 9, "a 2 10 6 (b 1 0 3 (a 1 0 3))");
		check_graph(&w, "a", CALLTREE_CALLEES, 9, "a 2 10 6 (b 1 7 3 (a 1 4 3 (d 1 1 1)))");
		/* What ran under the inner call is the inner one's alone: 6 ran in the outer call and b. */
		check_graph(&w, "a", CALLTREE_INNERMOST, 9, "a 2 10 6 (b 1 4 3 (a 1 4 3))");
	}
	done(&w);
}

/* --- Differences ---------------------------------------------------------------------------------------------------
 */

static void check_rows(const struct calldiff_row *rows, size_t n, const char *want)
{
	struct buf got = BUF_INIT;

	for (size_t i = 0; i < n; i++)
		buf_printf(&got, "%s%s %llu-%llu %llu-%llu", i ? ", " : "", rows[i].name,
		           (unsigned long long)rows[i].sides[0].count, (unsigned long long)rows[i].sides[1].count,
		           (unsigned long long)rows[i].sides[0].self, (unsigned long long)rows[i].sides[1].self);
	CHECK_STR(got.len ? got.data : "", want);
	buf_release(&got);
}

static void check_diff(const char *a, const char *b, uint64_t least, const char *functions, const char *paths)
{
	struct world one, two;
	const struct calldiff_row *rows;
	struct calldiff *d = NULL;
	size_t n;

	if (make(&one, a, NULL) && make(&two, b, NULL) && CHECK(d = calldiff_new(one.tree, two.tree))) {
		if (CHECK_INT(calldiff_functions(d, least, &rows, &n), 0))
			check_rows(rows, n, functions);
		if (CHECK_INT(calldiff_paths(d, least, &rows, &n), 0))
			check_rows(rows, n, paths);
	}
	calldiff_free(d);
	done(&one);
	done(&two);
}

static void test_diff(void)
{
	const char *a = "S1/0@0 Ca@0 Cb@5 R@10 R@30 Cc@30 Cb@32 R@33 R@40";

	check_diff(a, a, 0, "", "");
	check_diff(a, a, 1, "", "");
	/* The call of b from c takes 50 more; a is new somewhere else, d is new, e is gone. */
	check_diff(a, "S1/0@0 Ca@0 Cb@5 R@10 R@30 Cc@30 Cb@32 R@83 R@90", 1, "b 2-2 6-56", "b 1-1 1-51");
	check_diff(a, "S1/0@0 Ca@0 Cb@5 R@10 Cd@10 R@30 R@30 Cc@30 Cb@32 R@33 R@40", 1, "d 0-1 0-20, a 1-1 25-5",
	           "d 0-1 0-20, a 1-1 25-5");
	check_diff("S1/0@0 Ca@0 Ce@1 Cb@2 R@9 R@9 R@10", "S1/0@0 Ca@0 R@10", 2, "a 1-1 2-10, b 1-0 7-0",
	           "a 1-1 2-10, b 1-0 7-0");
	/* The same own times on other paths. */
	check_diff("S1/0@0 Ca@0 Cb@0 R@9 R@10 Cc@10 R@11", "S1/0@0 Ca@0 R@1 Cc@1 Cb@1 R@10 R@11", 1, "",
	           "b 0-1 0-9, b 1-0 9-0");
	/* Only counts differ. */
	check_diff("S1/0@0 Ca@0 R@4", "S1/0@0 Ca@0 R@2 Ca@2 R@4", 0, "a 1-2 4-4", "a 1-2 4-4");
	check_diff("S1/0@0 Ca@0 R@4", "S1/0@0 Ca@0 R@2 Ca@2 R@4", 1, "", "");
}

/* --- By hand -------------------------------------------------------------------------------------------------------
 */

static void weigh(struct calltree *t, uint32_t node, unsigned side, uint64_t self, uint64_t count)
{
	size_t n;
	struct calltree_weight *weight = &calltree_nodes(t, &n)[node].sides[side];

	weight->self += self;
	weight->count += count;
}

static const struct calltree_weight *at(const struct calltree *t, uint32_t node, unsigned side)
{
	size_t n;

	return &calltree_nodes(t, &n)[node].sides[side];
}

static void test_sides(void)
{
	struct calltree *t = calltree_new();
	uint32_t f = calltree_function(t, "f", "m", ""), g = calltree_function(t, "f", "n", "");
	uint32_t first = calltree_child(t, CALLTREE_ROOT, f), ff = calltree_child(t, first, f);
	uint32_t fg = calltree_child(t, first, g), gf = calltree_child(t, calltree_child(t, CALLTREE_ROOT, g), f);
	size_t n;

	CHECK(f == 1 && g == 2);
	CHECK_INT(calltree_function(t, "f", "m", ""), f);
	CHECK_INT(calltree_function(t, "f", "m", "thread"), 3);
	CHECK_STR(calltree_functions(t, &n)[g].module, "n");
	CHECK(ff != fg && fg != gf && ff != gf);
	CHECK_INT(calltree_child(t, first, g), fg);
	(void)calltree_nodes(t, &n);
	CHECK_INT(n, 6);
	weigh(t, fg, 0, 10, 1);
	weigh(t, ff, 0, 5, 2);
	weigh(t, ff, 1, 7, 3);
	weigh(t, gf, 1, 100, 4);
	calltree_sum(t, false);
	calltree_sum(t, false);
	CHECK_INT(at(t, first, 0)->total, 15);
	CHECK_INT(at(t, first, 1)->total, 7);
	CHECK_INT(at(t, ff, 1)->count, 3);
	CHECK_INT(at(t, CALLTREE_ROOT, 0)->total, 15);
	CHECK_INT(at(t, CALLTREE_ROOT, 1)->total, 107);
	CHECK_INT(at(t, CALLTREE_ROOT, 1)->count, 0);
	CHECK_INT(calltree_depth(t, fg), 2);
	calltree_sum(t, true);
	CHECK_INT(at(t, CALLTREE_ROOT, 1)->count, 7);
	calltree_free(t);
	calltree_free(NULL);
}

/* Recursion without end is of one depth at some point, and there are not too many nodes; nothing is lost. */
static void test_limits(void)
{
	struct calltree *t = calltree_new();
	uint32_t node = CALLTREE_ROOT;
	size_t n;

	calltree_limit(t, 300, 200);
	for (unsigned i = 0; i < 2000; i++) {
		node = calltree_child(t, node, calltree_function(t, "f", "", ""));
		weigh(t, node, 0, 1, 1);
	}
	CHECK_INT(calltree_depth(t, node), 200);
	CHECK_INT(calltree_cut(t), 1800);
	for (uint32_t i = 1000; i < 2000; i++)
		weigh(t, calltree_child(t, node - 1, i), 0, 1, 1);
	(void)calltree_nodes(t, &n);
	CHECK_INT(n, 300);
	/* That of the root may be one too many. */
	CHECK_INT(calltree_child(t, CALLTREE_ROOT, 5000), 300);
	calltree_sum(t, false);
	CHECK_INT(at(t, CALLTREE_ROOT, 0)->total, 3000);
	calltree_free(t);
}

/* The calls for which there is no room are in their callers' times, once. */
static void test_no_room(void)
{
	struct world w;

	if (make_of(&w, "S1/0@0 Ca@0 Cb@2 Cc@4 R@8 R@9 R@10 Cd@10 R@12", NULL, 2)) {
		check_tree(w.tree, "a 1 10 10, d 1 2 2");
		CHECK_INT(calltree_cut(w.tree), 2);
	}
	done(&w);
}

/* Many paths are found again after the table has grown. */
static void test_many(void)
{
	struct calltree *t = calltree_new();
	uint32_t bad = 0;
	size_t n;

	for (unsigned again = 0; again < 2; again++)
		for (uint32_t i = 1; i <= 300; i++)
			for (uint32_t j = 1; j <= 300; j++) {
				uint32_t node = calltree_child(t, calltree_child(t, CALLTREE_ROOT, i), j);
				const struct calltree_node *nodes = calltree_nodes(t, &n);

				bad += nodes[node].function != j || nodes[nodes[node].parent].function != i;
			}
	CHECK_INT(bad, 0);
	CHECK_INT(n, 1 + 300 + 300 * 300);
	calltree_free(t);
}

/* What an interrupt interrupted stands above it, without weight; its own calls have none of the interrupt's time. */
static void test_interrupted(void)
{
	static const char text[] =
		"P1=1:one@0 P2=0:[irq]@0 S1/0@0 Ca@0 Cb@10 Ik@20 S2/0@25 Cl@30 R@40 S1/0@45 X@50 Ck@60 R@70 "
		"R@80 R@90 Ik@95 X@97";
	struct world w;

	if (make(&w, text, &(struct functions_options){.interrupted = true}))
		check_tree(w.tree, "a 1 60 20 (b 1 40 30 (k 1 10 10)), k 1 2 2, "
		                   "a 0 0 0 (b 0 0 0 (k 1 10 10, k 0 0 0 (l 1 10 10)))");
	done(&w);
	if (make(&w, text, NULL))
		check_tree(w.tree, "a 1 60 20 (b 1 40 30 (k 1 10 10)), k 2 12 12, l 1 10 10");
	done(&w);
}

int main(void)
{
	test_paths();
	test_recursion();
	test_interruptions();
	test_selection();
	test_graph();
	test_diff();
	test_sides();
	test_limits();
	test_no_room();
	test_many();
	test_interrupted();
	return tap_done();
}
