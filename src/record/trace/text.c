/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text.h"

#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/quote.h>
#include <exectrace/target/syscalls/names.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define PID_WIDTH 5

struct head {
	pid_t pid; /* 0: none */
	uint64_t second;
	char text[48]; /* to its end */
	const char *begin;
	size_t n;
};

struct text {
	struct writer w; /* first */
	struct head head;
	uint64_t before; /* the time of the last line; 0: there was none */
	pid_t first;     /* --format=strace: whose lines came first, and whether others had any */
	bool several;
	size_t line;         /* where the last line begins in w.out */
	struct thread *open; /* whose call the last line is, still without its end */
};

/* Calls that are shown only when their end is known. */
static bool waits_for_end(const struct text *t)
{
	return t->w.config.form.hidden || writer_has_paths(&t->w.config);
}

#define MICROS 6 /* digits behind the point */

static char *digits(char *end, uint64_t n)
{
	do
		*--end = (char)('0' + n % 10);
	while (n /= 10);
	return end;
}

/* .MICROS */
static char *micros(char *end, uint64_t ns)
{
	uint32_t n = (uint32_t)(ns % NS_PER_S / 1000);

	for (int i = 0; i < MICROS; i++, n /= 10)
		*--end = (char)('0' + n % 10);
	*--end = '.';
	return end;
}

/* SECONDS.MICROS */
static char *seconds(char *end, uint64_t ns)
{
	end = micros(end, ns);
	return digits(end, ns / NS_PER_S);
}

/* What begins all lines of a thread within a second. */
static void make_head(struct head *head, pid_t pid, uint64_t second)
{
	char *end = head->text + sizeof(head->text), *at = digits(end, second);
	char number[16], *begin = digits(number + sizeof(number), (uint64_t)pid);
	size_t n = (size_t)(number + sizeof(number) - begin), width = n < PID_WIDTH ? PID_WIDTH : n;

	*--at = ' ';
	at -= width;
	memcpy(at, begin, n);
	memset(at + n, ' ', width - n);
	head->pid = pid;
	head->second = second;
	head->begin = at;
	head->n = (size_t)(end - at);
}

/* The time in the form that is asked for. */
static int time_prefix(struct text *t, uint64_t wall)
{
	time_t second = (time_t)(wall / NS_PER_S);
	uint64_t since = t->before && wall > t->before ? wall - t->before : 0;
	struct tm tm = {0};
	int err = 0;

	t->before = wall;
	if (t->w.config.form.clock == CLOCK_RELATIVE)
		return buf_printf(&t->w.out, "%6llu.%06llu ", (unsigned long long)(since / NS_PER_S),
		                  (unsigned long long)(since % NS_PER_S / NS_PER_US));
	if (t->w.config.form.clock == CLOCK_UNIX)
		return buf_printf(&t->w.out, "%llu.%06llu ", (unsigned long long)(wall / NS_PER_S),
		                  (unsigned long long)(wall % NS_PER_S / NS_PER_US));
	(void)localtime_r(&second, &tm);
	err = buf_printf(&t->w.out, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
	if (err || t->w.config.form.clock == CLOCK_DAY)
		return err ? err : buf_putc(&t->w.out, ' ');
	return buf_printf(&t->w.out, ".%06llu ", (unsigned long long)(wall % NS_PER_S / NS_PER_US));
}

/* `PID SECONDS.MICROS `; by hand, for it is done for every line. */
static int unix_prefix(struct text *t, pid_t pid, uint64_t wall)
{
	char text[MICROS + 2], *end = text + sizeof(text);
	struct head *head = &t->head;
	int err;

	if (head->pid != pid || head->second != wall / NS_PER_S)
		make_head(head, pid, wall / NS_PER_S);
	err = buf_append(&t->w.out, head->begin, head->n);
	*--end = ' ';
	return err ? err : buf_append(&t->w.out, micros(end, wall), sizeof(text));
}

/* As strace(1) has it: of a second process on, or with -o, the pid with -f; the time when it is asked for. */
static int strace_prefix(struct text *t, pid_t pid, uint64_t wall)
{
	const struct trace_form *form = &t->w.config.form;
	int err = 0;

	t->several |= t->first && t->first != pid;
	t->first = t->first ? t->first : pid;
	if (form->follows && form->to_file)
		err = buf_printf(&t->w.out, "%-*d ", PID_WIDTH, (int)pid);
	else if (form->follows && t->several)
		err = buf_printf(&t->w.out, "[pid %*d] ", PID_WIDTH, (int)pid);
	return err || !form->timed ? err : time_prefix(t, wall);
}

static int prefix(struct text *t, pid_t pid, uint64_t wall)
{
	int err;

	if (t->w.config.form.strace)
		return strace_prefix(t, pid, wall);
	if (t->w.config.form.clock == CLOCK_UNIX)
		return unix_prefix(t, pid, wall);
	err = buf_printf(&t->w.out, "%-*d ", PID_WIDTH, (int)pid);
	return err ? err : time_prefix(t, wall);
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
	return err ? err : prefix(t, thread->tid, wall);
}

/* What counts as in front of the call where results are put in columns: strace counts all of the line. */
static unsigned prefix_width(const struct text *t)
{
	return t->w.config.form.strace ? (unsigned)(t->w.out.len - t->line) : 0;
}

static int on_enter(struct text *t, const struct call_event *event)
{
	struct thread *thread = event->thread;
	int err = 0;

	thread->state.column = 0;
	thread->cut = false;
	if (waits_for_end(t)) {
		buf_reset(&thread->line, 4096);
		return decode_enter(&t->w.decoder, &thread->call, &thread->state, &thread->line);
	}
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
	at = seconds(at, ns);
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
	int err = begin_line(t, thread, thread->wall);

	return err ? err : buf_append(&t->w.out, thread->line.data, thread->line.len);
}

static int show_whole(struct text *t, const struct call_event *event)
{
	struct thread *thread = event->thread;
	int err = decode_exit(&t->w.decoder, &thread->call, &thread->state, &thread->result, &thread->line);

	if (!err)
		err = say_injected(&thread->line, thread);
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
		err = decode_gone(&thread->call, &thread->state, &t->w.out);
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
