/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text.h"

#include "dump.h"
#include "text_lines.h"

#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/quote.h>
#include <exectrace/record/form/times.h>
#include <exectrace/target/syscalls/names.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* Calls that are shown only when their end is known. */
static bool waits_for_end(const struct text *t)
{
	return t->w.config.form.hidden || writer_has_paths(&t->w.config);
}

static bool is_plain(const struct text *t)
{
	return writer_is_plain(&t->w.config);
}

static struct decoder plain_decoder(struct text *t)
{
	struct decoder decoder = t->w.decoder;

	memory_tell(&t->w.memory, &decoder, t->w.config.form.fds, t->w.config.form.pids);
	if (!t->w.config.form.fds)
		decoder.fd_path = NULL;
	return decoder;
}

static int begin_whole(struct text *t, struct thread *thread)
{
	struct decoder plain = plain_decoder(t);
	int err;

	thread->state.column = thread->plain_state.column = text_width_ahead(t, thread);
	buf_reset(&thread->line, 4096);
	err = decode_enter(&t->w.decoder, &thread->call, &thread->state, &thread->line);
	if (err || !is_plain(t))
		return err;
	buf_reset(&thread->plain, 4096);
	return decode_enter(&plain, &thread->call, &thread->plain_state, &thread->plain);
}

static int on_enter(struct text *t, const struct call_event *event)
{
	struct thread *thread = event->thread;
	int err = 0;

	thread->state.column = 0;
	thread->cut = thread->told = false;
	writer_choose(&t->w, thread);
	if (waits_for_end(t))
		return begin_whole(t, thread);
	err = text_begin(t, thread, event->wall);
	thread->state.column = text_width(t);
	t->open = thread;
	return err ? err : decode_enter(&t->w.decoder, &thread->call, &thread->state, &t->w.out);
}

static int resume_line(struct text *t, const struct call_event *event)
{
	struct thread *thread = event->thread;
	const struct syscall_desc *desc = syscall_by_nr(thread->call.arch, thread->call.nr);
	size_t at = 0;
	int err = text_begin(t, thread, event->wall);

	at = t->w.out.len - text_width(t);
	if (!err)
		err = buf_printf(&t->w.out, "<... %s resumed>", desc ? desc->name : "syscall");
	thread->state.column = (unsigned)(t->w.out.len - at);
	return err;
}

static int duration(struct text *t, uint64_t ns)
{
	char text[TIMES_BYTES + 8], *end = text + sizeof(text), *at = end;

	if (t->w.config.form.strace && !t->w.config.form.lasting)
		return buf_putc(&t->w.out, '\n');

	*--at = '\n';
	*--at = '>';
	at = times_write(at, ns, t->w.config.form.lasting_unit);
	*--at = '<';
	*--at = ' ';
	return buf_append(&t->w.out, at, (size_t)(end - at));
}

static int say_injected(struct buf *out, const struct thread *thread)
{
	const struct injected *injected = &thread->injected;
	int err = 0;

	if (injected->poked)
		err = buf_printf(out, " (INJECTED: args%s)", injected->returned ? ", retval" : "");
	else if (injected->returned)
		err = buf_puts(out, " (INJECTED)");
	return err || !injected->late ? err : buf_puts(out, " (DELAYED)");
}

static int show_line(struct text *t, struct thread *thread)
{
	const struct buf *line = is_plain(t) ? &thread->plain : &thread->line;
	int err = text_begin(t, thread, thread->wall);

	return err ? err : buf_append(&t->w.out, line->data, line->len);
}

/* What stands below the line of a call that has ended. */
static int dump_and_stack(struct text *t, const struct thread *thread)
{
	int err = dump_call(&t->w.config.form, &t->w.decoder, thread, &t->w.out);

	return err ? err : writer_stack(&t->w, thread);
}

static int show_whole(struct text *t, const struct call_event *event)
{
	struct thread *thread = event->thread;
	struct decoder plain = plain_decoder(t);
	int err = decode_exit(&t->w.decoder, &thread->call, &thread->state, &thread->result, &thread->line);

	if (!err && is_plain(t))
		err = decode_exit(&plain, &thread->call, &thread->plain_state, &thread->result, &thread->plain);
	if (!err)
		err = say_injected(is_plain(t) ? &thread->plain : &thread->line, thread);
	if (err || !writer_wants(&t->w, thread, true))
		return err;
	err = show_line(t, thread);
	if (!err)
		err = duration(t, event->now - thread->enter);
	return err ? err : dump_and_stack(t, thread);
}

static int on_exit_of(struct text *t, const struct call_event *event)
{
	struct thread *thread = event->thread;
	int err = 0;

	writer_choose(&t->w, thread);
	if (waits_for_end(t))
		return show_whole(t, event);
	if (t->open != thread)
		err = resume_line(t, event);
	t->open = NULL;
	if (!err)
		err = decode_exit(&t->w.decoder, &thread->call, &thread->state, &thread->result, &t->w.out);
	if (!err)
		err = say_injected(&t->w.out, thread);
	if (!err)
		err = duration(t, event->now - thread->enter);
	return err ? err : dump_and_stack(t, thread);
}

static int on_signal(struct text *t, const struct call_event *event)
{
	char name[SIGNAL_NAME_MAX];
	int err = 0;

	if (event->sig > 0 && t->w.config.form.hidden_signals >> (event->sig - 1) & 1)
		return 0;
	err = text_begin(t, event->thread, event->wall);
	if (!err)
		err = buf_printf(&t->w.out, "--- %s ", signal_name(event->sig, name));
	if (!err && event->info)
		err = decode_siginfo(&t->w.decoder, event->thread->call.arch ? event->thread->call.arch : arch_native(),
		                     event->info, &t->w.out);
	if (!err)
		err = buf_puts(&t->w.out, " ---\n");
	return err ? err : writer_stack(&t->w, event->thread);
}

static int on_stop(struct text *t, const struct call_event *event)
{
	char name[SIGNAL_NAME_MAX];
	int err = text_begin(t, event->thread, event->wall);

	return err ? err : buf_printf(&t->w.out, "--- stopped by %s ---\n", signal_name(event->sig, name));
}

static int say_end(struct text *t, int status)
{
	char name[SIGNAL_NAME_MAX];

	if (WIFEXITED(status))
		return buf_printf(&t->w.out, "+++ exited with %d +++\n", WEXITSTATUS(status));
	return buf_printf(&t->w.out, "+++ killed by %s%s +++\n", signal_name(WTERMSIG(status), name),
	                  WCOREDUMP(status) ? " (core dumped)" : "");
}

/* A call that does not return. */
static int close_call(struct text *t, const struct call_event *event)
{
	struct thread *thread = event->thread;
	int err = 0;

	if (!thread->in_call || !thread->wanted || thread->aside || thread->told)
		return 0;
	thread->told = true;
	if (waits_for_end(t) && !writer_wants(&t->w, thread, false))
		return 0;
	if (waits_for_end(t))
		err = show_line(t, thread);
	else if (t->open != thread)
		err = resume_line(t, event);
	t->open = NULL;
	if (!err)
		err = decode_gone(&t->w.decoder, &thread->call, is_plain(t) ? &thread->plain_state : &thread->state,
		                  &t->w.out);
	if (!err)
		err = buf_putc(&t->w.out, '\n');
	return err ? err : writer_stack(&t->w, thread);
}

/* What the thread that executes had begun goes on under another number. */
static int rename_open(struct text *t, const struct call_event *event)
{
	if (!t->w.config.form.strace)
		return close_call(t, event);
	if (!t->open || t->open->tid != event->other)
		return 0;
	t->open->cut = true;
	t->open = NULL;
	return buf_printf(&t->w.out, " <pid changed to %d ...>\n", (int)event->thread->tid);
}

static int on_taken(struct text *t, const struct call_event *event)
{
	int err = rename_open(t, event);

	if (!err && !t->w.config.form.no_superseded) {
		err = text_begin(t, event->thread, event->wall);
		if (!err)
			err = buf_printf(&t->w.out, "+++ superseded by execve in pid %d", (int)event->other);
		if (!err)
			err = prefixes_name(event->thread->comm, &t->w.out);
		if (!err)
			err = buf_puts(&t->w.out, " +++\n");
	}
	if (t->open == event->thread)
		t->open = NULL;
	t->prefixes.threads--;
	return err;
}

static int on_end(struct text *t, const struct call_event *event)
{
	int err = close_call(t, event);

	if (!err && !t->w.config.form.no_ends) {
		err = text_begin(t, event->thread, event->wall);
		if (!err)
			err = say_end(t, event->status);
	}
	t->prefixes.threads--;
	return err;
}

/* The one that exectrace has made for us is not said to be attached to. */
static int on_begin(struct text *t, const struct call_event *event)
{
	bool first = !t->prefixes.threads++;

	return first && t->w.config.started ? 0 : text_say(t, event->thread, "attached");
}

static int on_let_go(struct text *t, const struct call_event *event)
{
	struct thread *thread = event->thread;
	bool open = thread->in_call && thread->wanted && !thread->aside && !thread->told;
	int err = 0;

	t->prefixes.threads--;
	if (open && waits_for_end(t) && !(t->w.config.form.hidden & OUTCOME_DETACHED) &&
	    (!writer_has_paths(&t->w.config) || writer_wants(&t->w, thread, false))) {
		err = show_line(t, thread);
		t->open = thread;
	}
	if (!err && t->open == thread)
		err = buf_puts(&t->w.out, " <detached ...>\n");
	if (t->open == thread)
		t->open = NULL;
	return err ? err : text_say(t, thread, "detached");
}

static int put_event(struct text *t, const struct call_event *event)
{
	switch (event->type) {
	case CALL_BEGIN:
		return on_begin(t, event);
	case CALL_ENTER:
		return on_enter(t, event);
	case CALL_EXIT:
		return on_exit_of(t, event);
	case CALL_SIGNAL:
		return on_signal(t, event);
	case CALL_STOP:
		return on_stop(t, event);
	case CALL_LET_GO:
		return on_let_go(t, event);
	case CALL_LEAVES:
		return close_call(t, event);
	case CALL_TAKEN:
		return on_taken(t, event);
	case CALL_END:
		return on_end(t, event);
	default:
		return 0;
	}
}

static int on_event(struct writer *writer, const struct call_event *event)
{
	struct text *t = (struct text *)writer;

	if (event->type == CALL_BEGIN || event->type == CALL_EXEC)
		text_learn(t, event->thread);
	return writer->config.separate ? text_put_apart(t, event, put_event) : put_event(t, event);
}

static int on_last(struct writer *writer)
{
	buf_release(&((struct text *)writer)->context);
	return 0;
}

struct call_sink *text_sink(const struct writer_config *config)
{
	static const struct stack_form form = {"", " > ", "\n", "\n", quote_terminal};
	struct text *t = calloc(1, sizeof(*t));

	if (t)
		t->w.stack_form = &form;
	return t ? writer_init(&t->w, config, on_event, on_last) : NULL;
}
