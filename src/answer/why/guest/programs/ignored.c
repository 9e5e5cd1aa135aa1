/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs of a guest that ended well although they could not write what they had to. */
#include <exectrace/answer/why/guest/programs/tell.h>

#include <errno.h>
#include <exectrace/answer/why/guest/story/text.h>
#include <string.h>

#define CALL_MAX 110u
#define BEHIND "            "

static bool is_lost(const struct failure *f)
{
	static const int errors[] = {ENOSPC, EIO, EDQUOT, EFBIG, EROFS};
	static const char *const calls[] = {"write",     "writev", "pwrite64", "pwritev",  "fsync",
	                                    "fdatasync", "close",  "rename",   "renameat", "renameat2"};
	bool lost = false;

	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		lost |= f->error == errors[i];
	for (size_t i = 0; lost && i < sizeof(calls) / sizeof(*calls); i++)
		if (strcmp(f->call, calls[i]) == 0)
			return true;
	return false;
}

void ignored_tell(struct tell *t)
{
	const struct recording *r = t->s->recording;

	for (size_t i = 0; i < recording_processes(r) && t->g->n_ignored < GUEST_IGNORED; i++) {
		const struct recorded_process *p = recording_process(r, i);
		const struct process_history *h = history_process(&t->s->history, p->number);

		for (size_t k = 0; h && p->ended && !p->status && k < h->n_failures; k++) {
			if (!is_lost(&h->failures[k]) || !h->failures[k].text)
				continue;
			t->g->ignored[t->g->n_ignored++] = (struct guest_ignored){
				.process = tell_process(t, p),
				.at = tell_time(t, h->failures[k].last),
				.call = tell_text(t, h->failures[k].text, strlen(h->failures[k].text)),
			};
			break;
		}
	}
}

void ignored_print(struct buf *out, const struct guest_story *g)
{
	if (g->n_ignored)
		buf_puts(out, "  programs that ended well, though what they wrote was lost:\n");
	for (size_t i = 0; i < g->n_ignored; i++) {
		text_padded(out, g, g->ignored[i].at);
		buf_puts(out, "  ");
		command_print(out, &g->ignored[i].process, "");
		buf_puts(out, "\n" BEHIND);
		text_cut(out, g->ignored[i].call, CALL_MAX);
		buf_putc(out, '\n');
	}
}

void ignored_json(struct jsonl *j, const struct guest_story *g)
{
	struct buf all = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < g->n_ignored; i++) {
		jsonl_begin(&one);
		command_json(&one, "command", "pid", &g->ignored[i].process);
		jsonl_unsigned(&one, "time", g->ignored[i].at);
		jsonl_string(&one, "failed_call", g->ignored[i].call);
		jsonl_end(&one);
		jsonl_object(&all, &one);
	}
	jsonl_objects(j, "lost_writes", &all);
	buf_release(&text);
}
