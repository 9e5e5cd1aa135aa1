/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "writer.h"

#include <exectrace/base/fd.h>
#include <stdlib.h>
#include <string.h>

#define FLUSH_BYTES (256u << 10)

static int flush(struct writer *writer)
{
	int err = writer->out.len ? fd_write_all(writer->config.fd, writer->out.data, writer->out.len) : 0;

	buf_reset(&writer->out, 2 * FLUSH_BYTES);
	writer->sink.held = false;
	return err;
}

static int writer_event(struct call_sink *sink, const struct call_event *event)
{
	struct writer *writer = (struct writer *)sink;
	int err = 0;

	memory_of(&writer->memory, event->thread);
	if (event->type == CALL_EXIT)
		memory_after(&writer->memory, event->thread);
	err = writer->line(writer, event);
	if (err || writer->out.len < FLUSH_BYTES) {
		sink->held = writer->out.len > 0;
		return err;
	}
	return flush(writer);
}

static int writer_idle(struct call_sink *sink)
{
	return flush((struct writer *)sink);
}

static int writer_end(struct call_sink *sink)
{
	struct writer *writer = (struct writer *)sink;
	int err = 0;

	if (writer->last)
		(void)writer->last(writer);
	err = flush(writer);
	buf_release(&writer->out);
	memory_release(&writer->memory);
	free(writer);
	return err;
}

struct call_sink *writer_init(struct writer *writer, const struct writer_config *config,
                              int (*line)(struct writer *, const struct call_event *), int (*last)(struct writer *))
{
	writer->sink = (struct call_sink){.event = writer_event, .idle = writer_idle, .end = writer_end};
	writer->config = *config;
	writer->decoder = memory_decoder(&writer->memory, config->string_max);
	writer->memory.partial = config->partial;
	writer->line = line;
	writer->last = last;
	return &writer->sink;
}

/* Whether the text of a call names the file: as an argument, or behind a descriptor. */
static bool names(const struct buf *line, const char *path)
{
	size_t n = strlen(path);
	const char *at = line->data;

	while (at && (at = strstr(at, path))) {
		if (at > line->data && ((at[-1] == '"' && at[n] == '"') || (at[-1] == '<' && at[n] == '>')))
			return true;
		at++;
	}
	return false;
}

bool writer_wants(const struct writer *writer, const struct thread *thread)
{
	if (writer->config.failed && !thread->result.error)
		return false;
	return !writer->config.path || names(&thread->line, writer->config.path);
}
