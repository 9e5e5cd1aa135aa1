/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text_lines.h"

#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <exectrace/record/form/outputs.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/tracee/ptrace.h>
#include <string.h>
#include <unistd.h>

void text_learn(const struct text *t, struct thread *thread)
{
	char name[PROC_COMM_MAX];

	if (t->w.config.form.pids & FORM_COMMS && proc_comm(thread->tid, name) == 0)
		memcpy(thread->comm, name, sizeof(name));
}

/* What the prefix of a line says; where the thread stands is asked of the kernel, which knows it of a stopped one. */
static void line_of(struct text *t, const struct thread *thread, uint64_t wall, struct prefix_line *line)
{
	struct syscall_stop stop;

	buf_reset(&t->context, 4096);
	if (t->w.memory.contexts)
		(void)contexts_of_process(t->w.memory.contexts, thread->tid, &t->context);

	*line = (struct prefix_line){.pid = thread->tid,
	                             .name = thread->comm,
	                             .context = t->context.len ? t->context.data : "",
	                             .wall = wall,
	                             .nr = thread->call.nr,
	                             .in_call = thread->call.arch != NULL,
	                             .narrow = thread->call.arch && thread->call.arch->word == 4};
	if (!t->w.config.form.placed || tracee_syscall(thread->tid, &stop))
		return;
	line->has_pc = true;
	line->pc = stop.pc;
}

/* Begins a line for a thread; a call whose line stands open is cut first. Where the line begins in t->w.out: t->line.
 */
int text_begin(struct text *t, struct thread *thread, uint64_t wall)
{
	struct prefix_line line;
	int err = 0;

	if (t->open) {
		t->open->cut = true;
		t->open = NULL;
		err = buf_puts(&t->w.out, " <unfinished ...>\n");
	}
	t->line = t->w.out.len;
	text_learn(t, thread);
	line_of(t, thread, wall, &line);
	return err ? err : prefixes_put(&t->prefixes, &t->w.config.form, &line, &t->w.out);
}

/* What counts as in front of the call where results are put in columns: strace counts all of the line. */
unsigned text_width(const struct text *t)
{
	return t->w.config.form.strace ? (unsigned)(t->w.out.len - t->line) : 0;
}

/* How wide the line begins, for one that is begun later. */
unsigned text_width_ahead(struct text *t, const struct thread *thread)
{
	struct prefixes ahead = t->prefixes;
	struct prefix_line line;
	size_t n = t->w.out.len;
	unsigned width = 0;

	line_of(t, thread, thread->wall, &line);
	if (t->w.config.form.strace && prefixes_put(&ahead, &t->w.config.form, &line, &t->w.out) == 0)
		width = (unsigned)(t->w.out.len - n);
	buf_cut(&t->w.out, n);
	return width;
}

/* What strace says on standard error, whatever the output. */
int text_say(struct text *t, const struct thread *thread, const char *what)
{
	cleanup_buf struct buf text = BUF_INIT;
	bool same = t->w.config.fd == STDERR_FILENO;
	struct buf *out = same ? &t->w.out : &text;
	int err = 0;

	if (!t->w.config.form.strace || t->w.config.form.no_attaching)
		return 0;
	err = buf_printf(out, "exectrace-trace: Process %d %s\n", (int)thread->tid, what);
	if (!err && !same)
		(void)fd_write_all(STDERR_FILENO, text.data, text.len);
	return err;
}

/* The thread that executes has the number of the first one now, and goes on in its file. */
static int take_file(struct text *t, struct thread *thread)
{
	int err = writer_turn(&t->w, thread->file);

	if (!err && thread->lined)
		err = buf_printf(&t->w.out, " <pid changed to %d ...>\n", (int)thread->tid);
	if (!err)
		err = writer_turn(&t->w, t->taken);
	thread->cut |= thread->lined;
	thread->lined = false;
	fd_close(&thread->file);
	thread->file = t->taken;
	return err;
}

/* Each thread has a file, and its own line that stands open. */
int text_put_apart(struct text *t, const struct call_event *event, int (*put)(struct text *, const struct call_event *))
{
	struct thread *thread = event->thread;
	int err = 0;

	if (event->type == CALL_BEGIN)
		thread->file = outputs_open(t->w.config.separate, thread->tid);
	if (thread->file < 0)
		return thread->file;
	if (event->type == CALL_EXEC && event->other != thread->tid)
		err = take_file(t, thread);
	if (!err)
		err = writer_turn(&t->w, thread->file);
	t->open = thread->lined ? thread : NULL;
	if (!err)
		err = put(t, event);
	thread->lined = t->open == thread;
	t->open = NULL;
	if (event->type == CALL_TAKEN)
		t->taken = thread->file;
	if (err || (event->type != CALL_END && event->type != CALL_LET_GO))
		return err;
	err = writer_turn(&t->w, -1);
	fd_close(&thread->file);
	return err;
}
