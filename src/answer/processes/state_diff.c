/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/processes/state_diff.h>

#include <errno.h>
#include <exectrace/answer/output/cell.h>
#include <exectrace/answer/recording/process_select.h>
#include <exectrace/answer/recording/program.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND_MAX 100 /* bytes of a command line in a heading */

/* --- Lines ---------------------------------------------------------------------------------------------------------
 */

static bool begins(const char *line, const char *word)
{
	return strncmp(line, word, strlen(word)) == 0;
}

size_t state_key(const char *line)
{
	size_t word = strcspn(line, " ");
	size_t second = line[word] ? word + 1 + strcspn(line + word + 1, " ") : word;

	if (begins(line, "env "))
		return strcspn(line, "=");
	if (begins(line, "ns "))
		return strcspn(line, ":");
	return begins(line, "limit ") || begins(line, "fd ") || begins(line, "ignored ") || begins(line, "blocked ")
	               ? second
	               : word;
}

/* The order of keys: the command and the directory, then by name, descriptors by their numbers. */
static int compare_keys(const char *a, size_t n, const char *b, size_t m)
{
	bool head = begins(a, "command ") || begins(a, "directory "),
	     other = begins(b, "command ") || begins(b, "directory ");
	int order;

	if (head != other)
		return head ? -1 : 1;
	if (n != m && begins(a, "fd ") && begins(b, "fd "))
		return n < m ? -1 : 1;
	order = memcmp(a, b, n < m ? n : m);
	return order ? order : n < m ? -1 : n > m;
}

static int by_key(const void *a, const void *b)
{
	const char *one = *(char *const *)a, *two = *(char *const *)b;

	return compare_keys(one, state_key(one), two, state_key(two));
}

/* A line whose key is the same comes in the place of the one before. */
struct line {
	const char *text;
	size_t index;
};

static int by_key_and_index(const void *a, const void *b)
{
	const struct line *one = a, *two = b;
	int order = by_key(&one->text, &two->text);

	return order ? order : one->index < two->index ? -1 : 1;
}

/* Variables and descriptors that are gone have a key and nothing else. */
static int add_own(struct strv *all, const char *line)
{
	cleanup_buf struct buf key = BUF_INIT;

	if (!begins(line, "unset ") && !begins(line, "closed "))
		return strv_push(all, line);
	if (buf_printf(&key, "%s%s", *line == 'u' ? "env " : "fd ", strchr(line, ' ') + 1))
		return -ENOMEM;
	return strv_push(all, key.data);
}

static bool is_gone(const char *line)
{
	return (begins(line, "env ") || begins(line, "fd ")) && !line[state_key(line)];
}

static int last_of_each(struct strv *out, const struct strv *all)
{
	struct line *lines = calloc(all->n + 1, sizeof(*lines));
	int rc = lines ? 0 : -ENOMEM;

	for (size_t i = 0; i < all->n && !rc; i++)
		lines[i] = (struct line){all->items[i], i};
	if (!rc)
		qsort(lines, all->n, sizeof(*lines), by_key_and_index);
	for (size_t i = 0; i < all->n && !rc; i++)
		if ((i + 1 == all->n || by_key(&lines[i].text, &lines[i + 1].text) != 0) && !is_gone(lines[i].text))
			rc = strv_push(out, lines[i].text);
	free(lines);
	return rc;
}

int state_lines_join(struct strv *out, const struct strv *given, const struct strv *own)
{
	cleanup_strv struct strv all = STRV_INIT;
	int rc = 0;

	for (size_t i = 0; i < given->n && !rc; i++)
		if (!begins(given->items[i], "ns ") && !begins(given->items[i], "cgroup "))
			rc = strv_push(&all, given->items[i]);
	for (size_t i = 0; i < own->n && !rc; i++)
		rc = add_own(&all, own->items[i]);
	return rc ? rc : last_of_each(out, &all);
}

/* --- The process ---------------------------------------------------------------------------------------------------
 */

static int no_such(const struct state_side *side, const char *cmd, struct buf *err)
{
	if (!cmd)
		buf_printf(err, "%s: there are no processes in it", side->path);
	else if (!side->matches)
		buf_printf(err, "%s: no process matches '%s'", side->path, cmd);
	else
		buf_printf(err, "%s: only %zu process%s '%s'", side->path, side->matches,
		           side->matches == 1 ? " matches" : "es match", cmd);
	return err->err ? err->err : -ENOENT;
}

/* Those that have executed something, in the order of their starts. */
static void choose(struct state_side *side, const struct process_select *select)
{
	for (const struct tree_node *node = process_tree_first(side->tree); node; node = process_tree_next(node)) {
		if (node->lost || node->forked || !process_selected(select, node))
			continue;
		if (side->matches++ == side->which)
			side->node = node;
	}
}

static int add_line(struct strv *lines, const char *key, const char *text)
{
	cleanup_buf struct buf line = BUF_INIT;

	if (buf_printf(&line, "%s %s", key, text))
		return -ENOMEM;
	return strv_push(lines, line.data);
}

/* All that is known of its start. */
static int gather(struct state_side *side, struct buf *err)
{
	static const struct strv none;
	const struct recorded_run *run = recording_run(side->recording);
	const struct strv *given = run ? &run->given : &none;
	int rc = add_line(&side->lines, "command", program_command(side->node));

	if (!side->node->cwd || (!given->n && !side->node->state.n)) {
		buf_printf(err, "%s: what it began with was not recorded; runs with -o do that", side->path);
		return err->err ? err->err : -ENOENT;
	}
	if (!rc && side->node->cwd)
		rc = add_line(&side->lines, "directory", side->node->cwd);
	return rc ? rc : state_lines_join(&side->lines, given, &side->node->state);
}

int state_side_find(struct state_side *side, const char *cmd, struct buf *err)
{
	struct process_select select = {.cmd = cmd};
	int rc = process_tree_new(&side->tree, side->recording, NULL, NULL);

	side->cmd = cmd;
	if (!rc)
		rc = process_select_begin(&select, side->tree, side->recording, err);
	if (!rc)
		choose(side, &select);
	if (!rc && !side->node)
		rc = no_such(side, cmd, err);
	if (!rc)
		rc = gather(side, err);
	process_select_release(&select);
	return rc;
}

void state_side_release(struct state_side *side)
{
	process_tree_free(side->tree);
	strv_release(&side->lines);
	side->tree = NULL;
}

/* --- Showing -------------------------------------------------------------------------------------------------------
 */

static const struct table_column columns[] = {
	{"What", "what", .left = true, .text = true},
	{"GOOD", "good", .left = true, .text = true, .cut = true},
	{"BAD", "bad", .left = true, .text = true, .cut = true},
	{0},
};

/* What a line says behind its key. */
static const char *value_of(const char *line)
{
	size_t n = state_key(line);

	return line[n] ? line + n + 1 : "yes";
}

/* The numbers of pipes and sockets are others in each run. */
static bool alike(const char *a, const char *b)
{
	size_t n = strcspn(a, "[");

	if (strcmp(a, b) == 0)
		return true;
	return begins(a, "fd ") && a[n] && strncmp(a, b, n + 1) == 0 &&
	       strspn(a + n + 1, "0123456789]") == strlen(a + n + 1) &&
	       strspn(b + n + 1, "0123456789]") == strlen(b + n + 1);
}

static int print_heading(struct buf *out, const struct state_side *side)
{
	const char *command = program_command(side->node);
	size_t n = strlen(command);

	buf_printf(out, "%-4s  ", side->title);
	cell_text(out, side->path, strlen(side->path));
	buf_puts(out, ": ");
	cell_text(out, command, n > COMMAND_MAX ? COMMAND_MAX : n);
	buf_printf(out, "%s  [%u]", n > COMMAND_MAX ? "..." : "", side->node->pid);
	if (side->cmd && side->matches > 1)
		buf_printf(out, ", number %zu of %zu that match", side->which + 1, side->matches);
	return buf_putc(out, '\n');
}

/* one, two: lines of the same key, NULL where there is none. */
static void put_line(struct table *t, const char *one, const char *two)
{
	const char *nothing = t->format == TABLE_TEXT ? "-" : "", *line = one ? one : two;
	cleanup_buf struct buf key = BUF_INIT;

	if (!t->err)
		t->err = buf_append(&key, line, state_key(line));
	table_text(t, key.data ? key.data : "");
	table_text(t, one ? value_of(one) : nothing);
	table_text(t, two ? value_of(two) : nothing);
}

/* Goes through both, which are in order. How many lines are the same. */
static size_t put_lines(struct table *t, const struct strv *good, const struct strv *bad)
{
	size_t a = 0, b = 0, same = 0;

	while (a < good->n || b < bad->n) {
		const char *one = a < good->n ? good->items[a] : NULL, *two = b < bad->n ? bad->items[b] : NULL;
		int order = !one ? 1 : !two ? -1 : by_key(&one, &two);

		if (order == 0 && alike(one, two))
			same++;
		else
			put_line(t, order <= 0 ? one : NULL, order >= 0 ? two : NULL);
		a += order <= 0;
		b += order >= 0;
	}
	return same;
}

int state_diff_show(const struct state_side *good, const struct state_side *bad, struct page *page,
                    enum table_format format)
{
	static const struct replay_clock clock = {DATA_CLOCK_MONOTONIC, NS_PER_S};
	bool people = format == TABLE_TEXT;
	struct buf *out = &page->text;
	struct table t;
	size_t same;
	int rc;

	if (people) {
		print_heading(out, good);
		print_heading(out, bad);
		buf_putc(out, '\n');
	}
	table_begin(&t, page, format, columns, clock);
	same = put_lines(&t, &good->lines, &bad->lines);
	if (people && !t.rows) {
		buf_release(&t.cells);
		return t.err ? t.err : buf_printf(out, "nothing differs, %zu lines are the same\n", same);
	}
	rc = table_end(&t);
	return rc || !people ? rc : buf_printf(out, "\n%zu more are the same\n", same);
}
