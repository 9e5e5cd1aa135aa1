/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The selected events of a recording, with what the calls before them tell. */
#ifndef EXECTRACE_ANSWER_CALLS_CALL_STREAM_H
#define EXECTRACE_ANSWER_CALLS_CALL_STREAM_H

#include <exectrace/answer/calls/peers.h>
#include <exectrace/answer/calls/scripts.h>
#include <exectrace/answer/calls/select.h>
#include <exectrace/answer/calls/startup.h>

/* The first members are the caller's to set, all others 0 at first. */
struct call_stream {
	struct recording *recording;
	struct call_select *select;
	bool named;      /* sockets have the names of their peers; else only where --path asks for them */
	bool scripted;   /* script is wanted */
	bool with_stack; /* the recording was opened with names: what main has called is no start */
	/* Of the event that was given last: what its interpreter reads (scripts_find); NULL: nothing, unknown. */
	const char *script;
	/* private, but for shorter: for the printer of the event */
	struct peers peers;
	struct scripts scripts;
	struct startup startup;
	struct shown_call shown, shorter;
	struct data_event record;
};

/* The next event that is selected, valid until the next one is asked for. As recording_next. */
int call_stream_next(struct call_stream *stream, struct recorded_event *event);

void call_stream_release(struct call_stream *stream);

#endif
