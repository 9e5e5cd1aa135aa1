/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The analysis of a recording that somebody else wrote. The first byte chooses: the other bytes are a .xtr file, a
 * run.json or an execs.jsonl.
 */
#include <exectrace/analyze/call.h>
#include <exectrace/analyze/execs.h>
#include <exectrace/analyze/profile.h>
#include <exectrace/analyze/select.h>
#include <exectrace/analyze/summary.h>
#include <exectrace/analyze/tree.h>
#include <exectrace/base/fd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define CALLS_MAX 2000 /* looked at, so that one input does not take long */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* A file with these bytes under a name in `dir`. */
static int put(const char *dir, const char *name, const uint8_t *bytes, size_t n)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "we");
	if (!file)
		return -1;
	fwrite(bytes, 1, n, file);
	return fclose(file);
}

static void look(struct recording *r)
{
	struct call_select select = {.path = "/etc/x", .comm = "x*", .failed = true};
	struct summary *by_stack = summary_new(r, SUMMARY_STACK, 3), *by_process = summary_new(r, SUMMARY_PROCESS, 0);
	struct profile *p = profile_new(r, PROFILE_COMM | PROFILE_OBJECT | PROFILE_FUNCTION, PROFILE_TIME);
	const struct profile_entry *const *entries;
	const struct summary_row *rows;
	struct recorded_event event;
	struct buf text = BUF_INIT;
	size_t count = 0, at;

	while (recording_next(r, &event) == 1 && count < CALLS_MAX) {
		uint8_t type = event.record->type;

		(void)call_selected(&select, &event);
		if (type != DATA_SYSCALL && type != DATA_UNFINISHED)
			continue;
		count++;
		buf_reset(&text, 1 << 16);
		(void)call_print(&text, &event.record->syscall, type == DATA_UNFINISHED);
		if (summary_add(by_stack, &event) || summary_add(by_process, &event) || profile_add(p, &event))
			abort();
	}
	if (summary_rows(by_stack, SUMMARY_SORT_P99, &rows, &at) ||
	    summary_rows(by_process, SUMMARY_SORT_NAME, &rows, &at) || profile_entries(p, false, true, &entries, &at))
		abort();
	for (size_t i = 0; i < at && i < 50; i++) {
		struct profile_node *root;

		if (profile_graph(p, entries[i], i & 1, &root))
			abort();
		profile_graph_free(root);
	}
	summary_free(by_stack);
	summary_free(by_process);
	profile_free(p);
	buf_release(&text);
}

static void look_at_tree(const char *dir)
{
	struct process_tree *tree = NULL;
	struct recording *r = NULL;
	struct buf why = BUF_INIT;
	size_t nodes = 0;

	if (!recording_open(&r, dir, NULL, &why) && !process_tree_new(&tree, r, &why))
		for (const struct tree_node *node = process_tree_first(tree); node; node = process_tree_next(node))
			nodes += node->depth + 1;
	/* Not even a circle of parents makes it endless, or loses all of it. */
	if (tree && recording_processes(r) && !nodes)
		abort();
	process_tree_free(tree);
	recording_close(r);
	buf_release(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const char *const names[] = {"t.xtr", "run.json", "execs.jsonl"};
	const struct recording_options options = {.names = true};
	char dir[] = "/dev/shm/fuzz-analyze-XXXXXX", path[128];
	struct recording *r = NULL;
	struct buf why = BUF_INIT;

	if (!n || !mkdtemp(dir))
		return 0;
	if (!put(dir, names[bytes[0] % 3], bytes + 1, n - 1)) {
		if (!recording_open(&r, dir, &options, &why))
			look(r);
		recording_close(r);
		buf_release(&why);
		look_at_tree(dir);
	}
	snprintf(path, sizeof(path), "%s/%s", dir, names[bytes[0] % 3]);
	unlink(path);
	rmdir(dir);
	return 0;
}
