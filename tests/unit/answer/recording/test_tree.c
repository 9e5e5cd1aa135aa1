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

	CHECK_INT(process_tree_new(&tree, r, NULL, NULL), 0);
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

/* ... and what they used, each in a line. */
static void check_usage(const char *dir, const char *want)
{
	struct recording *r = sample_dir_open(dir, NULL);
	struct process_tree *tree = NULL;
	struct buf out = BUF_INIT;

	CHECK_INT(process_tree_new(&tree, r, NULL, NULL), 0);
	for (const struct tree_node *node = process_tree_first(tree); node; node = process_tree_next(node)) {
		const struct exec_usage *u = &node->end.usage;

		buf_printf(&out, "%u", node->pid);
		if (u->cpu)
			buf_printf(&out, " cpu %llu %llu", (unsigned long long)u->user, (unsigned long long)u->system);
		if (u->peak)
			buf_printf(&out, " peak %llu", (unsigned long long)u->peak);
		if (u->io)
			buf_printf(&out, " io %llu %llu", (unsigned long long)u->read, (unsigned long long)u->written);
		buf_putc(&out, '\n');
	}
	CHECK_STR(out.data, want);
	process_tree_free(tree);
	recording_close(r);
	buf_release(&out);
}

static void test_usage(void)
{
	static const char lines[] =
		"{\"pid\":7,\"ppid\":6,\"depth\":0,\"time\":1700000000.0,\"argv\":[\"a\"],\"status\":0,"
		"\"duration\":0.1,\"cpu_user\":1.5,\"cpu_system\":2.000000001,\"peak\":5,\"read\":6,\"written\":7}\n"
		"{\"pid\":6,\"time\":1700000000.0,\"argv\":[\"b\"],\"cpu_user\":1.5,\"peak\":-1,\"read\":-6,"
		"\"written\":7}\n"
		"{\"pid\":5,\"time\":1700000000.0,\"argv\":[\"c\"],\"cpu_user\":1.5,\"cpu_system\":2.000000001,"
		"\"peak\":\"x\",\"read\":6,\"written\":7}\n";
	static const struct data_event events[] = {
		{DATA_THREAD, BEGIN, .thread = {7, 7, 6, 0}},
		{DATA_THREAD, BEGIN + 1, .thread = {8, 8, 7, 17}},
		{DATA_THREAD, BEGIN + 2, .thread = {9, 9, 7, 17}},
		/* Only a fork; what is not flagged is not there. */
		{DATA_USAGE, BEGIN + 3, .usage = {8, DATA_USAGE_IO, 1, 2, 0, 3, 4}},
		{DATA_EXIT, BEGIN + 4, .exit = {8, 8, 0}},
		{DATA_USAGE, BEGIN + 5, .usage = {7, DATA_USAGE_CPU, 10, 20, 4096, 30, 40}},
		{DATA_EXIT, BEGIN + 6, .exit = {7, 7, 0}},
	};
	char dir[] = "/tmp/exectrace-tree-XXXXXX", path[256];

	if (!CHECK(mkdtemp(dir)))
		return;
	snprintf(path, sizeof(path), "%s/trace-1-7.xtr", dir);
	CHECK_INT(sample_write_events(path, 7, events, COUNT(events)), 0);
	check_usage(dir, "7 cpu 10 20 peak 4096\n8 io 3 4\n9\n");
	/* What the tracer does not know, somebody else does. */
	snprintf(path, sizeof(path), "%s/execs.jsonl", dir);
	CHECK_INT(sample_write_text(path, lines), 0);
	check_usage(dir, "5 cpu 1500000000 2000000001 io 6 7\n6\n7 cpu 10 20 peak 4096 io 6 7\n8 io 3 4\n9\n");
	unlink(path);
	snprintf(path, sizeof(path), "%s/trace-1-7.xtr", dir);
	unlink(path);
	rmdir(dir);
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
	test_usage();
	return TAP_DONE();
}
