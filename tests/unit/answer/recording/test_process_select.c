/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/recording/process_select.h>

#include "sample_dir.h"
#include "tap.h"

#include <errno.h>

#define PROCESSES 24

/* Writes as words what a tree may be made of; no word is a part of another. */
static const char *const programs[] = {"alpha", "it's", "two words", "g\\u00fcn\\nx", "omega"};
/* The same as regular expressions find them, and as they stand in a command line. */
static const char *const found[] = {"^alpha$", "t's", "^two w", "n\nx", "^omega$"};

/* A random tree, and what has to be found in it. */
struct sample {
	unsigned parent[PROCESSES + 1];
	unsigned programs[PROCESSES + 1]; /* a bit for each that it executed */
};

static bool make(struct sample *s, const char *path)
{
	FILE *file = fopen(path, "w");

	if (!CHECK(file))
		return false;
	for (unsigned i = 1; i <= PROCESSES; i++) {
		int execs = 1 + rand() % 2;

		s->parent[i] = i == 1 ? 0 : 1 + (unsigned)rand() % (i - 1);
		s->programs[i] = 0;
		for (int n = 0; n < execs; n++) {
			unsigned program = (unsigned)rand() % COUNT(programs);

			s->programs[i] |= 1u << program;
			fprintf(file,
			        "{\"pid\":%u,\"ppid\":%u,\"depth\":%u,\"time\":%u.%u,\"argv\":[\"%s\"],\"status\":0,"
			        "\"duration\":%u}\n",
			        i, i == 1 ? 999 : s->parent[i], i > 1, i, n, programs[program], 2 * PROCESSES);
		}
	}
	return CHECK_INT(fclose(file), 0);
}

static bool oracle(const struct sample *s, const struct process_select *want, unsigned pid, int cmd, int under)
{
	bool named = !want->n_pids, below = under < 0;

	for (size_t i = 0; i < want->n_pids; i++)
		named |= want->pids[i] == pid;
	for (unsigned up = s->parent[pid]; up && !below; up = s->parent[up])
		below = s->programs[up] >> under & 1;
	return named && below && (cmd < 0 || s->programs[pid] >> cmd & 1);
}

static bool same(const struct sample *s, const struct process_tree *tree, const struct recording *r)
{
	int cmd = rand() % ((int)COUNT(programs) + 1) - 1, under = rand() % ((int)COUNT(programs) + 1) - 1;
	uint32_t pids[3] = {(uint32_t)rand() % PROCESSES, (uint32_t)rand() % PROCESSES, 1000};
	struct process_select select = {.pids = pids,
	                                .n_pids = rand() % 2 ? 3 : 0,
	                                .cmd = cmd < 0 ? NULL : found[cmd],
	                                .under = under < 0 ? NULL : found[under]};
	struct buf err = BUF_INIT;
	size_t chosen = 0;
	bool ok = process_select_begin(&select, tree, r, &err) == 0 && select.processes == PROCESSES;

	for (const struct tree_node *node = process_tree_first(tree); node && ok; node = process_tree_next(node)) {
		bool want = oracle(s, &select, node->pid, cmd, under);

		ok = process_selected(&select, node) == want;
		chosen += want;
	}
	ok = ok && select.chosen == chosen;
	process_select_release(&select);
	buf_release(&err);
	return ok;
}

static void test_random(void)
{
	char dir[] = "/tmp/exectrace-select-XXXXXX", path[256];
	bool ok = true;

	if (!CHECK(mkdtemp(dir)))
		return;
	snprintf(path, sizeof(path), "%s/execs.jsonl", dir);
	srand(7);
	for (int round = 0; round < 20 && ok; round++) {
		struct process_tree *tree = NULL;
		struct recording *r;
		struct sample s;

		if (!make(&s, path))
			break;
		r = sample_dir_open(dir, NULL);
		ok = process_tree_new(&tree, r, NULL, NULL) == 0;
		for (int i = 0; i < 30 && ok; i++)
			ok = same(&s, tree, r);
		process_tree_free(tree);
		recording_close(r);
	}
	CHECK(ok);
	unlink(path);
	rmdir(dir);
}

/* The pids of those that fit. */
static void check(const struct process_tree *tree, const struct recording *r, struct process_select select,
                  const char *want)
{
	struct buf out = BUF_INIT, err = BUF_INIT;

	CHECK_INT(process_select_begin(&select, tree, r, &err), 0);
	buf_puts(&out, "");
	for (const struct tree_node *node = process_tree_first(tree); node; node = process_tree_next(node))
		if (process_selected(&select, node))
			buf_printf(&out, "%u ", node->pid);
	CHECK_STR(out.len ? out.data : "", want);
	process_select_release(&select);
	buf_release(&out);
	buf_release(&err);
}

#define SELECT(...) ((struct process_select){__VA_ARGS__})

static void test_sample(void)
{
	char dir[] = "/tmp/exectrace-select-XXXXXX";
	struct process_select bad = {.under = "a("};
	struct process_tree *tree = NULL;
	uint32_t thread[] = {101}, both[] = {102, 200};
	struct recording *r;
	struct buf err = BUF_INIT, text = BUF_INIT;

	if (!sample_dir_make(dir))
		return;
	r = sample_dir_open(dir, NULL);
	CHECK_INT(process_tree_new(&tree, r, NULL, NULL), 0);
	check(tree, r, SELECT(.picked = true), "100 200 ");
	check(tree, r, SELECT(.picked = true, .cmd = "^sh -c a b$"), "200 ");
	check(tree, r, SELECT(.cmd = "^prog -l$"), "100 102 ");
	check(tree, r, SELECT(.under = "^prog"), "102 ");
	check(tree, r, SELECT(.under = "^make check$"), "100 102 200 ");
	check(tree, r, SELECT(.pids = thread, .n_pids = 1), "100 ");
	check(tree, r, SELECT(.pids = both, .n_pids = 2), "102 200 ");
	check(tree, r, SELECT(.pids = both, .n_pids = 2, .cmd = "x"), "");
	CHECK_INT(process_select_begin(&bad, tree, r, &err), -EINVAL);
	CHECK(err.data && strncmp(err.data, "--under='a(': ", 14) == 0);
	process_select_release(&bad);
	CHECK_INT(process_select_print(&text, &SELECT(.pids = both, .n_pids = 2, .cmd = "x", .picked = true)), 0);
	CHECK_STR(text.data, "--pid=102,200 --cmd='x' --picked");
	process_tree_free(tree);
	recording_close(r);
	sample_dir_remove(dir);
	buf_release(&err);
	buf_release(&text);
}

int main(void)
{
	test_random();
	test_sample();
	return TAP_DONE();
}
