/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/sets/facts.h>

#include <ctype.h>
#include <errno.h>
#include <exectrace/answer/processes/profile.h>
#include <exectrace/answer/recording/program.h>
#include <exectrace/base/cleanup.h>
#include <string.h>

#define NUMBER 4 /* digits of a number that means nothing */

/* --- Names -------------------------------------------------------------------------------------------------------- */

/* Whether a character may go on with a name of a file. */
static bool goes_on(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_-.+~", c));
}

/* Bytes of the directory's name that begins at `at`, in a line from `start` on; 0: it does not. */
static size_t directory_at(const char *start, const char *at, const char *dir)
{
	size_t n = strlen(dir);

	if (n < 2 || strncmp(at, dir, n) != 0 || goes_on(at[n]) || (at > start && goes_on(at[-1])))
		return 0;
	return n;
}

int facts_name(struct buf *out, const char *name, const char *dir)
{
	const char *start = name;

	while (*name) {
		size_t n = directory_at(start, name, dir);
		size_t digits = strspn(name, "0123456789");

		if (digits >= NUMBER) {
			buf_putc(out, '#');
			name += digits;
		} else if (digits) {
			buf_append(out, name, digits);
			name += digits;
		} else if (n) {
			buf_putc(out, '.');
			name += n;
		} else if (strncmp(name, "/tmp/", 5) == 0) {
			buf_puts(out, "/tmp/?");
			name += 5 + strcspn(name + 5, "/ '\"");
		} else {
			buf_putc(out, *name++);
		}
	}
	return out->err;
}

static const char *directory_of(const struct recording *r)
{
	const struct recorded_run *run = recording_run(r);

	return run ? run->cwd : "";
}

static int add_named(struct measures *m, enum measure_kind kind, const char *name, const char *more)
{
	return measures_add(m, kind, name, more, 0, 1);
}

/* --- Processes ---------------------------------------------------------------------------------------------------- */

/* What people call it, and how it ended. */
static int add_end(struct measures *m, const struct tree_node *node)
{
	cleanup_buf struct buf name = BUF_INIT, end = BUF_INIT;

	if (program_name(&name, node) || exec_print_end(&end, &node->end))
		return -ENOMEM;
	return add_named(m, MEASURE_END, name.data, end.data);
}

static int add_command(struct measures *m, const struct tree_node *node, const char *dir)
{
	cleanup_buf struct buf name = BUF_INIT;
	int rc = facts_name(&name, program_command(node), dir);

	return rc ? rc : add_named(m, MEASURE_COMMAND, name.data ? name.data : "", "");
}

static int add_outcome(struct measures *m, const struct exec_end *end)
{
	cleanup_buf struct buf text = BUF_INIT;
	int rc = exec_print_end(&text, end);

	return rc ? rc : add_named(m, MEASURE_OUTCOME, text.data, "");
}

/* A run of which run.json tells nothing is its first process. */
static int add_run(struct measures *m, const struct process_tree *tree, const struct recorded_run *run)
{
	const struct tree_node *top = process_tree_first(tree);
	struct exec_end end = {.known = run && run->ended, .wait_status = run ? run->status : 0, .ended = true};
	uint64_t time = 0;
	bool timed = run && run->end > run->start;
	int rc = 0;

	if (timed)
		time = run->end - run->start;
	else if (top)
		timed = profile_time(top, &time);
	if (timed)
		rc = measures_add(m, MEASURE_RUN, "elapsed", "ns", (double)time, 1);
	if (!rc && run && run->used)
		rc = measures_add(m, MEASURE_RUN, "processor time", "ns", (double)(run->cpu_user + run->cpu_system), 1);
	if (rc || (!end.known && !top))
		return rc;
	return add_outcome(m, end.known ? &end : &top->end);
}

int facts_add_processes(struct measures *m, const struct process_tree *tree, const struct recording *r)
{
	size_t processes = 0;
	int rc = add_run(m, tree, recording_run(r));

	for (const struct tree_node *node = process_tree_first(tree); node && !rc; node = process_tree_next(node)) {
		if (node->lost)
			continue;
		processes++;
		if (profile_failed(node))
			rc = add_end(m, node);
		if (!rc && !node->forked)
			rc = add_command(m, node, directory_of(r));
	}
	return rc || !processes ? rc : measures_add(m, MEASURE_RUN, "processes", "", (double)processes, 1);
}

/* --- Calls -------------------------------------------------------------------------------------------------------- */

int facts_add_errors(struct measures *m, struct summary *errors, const struct recording *r)
{
	const struct summary_row *rows;
	size_t n;
	int rc = summary_rows(errors, SUMMARY_SORT_NAME, &rows, &n);

	for (size_t i = 0; i < n && !rc; i++) {
		cleanup_buf struct buf name = BUF_INIT, path = BUF_INIT;

		rc = buf_printf(&name, "%s  %s", rows[i].call, rows[i].what);
		if (!rc)
			rc = facts_name(&path, rows[i].path, directory_of(r));
		if (!rc)
			rc = measures_add(m, MEASURE_ERROR, name.data, path.data ? path.data : "", 0, rows[i].count);
	}
	return rc;
}

int facts_add_functions(struct measures *m, const struct calltree *tree)
{
	size_t n;
	const struct calltree_function *f = calltree_functions(tree, &n);
	int rc = 0;

	for (size_t i = 1; i < n && !rc; i++)
		if (f[i].sides[0].self)
			rc = measures_add(m, MEASURE_FUNCTION, f[i].name, f[i].module, (double)f[i].sides[0].self,
			                  f[i].sides[0].count);
	return rc;
}

int facts_add_paths(struct measures *m, const struct calltree *tree,
                    int (*path)(struct buf *out, const struct calltree *tree, uint32_t node, bool people))
{
	size_t n, functions;
	const struct calltree_node *nodes = calltree_nodes(tree, &n);
	const struct calltree_function *f = calltree_functions(tree, &functions);
	int rc = 0;

	for (uint32_t i = 1; i < n && !rc; i++) {
		cleanup_buf struct buf text = BUF_INIT;

		if (!nodes[i].sides[0].self)
			continue;
		rc = path(&text, tree, i, true);
		if (!rc)
			rc = measures_add(m, MEASURE_PATH, text.data, f[nodes[i].function].module,
			                  (double)nodes[i].sides[0].self, nodes[i].sides[0].count);
	}
	return rc;
}
