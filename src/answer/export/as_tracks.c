/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"

#include "programs.h"
#include <errno.h>
#include <exectrace/answer/calls/call.h>
#include <exectrace/answer/export/guest/guest.h>
#include <exectrace/answer/format/byte_map.h>
#include <exectrace/answer/format/chrome.h>
#include <exectrace/answer/format/perfetto.h>
#include <exectrace/answer/format/text.h>
#include <exectrace/base/grow.h>
#include <exectrace/target/syscalls/names.h>
#include <stdlib.h>
#include <string.h>

#define TRACK_THREAD 1 /* the track of the first thread; see programs.c for the others */

/* The track of a thread. */
struct lane {
	const char *comm; /* as the track is called; NULL: it has not been named */
	uint64_t end;     /* of its last slice */
};

struct painter {
	struct exporter base; /* first */
	struct tracks *tracks;
	struct ran_programs programs;
	struct call_parts parts;
	struct byte_map stacks; /* by the address of their frames: their numbers */
	struct lane *lanes;     /* by the numbers of threads */
	size_t n_lanes;
};

static struct painter *painter_of(struct exporter *e)
{
	return (struct painter *)e;
}

static int make_room(struct painter *p, size_t number)
{
	return widen_array((void **)&p->lanes, &p->n_lanes, number, sizeof(*p->lanes));
}

/* The thread's track, named as the thread is now. */
static int lane_of(struct painter *p, const struct recorded_thread *thread, struct lane **lane)
{
	int rc = make_room(p, thread->number);

	if (rc)
		return rc;
	*lane = &p->lanes[thread->number];
	if ((*lane)->comm == thread->comm)
		return 0;
	(*lane)->comm = thread->comm;
	return tracks_thread(p->tracks, TRACK_THREAD + thread->number, thread->process->pid, thread->tid,
	                     text_of(thread->comm));
}

static int stack_of(struct painter *p, const struct recorded_event *event, uint64_t *stack)
{
	const struct recorded_frame *frames = NULL;
	const struct data_text *names;
	uint64_t *known = NULL;
	size_t n;
	int rc = recording_stack(p->base.recording, event, &frames, &n);

	*stack = 0;
	if (rc || !n)
		return rc;
	rc = byte_map_find(&p->stacks, &frames, sizeof(frames), &known);
	if (!rc && !*known)
		rc = exporter_stack(&p->base, event, &names, &n);
	if (!rc && !*known)
		rc = tracks_stack(p->tracks, names, n, known);
	if (!rc)
		*stack = *known;
	return rc;
}

static unsigned note_call(const struct data_syscall *call, bool unfinished, const struct call_parts *parts,
                          struct track_note *notes)
{
	const char *error = call->error ? errno_name((int)-call->result) : NULL;
	unsigned n = 0;

	for (; n < parts->nargs; n++)
		notes[n] = (struct track_note){.name = parts->args[n].name, .text = parts->args[n].text};
	if (unfinished)
		notes[n++] = (struct track_note){.name = "result", .text = text_of("unfinished")};
	else if (error)
		notes[n++] = (struct track_note){.name = "error", .text = text_of(error)};
	else if (exporter_is_number(parts->result))
		notes[n++] = (struct track_note){.name = "result", .number = call->result};
	else
		notes[n++] = (struct track_note){.name = "result", .text = parts->result};
	return n;
}

static int on_call(struct painter *p, const struct recorded_event *event)
{
	const struct data_syscall *call = &event->record->syscall;
	bool unfinished = event->record->type == DATA_UNFINISHED;
	struct track_note notes[SYSCALL_ARGS + 1];
	struct track_slice slice = {
		.track = TRACK_THREAD + event->thread->number,
		.begin = call->enter,
		.end = event->time,
		.category = "syscall",
		.notes = notes,
	};
	struct lane *lane;
	int rc = lane_of(p, event->thread, &lane);

	if (!rc)
		rc = call_take_apart(&p->parts, call, unfinished);
	if (!rc)
		rc = stack_of(p, event, &slice.stack);
	if (rc)
		return rc;
	/* An exec by another thread takes over this one's number, and may have begun before its last call ended. */
	if (slice.begin < lane->end)
		slice.begin = lane->end;
	if (slice.end < slice.begin)
		slice.end = slice.begin;
	lane->end = slice.end;
	slice.name = p->parts.name;
	slice.nnotes = note_call(call, unfinished, &p->parts, notes);
	return tracks_slice(p->tracks, &slice);
}

static int on_signal(struct painter *p, const struct recorded_event *event)
{
	const struct data_signal *signal = &event->record->signal;
	char name[SIGNAL_NAME_MAX];
	struct track_note notes[] = {{.name = "code", .number = signal->code},
	                             {.name = "sender", .number = signal->pid}};
	struct track_slice slice = {
		.track = TRACK_THREAD + event->thread->number,
		.begin = event->time,
		.instant = true,
		.category = "signal",
		.name = text_of(signal_name(signal->number, name)),
		.notes = notes,
		.nnotes = signal->pid ? 2 : 1,
	};
	struct lane *lane;
	int rc = lane_of(p, event->thread, &lane);

	if (!rc && signal->stack)
		rc = stack_of(p, event, &slice.stack);
	return rc ? rc : tracks_slice(p->tracks, &slice);
}

/* A moment on the thread's track, called as the function it was in, with the functions that led there. */
static int on_sample(struct painter *p, const struct recorded_event *event)
{
	const struct data_sample *sample = &event->record->sample;
	const struct recorded_frame *frames = NULL;
	struct track_note notes[] = {{.name = "cpu", .number = sample->cpu},
	                             {.name = "weight", .number = (int64_t)sample->weight}};
	struct track_slice slice = {
		.track = TRACK_THREAD + event->thread->number,
		.begin = event->time,
		.instant = true,
		.category = "sample",
		.notes = notes,
		.nnotes = 2,
	};
	struct lane *lane;
	size_t n = 0;
	int rc = lane_of(p, event->thread, &lane);

	if (!rc)
		rc = recording_stack(p->base.recording, event, &frames, &n);
	slice.name = text_of(n ? frames[0].function->name : "[unknown]");
	if (!rc)
		rc = stack_of(p, event, &slice.stack);
	return rc ? rc : tracks_slice(p->tracks, &slice);
}

static int on_event(struct exporter *e, const struct recorded_event *event)
{
	switch (event->record->type) {
	case DATA_SAMPLE:
		return on_sample(painter_of(e), event);
	case DATA_SYSCALL:
	case DATA_UNFINISHED:
		return on_call(painter_of(e), event);
	case DATA_SIGNAL:
		return on_signal(painter_of(e), event);
	default:
		return 0;
	}
}

static int on_process(struct exporter *e, const struct recorded_event *event)
{
	return programs_event(&painter_of(e)->programs, event);
}

static int on_exec(void *ctx, const struct exec_record *rec, const struct exec_end *end)
{
	return programs_exec(&painter_of(ctx)->programs, rec, end);
}

/* What was folded away of a thread, at the end of its track. */
static int on_folded(struct exporter *e, const struct recorded_thread *thread, uint64_t calls, uint64_t time)
{
	const struct track_note notes[] = {{.name = "calls", .number = (int64_t)calls},
	                                   {.name = "time", .number = (int64_t)time}};
	struct track_slice slice = {
		.track = TRACK_THREAD + thread->number,
		.instant = true,
		.category = "folded",
		.name = text_of("[folded]"),
		.notes = notes,
		.nnotes = 2,
	};
	struct lane *lane;
	int rc = lane_of(painter_of(e), thread, &lane);

	slice.begin = rc ? 0 : thread->ended ? thread->end : lane->end > thread->start ? lane->end : thread->start;
	return rc ? rc : tracks_slice(painter_of(e)->tracks, &slice);
}

static int begin(struct painter *p)
{
	struct exporter *e = &p->base;
	const struct recorded_run *run = recording_run(e->recording);
	const struct recorded_file *file = recording_files(e->recording) ? recording_file(e->recording, 0) : NULL;

	p->programs.e = e;
	p->programs.tracks = p->tracks;
	if (run && run->start_realtime)
		return tracks_start(p->tracks, run->start, run->start_realtime);
	if (file && file->realtime)
		return tracks_start(p->tracks, file->start, file->realtime);
	return tracks_start(p->tracks, 1, 1);
}

static int begin_perfetto(struct exporter *e)
{
	int rc = perfetto_new(&painter_of(e)->tracks, &e->out.text);

	return rc ? rc : begin(painter_of(e));
}

static int begin_chrome(struct exporter *e)
{
	int rc = chrome_new(&painter_of(e)->tracks, &e->out.text);

	return rc ? rc : begin(painter_of(e));
}

static int finish(struct exporter *e)
{
	int rc = programs_finish(&painter_of(e)->programs);

	return rc ? rc : tracks_finish(painter_of(e)->tracks);
}

static int on_guest(struct guest *g)
{
	return guest_tracks(g, painter_of(g->e)->tracks);
}

static void release(struct exporter *e)
{
	struct painter *p = painter_of(e);

	programs_release(&p->programs);
	tracks_free(p->tracks);
	call_parts_release(&p->parts);
	byte_map_release(&p->stacks);
	free(p->lanes);
}

const struct exporter_ops exporter_perfetto = {
	.name = "perfetto",
	.both = true,
	.samples = true,
	.binary = true,
	.size = sizeof(struct painter),
	.begin = begin_perfetto,
	.process = on_process,
	.event = on_event,
	.exec = on_exec,
	.folded = on_folded,
	.finish = finish,
	.guest = on_guest,
	.release = release,
};

const struct exporter_ops exporter_chrome = {
	.name = "chrome",
	.both = true,
	.samples = true,
	.size = sizeof(struct painter),
	.begin = begin_chrome,
	.process = on_process,
	.event = on_event,
	.exec = on_exec,
	.folded = on_folded,
	.finish = finish,
	.guest = on_guest,
	.release = release,
};
