/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/failure/failure.h>

#include <exectrace/answer/why/failure/cause.h>
#include <exectrace/answer/why/page/again.h>
#include <exectrace/answer/why/page/began.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/quote.h>
#include <string.h>
#include <sys/wait.h>

#define OTHERS_MAX 4   /* other failures that are shown */
#define CHAIN_MAX 12   /* processes of the chain that are shown */
#define LINES_SHOWN 5u /* of what a process wrote last */
#define LINES_MAX 64u  /* of them that are looked at */

/* A line that says what happened: where a program shows its stack behind that, it is not the last one. */
static bool says_what(const char *line, size_t n)
{
	static const char *const words[] = {
		"panicked at", "panic: ",   "Exception in ", "Caused by: ", "rror: ",    "xception: ",
		"terminate ",  "ssertion ", "Uncaught ",     "FATAL",       "nhandled ", "Error at ",
		"rror[",       "fatal: ",   "FAIL: ",        "FAILED ",     " *** "};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (memmem(line, n, words[i], strlen(words[i])))
			return true;
	return false;
}

/* The lines of a text. */
struct lines {
	const char *at[LINES_MAX]; /* the newest LINES_MAX of them, as a ring */
	size_t length[LINES_MAX];
	size_t n;
};

static void split(struct lines *lines, const char *text, const char *end)
{
	lines->n = 0;
	while (text < end) {
		const char *line = memchr(text, '\n', (size_t)(end - text));

		lines->at[lines->n % LINES_MAX] = text;
		lines->length[lines->n++ % LINES_MAX] = (size_t)((line ? line : end) - text);
		text = line ? line + 1 : end;
	}
}

static void quoted(const struct lines *lines, size_t from, size_t to, struct buf *out)
{
	for (size_t i = from; i < to; i++) {
		const char *at = lines->at[i % LINES_MAX];
		size_t n = lines->length[i % LINES_MAX];

		buf_puts(out, "    | ");
		for (; n && *at == '\t'; n--, at++)
			buf_puts(out, "    ");
		quote_terminal(out, at, n > 200 ? 200 : n);
		buf_putc(out, '\n');
	}
}

static bool is_blank(const struct buf *text)
{
	return strspn(text->data ? text->data : "", " \t\r\n") == text->len;
}

/* A text without colours and the like: ECMA-48, "CSI" and "OSC" sequences. */
static void put_plain(struct buf *out, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (text[i] != '\x1b' || i + 1 == n || (text[i + 1] != '[' && text[i + 1] != ']')) {
			buf_putc(out, text[i]);
		} else if (text[++i] == '[') {
			for (i++; i < n && (text[i] < 0x40 || text[i] > 0x7e); i++)
				;
		} else {
			while (i + 1 < n && text[i] != '\a' && text[i] != '\x1b')
				i++;
			i += text[i] == '\x1b'; /* which ends it with a backslash */
		}
	}
}

/* What it wrote last, as lines. */
static void last_words(const struct why *why, const struct tree_node *node, struct buf *out)
{
	const struct process_history *p = story_history(&why->story, node);
	int which = p && p->wrote[OUTPUT_STDERR] ? OUTPUT_STDERR : OUTPUT_STDOUT;
	cleanup_buf struct buf plain = BUF_INIT;
	const char *text, *end;
	struct lines lines;
	size_t last, what;

	if (!p || !p->wrote[which] || !p->output[which].len)
		return;
	put_plain(&plain, p->output[which].data, p->output[which].len);
	if (which == OUTPUT_STDERR && is_blank(&plain) && p->output[OUTPUT_STDOUT].len) {
		which = OUTPUT_STDOUT;
		buf_reset(&plain, SIZE_MAX);
		put_plain(&plain, p->output[which].data, p->output[which].len);
	}
	if (is_blank(&plain))
		return;
	text = plain.data;
	end = text + plain.len;
	while (end > text && (end[-1] == '\n' || end[-1] == 0))
		end--;
	split(&lines, text, end);
	last = what = lines.n > LINES_SHOWN ? lines.n - LINES_SHOWN : 0;
	while (what && lines.n - what < LINES_MAX &&
	       !says_what(lines.at[(what - 1) % LINES_MAX], lines.length[(what - 1) % LINES_MAX]))
		what--;
	buf_printf(out, "  it wrote to standard %s at ", which == OUTPUT_STDERR ? "error" : "output");
	page_at(why, p->wrote[which], out);
	buf_puts(out, ":\n");
	if (what && what < last && lines.n - what < LINES_MAX) {
		/* The message may go on in the next line, and takes the place of some of the last ones. */
		size_t more = lines.length[what % LINES_MAX] ? 1 : 0;

		quoted(&lines, what - 1, what + more, out);
		last += 1 + more;
		if (last > what + more)
			buf_puts(out, "    | ...\n");
	} else if (what && what == last) {
		last--;
	}
	quoted(&lines, last, lines.n, out);
}

static void chain(const struct why *why, struct buf *out)
{
	const struct failure_chain *c = &why->chain;
	size_t left_out = c->n > CHAIN_MAX ? c->n - CHAIN_MAX : 0;

	for (size_t i = 0; i < c->n; i++) {
		size_t depth = i && i < left_out + 1 ? 1 : i - (i ? left_out : 0);

		if (i && i <= left_out) {
			if (i == 1)
				buf_printf(out, "    ... %zu more ...\n", left_out);
			continue;
		}
		buf_printf(out, "  %*s%s", (int)(2 * depth), "", i ? "└ " : "");
		page_process(out, c->nodes[i], i + 1 == c->n ? 4 * COMMAND_MAX : COMMAND_MAX);
		buf_puts(out, ": ");
		page_end_of(out, c->nodes[i]);
		if (i + 1 == c->n && c->n > 1)
			buf_puts(out, "  <- it began here");
		buf_putc(out, '\n');
	}
}

/* --- What failed elsewhere ---------------------------------------------------------------------------------------- */

/* Processes of one program that failed in the same way. */
struct alike {
	const struct tree_node *first;
	size_t n;
};

static bool in_chain(const struct failure_chain *c, const struct tree_node *node)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->nodes[i] == node)
			return true;
	return false;
}

static bool same_failure(const struct tree_node *a, const struct tree_node *b)
{
	return a->end.wait_status == b->end.wait_status && story_same_program(a, b);
}

/* Those of the shown ones that a process belongs to, or a new one. */
static void add_alike(struct alike *all, size_t *n, const struct tree_node *node)
{
	for (size_t i = 0; i < *n; i++) {
		if (!same_failure(all[i].first, node))
			continue;
		all[i].n++;
		return;
	}
	if (*n < OTHERS_MAX)
		all[(*n)++] = (struct alike){node, 1};
}

const char *page_last_line(const struct process_history *p, int output, size_t *n)
{
	const char *text = p && p->wrote[output] ? p->output[output].data : NULL, *end;

	*n = text ? p->output[output].len : 0;
	while (*n && (text[*n - 1] == '\n' || text[*n - 1] == 0))
		--*n;
	end = *n ? memrchr(text, '\n', *n) : NULL;
	if (end)
		*n -= (size_t)(end + 1 - text);
	return end ? end + 1 : text;
}

static void last_line(const struct why *why, const struct tree_node *node, struct buf *out)
{
	cleanup_buf struct buf plain = BUF_INIT;
	size_t n;
	const char *line = page_last_line(story_history(&why->story, node), OUTPUT_STDERR, &n);

	if (!n)
		return;
	put_plain(&plain, line, n);
	buf_puts(out, "      | ");
	quote_terminal(out, plain.len ? plain.data : "", plain.len > 2 * COMMAND_MAX ? 2 * COMMAND_MAX : plain.len);
	buf_putc(out, '\n');
}

/* Others are not the reason as far as their ends tell; but a shell may have taken one of them for one. */
static void others(const struct why *why, struct buf *out)
{
	const struct failure_chain *c = &why->chain;
	struct alike all[OTHERS_MAX];
	size_t n = 0;

	for (const struct tree_node *node = process_tree_next(why->top); node; node = process_tree_next(node)) {
		if (node->depth <= why->top->depth)
			break;
		if (story_failed(node) && !failure_chain_answers(node) && !in_chain(c, node))
			add_alike(all, &n, node);
	}
	buf_printf(out, "  %zu other process%s failed, too: exectrace tree%s\n", c->others, c->others == 1 ? "" : "es",
	           why->data.data ? why->data.data : "");
	for (size_t i = 0; i < n; i++) {
		buf_puts(out, "    ");
		if (all[i].n > 1)
			buf_printf(out, "%zu x ", all[i].n);
		page_process(out, all[i].first, COMMAND_MAX);
		buf_puts(out, ": ");
		page_end_of(out, all[i].first);
		buf_puts(out, " at ");
		clock_print(out, story_end(&why->story, all[i].first));
		buf_printf(out, "; more: exectrace why --pid=%u%s\n", all[i].first->pid,
		           why->data.data ? why->data.data : "");
		last_line(why, all[i].first, out);
	}
}

void page_failure(const struct why *why, struct buf *out)
{
	const struct failure_chain *c = &why->chain;
	const struct tree_node *origin;

	if (!c->n)
		return;
	origin = c->nodes[c->n - 1];
	buf_puts(out, "\nWhy it failed\n");
	chain(why, out);
	if (c->others)
		others(why, out);
	page_command_to_copy(why, origin, out);
	page_began_with(why, origin, PAGE_FAILURE, out);
	last_words(why, origin, out);
	page_cause(why, origin, out);
}
