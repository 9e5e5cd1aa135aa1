/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One .xtr file: opened when its time comes, closed when it is read. */
#include <exectrace/answer/recording/parts.h>

#include <errno.h>
#include <exectrace/base/grow.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>

static int source_describe(struct source *s, const struct data_facts *facts, struct pool *texts)
{
	s->public = (struct recorded_file){
		.path = s->path,
		.pid = facts->pid,
		.arch = facts->arch,
		.start = facts->clocks[0].start,
		.realtime = facts->clocks[0].realtime,
		.guest_clock = facts->clocks[1].kind,
		.guest_hz = facts->clocks[1].hz,
		.guest_start = facts->clocks[1].start,
	};
	return pool_text(texts, facts->host.bytes, facts->host.n, &s->public.host, NULL);
}

static int open_reader(struct data_reader **reader, const char *path, bool member, struct buf *why)
{
	int fd = member ? member_open(path, why) : -1;

	if (!member)
		return data_reader_open(reader, path, why);
	return fd < 0 ? fd : data_reader_fd(reader, fd, path, why);
}

int source_add(struct recording *r, const char *path, bool member, struct buf *why)
{
	struct data_reader *reader;
	struct source *s;
	struct stat st;
	size_t before = why->len;
	int rc = open_reader(&reader, path, member, why);

	if (rc && rc != -ENOMEM && why->len == before)
		return buf_printf(why, "%s: %s", path, strerror(-rc)) ? -ENOMEM : rc;
	if (rc)
		return rc;
	rc = grow_array((void **)&r->sources, r->n, &r->cap, sizeof(*r->sources));
	if (!rc) {
		s = &r->sources[r->n];
		*s = (struct source){.path = strdup(path), .member = member};
		rc = s->path ? source_describe(s, data_reader_facts(reader), &r->texts) : -ENOMEM;
		if (rc)
			free(s->path);
		r->n += !rc;
		if (!stat(path, &st))
			r->total += (uint64_t)st.st_size;
	}
	data_reader_close(reader);
	return rc;
}

/* Closes a file of which nothing more can be read, `rc` says why. 0 or -ENOMEM. */
static int finish(struct recording *r, struct source *s, int rc, const struct buf *why)
{
	enum data_end end = data_reader_end(s->reader);
	int err = 0;

	if (rc && rc != -ENOMEM) {
		r->damaged = true;
		err = why->len ? recording_note(r, "%s", why->data)
		               : recording_note(r, "%s: %s", s->path, strerror(-rc));
	} else if (!rc && end == DATA_END_CUT) {
		err = recording_note(r, "%s: its end is missing; what is there has been read", s->path);
	}
	if (!err && s->lost)
		err = recording_note(r, "%s: %llu records were lost while it was recorded", s->path,
		                     (unsigned long long)s->lost);
	data_reader_close(s->reader);
	s->reader = NULL;
	return rc == -ENOMEM ? rc : err;
}

/* Another block has been read. */
static void tell_progress(struct recording *r, struct source *s, uint64_t offset)
{
	r->done += offset - s->offset;
	s->offset = offset;
	r->options.progress(r->options.ctx, r->done, r->total);
}

int source_step(struct recording *r, struct source *s)
{
	struct buf why = BUF_INIT;
	int rc = data_reader_next(s->reader, &s->event, &why);

	if (__builtin_expect(rc != 1, 0)) {
		rc = finish(r, s, rc, &why);
		buf_release(&why);
		return rc;
	}
	if (r->options.progress && data_reader_offset(s->reader) != s->offset)
		tell_progress(r, s, data_reader_offset(s->reader));
	if (s->event.type == DATA_SYNC)
		s->last = s->event.sync.clock;
	else if (!(s->event.type & DATA_SECOND_CLOCK))
		s->last = s->event.clock;
	if (s->event.type == DATA_LOST)
		s->lost += s->event.lost.count;
	s->time = s->last;
	return 1;
}

/* Whether there is one for another thread. */
static bool processor_free(void)
{
	cpu_set_t set;

	/* It fails where there are more than fit into the set. */
	return sched_getaffinity(0, sizeof(set), &set) || CPU_COUNT(&set) > 1;
}

static int begin(struct recording *r, struct source *s, bool names, bool alone)
{
	struct buf why = BUF_INIT;
	int rc = open_reader(&s->reader, s->path, s->member, &why);

	s->begun = true;
	r->done -= s->offset;
	s->offset = 0;
	s->last = s->public.start;
	if (!rc && names) {
		rc = data_reader_load(s->reader, &why);
		/* What is bad will be met again, behind all that is good. */
		if (rc != -ENOMEM)
			rc = 0;
	} else if (rc && rc != -ENOMEM) {
		s->reader = NULL;
		r->damaged = true;
		rc = why.len ? recording_note(r, "%s", why.data) : recording_note(r, "%s: %s", s->path, strerror(-rc));
		buf_release(&why);
		return rc;
	}
	buf_release(&why);
	if (!rc && alone && processor_free())
		data_reader_ahead(s->reader);
	return rc ? rc : source_step(r, s);
}

int source_begin(struct recording *r, struct source *s)
{
	return begin(r, s, r->options.names, r->n == 1 || r->options.by_files);
}

int source_begin_alone(struct recording *r, struct source *s)
{
	return begin(r, s, false, true);
}

void source_release(struct source *s)
{
	data_reader_close(s->reader);
	idmap_release(&s->threads);
	names_release_source(s);
	free(s->path);
}
