/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"

#include "text.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DRAIN_BYTES (256u << 10) /* a write of this size costs next to nothing a byte */

static const struct exporter_ops *const formats[] = {&exporter_json, &exporter_folded, &exporter_html,
                                                     &exporter_perfetto};

#define FORMATS (sizeof(formats) / sizeof(*formats))

static const struct exporter_ops *find(const char *name)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}

bool export_is_binary(const char *format)
{
	const struct exporter_ops *ops = find(format);

	return ops && ops->binary;
}

bool export_is_sums(const char *format)
{
	const struct exporter_ops *ops = find(format);

	return ops && ops->sums;
}

bool export_has_guests(const char *format)
{
	const struct exporter_ops *ops = find(format);

	return ops && ops->guest;
}

bool export_compares(const char *format)
{
	const struct exporter_ops *ops = find(format);

	return ops && ops->compares;
}

int exporter_new(struct exporter **ret, const char *format, struct recording *recording,
                 const struct export_options *options)
{
	const struct exporter_ops *ops = find(format);
	struct exporter *e = ops ? calloc(1, ops->size) : NULL;
	int rc;

	if (!e)
		return ops ? -ENOMEM : -EINVAL;
	e->ops = ops;
	e->recording = recording;
	e->options = *options;
	if (!e->options.to)
		e->options.to = UINT64_MAX;
	rc = ops->begin ? ops->begin(e) : 0;
	if (rc)
		exporter_free(e);
	else
		*ret = e;
	return rc;
}

void exporter_free(struct exporter *e)
{
	if (!e)
		return;
	if (e->ops->release)
		e->ops->release(e);
	buf_release(&e->out);
	buf_release(&e->functions);
	free(e);
}

static int drain(struct exporter *e)
{
	int rc = e->out.len ? e->options.write(e->options.user, e->out.data, e->out.len) : 0;

	buf_reset(&e->out, 4 * DRAIN_BYTES);
	return rc;
}

int exporter_drain(struct exporter *e)
{
	return e->out.len < DRAIN_BYTES ? 0 : drain(e);
}

int exporter_event(struct exporter *e, const struct recorded_event *event, bool selected)
{
	int rc = event->thread && e->ops->process ? e->ops->process(e, event) : 0;

	if (!rc && selected)
		rc = e->ops->event(e, event);
	return rc ? rc : exporter_drain(e);
}

int exporter_guest(struct exporter *e, struct replay *p)
{
	int rc;

	if (!e->ops->guest)
		return -ENOTSUP;
	e->guest = p;
	rc = e->ops->guest(e, p);
	return rc ? rc : exporter_drain(e);
}

void exporter_compare(struct exporter *e, struct recording *other)
{
	e->side = other != NULL;
	if (other)
		e->other = other;
}

static int on_exec(void *ctx, const struct exec_record *rec, const struct exec_end *end)
{
	struct exporter *e = ctx;
	const char *path = rec->path ? rec->path : rec->argv.n ? rec->argv.items[0] : "";

	if (e->options.wants && !e->options.wants(e->options.user, (uint32_t)rec->pid, exporter_basename(path)))
		return 0;
	return e->ops->exec(e, rec, end);
}

int exporter_finish(struct exporter *e, struct buf *why)
{
	const char *execs = recording_execs(e->recording);
	int bad = e->ops->exec && execs ? execs_read(execs, on_exec, e, why) : 0;
	int rc = bad && !why->len ? bad : 0;

	if (!rc && e->ops->finish)
		rc = e->ops->finish(e);
	if (!rc)
		rc = drain(e);
	return rc ? rc : bad;
}

int exporter_stack(struct exporter *e, const struct recorded_event *event, const struct data_text **names, size_t *n)
{
	const struct recorded_frame *frames = NULL;
	int rc = recording_stack(e->recording, event, &frames, n);

	e->functions.len = 0;
	for (size_t i = 0; i < *n && !rc; i++) {
		struct data_text name = text_of(frames[i].function->name);

		rc = buf_append(&e->functions, &name, sizeof(name));
	}
	*names = (const struct data_text *)(const void *)e->functions.data;
	return rc;
}

const char *exporter_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

bool exporter_is_number(struct data_text text)
{
	size_t i = text.n && text.bytes[0] == '-';

	if (i == text.n)
		return false;
	while (i < text.n && text.bytes[i] >= '0' && text.bytes[i] <= '9')
		i++;
	return i == text.n;
}

uint64_t exporter_monotonic(const struct exporter *e, uint64_t realtime)
{
	const struct recorded_run *run = recording_run(e->recording);
	const struct recorded_file *file = recording_files(e->recording) ? recording_file(e->recording, 0) : NULL;

	if (run && run->start_realtime)
		return realtime - run->start_realtime + run->start;
	if (file && file->realtime)
		return realtime - file->realtime + file->start;
	return realtime;
}
