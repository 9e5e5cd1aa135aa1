/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/guest/programs/tell.h>

#include <errno.h>
#include <exectrace/answer/calls/call.h>
#include <exectrace/answer/recording/program.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* --- Threads and times -------------------------------------------------------------------------------------------- */

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

const char *tell_syscall(struct tell *t, const struct data_syscall *call, bool unfinished)
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
	return tell_syscall(t, &call->call, call->unfinished);
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
