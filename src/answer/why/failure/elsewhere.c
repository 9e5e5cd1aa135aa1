/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/failure/elsewhere.h>

#include <errno.h>
#include <exectrace/answer/why/failure/calls.h>
#include <exectrace/answer/why/failure/cause.h>
#include <exectrace/answer/why/page/began.h>
#include <exectrace/base/clock.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define SHOWN_MAX 4 /* kinds of them */
#define KINDS_MAX 64

/* Calls that failed alike, in processes of one program. */
struct kind {
	const struct tree_node *node; /* the first one */
	const struct failure *failure;
	uint64_t count;
};

struct kinds {
	struct kind items[KINDS_MAX];
	size_t n;
};

/* What a program does not ask for: that something is used up, broken or gone. */
static bool is_odd(const struct failure *f)
{
	switch (f->error) {
	case EFBIG:
	case ENOSPC:
	case EDQUOT:
	case EMFILE:
	case ENFILE:
	case EIO:
	case EPIPE:
	case ESTALE:
	case ENOLCK:
	case EROFS:
	case ENOBUFS:
	case EADDRINUSE:
	case EDEADLK:
	case ETXTBSY:
		return true;
	case ENOTDIR:
		return strncmp(f->call, "rename", 6) == 0 || strncmp(f->call, "rmdir", 5) == 0;
	case ENOMEM:
		return strcmp(f->call, "execve") != 0;
	case EAGAIN:
		return f->holder || strstr(f->call, "clone") || strstr(f->call, "fork");
	case ESRCH: /* signal 0 asks whether it is there */
		return strcmp(f->call, "kill") == 0 && f->text && !strstr(f->text, ", 0)");
	default:
		return false;
	}
}

static void add(struct kinds *kinds, const struct tree_node *node, const struct failure *f)
{
	for (size_t i = 0; i < kinds->n; i++) {
		struct kind *k = &kinds->items[i];

		if (k->failure->error != f->error || strcmp(k->failure->call, f->call) != 0 ||
		    !story_same_program(k->node, node))
			continue;
		k->count += f->count;
		return;
	}
	if (kinds->n < KINDS_MAX)
		kinds->items[kinds->n++] = (struct kind){node, f, f->count};
}

static void gather(const struct why *why, const struct tree_node *origin, struct kinds *kinds)
{
	for (const struct tree_node *node = why->top; node; node = process_tree_next(node)) {
		const struct process_history *p = story_history(&why->story, node);

		if (node != why->top && node->depth <= why->top->depth)
			break;
		for (size_t i = 0; p && node != origin && i < p->n_failures; i++)
			if (is_odd(&p->failures[i]))
				add(kinds, node, &p->failures[i]);
	}
}

/* The first one is rather a cause than the last. */
static int earlier(const void *a, const void *b)
{
	const struct kind *one = a, *two = b;

	return one->failure->first < two->failure->first ? -1 : one->failure->first > two->failure->first;
}

/* A shell's loop ends early when a program in it reads the lines that are meant for the loop. */
static void shared_inputs(const struct why *why, struct buf *out)
{
	const struct history *h = &why->story.history;

	for (unsigned i = 0; i < h->n_inputs; i++) {
		const struct shared_input *input = &h->inputs[i];

		buf_puts(out, why->chain.n ? "  " : "\n");
		page_process_of(why, input->reader, out);
		buf_puts(out, input->fifo ? " read from " : " read its standard input, ");
		page_name(out, objects_at(&h->objects, input->object)->name, COMMAND_MAX);
		buf_puts(out, ", which ");
		page_process_of(why, input->other, out);
		buf_puts(out, " reads, too\n");
	}
}

/* Signals that a program does not get but for a fault of its own. */
static bool crashed(const struct tree_node *node)
{
	int number = node->end.known && WIFSIGNALED(node->end.wait_status) ? WTERMSIG(node->end.wait_status) : 0;

	return number == SIGSEGV || number == SIGBUS || number == SIGABRT || number == SIGILL || number == SIGFPE ||
	       number == SIGSYS || number == SIGXFSZ || number == SIGXCPU;
}

/* Of a run that ended well: somebody has begun it again, perhaps. */
static void crashes(const struct why *why, struct buf *out)
{
	size_t n = 0;

	for (const struct tree_node *node = why->top; node; node = process_tree_next(node)) {
		if (node != why->top && node->depth <= why->top->depth)
			break;
		if (!crashed(node) || n++ >= SHOWN_MAX)
			continue;
		buf_puts(out, n == 1 ? "\nProcesses that a signal ended\n    " : "    ");
		page_process(out, node, COMMAND_MAX);
		buf_puts(out, ": ");
		page_end_of(out, node);
		buf_puts(out, " at ");
		clock_print(out, story_end(&why->story, node));
		buf_printf(out, "; more: exectrace why --pid=%u%s\n", node->pid, why->data.data ? why->data.data : "");
	}
	if (n > SHOWN_MAX)
		buf_printf(out, "    and %zu more\n", n - SHOWN_MAX);
}

void page_elsewhere(const struct why *why, const struct tree_node *origin, struct buf *out)
{
	struct kinds kinds = {.n = 0};

	if (!origin)
		crashes(why, out);
	shared_inputs(why, out);
	gather(why, origin, &kinds);
	if (!kinds.n)
		return;
	qsort(kinds.items, kinds.n, sizeof(*kinds.items), earlier);
	buf_puts(out, origin ? "  calls of other processes that failed as they seldom do:\n"
	                     : "\nCalls that failed as they seldom do\n");
	for (size_t i = 0; i < kinds.n && i < SHOWN_MAX; i++) {
		const struct kind *k = &kinds.items[i];

		buf_puts(out, "    ");
		page_process(out, k->node, COMMAND_MAX);
		if (k->count > k->failure->count)
			buf_printf(out, " and others, %llu times in all", (unsigned long long)k->count);
		buf_puts(out, ":\n");
		page_call_line(why, story_history(&why->story, k->node), k->failure, false, out);
		if (k->failure->error == EPIPE)
			page_began_with(why, k->node, PAGE_GROUP, out);
		page_limit_behind(why, k->node, k->failure, out);
	}
	if (kinds.n > SHOWN_MAX)
		buf_printf(out, "    and %zu more kinds\n", kinds.n - SHOWN_MAX);
}
