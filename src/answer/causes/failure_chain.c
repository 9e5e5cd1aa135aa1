/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/causes/failure_chain.h>

#include "failure_message.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/grow.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

/* How much speaks for a child as the reason; less than ENOUGH is nothing. */
#define ENOUGH 3
#define LAST 4       /* the parent began nothing more after it */
#define SAME_CODE 2  /* the parent ended with its status */
#define SIGNALED 3   /* a signal ended it, ... */
#define KILLED (-2)  /* ... which another process of the run sent: to clean up, perhaps */
#define TIMED_OUT 7  /* ... which the parent sent, when it had waited in vain */
#define COMPLAINED 2 /* it, or a process below it that failed, wrote to standard error */
#define TOLD 4       /* the parent wrote that it failed */
#define ONLY 1       /* no other child failed */
#define SILENT 1     /* the parent gave up with its status, and no word of its own: sh -e */
#define ANSWERS (-5) /* its status is an answer, as that of test(1) */

static int code_of(const struct tree_node *node)
{
	int status = node->end.wait_status;

	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool failure_chain_answers(const struct tree_node *node)
{
	static const char *const names[] = {"test",  "[",    "grep",  "egrep",   "fgrep",      "cmp",      "diff",
	                                    "which", "expr", "kill",  "pgrep",   "pidof",      "git-diff", "hash",
	                                    "type",  "tty",  "false", "command", "dpkg-query", NULL};

	/* The answer is 1; more is trouble: grep(1), diff(1), test(1). */
	return code_of(node) == 1 && story_runs_one_of(node, names);
}

/* Cleans up, or shows something: what is done once another one has failed. */
static bool is_done_after(const struct tree_node *node)
{
	static const char *const names[] = {"umount", "rm",   "rmdir", "losetup", "kill",   "killall",    "pkill",
	                                    "cat",    "tail", "head",  "ls",      "dmesg",  "ps",         "ss",
	                                    "df",     "lsof", "fuser", "logger",  "docker", "journalctl", NULL};

	return story_runs_one_of(node, names);
}

/* make and its like have one status for every failure. */
static bool has_own_code(const struct tree_node *node)
{
	static const char *const names[] = {
		"make", "gmake", "ninja", "ctest", "meson", "cargo", "cmake", "dpkg-buildpackage", NULL};

	return story_runs_one_of(node, names);
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

/* The parent told that it failed, or one below it. */
static bool told(const struct story *s, const struct tree_node *parent, const struct tree_node *child)
{
	for (const struct tree_node *n = child; n && story_is_below(n, child); n = process_tree_next(n))
		if ((n == child || story_failed(n)) && failure_message_tells(s, parent, n))
			return true;
	return false;
}

static bool is_only(const struct tree_node *parent, const struct tree_node *child)
{
	for (const struct tree_node *c = parent->child; c; c = c->sibling)
		if (c != child && story_failed(c) && !failure_chain_answers(c))
			return false;
	return true;
}

/* The child that was begun before it. Ends may be seen late, beginnings are not. */
static const struct tree_node *begun_before(const struct tree_node *parent, const struct tree_node *child)
{
	for (const struct tree_node *c = parent->child; c; c = c->sibling)
		if (c->sibling == child)
			return c;
	return NULL;
}

/* --- The chain ---------------------------------------------------------------------------------------------------- */

/* The signal of another recorded process that ended it; NULL: there is none. */
static const struct kill_sent *kill_of(const struct story *s, const struct tree_node *node)
{
	const struct kill_sent *kill = story_kill_of(s, node);

	return kill && kill->pid != node->pid ? kill : NULL;
}

/* Whoever ended the one ended the other, too: a process group, as a rule. */
static bool same_end(const struct story *s, const struct tree_node *node, const struct tree_node *child)
{
	const struct kill_sent *kill = kill_of(s, node), *other = kill_of(s, child);

	return kill && other && kill->pid == other->pid && kill->number == other->number;
}

/* The parent had waited in vain just before it sent the signal. */
static bool in_vain(const struct story *s, const struct tree_node *parent, const struct kill_sent *kill)
{
	const struct thread_history *t = story_main_thread(s, parent);
	size_t n = t ? t->n : 0;

	/* The kill(2) itself may have taken its time. */
	while (n && (t->waits[n - 1].to > kill->time || t->waits[n - 1].kind == WAIT_CALL))
		n--;
	return n && (t->waits[n - 1].timed_out || t->waits[n - 1].interrupted || t->waits[n - 1].kind == WAIT_SLEEP);
}

/* The parent ended it to clean up: it had not waited in vain just before, and did not take its status. */
static bool was_cleaned_up(const struct story *s, const struct tree_node *parent, const struct tree_node *child)
{
	const struct kill_sent *kill = kill_of(s, child);

	return kill && kill->pid == parent->pid && code_of(parent) != code_of(child) && !in_vain(s, parent, kill);
}

static int weight_of_signal(const struct story *s, const struct tree_node *parent, const struct tree_node *child)
{
	const struct kill_sent *kill = kill_of(s, child);

	if (!child->end.known || !WIFSIGNALED(child->end.wait_status))
		return 0;
	if (!kill)
		return SIGNALED;
	return kill->pid == parent->pid && in_vain(s, parent, kill) ? TIMED_OUT : KILLED;
}

static int weight_of(const struct story *s, const struct tree_node *parent, const struct tree_node *child)
{
	bool later = began_later(parent, child);
	int weight = (later ? 0 : LAST) + weight_of_signal(s, parent, child);

	if (code_of(parent) == code_of(child) || has_own_code(parent))
		weight += SAME_CODE;
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

/* A signal that says something of the process itself. */
static bool is_fault(const struct story *s, const struct tree_node *node)
{
	int number = node->end.known && WIFSIGNALED(node->end.wait_status) ? WTERMSIG(node->end.wait_status) : 0;

	return (number == SIGABRT || number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
	        number == SIGTRAP || number == SIGSYS) &&
	       !kill_of(s, node);
}

/* The process failed for another reason than this child. */
static bool failed_by_itself(const struct story *s, const struct tree_node *node, const struct tree_node *child)
{
	return (is_fault(s, node) && code_of(node) != code_of(child)) || failure_message_is_own(s, node, child);
}

/* ./configure tries many programs in vain, and gives up behind the last of them: autoconf's AC_MSG_ERROR. */
static bool is_configure(const struct tree_node *node)
{
	const char *command = program_command(node), *at = strstr(command, "configure");

	return at && (at == command || at[-1] == '/' || at[-1] == ' ') && (!at[9] || at[9] == ' ') && at - command < 40;
}

static bool may_be_reason(const struct story *s, const struct tree_node *node, const struct tree_node *child)
{
	const struct kill_sent *kill = kill_of(s, child);

	/* Of one that it killed the end may have come a little later than its own. */
	if (node->end.when && child->end.when > node->end.when && !(kill && kill->pid == node->pid))
		return false;
	/* Test programs that tell their runner by what they write end well. */
	if (!story_failed(child) && !(failed_below(child) && told(s, node, child)))
		return false;
	return !was_cleaned_up(s, node, child) && !same_end(s, node, child);
}

/* The one that failed last, of those that are no answers. */
static const struct tree_node *last_reason(const struct story *s, const struct tree_node *node)
{
	const struct tree_node *last = NULL;

	for (const struct tree_node *c = node->child; c; c = c->sibling)
		if (may_be_reason(s, node, c) && story_failed(c) && !failure_chain_answers(c) &&
		    (!last || c->end.when >= last->end.when))
			last = c;
	return last;
}

/* Of what was done because another child had failed just before it, that one: "COMMAND || (echo it failed; exit 1)",
 * "if ! COMMAND; then cat log; exit 1; fi". */
static const struct tree_node *behind(const struct story *s, const struct tree_node *parent,
                                      const struct tree_node *child)
{
	const struct tree_node *before = begun_before(parent, child);
	bool gives_up = child->forked && !complained(s, child) && !failed_below(child);
	bool looks =
		is_done_after(child) && before && !story_same_program(before, child) && !failure_chain_answers(before);

	if (!before || !story_failed(before) || before->end.when > child->end.when)
		return child;
	return gives_up || looks ? before : child;
}

/* What a process hides that ended well: the child that failed last, or has one that did. */
static const struct tree_node *hidden(const struct tree_node *node)
{
	const struct tree_node *last = NULL;

	for (const struct tree_node *c = node->child; c; c = c->sibling)
		if ((failed_below(c) || (story_failed(c) && !failure_chain_answers(c))) &&
		    (!last || c->end.when >= last->end.when))
			last = c;
	return last;
}

/* NULL: the process failed by itself. */
static const struct tree_node *reason_of(const struct story *s, const struct tree_node *node)
{
	const struct tree_node *best = NULL;
	int best_weight = ENOUGH - 1;

	if (!story_failed(node))
		return hidden(node);
	if (is_configure(node))
		return last_reason(s, node);
	for (const struct tree_node *c = node->child; c; c = c->sibling) {
		int weight;

		if (!may_be_reason(s, node, c) || failed_by_itself(s, node, c))
			continue;
		weight = weight_of(s, node, c);
		/* Of equals the first one that ended. */
		if (weight > best_weight || (best && weight == best_weight && c->end.when < best->end.when)) {
			best = c;
			best_weight = weight;
		}
	}
	return best ? behind(s, node, best) : NULL;
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
