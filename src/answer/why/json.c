/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/why.h>

#include "guests.h"
#include "outcome.h"
#include <errno.h>
#include <exectrace/answer/format/jsonl.h>
#include <exectrace/answer/why/page/page.h>
#include <exectrace/answer/why/time/growing.h>
#include <exectrace/answer/why/time/lookups.h>
#include <exectrace/answer/why/time/odd.h>
#include <exectrace/target/syscalls/names.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

#define SAMPLES_MAX 20 /* functions of samples */

static struct data_text text_of(const struct buf *buf)
{
	return (struct data_text){buf->data ? buf->data : "", buf->len};
}

/* What both parts say of a process. */
static void process_at(struct jsonl *j, const struct tree_node *node, const char *command)
{
	struct buf end = BUF_INIT;

	jsonl_unsigned(j, "pid", node->pid);
	jsonl_string(j, "command", command);
	page_end_of(&end, node);
	jsonl_text(j, "status", text_of(&end));
	buf_release(&end);
}

static void process(struct jsonl *j, const struct tree_node *node)
{
	process_at(j, node, program_command(node));
}

static void chain(const struct why *why, struct jsonl *j)
{
	struct buf items = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < why->chain.n; i++) {
		jsonl_begin(&one);
		process(&one, why->chain.nodes[i]);
		if (*story_cwd(&why->story, why->chain.nodes[i]))
			jsonl_string(&one, "cwd", story_cwd(&why->story, why->chain.nodes[i]));
		jsonl_array(&one, "state");
		for (size_t k = 0; k < why->chain.nodes[i]->state.n; k++)
			jsonl_item(&one, (struct data_text){why->chain.nodes[i]->state.items[k],
			                                    strlen(why->chain.nodes[i]->state.items[k])});
		jsonl_array_end(&one);
		jsonl_unsigned(&one, "start", story_start(&why->story, why->chain.nodes[i]));
		jsonl_unsigned(&one, "end", story_end(&why->story, why->chain.nodes[i]));
		jsonl_end(&one);
		jsonl_object(&items, &one);
	}
	jsonl_objects(j, "chain", &items);
	buf_release(&text);
}

static void failures(const struct why *why, const struct process_history *p, struct jsonl *j)
{
	struct buf items = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = p->n_failures; i-- > 0;) {
		const struct failure *f = &p->failures[i];

		jsonl_begin(&one);
		jsonl_string(&one, "call", f->call);
		jsonl_string(&one, "error", errno_name(f->error) ? errno_name(f->error) : "?");
		jsonl_string(&one, "what", f->what);
		jsonl_unsigned(&one, "count", f->count);
		jsonl_unsigned(&one, "first", story_time(&why->story, f->first));
		jsonl_unsigned(&one, "last", story_time(&why->story, f->last));
		jsonl_string(&one, "text", f->text);
		if (f->stack)
			jsonl_string(&one, "stack", f->stack);
		jsonl_end(&one);
		jsonl_object(&items, &one);
	}
	jsonl_objects(j, "failed_calls", &items);
	buf_release(&text);
}

static void found_files(const struct why *why, const struct process_history *p, struct jsonl *j)
{
	const struct story *s = &why->story;
	struct buf items = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (unsigned i = p->n_found; i-- > 0;) {
		const struct object *o = objects_at(&s->history.objects, p->found[i].object);
		const struct tree_node *maker = process_tree_node(s->tree, o->maker - 1);

		jsonl_begin(&one);
		jsonl_string(&one, "file", o->name);
		jsonl_unsigned(&one, "time", story_time(s, p->found[i].time));
		jsonl_unsigned(&one, "made", story_time(s, o->made));
		jsonl_unsigned(&one, "maker", maker ? maker->pid : 0);
		jsonl_end(&one);
		jsonl_object(&items, &one);
	}
	jsonl_objects(j, "found", &items);
	buf_release(&text);
}

/* The signal that ended it, as it is known to have met it. */
static void signal_of(const struct tree_node *node, const struct signal_place *hit, struct jsonl *j)
{
	struct buf text = BUF_INIT;
	struct jsonl one = {.out = &text};
	char name[SIGNAL_NAME_MAX];

	if (!WIFSIGNALED(node->end.wait_status) || hit->number != WTERMSIG(node->end.wait_status))
		return;
	jsonl_begin(&one);
	jsonl_string(&one, "name", signal_name(hit->number, name));
	jsonl_number(&one, "code", hit->code);
	if (hit->code > 0)
		jsonl_unsigned(&one, "address", hit->address);
	if (hit->stack)
		jsonl_string(&one, "stack", hit->stack);
	jsonl_end(&one);
	if (text.len) /* without its newline */
		jsonl_json(j, "signal", (struct data_text){text.data, text.len - 1});
	buf_release(&text);
}

static void origin(const struct why *why, struct jsonl *j)
{
	const struct tree_node *node = why->chain.nodes[why->chain.n - 1];
	const struct process_history *p = story_history(&why->story, node);

	if (!p)
		return;
	signal_of(node, &p->hit, j);
	jsonl_text(j, "stderr", text_of(&p->output[OUTPUT_STDERR]));
	jsonl_text(j, "stdout", text_of(&p->output[OUTPUT_STDOUT]));
	failures(why, p, j);
	found_files(why, p, j);
}

static void waiting(const struct why *why, struct jsonl *j)
{
	struct buf items = BUF_INIT, text = BUF_INIT, what = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < why->waiting.n; i++) {
		const struct waiting_thread *w = &why->waiting.items[i];

		jsonl_begin(&one);
		process(&one, w->node);
		jsonl_unsigned(&one, "tid", w->thread->tid);
		jsonl_string(&one, "thread", w->thread->comm);
		buf_reset(&what, SIZE_MAX);
		if (w->wait) {
			jsonl_unsigned(&one, "time", w->wait->to - w->wait->from);
			page_wait(why, w->wait, &what);
			jsonl_text(&one, "waits", text_of(&what));
		}
		if (w->stack)
			jsonl_string(&one, "stack", w->stack);
		jsonl_end(&one);
		jsonl_object(&items, &one);
	}
	if (why->waiting.n)
		jsonl_objects(j, "waiting", &items);
	buf_release(&items);
	buf_release(&text);
	buf_release(&what);
}

static void critical(const struct why *why, struct jsonl *j)
{
	struct buf items = BUF_INIT, text = BUF_INIT, what = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < why->critical.n_groups; i++) {
		const struct critical_group *g = &why->critical.groups[i];

		jsonl_begin(&one);
		process_at(&one, g->latest, g->command);
		jsonl_unsigned(&one, "time", g->time);
		jsonl_unsigned(&one, "count", g->steps);
		jsonl_unsigned(&one, "processes", g->processes);
		jsonl_unsigned(&one, "longest", g->longest);
		jsonl_unsigned(&one, "first", g->first);
		jsonl_unsigned(&one, "last", g->last);
		buf_reset(&what, SIZE_MAX);
		if (g->wait)
			page_wait(why, g->wait, &what);
		jsonl_text(&one, "waits", text_of(&what));
		jsonl_end(&one);
		jsonl_object(&items, &one);
	}
	jsonl_objects(j, "critical", &items);
	buf_release(&text);
	buf_release(&what);
}

static void outcome(const struct why *why, struct jsonl *j)
{
	size_t known, all;
	uint64_t cpu = outcome_cpu(why, &known, &all);

	jsonl_unsigned(j, "processes", all);
	if (why->busy.known)
		jsonl_unsigned(j, "busy", why->busy.time);
	if (known)
		jsonl_unsigned(j, "cpu", cpu);
	jsonl_unsigned(j, "cpu_unknown", all - known);
}

static void samples(const struct why *why, struct jsonl *j)
{
	struct buf items = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < why->samples.n && i < SAMPLES_MAX; i++) {
		const struct sampled *s = &why->samples.items[i];

		jsonl_begin(&one);
		jsonl_string(&one, "function", s->function->name);
		jsonl_string(&one, "file", s->function->file);
		jsonl_unsigned(&one, "pid", s->process->pid);
		jsonl_unsigned(&one, "time", s->time);
		jsonl_end(&one);
		jsonl_object(&items, &one);
	}
	jsonl_objects(j, "samples", &items);
	buf_release(&text);
}

static void guests(const struct why *why, struct jsonl *j)
{
	struct buf items = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < why->n_guests; i++) {
		jsonl_begin(&one);
		guest_story_json(&one, why->guests[i]);
		page_guest_host_json(why, why->guests[i], &one);
		jsonl_end(&one);
		jsonl_object(&items, &one);
	}
	jsonl_objects(j, "guests", &items);
	buf_release(&text);
}

int why_json(const struct why *why, struct buf *out)
{
	struct jsonl j = {.out = out};

	jsonl_begin(&j);
	if (why->top) {
		process(&j, why->top);
		jsonl_unsigned(&j, "duration", story_end(&why->story, why->top) - story_start(&why->story, why->top));
		outcome(why, &j);
	}
	jsonl_unsigned(&j, "calls", why->story.history.calls);
	chain(why, &j);
	if (why->chain.n)
		origin(why, &j);
	waiting(why, &j);
	critical(why, &j);
	samples(why, &j);
	page_odd_json(why, &j);
	guests(why, &j);
	page_growing_json(why, &j);
	page_small_json(why, &j);
	page_lookups_json(why, &j);
	return jsonl_end(&j);
}
