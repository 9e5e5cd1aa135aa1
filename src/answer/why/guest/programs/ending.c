/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why the process whose end took the guest's kernel with it had ended: whose status it passed on, who sent the signal.
 */
#include <exectrace/answer/why/guest/programs/tell.h>

#include <errno.h>
#include <exectrace/answer/calls/call.h>
#include <exectrace/answer/why/guest/programs/failed.h>
#include <exectrace/answer/why/guest/story/text.h>
#include <exectrace/base/cleanup.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define UNREAPED_MIN 16u /* children that nobody waited for, and that may be why there can be no more */
#define BEHIND "            "

/* The process that ended, and the kernel panicked; NULL: it was for another reason. */
static const struct recorded_process *ended(const struct tell *t)
{
	const struct guest_trouble *panic = t->g->n_troubles ? &t->g->troubles[0] : NULL;
	const struct thread_history *thread =
		panic && panic->kind == GUEST_PANIC && !panic->interrupt ? tell_thread(t, panic->pid) : NULL;
	const struct recorded_process *p = thread ? thread->thread->process : NULL;

	return p && p->ended && p->status ? p : NULL;
}

/* Who read a pipe last, and has ended by a time; NULL: nobody. */
static const struct recorded_process *reader_of(const struct tell *t, const char *pipe, uint64_t by)
{
	struct objects *objects = &t->s->history.objects;
	const uint32_t number = *pipe ? objects_number(objects, pipe, strlen(pipe)) : 0;
	const struct object *o = number ? objects_at(objects, number) : NULL;

	for (size_t i = o ? o->n : 0; i-- > 0;) {
		const struct recorded_process *p =
			o->wakes[i].kind == WAKE_TAKES ? recording_thread(t->s->recording, o->wakes[i].thread)->process
						       : NULL;

		if (p && p->ended && p->end <= by)
			return p;
	}
	return NULL;
}

static const struct recorded_process *reason_of(struct tell *t, const struct guest_failed *f,
                                                const struct recorded_process *p)
{
	if (WIFEXITED(p->status))
		return failed_child(t, p);
	return WTERMSIG(p->status) == SIGPIPE ? reader_of(t, f->pipe, p->end) : NULL;
}

static bool is_fork(const char *call)
{
	return strncmp(call, "clone", 5) == 0 || strncmp(call, "fork", 4) == 0 || strncmp(call, "vfork", 5) == 0;
}

/* How many children of each process have ended, by numbers. NULL: no memory. */
static uint64_t *children_ended(const struct recording *r)
{
	uint64_t *ended = calloc(recording_processes(r) + 1, sizeof(*ended));

	for (size_t i = 0; ended && i < recording_processes(r); i++) {
		const struct recorded_process *p = recording_process(r, i);

		if (p->parent && p->ended)
			ended[p->parent->number]++;
	}
	return ended;
}

/* There could be no more processes: is it for children that have ended, and were not waited for? */
static void find_unreaped(struct tell *t, const struct guest_failed *f)
{
	const struct history *all = &t->s->history;
	uint64_t *ended, most = UNREAPED_MIN;

	if (!is_fork(f->failure) || !strstr(f->failure, "EAGAIN"))
		return;
	ended = children_ended(t->s->recording);
	if (!ended)
		t->err = -ENOMEM;
	for (size_t i = 0; ended && i < all->n_processes; i++) {
		const struct process_history *h = all->processes[i];

		if (!h || ended[i] < h->collected + most)
			continue;
		most = ended[i] - h->collected;
		t->g->unreaped = (struct guest_unreaped){tell_process(t, h->process), ended[i], h->collected};
	}
	free(ended);
}

void ending_tell(struct tell *t)
{
	const struct recorded_process *p = ended(t);

	while (p && t->g->n_steps < GUEST_STEPS && !t->err) {
		struct guest_failed *f = &t->g->steps[t->g->n_steps++];

		failed_fill(t, f, p);
		f->said = f->on_stdout ? "" : f->said;
		find_unreaped(t, f);
		p = reason_of(t, f, p);
		for (size_t i = 0; p && i < t->g->n_steps; i++)
			if (t->g->steps[i].process.pid == p->pid)
				p = NULL;
	}
}

/* --- For people, and for programs --------------------------------------------------------------------------------- */

static bool tells(const struct guest_story *g)
{
	const struct guest_failed *f = &g->steps[0];

	return g->n_steps > 1 || (g->n_steps && (*f->said || *f->failure || f->killer.command));
}

void ending_print(struct buf *out, const struct guest_story *g)
{
	if (!tells(g))
		return;
	buf_puts(out, "  how it came to that:\n");
	for (size_t i = 0; i < g->n_steps; i++)
		failed_print_one(out, g, &g->steps[i], i ? &g->steps[i - 1] : NULL);
	if (!g->unreaped.parent.command)
		return;
	buf_printf(out, BEHIND "%llu processes that ", (unsigned long long)g->unreaped.ended);
	command_print(out, &g->unreaped.parent, "");
	buf_printf(out, " had started had ended then, and it had waited for %llu of them: the others still count\n",
	           (unsigned long long)g->unreaped.collected);
}

void ending_json(struct jsonl *j, const struct guest_story *g)
{
	struct buf all = BUF_INIT;

	for (size_t i = 0; i < g->n_steps; i++)
		failed_json_one(&all, &g->steps[i]);
	jsonl_objects(j, "how_it_came", &all);
	if (!g->unreaped.parent.command)
		return;
	command_json(j, "unreaped_by", "unreaped_by_pid", &g->unreaped.parent);
	jsonl_unsigned(j, "children_ended", g->unreaped.ended);
	jsonl_unsigned(j, "children_collected", g->unreaped.collected);
}
