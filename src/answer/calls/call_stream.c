/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/calls/call_stream.h>

#include <string.h>

static bool is_call(const struct recorded_event *event)
{
	return event->record->type == DATA_SYSCALL || event->record->type == DATA_UNFINISHED;
}

/* Whether main has made the call, as far as its stack tells. 1, 0 or -ENOMEM. */
static int is_in_main(struct call_stream *stream, const struct recorded_event *event)
{
	const struct recorded_frame *frames;
	size_t n;
	int rc = recording_stack(stream->recording, event, &frames, &n);

	for (size_t i = 0; i < n && !rc; i++)
		if (strcmp(frames[i].function->name, "main") == 0)
			return 1;
	return rc;
}

/* Whether the event is part of a start, in select->in_startup. 0 or -ENOMEM. */
static int note_startup(struct call_stream *stream, const struct recorded_event *event)
{
	int in_main = 0, rc;

	if (stream->with_stack && is_call(event) && startup_is_open(&stream->startup, event))
		in_main = is_in_main(stream, event);
	rc = in_main < 0 ? in_main : startup_has(&stream->startup, event, in_main);
	stream->select->in_startup = rc == 1;
	return rc < 0 ? rc : 0;
}

/* Puts the names of peers into a call. 0 or -ENOMEM. */
static int name_peers(struct call_stream *stream, struct recorded_event *event)
{
	int rc = event->record->type == DATA_SYSCALL ? peers_take(&stream->peers, &event->record->syscall) : 0;

	if (rc || !stream->peers.sockets.n)
		return rc;
	rc = shown_call_make(&stream->shown, &event->record->syscall, &stream->peers, NULL);
	stream->record = *event->record;
	stream->record.syscall = stream->shown.call;
	event->record = &stream->record;
	return rc;
}

int call_stream_next(struct call_stream *stream, struct recorded_event *event)
{
	int rc;

	while ((rc = recording_next(stream->recording, event)) == 1) {
		rc = 0;
		if (stream->select->no_startup)
			rc = note_startup(stream, event);
		if (!rc && stream->scripted)
			rc = scripts_take(&stream->scripts, event);
		if (!rc && is_call(event) && (stream->named || stream->select->path))
			rc = name_peers(stream, event);
		if (rc)
			return rc;
		if (!call_selected(stream->select, event))
			continue;
		stream->script = stream->scripted && event->thread
		                         ? scripts_find(&stream->scripts, event->thread->process)
		                         : NULL;
		return 1;
	}
	return rc;
}

void call_stream_release(struct call_stream *stream)
{
	peers_release(&stream->peers);
	scripts_release(&stream->scripts);
	startup_release(&stream->startup);
	shown_call_release(&stream->shown);
	shown_call_release(&stream->shorter);
}
