/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/file.h>
#include <exectrace/record/common/machine.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define ELF_FILES 128u           /* kept open */
#define ROUND_MS 100             /* between two looks at the rings */
#define LAG_NS 20000000u         /* a record may come into its ring so much later than its time says */
#define FLUSH_NS NS_PER_S        /* older records are in the file, should we be killed */
#define BLOCK_BYTES (256u << 10) /* what is lost at most when the disk is full */

static volatile sig_atomic_t asked_to_end; /* a signal handler has nowhere else to write to */

static void on_signal(int sig)
{
	(void)sig;
	asked_to_end = 1;
}

/* None has SA_RESTART: they end the wait for the rings. */
static void catch_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = on_signal};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

int sampler_put(struct sampler *s, struct data_event *event)
{
	event->clock = s->now;
	return data_writer_event(s->writer, event);
}

/* A stack_define_fn: what stacks refer to goes into the file as soon as it is known. */
static void define(void *user, struct data_event *event)
{
	struct sampler *s = user;
	int err = sampler_put(s, event);

	if (err && !s->error)
		s->error = err;
}

/* --- Beginning ---------------------------------------------------------------------------------------------------- */

static int make_tables(struct sampler *s)
{
	int err = elf_cache_new(ELF_FILES, &s->files.cache);

	if (!err)
		err = symbolizer_new(s->files.cache, NULL, &s->places.symbolizer);
	if (!err)
		err = stack_table_init(&s->table, SAMPLE_FRAMES);
	s->files.define = define;
	s->files.user = s;
	s->images.files = s->places.files = &s->files;
	return err;
}

static int open_output(struct sampler *s, struct buf *err)
{
	char name[32];
	const char *path = s->options->output ? s->options->output : name;

	snprintf(name, sizeof(name), "profile-%d.xtr", (int)s->options->pid);
	s->fd = file_create_in(s->options->directory, path);
	if (s->fd >= 0)
		return 0;
	return buf_printf(err, "cannot write %s: %s", path, strerror(-s->fd)) ? -ENOMEM : s->fd;
}

static int begin_file(struct sampler *s)
{
	const struct data_writer_options options = {.bytes = BLOCK_BYTES, .interval = FLUSH_NS};
	struct machine machine;
	int err;

	s->now = s->flushed = clock_now();
	err = machine_describe(&machine, s->options->pid, s->now, clock_wall());
	if (!err)
		err = data_writer_open(&s->writer, s->fd, &machine.facts, &options);
	machine_release(&machine);
	return err;
}

/* Sampling begins first: what is then read of the process may be told a second time, but nothing is missed. */
static int begin(struct sampler *s)
{
	int err = make_tables(s);

	if (!err)
		err = begin_file(s);
	if (!err)
		err = session_start(&s->session);
	return err ? err : tasks_introduce(s, s->options->pid);
}

/* A line about what went wrong with the recording, if something did. Returns rc, or -ENOMEM. */
static int explain(const struct sampler *s, int rc, struct buf *err)
{
	const char *name = s->options->output ? s->options->output : "the recording";

	return !rc || rc == -ENOMEM || !buf_printf(err, "%s: %s", name, strerror(-rc)) ? rc : -ENOMEM;
}

int sampler_open(struct sampler **ret, const struct sample_options *options, struct buf *err)
{
	struct sampler *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return -ENOMEM;
	s->fd = -1;
	s->options = options;
	prctl(PR_SET_NAME, SAMPLE_PROGRAM, 0, 0, 0);
	catch_signals();
	rc = session_open(&s->session, options, err);
	if (!rc)
		rc = open_output(s, err);
	if (!rc) {
		rc = begin(s);
		rc = explain(s, rc, err);
	}
	if (rc)
		sampler_free(s);
	else
		*ret = s;
	return rc;
}

bool sampler_without_kernel(const struct sampler *s)
{
	return s->session.without_kernel;
}

void sampler_free(struct sampler *s)
{
	if (!s)
		return;
	session_close(&s->session);
	data_writer_abandon(s->writer);
	queue_release(&s->queue);
	tasks_release(s);
	places_reset(&s->places);
	intern_release(&s->places.functions);
	symbolizer_free(s->places.symbolizer);
	stack_table_release(&s->table);
	code_files_release(&s->files);
	elf_cache_free(s->files.cache);
	kernel_code_release(&s->images.kernel);
	fd_close(&s->fd);
	free(s);
}

/* --- Records ------------------------------------------------------------------------------------------------------ */

static int put_lost(struct sampler *s, uint64_t count, const char *text)
{
	struct data_event out = {.type = DATA_LOST, .lost = {count, DATA_LOST_RING, {text, strlen(text)}}};

	s->told += count;
	return sampler_put(s, &out);
}

static int on_lost(struct sampler *s, const struct ring_record *record)
{
	char text[32];

	snprintf(text, sizeof(text), "ring of CPU %u", record->cpu);
	return put_lost(s, record->lost, text);
}

/* A queue_fn: records by their time. */
static int on_record(void *user, const void *bytes, size_t n)
{
	struct sampler *s = user;
	struct ring_record record;
	int err = ring_parse(&s->session.format, bytes, n, &record);

	if (err)
		return err;
	/* The kernel has no number for what is about to be gone. */
	if (record.kind != RING_LOST && record.kind != RING_THROTTLE &&
	    ((int32_t)record.pid <= 0 || (int32_t)record.tid <= 0))
		return 0;
	s->now = record.time;
	switch (record.kind) {
	case RING_SAMPLE:
		return frames_on_sample(s, &record);
	case RING_MAP:
		return tasks_on_map(s, &record);
	case RING_COMM:
		return tasks_on_comm(s, &record);
	case RING_FORK:
		return tasks_on_fork(s, &record);
	case RING_EXIT:
		return tasks_on_exit(s, &record);
	case RING_LOST:
		return on_lost(s, &record);
	case RING_THROTTLE:
		s->result.throttled++;
		return 0;
	default:
		return 0;
	}
}

/* A ring_record_fn: records as they are in the rings. */
static int on_ring(void *user, const void *bytes, size_t n)
{
	struct sampler *s = user;
	struct ring_record record;
	int err = ring_parse(&s->session.format, bytes, n, &record);

	return err || record.kind == RING_OTHER ? err : queue_add(&s->queue, record.time, bytes, n);
}

/* --- Running ------------------------------------------------------------------------------------------------------ */

/* Names and what is in memory go into the file every second. */
static int save(struct sampler *s)
{
	uint64_t now = clock_now();
	int err = 0;

	if (now - s->flushed < FLUSH_NS)
		return 0;
	s->flushed = now;
	err = frames_name(s);
	if (!err)
		err = data_writer_flush(s->writer);
	return err ? err : s->error;
}

static int loop(struct sampler *s)
{
	uint64_t before = 0;
	int err = 0;

	while (!err && s->session.alive && !asked_to_end) {
		uint64_t now = 0;

		err = session_wait(&s->session, ROUND_MS);
		if (err == -EINTR)
			err = 0;
		now = clock_now();
		if (!err)
			err = session_drain(&s->session, on_ring, s);
		/* Whatever is older than the last look is in a ring by now. */
		if (!err)
			err = queue_flush(&s->queue, before < now - LAG_NS ? before : now - LAG_NS, on_record, s);
		if (!err)
			err = save(s);
		before = now;
	}
	return err;
}

static int finish(struct sampler *s)
{
	static const char throttled[] = "the kernel paused sampling because it took too long "
					"(kernel.perf_cpu_time_max_percent)";
	struct data_event note = {.type = DATA_NOTE, .note = {throttled, sizeof(throttled) - 1}};
	int err = session_drain(&s->session, on_ring, s);

	if (!err)
		err = queue_flush(&s->queue, UINT64_MAX, on_record, s);
	s->result.lost = session_lost(&s->session);
	if (s->result.lost < s->told)
		s->result.lost = s->told;
	if (!err && s->result.lost > s->told)
		err = put_lost(s, s->result.lost - s->told, "rings");
	if (!err && s->result.throttled)
		err = sampler_put(s, &note);
	if (!err)
		err = frames_name(s);
	return err ? err : s->error;
}

int sampler_run(struct sampler *s, struct sample_result *result, struct buf *err)
{
	int rc = loop(s), last;

	if (!rc)
		rc = finish(s);
	last = data_writer_close(s->writer);
	s->writer = NULL;
	if (!rc)
		rc = last;
	*result = s->result;
	return explain(s, rc, err);
}
