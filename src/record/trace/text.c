/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text.h"

#include "prefixes.h"

#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/quote.h>
#include <exectrace/target/syscalls/names.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

struct text {
	struct writer w; /* first */
	struct prefixes prefixes;
	size_t line;         /* where the last line begins in w.out */
	struct thread *open; /* whose call the last line is, still without its end */
};

/* Calls that are shown only when their end is known. */
static bool waits_for_end(const struct text *t)
{
	return t->w.config.form.hidden || writer_has_paths(&t->w.config);
}

/* Those of which the text has to have paths, to be found by them, that are not asked for. */
static bool is_plain(const struct text *t)
{
	return t->w.config.form.strace && !t->w.config.form.named && writer_has_paths(&t->w.config);
}

static struct decoder plain_decoder(const struct text *t)
{
	struct decoder decoder = t->w.decoder;

	decoder.fd_path = NULL;
	return decoder;
}

/* Begins a line for a thread; a call whose line stands open is cut first. Where the line begins in t->w.out: t->line.
 */
static int begin_line(struct text *t, const struct thread *thread, uint64_t wall)
{
	int err = 0;

	if (t->open) {
		t->open->cut = true;
		t->open = NULL;
		err = buf_puts(&t->w.out, " <unfinished ...>\n");
	}
	t->line = t->w.out.len;
	return err ? err : prefixes_put(&t->prefixes, &t->w.config.form, thread->tid, wall, &t->w.out);
}

/* What counts as in front of the call where results are put in columns: strace counts all of the line. */
static unsigned prefix_width(const struct text *t)
{
	return t->w.config.form.strace ? (unsigned)(t->w.out.len - t->line) : 0;
}

static int begin_whole(struct text *t, struct thread *thread)
{
	struct decoder plain = plain_decoder(t);
	int err;

	buf_reset(&thread->line, 4096);
	err = decode_enter(&t->w.decoder, &thread->call, &thread->state, &thread->line);
	if (err || !is_plain(t))
		return err;
	thread->plain_state.column = 0;
	buf_reset(&thread->plain, 4096);
	return decode_enter(&plain, &thread->call, &thread->plain_state, &thread->plain);
}

static int on_enter(struct text *t, const struct call_event *event)
{
	struct thread *thread = event->thread;
	int err = 0;

	thread->state.column = 0;
	thread->cut = false;
	if (waits_for_end(t))
		return begin_whole(t, thread);
	err = begin_line(t, thread, event->wall);
	thread->state.column = prefix_width(t);
	t->open = thread;
	return err ? err : decode_enter(&t->w.decoder, &thread->call, &thread->state, &t->w.out);
}

static int resume_line(struct text *t, const struct call_event *event)
{
	struct thread *thread = event->thread;
	const struct syscall_desc *desc = syscall_by_nr(thread->call.arch, thread->call.nr);
	size_t at = 0;
	int err = begin_line(t, thread, event->wall);

	at = t->w.out.len - prefix_width(t);
	if (!err)
		err = buf_printf(&t->w.out, "<... %s resumed>", desc ? desc->name : "syscall");
	thread->state.column = (unsigned)(t->w.out.len - at);
	return err;
}

static int duration(struct text *t, uint64_t ns)
{
	char text[64], *end = text + sizeof(text), *at = end;

	if (t->w.config.form.strace && !t->w.config.form.lasting)
		return buf_putc(&t->w.out, '\n');

	*--at = '\n';
	*--at = '>';
	at = prefixes_seconds(at, ns);
	*--at = '<';
	*--at = ' ';
	return buf_append(&t->w.out, at, (size_t)(end - at));
}

static int say_injected(struct buf *out, const struct thread *thread)
{
	int err = thread->injected.returned ? buf_puts(out, " (INJECTED)") : 0;

	return err || !thread->injected.late ? err : buf_puts(out, " (DELAYED)");
}

static int show_line(struct text *t, const struct thread *thread)
{
	const struct buf *line = is_plain(t) ? &thread->plain : &thread->line;
	int err = begin_line(t, thread, thread->wall);

	return err ? err : buf_append(&t->w.out, line->data, line->len);
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
	return err ? err : writer_stack(&t->w, thread);
}

static int on_exit_of(struct text *t, const struct call_event *event)
{
	struct thread *thread = event->thread;
	int err = 0;

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
	return err ? err : writer_stack(&t->w, thread);
}

static int on_signal(struct text *t, const struct call_event *event)
{
	char name[SIGNAL_NAME_MAX];
	int err = 0;

	if (event->sig > 0 && t->w.config.form.hidden_signals >> (event->sig - 1) & 1)
		return 0;
	err = begin_line(t, event->thread, event->wall);
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
	int err = begin_line(t, event->thread, event->wall);

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

	if (!thread->in_call || !thread->wanted || thread->aside)
		return 0;
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

static int on_taken(struct text *t, const struct call_event *event)
{
	int err = close_call(t, event);

	if (!err)
		err = begin_line(t, event->thread, event->wall);
	return err ? err : buf_printf(&t->w.out, "+++ superseded by execve in pid %d +++\n", (int)event->other);
}

static int on_end(struct text *t, const struct call_event *event)
{
	int err = close_call(t, event);

	if (err || t->w.config.form.no_ends)
		return err;
	err = begin_line(t, event->thread, event->wall);
	return err ? err : say_end(t, event->status);
}

static int on_event(struct writer *writer, const struct call_event *event)
{
	struct text *t = (struct text *)writer;

	switch (event->type) {
	case CALL_ENTER:
		return on_enter(t, event);
	case CALL_EXIT:
		return on_exit_of(t, event);
	case CALL_SIGNAL:
		return on_signal(t, event);
	case CALL_STOP:
		return on_stop(t, event);
	case CALL_TAKEN:
		return on_taken(t, event);
	case CALL_END:
		return on_end(t, event);
	default:
		return 0;
	}
}

static int on_last(struct writer *writer)
{
	const struct text *t = (struct text *)writer;

	return t->open ? buf_puts(&writer->out, " <detached ...>\n") : 0;
}

struct call_sink *text_sink(const struct writer_config *config)
{
	static const struct stack_form form = {"", " > ", "\n", "\n", quote_terminal};
	struct text *t = calloc(1, sizeof(*t));

	if (t)
		t->w.stack_form = &form;
	return t ? writer_init(&t->w, config, on_event, on_last) : NULL;
}
