/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who was stopped by a signal when the recording of a guest ended, who had sent it, and how that one ended. */
#include "stopped.h"

#include <exectrace/answer/why/guest/programs/failed.h>
#include <exectrace/answer/why/guest/story/text.h>
#include <exectrace/target/exec/print.h>
#include <signal.h>
#include <string.h>

#define BEHIND "            "

static bool is_stop(int number)
{
	return number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

/* do_signal_stop() waits for SIGCONT (kernel/signal.c). */
bool stopped_is(const struct guest_stuck *s)
{
	return strncmp(s->place.function, "do_signal_stop", strlen("do_signal_stop")) == 0;
}

void stopped_tell(struct tell *t, struct guest_stuck *s)
{
	const struct history *h = &t->s->history;
	const struct kill_sent *last = NULL;
	const struct thread_history *sender;
	const struct recorded_process *p;

	if (!stopped_is(s))
		return;
	for (size_t i = 0; i < h->n_kills; i++)
		if (h->kills[i].target == (int32_t)s->process.pid && is_stop(h->kills[i].number))
			last = &h->kills[i];
	if (!last)
		return;
	s->stop = last->number;
	s->stopped_at = tell_time(t, last->time);
	sender = tell_thread(t, last->pid);
	p = sender ? sender->thread->process : NULL;
	if (p && p->ended && p->end > last->time)
		failed_fill(t, &s->stopper, p);
	s->stopper.process = (struct guest_command){
		.pid = last->pid,
		.command = tell_text(t, last->sender, strlen(last->sender)),
	};
}

void stopped_print(struct buf *out, const struct guest_story *g, const struct guest_stuck *s)
{
	const struct guest_failed *by = &s->stopper;
	const struct exec_end end = {.known = true, .wait_status = by->status, .ended = true};

	if (!s->stop)
		return;
	buf_puts(out, ": ");
	exec_print_signal(out, s->stop);
	buf_puts(out, " was sent at ");
	guest_story_time(out, g, s->stopped_at);
	buf_puts(out, " by ");
	command_print(out, &by->process, "");
	if (!by->at)
		return;
	buf_puts(out, ",\n" BEHIND "which ended at ");
	guest_story_time(out, g, by->at);
	buf_puts(out, by->status ? ", " : "");
	if (by->status)
		exec_print_end(out, &end);
	failed_print_reason(out, by);
}

void stopped_json(struct jsonl *j, const struct guest_stuck *s)
{
	struct buf name = BUF_INIT;

	if (s->stop) {
		exec_print_signal(&name, s->stop);
		jsonl_string(j, "stopped_by", name.data ? name.data : "");
		jsonl_unsigned(j, "stopped", s->stopped_at);
		command_json(j, "stopper", "stopper_pid", &s->stopper.process);
	}
	buf_release(&name);
}
