/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program of a guest that closes descriptors twice. */
#include <exectrace/answer/why/guest/programs/tell.h>

#include <exectrace/answer/why/guest/story/text.h>

#define TIMES 3u /* that it did, at least */

void closes_tell(struct tell *t)
{
	struct guest_closer *most = &t->g->closer;

	for (size_t i = 0; i < t->s->history.n_processes; i++) {
		const struct process_history *p = t->s->history.processes[i];

		if (!p || p->closes.again < TIMES || p->closes.again <= most->count)
			continue;
		*most = (struct guest_closer){
			.by = tell_process(t, p->process),
			.count = p->closes.again,
			.at = tell_time(t, p->closes.last),
			.fd = p->closes.fd,
		};
	}
}

void closes_print(struct buf *out, const struct guest_story *g)
{
	if (!g->closer.count)
		return;
	buf_puts(out, "  closed again what it had closed before: ");
	command_print(out, &g->closer.by, "");
	buf_printf(out, ", %llu times, last descriptor %d at ", (unsigned long long)g->closer.count, g->closer.fd);
	guest_story_time(out, g, g->closer.at);
	buf_puts(out, ":\n            another file may have that number meanwhile\n");
}

void closes_json(struct jsonl *j, const struct guest_story *g)
{
	if (!g->closer.count)
		return;
	command_json(j, "closes_again", "closes_again_pid", &g->closer.by);
	jsonl_unsigned(j, "closed_again", g->closer.count);
}
