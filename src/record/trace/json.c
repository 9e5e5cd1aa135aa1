/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json.h"

#include <exectrace/base/quote.h>
#include <exectrace/target/syscalls/names.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* The arguments in the text of a call, each as a string. */
static int put_args(struct buf *out, const char *text)
{
	const char *at = strchr(text, '(');
	const char *end = at ? writer_argument_end(++at) : NULL;
	int err = buf_putc(out, '[');

	for (bool first = true; end && !err && end > at; first = false) {
		err = first ? 0 : buf_putc(out, ',');
		if (!err)
			err = quote_json(out, at, (size_t)(end - at));
		at = *end == ',' ? end + 1 + (end[1] == ' ') : end;
		end = writer_argument_end(at);
	}
	return err ? err : buf_putc(out, ']');
}

static int head(struct writer *w, const struct thread *thread, uint64_t wall, const char *phase)
{
	return buf_printf(&w->out, "{\"t\":%llu,\"pid\":%d,\"tid\":%d,\"ph\":\"%s\"", (unsigned long long)wall,
	                  (int)thread->tgid, (int)thread->tid, phase);
}

static int put_result(struct buf *out, const struct syscall_result *result)
{
	const char *name = result->error ? errno_name((int)-result->value) : NULL;
	int err = buf_printf(out, ",\"ret\":%lld", result->error ? -1LL : (long long)result->value);

	if (!err && name)
		err = buf_printf(out, ",\"err\":\"%s\"", name);
	else if (!err && result->error)
		err = buf_printf(out, ",\"err\":\"%lld\"", (long long)-result->value);
	return err;
}

static int on_exit_of(struct writer *w, const struct call_event *event)
{
	struct thread *thread = event->thread;
	const struct syscall_desc *desc = syscall_by_nr(thread->call.arch, thread->call.nr);
	int err = decode_exit(&w->decoder, &thread->call, &thread->state, &thread->result, &thread->line);

	if (err || !writer_wants(w, thread, true))
		return err;
	err = head(w, thread, thread->wall, "sys");
	if (!err)
		err = desc ? buf_printf(&w->out, ",\"name\":\"%s\",\"args\":", desc->name)
		           : buf_printf(&w->out, ",\"name\":\"syscall_%#x\",\"args\":", thread->call.nr);
	if (!err)
		err = put_args(&w->out, thread->line.data ? thread->line.data : "");
	if (!err)
		err = put_result(&w->out, &thread->result);
	if (!err && thread->injected.returned)
		err = buf_puts(&w->out, ",\"injected\":true");
	if (!err)
		err = buf_printf(&w->out, ",\"dur\":%llu", (unsigned long long)(event->now - thread->enter));
	if (!err)
		err = writer_stack(w, thread);
	return err ? err : buf_puts(&w->out, "}\n");
}

static int on_enter(struct writer *w, const struct call_event *event)
{
	struct thread *thread = event->thread;

	buf_reset(&thread->line, 4096);
	thread->state.column = 0;
	return decode_enter(&w->decoder, &thread->call, &thread->state, &thread->line);
}

static int on_signal(struct writer *w, const struct call_event *event, const char *phase)
{
	char name[SIGNAL_NAME_MAX];
	int err = head(w, event->thread, event->wall, phase);

	if (!err)
		err = buf_printf(&w->out, ",\"signal\":\"%s\"", signal_name(event->sig, name));
	if (!err && event->type == CALL_SIGNAL)
		err = writer_stack(w, event->thread);
	return err ? err : buf_puts(&w->out, "}\n");
}

static int on_end(struct writer *w, const struct call_event *event)
{
	char name[SIGNAL_NAME_MAX];
	int err = head(w, event->thread, event->wall, "end");

	if (err)
		return err;
	if (WIFEXITED(event->status))
		return buf_printf(&w->out, ",\"status\":%d}\n", WEXITSTATUS(event->status));
	return buf_printf(&w->out, ",\"signal\":\"%s\",\"core\":%s}\n", signal_name(WTERMSIG(event->status), name),
	                  WCOREDUMP(event->status) ? "true" : "false");
}

static int on_event(struct writer *w, const struct call_event *event)
{
	switch (event->type) {
	case CALL_ENTER:
		return on_enter(w, event);
	case CALL_EXIT:
		return on_exit_of(w, event);
	case CALL_SIGNAL:
		return on_signal(w, event, "signal");
	case CALL_STOP:
		return on_signal(w, event, "stop");
	case CALL_END:
		return on_end(w, event);
	default:
		return 0;
	}
}

struct call_sink *json_sink(const struct writer_config *config)
{
	static const struct stack_form form = {",\"stack\":[", "", ",", "]", quote_json};
	struct writer *writer = calloc(1, sizeof(*writer));

	if (writer)
		writer->stack_form = &form;
	return writer ? writer_init(writer, config, on_event, NULL) : NULL;
}
