/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The programs of a guest that failed. */
#include <exectrace/answer/why/guest/programs/failed.h>

#include <errno.h>
#include <exectrace/answer/calls/call.h>
#include <exectrace/answer/why/guest/story/text.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/grow.h>
#include <exectrace/target/exec/print.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define PASSED_ON_NS (200 * NS_PER_MS) /* a parent that ends so soon with its child's status passes it on */
#define RECENT_NS (500 * NS_PER_MS)
#define SAID_MAX 100u /* bytes */
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

/* False: no memory. */
static bool make_family(struct tell *t)
{
	const struct recording *r = t->s->recording;

	if (t->family)
		return true;
	t->family = calloc(recording_processes(r) + 1, sizeof(*t->family));
	for (size_t i = 0; t->family && i < recording_processes(r); i++) {
		const struct recorded_process *parent = recording_process(r, i)->parent;

		if (!parent)
			continue;
		t->family[i].sibling = t->family[parent->number].child;
		t->family[parent->number].child = (uint32_t)i + 1;
	}
	if (!t->family)
		t->err = -ENOMEM;
	return t->family;
}

/* A shell ends as its last command did: that one is the answer. */
const struct recorded_process *failed_child(struct tell *t, const struct recorded_process *p)
{
	const struct recorded_process *last = NULL;

	if (!make_family(t))
		return NULL;
	for (uint32_t i = t->family[p->number].child; i; i = t->family[i - 1].sibling) {
		const struct recorded_process *child = recording_process(t->s->recording, i - 1);
		int code = WIFSIGNALED(child->status) ? 128 + WTERMSIG(child->status) : 0;

		if (!child->ended || child->end > p->end || p->end - child->end > PASSED_ON_NS)
			continue;
		if (child->status != p->status && !(code && WIFEXITED(p->status) && WEXITSTATUS(p->status) == code))
			continue;
		if (!last || child->end > last->end)
			last = child;
	}
	return last;
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
	const uint64_t text = (uintptr_t)tell_process(t, p).command, status = (uint32_t)p->status;
	uintptr_t number = (uintptr_t)idmap_get(&all->known, text, status);
	struct failing *f;

	if (!number) {
		number = all->n + 1;
		if (grow_array((void **)&all->items, all->n, &all->cap, sizeof(*all->items)) ||
		    idmap_put(&all->known, text, status, (char *)number)) {
			t->err = -ENOMEM;
			return;
		}
		all->items[all->n++] = (struct failing){0};
	}
	f = &all->items[number - 1];
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

/* Calls that fail in programs for which that is no failure leave nothing here (answer/story). What failed long before
 * the end has nothing to do with that. */
static const char *last_failure(struct tell *t, const struct process_history *h, uint64_t end)
{
	const uint64_t from = end > RECENT_NS ? end - RECENT_NS : 0;
	const struct failure *last = h->n_failures ? &h->failures[h->n_failures - 1] : NULL;
	const struct last_call *other = h->first_thread ? last_calls_failed(h->first_thread->last_calls) : NULL;

	if (other && other->time >= from && (!last || other->time > last->last))
		return tell_call(t, other);
	return last && last->text && last->last >= from ? tell_text(t, last->text, strlen(last->text)) : "";
}

/* Who sent the signal that ended a process. */
static struct guest_command killer_of(struct tell *t, const struct recorded_process *p)
{
	const struct history *h = &t->s->history;
	const struct kill_sent *last = NULL;

	for (size_t i = 0; i < h->n_kills; i++)
		if (h->kills[i].target == (int32_t)p->pid && h->kills[i].number == WTERMSIG(p->status))
			last = &h->kills[i];
	if (!last)
		return (struct guest_command){0};
	return (struct guest_command){.pid = last->pid, .command = tell_text(t, last->sender, strlen(last->sender))};
}

/* What a process wrote to when nobody read that any more. Its last call may not have been seen to return. */
static const char *broken_pipe(struct tell *t, const struct process_history *h)
{
	const struct last_call *last = h->first_thread ? last_calls_at(h->first_thread->last_calls, 0) : NULL;
	const bool broken = last && !last->unfinished && last->call.result == -EPIPE;
	cleanup_buf struct buf file = BUF_INIT;
	int rc = broken || (last && last->unfinished) ? call_file(&file, &last->call) : -ENOENT;

	if (rc == -ENOMEM)
		t->err = rc;
	return rc || !file.len || (!broken && *file.data == '/') ? "" : tell_text(t, file.data, file.len);
}

void failed_fill(struct tell *t, struct guest_failed *f, const struct recorded_process *p)
{
	const struct process_history *h = history_process(&t->s->history, p->number);
	const bool signaled = WIFSIGNALED(p->status);

	f->process = tell_process(t, p);
	f->at = tell_time(t, p->end);
	f->status = p->status;
	f->crashed = is_crash(p->status);
	f->said = h ? last_line(t, h, OUTPUT_STDERR) : "";
	if (h && !*f->said) {
		f->said = last_line(t, h, OUTPUT_STDOUT);
		f->on_stdout = true;
	}
	f->failure = h ? last_failure(t, h, p->end) : "";
	f->killer = signaled ? killer_of(t, p) : (struct guest_command){0};
	f->pipe = h && signaled && WTERMSIG(p->status) == SIGPIPE ? broken_pipe(t, h) : "";
	tell_calls(t, h ? h->first_thread : NULL, p->end, &f->calls);
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
		    !failed_child(t, p) && !is_shown(t->g, p))
			add(t, &all, p);
	}
	for (size_t i = 0; i < all.n; i++)
		failed_fill(t, &all.items[i].failed, all.items[i].process);
	if (all.n)
		qsort(all.items, all.n, sizeof(*all.items), most_telling_first);
	t->g->all_failed = all.n;
	for (size_t i = 0; i < all.n && i < GUEST_FAILED; i++)
		t->g->failed[t->g->n_failed++] = all.items[i].failed;
	free(all.items);
	idmap_release(&all.known);
}

/* --- For people, and for programs --------------------------------------------------------------------------------- */

void failed_print_reason(struct buf *out, const struct guest_failed *f)
{
	if (f->killer.command) {
		buf_puts(out, ", sent by ");
		command_print(out, &f->killer, "");
	}
	if (*f->pipe) {
		buf_puts(out, ": nobody read ");
		text_name(out, f->pipe);
		buf_puts(out, " any more");
	}
}

void failed_print_one(struct buf *out, const struct guest_story *g, const struct guest_failed *f,
                      const struct guest_failed *result)
{
	const struct exec_end end = {.known = true, .wait_status = f->status, .ended = true};

	if (g->host)
		text_padded(out, g, f->at);
	else
		buf_puts(out, "          ");
	buf_puts(out, "  ");
	command_print(out, &f->process, "");
	buf_puts(out, result && *result->pipe ? ", which had read that, " : " ");
	exec_print_end(out, &end);
	if (f->count > 1)
		buf_printf(out, " x%llu", (unsigned long long)f->count);
	failed_print_reason(out, f);
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
	if (!f->crashed && *f->said)
		calls_print_change(out, &f->calls, BEHIND);
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
		failed_print_one(out, g, &shown[i], NULL);
	if (g->all_failed > n)
		buf_printf(out, BEHIND "and %llu more\n", (unsigned long long)(g->all_failed - n));
}

void failed_json_one(struct buf *all, const struct guest_failed *f)
{
	cleanup_buf struct buf text = BUF_INIT;
	struct jsonl one = {.out = &text};

	jsonl_begin(&one);
	command_json(&one, "command", "pid", &f->process);
	jsonl_unsigned(&one, "time", f->at);
	jsonl_unsigned(&one, "count", f->count);
	if (WIFEXITED(f->status))
		jsonl_unsigned(&one, "status", (unsigned)WEXITSTATUS(f->status));
	calls_json(&one, &f->calls);
	jsonl_string(&one, f->on_stdout ? "stdout" : "stderr", f->said);
	jsonl_string(&one, "failed_call", f->failure);
	command_json(&one, "sent_by", "sent_by_pid", &f->killer);
	if (*f->pipe)
		jsonl_string(&one, "broken_pipe", f->pipe);
	jsonl_end(&one);
	jsonl_object(all, &one);
}

void failed_json(struct jsonl *j, const struct guest_story *g)
{
	struct buf all = BUF_INIT;

	for (size_t i = 0; i < g->n_failed; i++)
		failed_json_one(&all, &g->failed[i]);
	jsonl_objects(j, "failed_programs", &all);
}
