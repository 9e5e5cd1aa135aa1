/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The programs of a guest that failed. */
#include "tell.h"
#include "text.h"

#include <errno.h>
#include <exectrace/answer/calls/call.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/grow.h>
#include <exectrace/target/exec/print.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define PASSED_ON_NS (200 * NS_PER_MS) /* a parent that ends so soon with its child's status passes it on */
#define SAID_MAX 100u                  /* bytes */
#define CALL_MAX 110u
#define BEHIND "            "

/* A command that failed. */
struct failing {
	struct guest_failed failed;
	const struct recorded_process *process; /* the last one */
};

struct failings {
	struct failing *items;
	size_t n, cap;
	struct idmap known; /* by the command (texts are kept once) and the status: number + 1 */
};

/* --- Which ones --------------------------------------------------------------------------------------------------- */

static bool is_crash(int status)
{
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};

	for (size_t i = 0; WIFSIGNALED(status) && i < sizeof(crashes) / sizeof(*crashes); i++)
		if (WTERMSIG(status) == crashes[i])
			return true;
	return false;
}

/* Another process wanted it to end, or nobody reads what it writes. */
static bool is_wanted(const struct history *h, const struct recorded_process *p)
{
	const int number = WIFSIGNALED(p->status) ? WTERMSIG(p->status) : 0;

	if (!number || is_crash(p->status))
		return false;
	if (number == SIGPIPE || number == SIGTERM || number == SIGINT || number == SIGHUP || number == SIGALRM)
		return true;
	for (size_t i = 0; i < h->n_kills; i++)
		if (h->kills[i].target == (int32_t)p->pid && h->kills[i].number == number)
			return true;
	return false;
}

/* A shell ends as its last command did: that one is the answer. */
static bool is_passed_on(const struct tell *t, const struct tree_node *node, const struct recorded_process *p)
{
	for (const struct tree_node *c = node->child; c; c = c->sibling) {
		const struct recorded_process *child =
			c->process ? recording_process(t->s->recording, c->process - 1) : NULL;
		int code = child && WIFSIGNALED(child->status) ? 128 + WTERMSIG(child->status) : 0;

		if (!child || !child->ended || child->end > p->end || p->end - child->end > PASSED_ON_NS)
			continue;
		if (child->status == p->status || (code && WIFEXITED(p->status) && WEXITSTATUS(p->status) == code))
			return true;
	}
	return false;
}

/* What the page says whole, of a panic. */
static bool is_shown(const struct guest_story *g, const struct recorded_process *p)
{
	return g->n_troubles && g->troubles[0].kind == GUEST_PANIC && !g->troubles[0].interrupt &&
	       g->troubles[0].pid == p->pid;
}

/* --- All of them -------------------------------------------------------------------------------------------------- */

static void add(struct tell *t, struct failings *all, const struct recorded_process *p)
{
	const struct guest_command command = tell_process(t, p);
	const uint64_t text = (uintptr_t)command.command, status = (uint32_t)p->status;
	uintptr_t number = (uintptr_t)idmap_get(&all->known, text, status);
	struct failing *f;

	if (!number) {
		number = all->n + 1;
		if (grow_array((void **)&all->items, all->n, &all->cap, sizeof(*all->items)) ||
		    idmap_put(&all->known, text, status, (char *)number)) {
			t->err = -ENOMEM;
			return;
		}
		all->items[all->n++] =
			(struct failing){.failed = {.status = p->status, .crashed = is_crash(p->status)}};
	}
	f = &all->items[number - 1];
	f->failed.process = command;
	f->failed.at = tell_time(t, p->end);
	f->failed.count++;
	f->process = p;
}

/* The last line that it wrote to standard error, or output. */
static const char *last_line(struct tell *t, const struct process_history *h, int which)
{
	const struct buf *out = &h->output[which];
	size_t end = out->len, from;

	while (end && (out->data[end - 1] == '\n' || out->data[end - 1] == '\r'))
		end--;
	from = end;
	while (from && out->data[from - 1] != '\n')
		from--;
	return tell_text(t, end ? out->data + from : "", end - from);
}

/* Calls that fail in programs for which that is no failure leave nothing here (answer/story). */
static const char *last_failure(struct tell *t, const struct process_history *h)
{
	const struct failure *last = h->n_failures ? &h->failures[h->n_failures - 1] : NULL;
	const struct last_call *other = h->first_thread ? last_calls_failed(h->first_thread->last_calls) : NULL;

	if (other && (!last || other->time > last->last))
		return tell_call(t, other);
	return last && last->text ? tell_text(t, last->text, strlen(last->text)) : "";
}

static int most_telling_first(const void *a, const void *b)
{
	const struct guest_failed *one = &((const struct failing *)a)->failed,
				  *two = &((const struct failing *)b)->failed;
	const int first = one->crashed * 2 + !!*one->said, second = two->crashed * 2 + !!*two->said;

	if (first != second)
		return second - first;
	return (one->at < two->at) - (one->at > two->at);
}

static int first_first(const void *a, const void *b)
{
	const struct guest_failed *one = a, *two = b;

	return (one->at > two->at) - (one->at < two->at);
}

void failed_tell(struct tell *t)
{
	const struct recording *r = t->s->recording;
	struct failings all = {0};

	for (size_t i = 0; i < recording_processes(r) && !t->err; i++) {
		const struct recorded_process *p = recording_process(r, i);
		const struct tree_node *node = process_tree_node(t->s->tree, p->number);

		if (p->ended && p->status && node && !node->kernel && !is_wanted(&t->s->history, p) &&
		    !is_passed_on(t, node, p) && !is_shown(t->g, p))
			add(t, &all, p);
	}
	for (size_t i = 0; i < all.n; i++) {
		const struct process_history *h = history_process(&t->s->history, all.items[i].process->number);

		all.items[i].failed.said = h ? last_line(t, h, OUTPUT_STDERR) : "";
		if (h && !*all.items[i].failed.said) {
			all.items[i].failed.said = last_line(t, h, OUTPUT_STDOUT);
			all.items[i].failed.on_stdout = true;
		}
		all.items[i].failed.failure = h ? last_failure(t, h) : "";
	}
	if (all.n)
		qsort(all.items, all.n, sizeof(*all.items), most_telling_first);
	t->g->all_failed = all.n;
	for (size_t i = 0; i < all.n && i < GUEST_FAILED; i++) {
		const struct process_history *h = history_process(&t->s->history, all.items[i].process->number);

		t->g->failed[t->g->n_failed++] = all.items[i].failed;
		tell_calls(t, h ? h->first_thread : NULL, all.items[i].process->end, &t->g->failed[i].calls);
	}
	free(all.items);
	idmap_release(&all.known);
}

/* --- For people, and for programs --------------------------------------------------------------------------------- */

static void print_one(struct buf *out, const struct guest_story *g, const struct guest_failed *f)
{
	const struct exec_end end = {.known = true, .wait_status = f->status, .ended = true};

	if (g->host)
		text_padded(out, g, f->at);
	else
		buf_puts(out, "          ");
	buf_puts(out, "  ");
	command_print(out, &f->process, "");
	buf_putc(out, ' ');
	exec_print_end(out, &end);
	if (f->count > 1)
		buf_printf(out, " x%llu", (unsigned long long)f->count);
	if (f->crashed && f->calls.faulted)
		buf_printf(out, " at address %#llx", (unsigned long long)f->calls.address);
	if (*f->said) {
		buf_puts(out, ": ");
		text_cut(out, f->said, SAID_MAX);
	}
	buf_putc(out, '\n');
	if (f->crashed && f->calls.n) {
		buf_puts(out, BEHIND "its last system call: ");
		text_cut(out, f->calls.last[f->calls.n - 1], CALL_MAX);
		buf_putc(out, '\n');
		calls_print_change(out, &f->calls, BEHIND);
	} else if (*f->failure) {
		buf_puts(out, BEHIND);
		text_cut(out, f->failure, CALL_MAX);
		buf_putc(out, '\n');
	}
}

void failed_print(struct buf *out, const struct guest_story *g, size_t max)
{
	struct guest_failed shown[GUEST_FAILED];
	size_t n = g->n_failed < max ? g->n_failed : max;

	if (!n)
		return;
	memcpy(shown, g->failed, n * sizeof(*shown));
	qsort(shown, n, sizeof(*shown), first_first);
	buf_puts(out, "  programs that failed:\n");
	for (size_t i = 0; i < n; i++)
		print_one(out, g, &shown[i]);
	if (g->all_failed > n)
		buf_printf(out, BEHIND "and %llu more\n", (unsigned long long)(g->all_failed - n));
}

void failed_json(struct jsonl *j, const struct guest_story *g)
{
	struct buf all = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < g->n_failed; i++) {
		const struct guest_failed *f = &g->failed[i];

		jsonl_begin(&one);
		command_json(&one, "command", "pid", &f->process);
		jsonl_unsigned(&one, "time", f->at);
		jsonl_unsigned(&one, "count", f->count);
		if (WIFEXITED(f->status))
			jsonl_unsigned(&one, "status", (unsigned)WEXITSTATUS(f->status));
		calls_json(&one, &f->calls);
		jsonl_string(&one, f->on_stdout ? "stdout" : "stderr", f->said);
		jsonl_string(&one, "failed_call", f->failure);
		jsonl_end(&one);
		jsonl_object(&all, &one);
	}
	jsonl_objects(j, "failed_programs", &all);
	buf_release(&text);
}
