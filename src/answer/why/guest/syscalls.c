/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the system calls of a guest's processes tell: goes through them once more. */
#include <exectrace/answer/why/guest/guest.h>

#include <errno.h>
#include <exectrace/answer/calls/call.h>
#include <exectrace/answer/why/guest/delays/rivals.h>
#include <exectrace/answer/why/guest/programs/tell.h>
#include <exectrace/answer/why/guest/stuck/stuck.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <stdlib.h>
#include <string.h>

/* --- Who called into a module ------------------------------------------------------------------------------------- */

#define SLACK_NS (2 * NS_PER_MS) /* by so much times that are interpolated may be wrong */

/* The system calls in which modules were called. */
static void see_talks(struct tell *t, struct guest_trouble *trouble, const struct recorded_event *event,
                      bool unfinished)
{
	const struct data_syscall *call = &event->record->syscall;
	const uint64_t enter = tell_time(t, event->time - call->duration), exit = tell_time(t, event->time);
	char name[CALL_NAME_MAX];

	for (size_t i = 0; i < trouble->n_talks; i++) {
		struct guest_talk *talk = &trouble->talks[i];

		if (*talk->call && talk->pid == event->thread->tid && talk->at + SLACK_NS >= enter &&
		    talk->at <= exit + SLACK_NS && strcmp(talk->call, call_name(call, name)) == 0)
			talk->text = tell_syscall(t, call, unfinished);
	}
}

/* clock_settime(2), settimeofday(2) */
static void see_clock(struct tell *t, const struct recorded_event *event)
{
	const struct data_syscall *call = &event->record->syscall;
	struct guest_story *g = t->g;
	char text[CALL_NAME_MAX];
	const char *name = call_name(call, text);

	if (call->error || g->n_clock_sets == GUEST_CLOCK_SETS ||
	    !((strcmp(name, "clock_settime") == 0 && !call->args[0]) || strcmp(name, "settimeofday") == 0))
		return;
	t->setters[g->n_clock_sets] = event->thread->process;
	g->clock_sets[g->n_clock_sets++].at = tell_time(t, event->time);
}

static void see_call(void *ctx, const struct recorded_event *event, bool unfinished)
{
	struct tell *t = ctx;

	for (size_t i = 0; i < t->g->n_troubles; i++)
		see_talks(t, &t->g->troubles[i], event, unfinished);
	see_talks(t, &t->g->ender, event, unfinished);
	if (!unfinished) {
		rivals_see(t, event);
		see_clock(t, event);
	}
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

static void find_threads(struct tell *t)
{
	const struct recording *r = t->s->recording;

	for (size_t i = 0; i < recording_threads(r) && !t->err; i++) {
		const struct recorded_thread *thread = recording_thread(r, i);

		t->err = idmap_put(&t->threads, thread->tid, 0, (void *)(uintptr_t)(thread->number + 1));
	}
}

static void tell_trouble(struct tell *t, struct guest_trouble *trouble)
{
	if (!trouble->interrupt)
		tell_calls(t, tell_thread(t, trouble->pid), tell_event(t, trouble->at), &trouble->calls);
}

static int tell_all(struct tell *t)
{
	struct guest_story *g = t->g;

	find_threads(t);
	for (size_t i = 0; i < g->n_troubles && !t->err; i++)
		tell_trouble(t, &g->troubles[i]);
	if (!t->err && g->ender.frames)
		tell_trouble(t, &g->ender);
	if (!t->err)
		stuck_tell(t);
	if (!t->err)
		failed_tell(t);
	if (!t->err)
		ending_tell(t);
	if (!t->err)
		polls_tell(t);
	if (!t->err)
		crowds_tell(t);
	if (!t->err)
		closes_tell(t);
	if (!t->err)
		ignored_tell(t);
	rivals_tell(t);
	for (size_t i = 0; i < g->n_clock_sets; i++)
		g->clock_sets[i].by = tell_process(t, t->setters[i]);
	idmap_release(&t->threads);
	idmap_release(&t->policies);
	free(t->family);
	return t->err;
}

int guest_story_tell(struct guest_story *g)
{
	struct recording *r;
	struct story s;
	struct tell t = {.g = g, .s = &s};
	const struct story_options options = {.call = see_call, .ctx = &t};
	cleanup_buf struct buf why = BUF_INIT;
	int rc = recording_open(&r, g->file->path, NULL, &why);

	if (rc) /* what its kernel did is known all the same */
		return rc == -ENOMEM ? rc : 0;
	rc = story_read(&s, r, &options);
	if (!rc)
		rc = tell_all(&t);
	story_release(&s);
	recording_close(r);
	return rc;
}
