/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/view/calls_list.h>

#include <errno.h>
#include <exectrace/answer/calls/call.h>
#include <exectrace/answer/calls/call_stream.h>
#include <exectrace/answer/format/jsonl.h>
#include <exectrace/answer/output/cell.h>
#include <exectrace/answer/output/sorted_lines.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/target/syscalls/names.h>
#include <string.h>
#include <sys/wait.h>

#define COMM_WIDTH 15 /* columns of the name of a thread (prctl(2), PR_SET_NAME) */

/* `TID NAME SECONDS.MICROS `. */
static int print_prefix(struct buf *out, const struct calls_list *list, const struct call_stream *stream,
                        const struct recorded_event *event, uint64_t time)
{
	const struct recording *r = stream->recording;
	const char *comm = event->thread->comm;
	uint64_t start = recording_start(r), since = time > start ? time - start : 0;
	size_t at;

	if (list->wall && recording_realtime(r, event->file, time))
		since = recording_realtime(r, event->file, time);
	buf_printf(out, "%-5u ", event->thread->tid);
	at = out->len;
	cell_text(out, comm, strlen(comm));
	/* The kernel names a script that has its interpreter in its first line like this already. */
	if (stream->script && strncmp(stream->script, comm, COMM_WIDTH) != 0) {
		buf_putc(out, ' ');
		cell_text(out, stream->script, strlen(stream->script));
	}
	return buf_printf(out, "%*s %llu.%06llu ", out->len - at < COMM_WIDTH ? (int)(COMM_WIDTH - (out->len - at)) : 0,
	                  "", (unsigned long long)(since / NS_PER_S), (unsigned long long)(since % NS_PER_S / 1000));
}

/* What was recorded may hold anything; a terminal is to show it, not to obey it. */
static int add_call(struct buf *out, const struct data_syscall *call, bool unfinished)
{
	cleanup_buf struct buf shown = BUF_INIT;
	size_t before = out->len;
	int rc = call_print(out, call, unfinished);

	for (size_t i = before; i < out->len; i++) {
		if (out->data[i] >= ' ' && out->data[i] < 0x7f)
			continue;
		rc = rc ? rc : cell_text(&shown, out->data + before, out->len - before);
		out->len = before;
		return rc ? rc : buf_append(out, shown.data, shown.len);
	}
	return rc;
}

static int print_call(struct buf *out, const struct calls_list *list, struct call_stream *stream,
                      const struct recorded_event *event)
{
	const struct data_syscall *call = &event->record->syscall;
	bool unfinished = event->record->type == DATA_UNFINISHED;
	int rc = print_prefix(out, list, stream, event, call->enter);

	if (!rc && list->dir) {
		rc = shown_call_make(&stream->shorter, call, NULL, list->dir);
		call = &stream->shorter.call;
	}
	if (!rc)
		rc = add_call(out, call, unfinished);
	if (!rc && !unfinished)
		rc = buf_printf(out, " <%llu.%06llu>", (unsigned long long)(call->duration / NS_PER_S),
		                (unsigned long long)(call->duration % NS_PER_S / 1000));
	return rc ? rc : buf_putc(out, '\n');
}

/* The layout of strace -k. */
static int print_frame(struct buf *out, const struct recorded_frame *frame)
{
	const struct recorded_function *f = frame->function;
	uint64_t address = *f->file ? frame->file_offset : frame->address;
	int rc = buf_puts(out, " > ");

	if (!rc)
		rc = cell_text(out, f->file, strlen(f->file));
	if (!rc && f->known) {
		rc = buf_putc(out, '(');
		if (!rc)
			rc = cell_text(out, f->name, strlen(f->name));
		if (!rc)
			rc = buf_printf(out, "+0x%llx)", (unsigned long long)frame->offset);
	} else if (!rc && *f->file) {
		rc = buf_puts(out, "()");
	}
	return rc ? rc : buf_printf(out, " [0x%llx]\n", (unsigned long long)address);
}

static int print_stack(struct buf *out, struct recording *r, const struct recorded_event *event)
{
	const struct recorded_frame *frames;
	size_t n;
	int rc = recording_stack(r, event, &frames, &n);

	for (size_t i = 0; i < n && !rc; i++)
		rc = print_frame(out, &frames[i]);
	return rc;
}

static int print_signal(struct buf *out, const struct calls_list *list, struct call_stream *stream,
                        const struct recorded_event *event)
{
	const struct data_signal *s = &event->record->signal;
	char name[SIGNAL_NAME_MAX];
	int rc = print_prefix(out, list, stream, event, event->time);

	if (!rc)
		rc = buf_printf(out, "--- %s", signal_name(s->number, name));
	if (!rc && s->pid)
		rc = buf_printf(out, " from pid %u", s->pid);
	else if (!rc && s->address)
		rc = buf_printf(out, " at %#llx", (unsigned long long)s->address);
	if (!rc)
		rc = buf_puts(out, " ---\n");
	return rc || !list->stacks ? rc : print_stack(out, stream->recording, event);
}

static int print_stop(struct buf *out, const struct calls_list *list, struct call_stream *stream,
                      const struct recorded_event *event)
{
	char name[SIGNAL_NAME_MAX];
	int rc = print_prefix(out, list, stream, event, event->time);

	return rc ? rc : buf_printf(out, "--- stopped by %s ---\n", signal_name(event->record->stop.number, name));
}

static int print_exit(struct buf *out, const struct calls_list *list, struct call_stream *stream,
                      const struct recorded_event *event)
{
	int status = event->record->exit.status;
	char name[SIGNAL_NAME_MAX];
	int rc = print_prefix(out, list, stream, event, event->time);

	if (rc)
		return rc;
	if (WIFSIGNALED(status))
		return buf_printf(out, "+++ killed by %s%s +++\n", signal_name(WTERMSIG(status), name),
		                  WCOREDUMP(status) ? " (core dumped)" : "");
	return buf_printf(out, "+++ exited with %d +++\n", WEXITSTATUS(status));
}

/* --- For machines ------------------------------------------------------------------------------------------------- */

static int csv_text(struct buf *out, const struct data_syscall *call, bool unfinished)
{
	cleanup_buf struct buf text = BUF_INIT;
	int rc = call_print(&text, call, unfinished);

	return rc ? rc : cell_csv(out, text.data, text.len);
}

static int csv_call(struct buf *out, const struct call_stream *stream, const struct recorded_event *event)
{
	const struct data_syscall *call = &event->record->syscall;
	bool unfinished = event->record->type == DATA_UNFINISHED;
	const char *error = !unfinished && call->error ? errno_name((int)-call->result) : NULL;
	uint64_t real = recording_realtime(stream->recording, event->file, call->enter);
	char name[32];
	int rc = buf_printf(out, "%llu,%llu,%u,%u,", (unsigned long long)(real ? real : call->enter),
	                    (unsigned long long)call->duration, event->thread->process->pid, call->tid);

	if (!rc)
		rc = cell_csv(out, event->thread->comm, strlen(event->thread->comm));
	if (!rc)
		rc = buf_printf(out, ",%s,", call_name(call, name));
	if (!rc && !unfinished)
		rc = buf_printf(out, "%lld", (long long)(call->error ? -1 : call->result));
	if (!rc)
		rc = buf_printf(out, ",%s,", error ? error : "");
	if (!rc)
		rc = csv_text(out, call, unfinished);
	if (!rc)
		rc = buf_putc(out, ',');
	if (!rc && stream->script)
		rc = cell_csv(out, stream->script, strlen(stream->script));
	return rc ? rc : buf_putc(out, '\n');
}

static int json_call(struct buf *out, const struct call_stream *stream, const struct recorded_event *event)
{
	cleanup_buf struct buf text = BUF_INIT;
	const struct data_syscall *call = &event->record->syscall;
	bool unfinished = event->record->type == DATA_UNFINISHED;
	uint64_t real = recording_realtime(stream->recording, event->file, call->enter);
	struct jsonl j = {.out = out};
	char name[CALL_NAME_MAX];
	int rc = call_print(&text, call, unfinished);

	if (rc)
		return rc;
	jsonl_begin(&j);
	jsonl_unsigned(&j, "start_ns", real ? real : call->enter);
	jsonl_unsigned(&j, "duration_ns", call->duration);
	jsonl_unsigned(&j, "pid", event->thread->process->pid);
	jsonl_unsigned(&j, "tid", call->tid);
	jsonl_string(&j, "comm", event->thread->comm);
	if (stream->script)
		jsonl_string(&j, "script", stream->script);
	jsonl_string(&j, "call", call_name(call, name));
	if (!unfinished)
		jsonl_number(&j, "result", call->error ? -1 : call->result);
	if (!unfinished && call->error)
		jsonl_string(&j, "error", errno_name((int)-call->result));
	jsonl_text(&j, "text", (struct data_text){text.data, text.len});
	return jsonl_end(&j);
}

/* What stands before the first row, and before each of the others. */
static const char *const between[][2] = {[TABLE_TEXT] = {"", ""}, [TABLE_CSV] = {"", ""}, [TABLE_JSON] = {"[", ","}};

/* --- All ---------------------------------------------------------------------------------------------------------- */

static int print_event(const struct calls_list *list, struct call_stream *stream, const struct recorded_event *event,
                       struct buf *out)
{
	bool call = event->record->type == DATA_SYSCALL || event->record->type == DATA_UNFINISHED;
	int rc;

	if (call && list->format != TABLE_TEXT)
		return list->format == TABLE_CSV ? csv_call(out, stream, event) : json_call(out, stream, event);
	if (call) {
		rc = print_call(out, list, stream, event);
		return rc || !list->stacks ? rc : print_stack(out, stream->recording, event);
	}
	if (list->format != TABLE_TEXT || list->order == CALLS_BY_DURATION)
		return 0;
	if (event->record->type == DATA_SIGNAL)
		return print_signal(out, list, stream, event);
	if (event->record->type == DATA_STOP)
		return print_stop(out, list, stream, event);
	return event->record->type == DATA_EXIT ? print_exit(out, list, stream, event) : 0;
}

static int print_in_order(const struct calls_list *list, struct call_stream *stream, struct page *page)
{
	struct recorded_event event;
	size_t shown = 0;
	int rc = 0;

	while ((!list->limit || shown < list->limit) && (rc = call_stream_next(stream, &event)) == 1) {
		size_t before = page->text.len, start;

		rc = buf_puts(&page->text, between[list->format][shown > 0]);
		start = page->text.len;
		if (!rc)
			rc = print_event(list, stream, &event, &page->text);
		if (page->text.len == start)
			page->text.len = before;
		shown += page->text.len > before;
		if (!rc)
			rc = page_flush(page);
		if (rc)
			return rc;
	}
	if (rc >= 0 && list->format == TABLE_JSON)
		rc = buf_puts(&page->text, shown ? "]\n" : "[]\n");
	return rc < 0 ? rc : 0;
}

static int print_sorted(const struct calls_list *list, struct call_stream *stream, struct page *page)
{
	cleanup_buf struct buf text = BUF_INIT;
	struct sorted_lines lines = {.limit = list->limit};
	struct recorded_event event;
	int rc;

	while ((rc = call_stream_next(stream, &event)) == 1) {
		bool call = event.record->type == DATA_SYSCALL || event.record->type == DATA_UNFINISHED;
		uint64_t key = call ? event.record->syscall.enter : event.time;

		/* The longest has the lowest key. */
		if (list->order == CALLS_BY_DURATION)
			key = call ? UINT64_MAX - event.record->syscall.duration : UINT64_MAX;
		if (!sorted_lines_wants(&lines, key))
			continue;
		text.len = 0;
		rc = print_event(list, stream, &event, &text);
		if (!rc && text.len)
			rc = sorted_lines_add(&lines, key, text.data, text.len);
		if (rc)
			break;
	}
	if (!rc)
		rc = sorted_lines_show(&lines, page, between[list->format][0], between[list->format][1]);
	if (!rc && list->format == TABLE_JSON)
		rc = buf_puts(&page->text, lines.n ? "]\n" : "[]\n");
	sorted_lines_release(&lines);
	return rc;
}

int calls_list_show(const struct calls_list *list, struct call_select *select, struct recording *r, struct page *page)
{
	static const char head[] = "start_ns,duration_ns,pid,tid,comm,call,result,error,text,script\n";
	struct call_stream stream = {.recording = r,
	                             .select = select,
	                             .named = true,
	                             .scripted = true,
	                             .with_stack = list->named};
	int rc = list->format == TABLE_CSV ? buf_puts(&page->text, head) : 0;

	if (rc)
		return rc;
	rc = list->order == CALLS_BY_RETURN ? print_in_order(list, &stream, page) : print_sorted(list, &stream, page);
	call_stream_release(&stream);
	return rc;
}
