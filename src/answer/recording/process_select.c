/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/recording/process_select.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/quote.h>
#include <exectrace/target/match/pattern.h>
#include <string.h>

/* While all processes are asked. */
struct asking {
	struct process_select *select;
	const struct process_tree *tree;
	struct pattern *cmd, *under;
	bool *below; /* by index: an ancestor fits `under` */
	bool *named; /* by index: `pids` has it */
	struct buf line;
};

bool process_select_any(const struct process_select *select)
{
	return select->n_pids || select->cmd || select->under || select->picked;
}

static int compile(const char *option, const char *text, struct pattern **to, struct buf *err)
{
	cleanup_buf struct buf why = BUF_INIT;
	int rc = text ? pattern_regex_at(text, 0, to, &why) : 0;

	if (rc == -EINVAL && buf_printf(err, "--%s='%s': %s", option, text, why.data))
		rc = -ENOMEM;
	return rc;
}

/* Whether an expression finds something in one of the command lines. One that PCRE2 gives up on has not. */
static int finds(struct asking *a, const struct pattern *pattern, const struct tree_node *node, bool *found)
{
	const char *command = node->commands.data, *end = command + node->commands.len;

	*found = false;
	for (; command && command < end && !*found && !node->lost; command += strlen(command) + 1) {
		buf_reset(&a->line, SIZE_MAX);
		if (quote_shell_undo(&a->line, command))
			return -ENOMEM;
		*found = pattern_match(pattern, a->line.data, a->line.len) > 0;
	}
	return 0;
}

/* Nodes come in the order of printing: the parent was asked before. */
static int ask(struct asking *a, const struct tree_node *node)
{
	struct process_select *s = a->select;
	const struct tree_node *up = node->parent;
	bool found = true, fits = !node->lost;
	int rc = 0;

	if (a->under && up) {
		rc = finds(a, a->under, up, &found);
		a->below[node->index] = found || a->below[up->index];
	}
	fits &= (!a->under || a->below[node->index]) && (!s->picked || node->picked);
	fits &= !s->n_pids || a->named[node->index];
	if (!rc && fits && a->cmd) {
		rc = finds(a, a->cmd, node, &found);
		fits = found;
	}
	s->fits[node->index] = fits;
	s->processes += !node->lost;
	s->chosen += fits;
	return rc;
}

static bool has_pid(const struct process_select *s, uint32_t pid)
{
	for (size_t i = 0; i < s->n_pids; i++)
		if (s->pids[i] == pid)
			return true;
	return false;
}

static void name_pids(struct asking *a, const struct recording *r)
{
	for (const struct tree_node *node = process_tree_first(a->tree); node; node = process_tree_next(node))
		a->named[node->index] = has_pid(a->select, node->pid);
	for (size_t i = 0; i < recording_threads(r); i++) {
		const struct recorded_thread *thread = recording_thread(r, i);
		const struct tree_node *node = process_tree_node(a->tree, thread->process->number);

		if (node && has_pid(a->select, thread->tid))
			a->named[node->index] = true;
	}
}

static int ask_all(struct asking *a, const struct recording *r)
{
	size_t n = process_tree_size(a->tree) + 1;
	int rc = 0;

	a->below = calloc(n, sizeof(bool));
	a->named = calloc(n, sizeof(bool));
	a->select->fits = calloc(n, sizeof(bool));
	if (!a->below || !a->named || !a->select->fits)
		return -ENOMEM;
	if (a->select->n_pids)
		name_pids(a, r);
	for (const struct tree_node *node = process_tree_first(a->tree); node && !rc; node = process_tree_next(node))
		rc = ask(a, node);
	return rc;
}

int process_select_begin(struct process_select *select, const struct process_tree *tree, const struct recording *r,
                         struct buf *err)
{
	struct asking a = {.select = select, .tree = tree};
	int rc;

	process_select_release(select);
	select->processes = select->chosen = 0;
	rc = compile("cmd", select->cmd, &a.cmd, err);
	if (!rc)
		rc = compile("under", select->under, &a.under, err);
	if (!rc)
		rc = ask_all(&a, r);
	pattern_free(a.cmd);
	pattern_free(a.under);
	free(a.below);
	free(a.named);
	buf_release(&a.line);
	return rc;
}

bool process_selected(const struct process_select *select, const struct tree_node *node)
{
	return select->fits[node->index];
}

int process_select_print(struct buf *out, const struct process_select *select)
{
	const char *gap = "";

	for (size_t i = 0; i < select->n_pids; i++, gap = " ")
		buf_printf(out, "%s%u", i ? "," : "--pid=", select->pids[i]);
	if (select->cmd)
		buf_printf(out, "%s--cmd='%s'", gap, select->cmd);
	if (select->cmd)
		gap = " ";
	if (select->under)
		buf_printf(out, "%s--under='%s'", gap, select->under);
	if (select->under)
		gap = " ";
	if (select->picked)
		buf_printf(out, "%s--picked", gap);
	return out->err;
}

void process_select_release(struct process_select *select)
{
	free(select->fits);
	select->fits = NULL;
}
