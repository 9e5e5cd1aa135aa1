/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/recording/identity.h>

#include <errno.h>
#include <exectrace/answer/recording/parts.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/file.h>
#include <exectrace/base/mix.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define HEAD 65536 /* bytes of a file that say which one it is: its header and its first records */

static uint64_t mix_text(uint64_t a, const char *text)
{
	return mix_bytes(a, text, strlen(text));
}

static uint64_t of_run(const struct recorded_run *run)
{
	uint64_t id = mix(run->start, run->start_realtime);

	id = mix_text(id, run->host);
	id = mix_text(id, run->system);
	id = mix_text(id, run->cwd);
	for (size_t i = 0; i < run->command.n; i++)
		id = mix_text(id, run->command.items[i]);
	return id;
}

/* What cannot be read does not count: whoever reads the recording says so. */
static uint64_t of_content(uint64_t id, const struct source *s)
{
	cleanup_fd int fd = file_open_regular(AT_FDCWD, s->path, s->member ? O_NOFOLLOW : 0);
	cleanup_buf struct buf head = BUF_INIT;
	long got = fd < 0 || buf_reserve(&head, HEAD) ? -1 : fd_read_all(fd, head.data, HEAD);

	return got > 0 ? mix_bytes(id, head.data, (size_t)got) : id;
}

static uint64_t of_file(uint64_t id, const struct source *s)
{
	const struct recorded_file *file = &s->public;

	id = mix(mix(id, file->pid), file->arch);
	id = mix(mix(id, file->start), file->realtime);
	id = mix(mix(id, file->guest_clock), file->guest_start);
	id = mix_text(id, file->host);
	return file->realtime ? id : of_content(id, s);
}

struct recording_id recording_identify(const struct recording *r)
{
	uint64_t id = r->has_run ? of_run(&r->run) : 0;

	if (!r->has_run || !r->run.start_realtime)
		for (size_t i = 0; i < r->n; i++)
			id = of_file(id, &r->sources[i]);
	return (struct recording_id){mix(id, 1), mix(id, 2)};
}

void recording_id_print(struct recording_id id, char text[RECORDING_ID_TEXT])
{
	snprintf(text, RECORDING_ID_TEXT, "%016llx%016llx", (unsigned long long)id.high, (unsigned long long)id.low);
}

const char *recording_host(const struct recording *r)
{
	if (r->has_run && *r->run.host)
		return r->run.host;
	for (size_t i = 0; i < r->n; i++)
		if (*r->sources[i].public.host)
			return r->sources[i].public.host;
	return "";
}
