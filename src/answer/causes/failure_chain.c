/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/causes/failure_chain.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/grow.h>
#include <string.h>
#include <sys/wait.h>

/* How much speaks for a child as the reason; less than ENOUGH is nothing. */
#define ENOUGH 3
#define LAST 4       /* the parent began nothing more after it */
#define SAME_CODE 2  /* the parent ended with its status */
#define SIGNALED 3   /* a signal ended it, ... */
#define KILLED (-2)  /* ... which another process of the run sent: to clean up, perhaps */
#define COMPLAINED 2 /* it, or a process below it that failed, wrote to standard error */
#define TOLD 4       /* the parent wrote that it failed */
#define ONLY 1       /* no other child failed */
#define SILENT 1     /* the parent gave up with its status, and no word of its own: sh -e */
#define ANSWERS (-5) /* its status is an answer, as that of test(1) */

/* True when the name of the program is one of those, of which NULL is the last. */
static bool is_one_of(const struct tree_node *node, const char *const *names)
{
	cleanup_buf struct buf program = BUF_INIT;

	if (story_program(&program, node) || !program.data)
		return false;
	while (*names && strcmp(*names, program.data) != 0)
		names++;
	return *names != NULL;
}

bool failure_chain_answers(const struct tree_node *node)
{
	static const char *const names[] = {"test",  "[",    "grep",  "egrep",   "fgrep",      "cmp",      "diff",
	                                    "which", "expr", "kill",  "pgrep",   "pidof",      "git-diff", "hash",
	                                    "type",  "tty",  "false", "command", "dpkg-query", NULL};

	return is_one_of(node, names);
}

static int code_of(const struct tree_node *node)
{
	int status = node->end.wait_status;

	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* make and its like have one status for every failure. */
static bool has_own_code(const struct tree_node *node)
{
	static const char *const names[] = {
		"make", "gmake", "ninja", "ctest", "meson", "cargo", "cmake", "dpkg-buildpackage", NULL};

	return is_one_of(node, names);
}

static bool began_later(const struct tree_node *parent, const struct tree_node *child)
{
	for (const struct tree_node *c = parent->child; c; c = c->sibling)
		if (!c->lost && c->start > child->end.when)
			return true;
	return false;
}

static bool said(const struct story *s, const struct tree_node *node)
{
	const struct process_history *p = story_history(s, node);

	return !p || p->wrote[OUTPUT_STDERR];
}

static bool complained(const struct story *s, const struct tree_node *child)
{
	for (const struct tree_node *n = child; n && story_is_below(n, child); n = process_tree_next(n)) {
		const struct process_history *p = story_failed(n) ? story_history(s, n) : NULL;

		if (p && p->wrote[OUTPUT_STDERR])
			return true;
	}
	return false;
}

/* --- What a test runner says -------------------------------------------------------------------------------------- */

#define NAME_MIN 4 /* bytes of a name that says something */

/* True when a line has a word that test runners have for a failure. */
static bool speaks_of_failure(const char *line, size_t n)
{
	static const char *const words[] = {"fail", "error", "not ok", "\xe2\x9c\x97", "\xe2\x9c\x98", "\xe2\x9c\x96"};
	cleanup_buf struct buf text = BUF_INIT;

	if (buf_append(&text, line, n) || !text.data)
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcasestr(text.data, words[i]))
			return true;
	return false;
}

/* True when a line of the output that speaks of a failure has the name. */
static bool names_failed(const struct buf *output, const char *name, size_t n)
{
	for (size_t at = 0; at < output->len;) {
		const char *line = output->data + at, *end = memchr(line, '\n', output->len - at);
		size_t length = end ? (size_t)(end - line) : output->len - at;

		if (memmem(line, length, name, n) && speaks_of_failure(line, length))
			return true;
		at += length + 1;
	}
	return false;
}

/* The parent told that it failed: by a word of its command line, without directories and suffixes. */
static bool told(const struct story *s, const struct tree_node *parent, const struct tree_node *child)
{
	const struct process_history *p = story_history(s, parent);
	const char *word = program_command(child);

	while (p && *word) {
		size_t n = strcspn(word, " '\""), stem;
		const char *slash = memrchr(word, '/', n), *name = slash ? slash + 1 : word;

		stem = n - (size_t)(name - word);
		for (size_t i = 1; i < stem; i++)
			if (name[i] == '.')
				stem = i;
		if (stem >= NAME_MIN && *name != '-')
			for (int i = 0; i < OUTPUTS; i++)
				if (names_failed(&p->output[i], name, stem))
					return true;
		word += n;
		word += strspn(word, " '\"");
	}
	return false;
}

static bool is_only(const struct tree_node *parent, const struct tree_node *child)
{
	for (const struct tree_node *c = parent->child; c; c = c->sibling)
		if (c != child && story_failed(c) && !failure_chain_answers(c))
			return false;
	return true;
}

/* --- The chain ---------------------------------------------------------------------------------------------------- */

/* The signal of another recorded process that ended it; NULL: there is none. */
static const struct kill_sent *kill_of(const struct story *s, const struct tree_node *node)
{
	const struct history *h = &s->history;

	if (!node->end.known || !WIFSIGNALED(node->end.wait_status))
		return NULL;
	for (size_t i = 0; i < h->n_kills; i++)
		if ((h->kills[i].target == (int32_t)node->pid || h->kills[i].target == -(int32_t)node->pid) &&
		    h->kills[i].pid != node->pid && h->kills[i].number == WTERMSIG(node->end.wait_status))
			return &h->kills[i];
	return NULL;
}

/* The parent ended it to clean up: it had not waited in vain just before, and did not take its status. */
static bool was_cleaned_up(const struct story *s, const struct tree_node *parent, const struct tree_node *child)
{
	const struct kill_sent *kill = kill_of(s, child);
	const struct thread_history *t = story_main_thread(s, parent);
	size_t n = t ? t->n : 0;

	if (!kill || kill->pid != parent->pid || code_of(parent) == code_of(child))
		return false;
	while (n && t->waits[n - 1].to > kill->time)
		n--;
	return !n || !(t->waits[n - 1].timed_out || t->waits[n - 1].interrupted || t->waits[n - 1].kind == WAIT_SLEEP);
}

static int weight_of(const struct story *s, const struct tree_node *parent, const struct tree_node *child)
{
	bool later = began_later(parent, child);
	int weight = later ? 0 : LAST;

	if (code_of(parent) == code_of(child) || has_own_code(parent))
		weight += SAME_CODE;
	if (child->end.known && WIFSIGNALED(child->end.wait_status))
		weight += kill_of(s, child) ? KILLED : SIGNALED;
	if (complained(s, child))
		weight += COMPLAINED;
	if (later && told(s, parent, child))
		weight += TOLD;
	if (is_only(parent, child))
		weight += ONLY;
	if (!later && code_of(parent) == code_of(child) && !said(s, parent))
		weight += SILENT;
	return weight + (failure_chain_answers(child) ? ANSWERS : 0);
}

static bool failed_below(const struct tree_node *above)
{
	for (const struct tree_node *n = above->child; n && story_is_below(n, above); n = process_tree_next(n))
		if (story_failed(n) && !failure_chain_answers(n))
			return true;
	return false;
}

/* NULL: the process failed by itself. */
static const struct tree_node *reason_of(const struct story *s, const struct tree_node *node)
{
	const struct tree_node *best = NULL;
	int best_weight = ENOUGH - 1;

	for (const struct tree_node *c = node->child; c; c = c->sibling) {
		int weight;

		if (node->end.when && c->end.when > node->end.when)
			continue;
		/* Test programs that tell their runner by what they write end well. */
		if (!story_failed(c) && !(failed_below(c) && told(s, node, c)))
			continue;
		if (was_cleaned_up(s, node, c))
			continue;
		weight = weight_of(s, node, c);
		/* Of equals the first one that ended. */
		if (weight > best_weight || (best && weight == best_weight && c->end.when < best->end.when)) {
			best = c;
			best_weight = weight;
		}
	}
	return best;
}

int failure_chain_find(struct failure_chain *chain, const struct story *s, const struct tree_node *top)
{
	size_t failed = 0;

	*chain = (struct failure_chain){0};
	for (const struct tree_node *node = top; node; node = reason_of(s, node)) {
		if (grow_array((void **)&chain->nodes, chain->n, &chain->cap, sizeof(*chain->nodes)))
			return -ENOMEM;
		chain->nodes[chain->n++] = node;
	}
	for (const struct tree_node *node = top; node && story_is_below(node, top); node = process_tree_next(node))
		failed += story_failed(node) && !failure_chain_answers(node);
	for (size_t i = 0; i < chain->n; i++)
		failed -= story_failed(chain->nodes[i]) && !failure_chain_answers(chain->nodes[i]);
	chain->others = failed;
	return 0;
}

void failure_chain_release(struct failure_chain *chain)
{
	free(chain->nodes);
	*chain = (struct failure_chain){0};
}
