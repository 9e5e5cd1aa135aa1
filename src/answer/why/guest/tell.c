/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tell.h"
#include "rivals.h"

#include <errno.h>
#include <exectrace/answer/calls/call.h>
#include <exectrace/answer/recording/program.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* --- Threads and times -------------------------------------------------------------------------------------------- */

static void find_threads(struct tell *t)
{
	const struct recording *r = t->s->recording;

	for (size_t i = 0; i < recording_threads(r) && !t->err; i++) {
		const struct recorded_thread *thread = recording_thread(r, i);

		t->err = idmap_put(&t->threads, thread->tid, 0, (void *)(uintptr_t)(thread->number + 1));
	}
}

const struct thread_history *tell_thread(const struct tell *t, uint32_t tid)
{
	uintptr_t number = tid ? (uintptr_t)idmap_get(&t->threads, tid, 0) : 0;

	return number ? history_thread(&t->s->history, (uint32_t)(number - 1)) : NULL;
}

uint64_t tell_time(const struct tell *t, uint64_t event)
{
	return t->g->host && event > t->g->file->start ? event - t->g->file->start : 0;
}

uint64_t tell_event(const struct tell *t, uint64_t time)
{
	return t->g->host ? t->g->file->start + time : 0;
}

/* --- Texts -------------------------------------------------------------------------------------------------------- */

const char *tell_text(struct tell *t, const char *text, size_t n)
{
	const char *kept = "";

	if (n && pool_text(&t->g->commands, text, n, &kept, NULL)) {
		t->err = -ENOMEM;
		return "";
	}
	return kept;
}

struct guest_command tell_process(struct tell *t, const struct recorded_process *p)
{
	const struct tree_node *node = process_tree_node(t->s->tree, p->number);
	const char *command = node && !node->kernel ? program_command(node) : NULL;

	return (struct guest_command){
		.pid = p->pid,
		.command = command ? tell_text(t, command, strlen(command)) : NULL,
		.forked = node && node->forked,
	};
}

static const char *text_of(struct tell *t, const struct data_syscall *call, bool unfinished)
{
	cleanup_buf struct buf text = BUF_INIT;
	struct call_parts parts = {0};
	const char *kept = "";
	int rc = call_take_apart(&parts, call, unfinished);

	if (!rc) {
		buf_append(&text, parts.name.bytes, parts.name.n);
		for (unsigned i = 0; i < parts.nargs; i++) {
			buf_puts(&text, i ? ", " : "(");
			buf_append(&text, parts.args[i].text.bytes, parts.args[i].text.n);
		}
		buf_puts(&text, parts.nargs ? ")" : "()");
		if (parts.result.n) {
			buf_puts(&text, " = ");
			buf_append(&text, parts.result.bytes, parts.result.n);
		}
		rc = text.err;
	}
	if (rc)
		t->err = rc;
	else
		kept = tell_text(t, text.data, text.len);
	call_parts_release(&parts);
	return kept;
}

const char *tell_call(struct tell *t, const struct last_call *call)
{
	return text_of(t, &call->call, call->unfinished);
}

/* --- Who called into a module ------------------------------------------------------------------------------------- */

#define SLACK_NS (2 * NS_PER_MS) /* by so much times that are interpolated may be wrong */

/* The system calls in which modules were called. */
static void see_talks(struct tell *t, struct guest_trouble *trouble, const struct recorded_event *event,
                      bool unfinished)
{
	const struct data_syscall *call = &event->record->syscall;
	const uint64_t enter = tell_time(t, event->time - call->duration), exit = tell_time(t, event->time);
	char name[CALL_NAME_MAX];

	for (size_t i = 0; i < trouble->n_talks; i++) {
		struct guest_talk *talk = &trouble->talks[i];

		if (*talk->call && talk->pid == event->thread->tid && talk->at + SLACK_NS >= enter &&
		    talk->at <= exit + SLACK_NS && strcmp(talk->call, call_name(call, name)) == 0)
			talk->text = text_of(t, call, unfinished);
	}
}

/* clock_settime(2), settimeofday(2) */
static void see_clock(struct tell *t, const struct recorded_event *event)
{
	const struct data_syscall *call = &event->record->syscall;
	struct guest_story *g = t->g;
	char text[CALL_NAME_MAX];
	const char *name = call_name(call, text);

	if (call->error || g->n_clock_sets == GUEST_CLOCK_SETS ||
	    !((strcmp(name, "clock_settime") == 0 && !call->args[0]) || strcmp(name, "settimeofday") == 0))
		return;
	t->setters[g->n_clock_sets] = event->thread->process;
	g->clock_sets[g->n_clock_sets++].at = tell_time(t, event->time);
}

static void see_call(void *ctx, const struct recorded_event *event, bool unfinished)
{
	struct tell *t = ctx;

	for (size_t i = 0; i < t->g->n_troubles; i++)
		see_talks(t, &t->g->troubles[i], event, unfinished);
	see_talks(t, &t->g->ender, event, unfinished);
	if (!unfinished) {
		rivals_see(t, event);
		see_clock(t, event);
	}
}

/* --- What a task had called --------------------------------------------------------------------------------------- */

/* Who had changed the file that a call reads. */
static void find_change(struct tell *t, const struct thread_history *thread, const struct last_call *call,
                        struct guest_calls *calls)
{
	struct history *h = &t->s->history;
	const uint64_t began = call->time - call->call.duration;
	cleanup_buf struct buf file = BUF_INIT;
	const struct object *o = NULL;
	int rc = call_file(&file, &call->call);

	if (!rc && file.len) {
		uint32_t number = objects_number(&h->objects, file.data, file.len);

		rc = number ? 0 : -ENOMEM;
		o = number ? objects_at(&h->objects, number) : NULL;
	}
	if (rc == -ENOMEM)
		t->err = rc;
	if (!o || !o->changer || o->changed > began || o->changer - 1 == thread->thread->process->number)
		return;
	calls->change = o->change;
	calls->changer = (struct guest_command){
		.pid = recording_process(t->s->recording, o->changer - 1)->pid,
		.command = tell_text(t, o->changed_by, strlen(o->changed_by)),
	};
	calls->before = began - o->changed;
}

void tell_calls(struct tell *t, const struct thread_history *thread, uint64_t event, struct guest_calls *calls)
{
	const struct recorded_process *p = thread ? thread->thread->process : NULL;
	const struct last_call *read = thread ? last_calls_read(thread->last_calls) : NULL;

	*calls = (struct guest_calls){.current = "", .change = ""};
	if (!p || !event)
		return;
	if (p->ended && WIFSIGNALED(p->status))
		calls->signal = WTERMSIG(p->status);
	for (size_t back = LAST_CALLS; back-- > 0;) {
		const struct last_call *call = last_calls_at(thread->last_calls, back);

		if (!call || call->time - call->call.duration > event)
			continue;
		if (call->unfinished)
			calls->current = tell_call(t, call);
		else
			calls->last[calls->n++] = tell_call(t, call);
	}
	if (read && read->time - read->call.duration <= event)
		find_change(t, thread, read, calls);
	for (uint64_t i = 0; i < t->g->n_faults && i < GUEST_FAULTS; i++) {
		if (t->g->faults[i].pid != thread->thread->tid)
			continue;
		calls->faulted = true;
		calls->address = t->g->faults[i].address;
	}
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

static void tell_trouble(struct tell *t, struct guest_trouble *trouble)
{
	if (!trouble->interrupt)
		tell_calls(t, tell_thread(t, trouble->pid), tell_event(t, trouble->at), &trouble->calls);
}

static int tell_all(struct tell *t)
{
	struct guest_story *g = t->g;

	find_threads(t);
	for (size_t i = 0; i < g->n_troubles && !t->err; i++)
		tell_trouble(t, &g->troubles[i]);
	if (!t->err && g->ender.frames)
		tell_trouble(t, &g->ender);
	if (!t->err)
		stuck_tell(t);
	if (!t->err)
		failed_tell(t);
	if (!t->err)
		ending_tell(t);
	if (!t->err)
		polls_tell(t);
	if (!t->err)
		crowds_tell(t);
	if (!t->err)
		closes_tell(t);
	if (!t->err)
		ignored_tell(t);
	rivals_tell(t);
	for (size_t i = 0; i < g->n_clock_sets; i++)
		g->clock_sets[i].by = tell_process(t, t->setters[i]);
	idmap_release(&t->threads);
	idmap_release(&t->policies);
	free(t->family);
	return t->err;
}

int guest_story_tell(struct guest_story *g)
{
	struct recording *r;
	struct story s;
	struct tell t = {.g = g, .s = &s};
	const struct story_options options = {.call = see_call, .ctx = &t};
	cleanup_buf struct buf why = BUF_INIT;
	int rc = recording_open(&r, g->file->path, NULL, &why);

	if (rc) /* what its kernel did is known all the same */
		return rc == -ENOMEM ? rc : 0;
	rc = story_read(&s, r, &options);
	if (!rc)
		rc = tell_all(&t);
	story_release(&s);
	recording_close(r);
	return rc;
}
