/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/analyze/profile.h>

#include "sample_dir.h"
#include "tap.h"

static char dir[] = "/tmp/exectrace-profile-XXXXXX";

static struct profile *profile_of(struct recording *r, unsigned keys, enum profile_weight weight)
{
	struct profile *p = profile_new(r, PROFILE_CALLS, keys, weight);
	struct recorded_event event;

	while (recording_next(r, &event) == 1)
		if (profile_add(p, &event))
			CHECK(!"profile_add");
	return p;
}

static struct recording *open_sample(void)
{
	const struct recording_options options = {.names = true, .by_files = true};

	return sample_dir_open(dir, &options);
}

static void check(unsigned keys, enum profile_weight weight, bool self, const char *want)
{
	struct recording *r = open_sample();
	struct profile *p = profile_of(r, keys, weight);
	const struct profile_entry *const *entries;
	struct buf out = BUF_INIT;
	size_t n = 0;

	CHECK_INT(profile_entries(p, self, false, &entries, &n), 0);
	for (size_t i = 0; i < n; i++)
		buf_printf(&out, "%llu %llu %s|%s|%s%s\n", (unsigned long long)entries[i]->children,
		           (unsigned long long)entries[i]->self, entries[i]->comm, entries[i]->object,
		           entries[i]->function, entries[i]->kernel ? "!" : "");
	CHECK_STR(out.data, want);
	buf_release(&out);
	profile_free(p);
	recording_close(r);
}

static void test_entries(void)
{
	check(PROFILE_FUNCTION, PROFILE_COUNT, false,
	      "2 2 ||[openat]!\n2 0 ||__libc_start_main\n2 0 ||main\n2 0 ||write\n1 0 ||0x7e0000000123\n"
	      "1 0 ||0x7f0000009000\n1 1 ||[close]!\n1 1 ||[exit_group]!\n1 1 ||[getpid]!\n1 1 ||[write]!\n"
	      "1 0 ||pool::work\n");
	check(PROFILE_OBJECT, PROFILE_TIME, false,
	      "11000500 11000500 |[kernel]|!\n4000000 0 |[unknown]|\n4000000 0 |libc.so.6|\n4000000 0 |prog|\n");
	check(PROFILE_COMM, PROFILE_TIME, true, "11000000 11000000 prog||!\n500 500 sh||!\n");
}

static void print_tree(struct buf *out, const struct profile_node *node, int depth)
{
	for (; node; node = node->sibling) {
		buf_printf(out, "%*s%s %llu\n", depth, "", node->entry->function,
		           (unsigned long long)node->weight / 1000);
		print_tree(out, node->child, depth + 1);
	}
}

static void check_graph(const char *function, bool callers, const char *want)
{
	struct recording *r = open_sample();
	struct profile *p = profile_of(r, PROFILE_FUNCTION, PROFILE_TIME);
	const struct profile_entry *const *entries;
	struct profile_node *root = NULL;
	struct buf out = BUF_INIT;
	size_t n = 0;

	CHECK_INT(profile_entries(p, false, true, &entries, &n), 0);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(entries[i]->function, function))
			CHECK_INT(profile_graph(p, entries[i], callers, &root), 0);
	print_tree(&out, root, 0);
	CHECK_STR(out.data, want);
	profile_graph_free(root);
	buf_release(&out);
	profile_free(p);
	recording_close(r);
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
	struct recording *r = open_sample();
	struct profile *p = profile_of(r, PROFILE_FUNCTION, PROFILE_TIME);

	CHECK_INT(profile_total(p), 11 * MS + 500);
	CHECK_INT(profile_count(p), 6);
	CHECK_INT(profile_stacked(p), 3);
	profile_free(p);
	recording_close(r);
}

int main(void)
{
	if (sample_dir_make(dir)) {
		test_entries();
		test_graphs();
		test_totals();
	}
	sample_dir_remove(dir);
	return TAP_DONE();
}
