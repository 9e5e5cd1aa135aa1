/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/export/exporter/exporter.h>

#include <exectrace/answer/format/text.h>

int exporter_moment(struct exporter *e, uint64_t since)
{
	uint64_t stretch = e->options.every ? since / e->options.every : 0;
	int rc;

	if (stretch <= e->stretch || exporter_measures(e))
		return 0;
	e->stretch = stretch;
	rc = spool_flush(&e->out);
	return rc ? rc : e->options.cut(e->options.user);
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
