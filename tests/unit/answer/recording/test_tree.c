/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/recording/tree.h>

#include "sample_dir.h"
#include "tap.h"

/* The tree of a recording in a directory, one process a line. */
static void check(const char *dir, const char *want)
{
	struct recording *r = sample_dir_open(dir, NULL);
	struct process_tree *tree = NULL;
	struct buf out = BUF_INIT;

	CHECK_INT(process_tree_new(&tree, r), 0);
	for (const struct tree_node *node = process_tree_first(tree); node; node = process_tree_next(node)) {
		buf_printf(&out, "%*s%u<%u ", (int)node->depth, "", node->pid, node->parent_pid);
		for (size_t i = 0; i < node->commands.len; i++)
			buf_putc(&out, node->commands.data[i] ? node->commands.data[i] : ';');
		buf_printf(&out, " %llu+%llu ", (unsigned long long)(node->start - process_tree_start(tree)) / 1000,
		           (unsigned long long)(node->end.when > node->start ? node->end.when - node->start : 0) /
		                   1000);
		exec_print_end(&out, &node->end);
		buf_printf(&out, "%s%s%s\n", node->picked ? " picked" : "", node->forked ? " forked" : "",
		           node->lost ? " lost" : "");
	}
	CHECK_STR(out.data, want);
	process_tree_free(tree);
	recording_close(r);
	buf_release(&out);
}

static void test_sample(void)
{
	char dir[] = "/tmp/exectrace-tree-XXXXXX", path[256];

	if (sample_dir_make(dir))
		check(dir, "90<80 make check; 0+20999 SIGSEGV (core)\n"
		           " 100<90 prog -l; 999+17000 exit 3 picked\n"
		           "  102<100 prog -l; 3999+12000 SIGKILL forked\n"
		           " 200<90 sh -c 'a b'; 2999+17000 exit 0 picked\n");
	snprintf(path, sizeof(path), "%s/execs.jsonl", dir);
	unlink(path);
	/* What was recorded says enough of itself. */
	check(dir, "100<90 prog -l; 0+17000 exit 3 picked\n"
	           " 102<100 prog -l; 3000+12000 SIGKILL forked\n"
	           "200<90 sh -c 'a b'; 2000+17000 exit 0 picked\n");
	sample_dir_remove(dir);
}

static void with_execs(const char *lines, const char *want)
{
	char dir[] = "/tmp/exectrace-tree-XXXXXX", path[256];

	if (!CHECK(mkdtemp(dir)))
		return;
	snprintf(path, sizeof(path), "%s/execs.jsonl", dir);
	CHECK_INT(sample_write_text(path, lines), 0);
	check(dir, want);
	unlink(path);
	rmdir(dir);
}

static void test_execs(void)
{
	/* Two programs in one process, lines in the order of their ends; a fork between two execs; a pid used again. */
	with_execs("{\"pid\":3,\"ppid\":2,\"depth\":2,\"time\":1.2,\"argv\":[\"c\"],\"status\":0,\"duration\":0.1}\n"
	           "{\"pid\":3,\"ppid\":1,\"depth\":1,\"time\":1.5,\"argv\":[\"d\"],\"status\":0,\"duration\":0.1}\n"
	           "{\"pid\":1,\"ppid\":9,\"depth\":0,\"time\":1.1,\"argv\":[\"b\"],\"status\":0,\"duration\":0.9}\n"
	           "{\"pid\":1,\"ppid\":9,\"depth\":0,\"time\":1.0,\"argv\":[\"a\"],\"status\":0,\"duration\":1.0}\n",
	           "1<9 a;b; 0+1000000 exit 0\n"
	           " 2<0  200000+0 running forked lost\n"
	           "  3<2 c; 200000+100000 exit 0\n"
	           " 3<1 d; 500000+100000 exit 0\n");
	/* One that has ended, nobody knows how nor when; from before there was the field, a duration says that. */
	with_execs(
		"{\"pid\":1,\"ppid\":9,\"depth\":0,\"time\":1.0,\"argv\":[\"a\"],\"status\":null,\"ended\":true}\n"
		"{\"pid\":2,\"ppid\":1,\"depth\":1,\"time\":1.0,\"argv\":[\"b\"],\"status\":null,\"ended\":false}\n"
		"{\"pid\":3,\"ppid\":1,\"depth\":1,\"time\":1.0,\"argv\":[\"c\"],\"status\":null,\"duration\":0.1}\n",
		"1<9 a; 0+0 ?\n"
		" 2<1 b; 0+0 running\n"
		" 3<1 c; 0+100000 ?\n");
	/* Processes that are each other's parents. */
	with_execs("{\"pid\":1,\"ppid\":2,\"depth\":1,\"time\":1.0,\"argv\":[\"a\"]}\n"
	           "{\"pid\":2,\"ppid\":1,\"depth\":1,\"time\":1.0,\"argv\":[\"b\"]}\n"
	           "{\"pid\":3,\"ppid\":3,\"depth\":1,\"time\":1.0,\"argv\":[\"c\"]}\n",
	           "1<2 a; 0+0 running\n"
	           " 2<1 b; 0+0 running\n"
	           "3<3 c; 0+0 running\n");
}

int main(void)
{
	test_sample();
	test_execs();
	return TAP_DONE();
}
