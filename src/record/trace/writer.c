/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "writer.h"

#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/kerrno.h>
#include <exectrace/target/syscalls/schema.h>
#include <stdlib.h>
#include <string.h>

#define FLUSH_BYTES (256u << 10)
#define POLLS_LOOKED_AT 16384u /* descriptors of a poll */

int writer_stack(struct writer *writer, const struct thread *thread)
{
	const struct writer_mark mark = {writer->out.len, thread->stack};

	return thread->stack ? buf_append(&writer->marks, &mark, sizeof(mark)) : 0;
}

/* Writes what there is with the stacks in their places. */
static int write_with_stacks(struct writer *writer)
{
	const struct writer_mark *marks = (const struct writer_mark *)(const void *)writer->marks.data;
	size_t n = writer->marks.len / sizeof(*marks), at = 0;
	struct buf text = BUF_INIT;
	int err = stacks_name(writer->config.stacks);

	for (size_t i = 0; i < n && !err; i++) {
		err = buf_append(&text, writer->out.data + at, marks[i].at - at);
		if (!err)
			err = stacks_print(writer->config.stacks, marks[i].stack, writer->stack_form, &text);
		at = marks[i].at;
	}
	if (!err)
		err = buf_append(&text, writer->out.data + at, writer->out.len - at);
	if (!err)
		err = fd_write_all(writer->config.fd, text.data, text.len);
	buf_release(&text);
	stacks_trim(writer->config.stacks);
	return err;
}

static int flush(struct writer *writer)
{
	int err = 0;

	if (writer->marks.len)
		err = write_with_stacks(writer);
	else if (writer->out.len)
		err = fd_write_all(writer->config.fd, writer->out.data, writer->out.len);
	buf_reset(&writer->out, 2 * FLUSH_BYTES);
	buf_reset(&writer->marks, FLUSH_BYTES);
	writer->sink.held = false;
	return err;
}

bool writer_has_paths(const struct writer_config *config)
{
	return config->paths && config->paths->n;
}

/* Whether a poll waits for one of the files: of the descriptors not all are shown. */
static bool polls(const struct writer *writer, const struct thread *thread)
{
	const struct syscall_desc *desc = thread->call.arch ? syscall_by_nr(thread->call.arch, thread->call.nr) : NULL;
	const struct decoder *decoder = &writer->decoder;
	cleanup_buf struct buf path = BUF_INIT;
	uint64_t n = (uint32_t)thread->call.args[1];
	int fd;

	if (!desc || desc->args[0].kind != KIND_POLL)
		return false;
	for (uint64_t i = 0; i < n && i < POLLS_LOOKED_AT; i++) {
		if (decoder->read(decoder->user, thread->call.args[0] + i * 8, &fd, sizeof(fd)))
			return false;
		buf_reset(&path, 4096);
		if (fd < 0 || decoder->fd_path(decoder->user, fd, &path) || !path.data)
			continue;
		for (size_t k = 0; k < writer->config.paths->n; k++)
			if (strcmp(path.data, writer->config.paths->items[k]) == 0)
				return true;
	}
	return false;
}

int writer_turn(struct writer *writer, int fd)
{
	int err = fd == writer->config.fd ? 0 : flush(writer);

	writer->config.fd = fd;
	return err;
}

static int writer_event(struct call_sink *sink, const struct call_event *event)
{
	struct writer *writer = (struct writer *)sink;
	int err = 0;

	if (writer->config.stacks && !writer->marks.len && event->type == CALL_ENTER)
		stacks_trim(writer->config.stacks);
	memory_of(&writer->memory, event);
	if (event->type == CALL_ENTER && writer_has_paths(&writer->config))
		event->thread->polls = polls(writer, event->thread);
	err = call_is_aside(event) ? 0 : writer->line(writer, event);
	memory_after(&writer->memory, event);
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
	buf_release(&writer->marks);
	memory_release(&writer->memory);
	free(writer);
	return err;
}

struct call_sink *writer_init(struct writer *writer, const struct writer_config *config,
                              int (*line)(struct writer *, const struct call_event *), int (*last)(struct writer *))
{
	writer->sink = (struct call_sink){.event = writer_event, .idle = writer_idle, .end = writer_end};
	writer->config = *config;
	writer->memory.partial = config->partial;
	writer->memory.contexts = config->contexts;
	writer->decoder = memory_decoder(&writer->memory, config->string_max);
	writer->decoder.verbose = config->form.whole;
	writer->decoder.hex = config->form.hex;
	writer->decoder.names = config->form.names;
	writer->decoder.column = config->form.column;
	memory_tell(&writer->memory, &writer->decoder,
	            config->form.fds | (config->form.strace ? 0 : (unsigned)FORM_PATHS), config->form.pids);
	if (writer_is_plain(config))
		writer->decoder.fd_about = NULL;
	else if (config->form.strace && !config->form.fds)
		writer->decoder.fd_path = NULL;
	writer->line = line;
	writer->last = last;
	return &writer->sink;
}

void writer_choose(struct writer *writer, const struct thread *thread)
{
	const struct trace_sets *sets = writer->config.sets;
	const struct syscall_call *call = &thread->call;

	if (sets && sets->has_raw)
		writer->decoder.raw = syscall_filter_has(&sets->raw, call->arch, call->nr);
	if (sets && sets->has_shallow)
		writer->decoder.shallow = syscall_filter_has(&sets->shallow, call->arch, call->nr);
	if (sets && sets->has_whole)
		writer->decoder.verbose = syscall_filter_has(&sets->whole, call->arch, call->nr);
}

bool writer_is_plain(const struct writer_config *config)
{
	return config->form.strace && !(config->form.fds & FORM_PATHS) && writer_has_paths(config);
}

/* quoted: also in quotes, and not only behind a descriptor. */
static bool text_names(const char *text, size_t n, const char *path, bool quoted)
{
	size_t length = strlen(path);
	const char *at = text, *end = text + n;

	while (at && (at = memmem(at, (size_t)(end - at), path, length))) {
		const char *behind = at + length;

		if (at > text && behind < end &&
		    ((quoted && at[-1] == '"' && *behind == '"') ||
		     (at[-1] == '<' && (*behind == '>' || *behind == '<'))))
			return true;
		at++;
	}
	return false;
}

static bool names(const char *text, size_t n, const struct strv *paths, bool quoted)
{
	for (size_t i = 0; i < paths->n; i++)
		if (text_names(text, n, paths->items[i], quoted))
			return true;
	return false;
}

bool writer_names(const char *text, size_t n, const struct strv *paths)
{
	return names(text, n, paths, true);
}

const char *writer_argument_end(const char *text)
{
	int depth = 0;
	bool quoted = false;

	for (; *text; text++) {
		if (quoted && *text == '\\' && text[1])
			text++;
		else if (*text == '"')
			quoted = !quoted;
		else if (quoted)
			continue;
		else if (strchr("([{", *text))
			depth++;
		else if (!depth && (*text == ',' || *text == ')'))
			return text;
		else if (strchr(")]}", *text))
			depth--;
	}
	return NULL;
}

/* What an argument of a kind can say of files. */
static enum { SAYS_NOTHING, SAYS_DESCRIPTOR, SAYS_NAME } says(unsigned kind)
{
	switch (kind) {
	case KIND_PATH:
	case KIND_SADDR:
	case KIND_OSADDR:
		return SAYS_NAME;
	case KIND_BUF:
	case KIND_OBUF:
	case KIND_SENT:
	case KIND_RECEIVED:
	case KIND_STR:
	case KIND_OSTR:
	case KIND_OSTRN:
	case KIND_XATTR:
	case KIND_OXATTR:
	case KIND_OXATTRNAMES:
	case KIND_HOSTNAME:
	case KIND_MOUNTTYPE:
	case KIND_ORANDOM:
	case KIND_IOV:
	case KIND_OIOV:
	case KIND_ARGV:
	case KIND_ENVP:
	case KIND_MOUNTDATA:
	case KIND_MSGTEXT:
	case KIND_OMSGTEXT:
		return SAYS_NOTHING;
	default:
		return SAYS_DESCRIPTOR;
	}
}

/* Whether the text of a whole call names one of the files, as an argument that is a name or by a descriptor: bytes that
 * are read and written may look like either. */
static bool call_names(const struct thread *thread, const struct strv *paths)
{
	const struct syscall_desc *desc = thread->call.arch ? syscall_by_nr(thread->call.arch, thread->call.nr) : NULL;
	const char *at = thread->line.data ? strchr(thread->line.data, '(') : NULL;
	const char *end = at ? writer_argument_end(++at) : NULL;

	for (unsigned i = 0; end; i++) {
		unsigned means = desc && i < desc->nargs ? says(desc->args[i].kind) : SAYS_DESCRIPTOR;

		if (means && names(at, (size_t)(end - at), paths, means == SAYS_NAME))
			return true;
		at = end + 1;
		end = *end == ',' ? writer_argument_end(at) : NULL;
	}
	return at && names(at, strlen(at), paths, false);
}

bool writer_shows(const struct writer_config *config, const struct thread *thread, bool ended)
{
	bool failed = is_failure(thread->result.error, thread->result.value);
	enum trace_outcome outcome = !ended ? OUTCOME_UNFINISHED : failed ? OUTCOME_FAILED : OUTCOME_SUCCESSFUL;

	return !(config->form.hidden & outcome);
}

bool writer_wants(const struct writer *writer, const struct thread *thread, bool ended)
{
	const struct writer_config *config = &writer->config;

	return writer_shows(config, thread, ended) &&
	       (!writer_has_paths(config) || call_names(thread, config->paths) || thread->polls);
}
