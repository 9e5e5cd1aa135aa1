/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/export/export.h>

#include "private.h"

#include <errno.h>
#include <exectrace/answer/export/guest/guest.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/grow.h>
#include <exectrace/base/path.h>
#include <stdlib.h>
#include <string.h>

static const struct exporter_ops *const formats[] = {
	&exporter_json, &exporter_csv,  &exporter_folded,   &exporter_callgrind, &exporter_chrome,
	&exporter_html, &exporter_otlp, &exporter_perfetto, &exporter_sqlite,    &exporter_uftrace,
};

#define FORMATS (sizeof(formats) / sizeof(*formats))

const char *export_format(size_t i)
{
	return i < FORMATS ? formats[i]->name : NULL;
}

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

bool export_is_directory(const char *format)
{
	const struct exporter_ops *ops = find(format);

	return ops && ops->directory;
}

bool export_is_database(const char *format)
{
	const struct exporter_ops *ops = find(format);

	return ops && ops->database;
}

bool export_takes_both(const char *format)
{
	const struct exporter_ops *ops = find(format);

	return ops && ops->both;
}

bool export_is_sums(const char *format)
{
	const struct exporter_ops *ops = find(format);

	return ops && ops->sums;
}

bool export_is_timed(const char *format)
{
	const struct exporter_ops *ops = find(format);

	return ops && ops->timed;
}

bool export_joins(const char *format)
{
	const struct exporter_ops *ops = find(format);

	return ops && (ops->database || (ops->end && !ops->titled));
}

bool export_is_titled(const char *format)
{
	const struct exporter_ops *ops = find(format);

	return ops && ops->titled;
}

const char *export_end(const char *format)
{
	const struct exporter_ops *ops = find(format);

	return ops ? ops->end : NULL;
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
	e->out = (struct spool){.write = exporter_measures(e) ? NULL : options->write, .user = options->user};
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
	buf_release(&e->out.text);
	buf_release(&e->functions);
	buf_release(&e->whence);
	free(e->rests);
	free(e);
}

/* --- Calls that are folded away ------------------------------------------------------------------------------------
 */

static int add_rest(struct exporter *e, const struct recorded_thread *thread, uint64_t time)
{
	if (widen_array((void **)&e->rests, &e->n_rests, thread->number, sizeof(*e->rests)))
		return -ENOMEM;
	e->rests[thread->number].calls++;
	e->rests[thread->number].time += time;
	return 0;
}

static int tell_rests(struct exporter *e)
{
	int rc = 0;

	for (size_t i = 0; i < e->n_rests && i < recording_threads(e->recording) && !rc; i++) {
		if (e->rests[i].calls && e->ops->folded)
			rc = e->ops->folded(e, recording_thread(e->recording, i), e->rests[i].calls, e->rests[i].time);
		if (!rc)
			rc = spool_drain(&e->out);
	}
	return rc;
}

/* A call that may be folded away. */
static int on_call(struct exporter *e, const struct recorded_event *event)
{
	struct budget *budget = e->options.budget;
	uint64_t length = event->record->syscall.duration, before = exporter_position(e);
	bool measures = budget_measures(budget);
	int rc = 0;

	if (measures || budget_folds(budget, length))
		rc = add_rest(e, event->thread, length);
	if (!rc && (measures || !budget_folds(budget, length)))
		rc = e->ops->event(e, event);
	if (measures)
		budget_add(budget, length, length, exporter_position(e) - before);
	return rc;
}

static int on_event(struct exporter *e, const struct recorded_event *event)
{
	bool call = event->record->type == DATA_SYSCALL || event->record->type == DATA_UNFINISHED;
	uint64_t before = exporter_position(e);
	int rc;

	if (call && e->options.budget && !e->ops->sums)
		return on_call(e, event);
	rc = e->ops->event(e, event);
	if (exporter_measures(e))
		budget_add_fixed(e->options.budget, exporter_position(e) - before);
	return rc;
}

/* False for samples when the format has none, and for what a format that has one kind alone will refuse. */
static bool wants(struct exporter *e, const struct recorded_event *event)
{
	switch (event->record->type) {
	case DATA_SYSCALL:
	case DATA_UNFINISHED:
		e->called = true;
		return !e->ops->alone || !e->sampled;
	case DATA_SAMPLE:
		e->sampled = true;
		return e->ops->samples && (!e->ops->alone || !e->called);
	default:
		return true;
	}
}

int exporter_event(struct exporter *e, const struct recorded_event *event, bool selected)
{
	int rc = event->thread && e->ops->process ? e->ops->process(e, event) : 0;

	if (!rc && selected && wants(e, event)) {
		uint64_t start = recording_start(e->recording);

		rc = exporter_moment(e, event->time > start ? event->time - start : 0);
		if (!rc)
			rc = on_event(e, event);
	}
	return rc ? rc : spool_drain(&e->out);
}

int exporter_guest(struct exporter *e, struct replay *p, const struct functions_options *which)
{
	const struct replay_clock clock = replay_clock(p);
	struct guest g = {.e = e, .replay = p, .which = which, .start = replay_start(p), .scale = 1};

	e->guest = true;
	if (!e->ops->guest)
		return -ENOTSUP;
	g.time = clock.hz != 0;
	g.unit = g.time ? "ns" : clock.kind == DATA_CLOCK_BLOCKS ? "blocks" : "instructions";
	if (clock.hz && clock.hz != NS_PER_S)
		g.scale = (double)NS_PER_S / (double)clock.hz;
	g.base = replay_file(p)->start;
	g.realtime = replay_file(p)->realtime;
	return e->ops->guest(&g);
}

void exporter_compare(struct exporter *e, struct recording *other)
{
	e->side = other != NULL;
	if (other)
		e->other = other;
}

/* --- All -----------------------------------------------------------------------------------------------------------
 */

static int on_exec(void *ctx, const struct exec_record *rec, const struct exec_end *end)
{
	struct exporter *e = ctx;
	const char *path = rec->path ? rec->path : rec->argv.n ? rec->argv.items[0] : "";

	if (e->options.wants && !e->options.wants(e->options.user, (uint32_t)rec->pid, path_name(path)))
		return 0;
	return e->ops->exec(e, rec, end);
}

/* Time in calls and time on processors cannot be added up; and there is a format that knows calls alone. */
static int check(const struct exporter *e, struct buf *why)
{
	int rc = 0;

	if (e->ops->alone && e->called && e->sampled)
		rc = buf_puts(why, "there are calls and samples: say --event=calls or --event=samples");
	else if (e->sampled && !e->ops->samples && !e->called)
		rc = buf_printf(why, "%s has calls with their beginnings and ends, and these are samples",
		                e->ops->name);
	return rc ? rc : why->len ? -EINVAL : 0;
}

static int finish(struct exporter *e, struct buf *why)
{
	const char *execs = e->guest ? NULL : recording_execs(e->recording);
	int refused = check(e, why);
	int bad = !refused && e->ops->exec && execs ? execs_read(execs, on_exec, e, why) : 0;
	int rc = refused ? refused : bad && !why->len ? bad : tell_rests(e);

	if (!rc && e->ops->finish)
		rc = e->ops->finish(e);
	return rc ? rc : bad;
}

static int drain_last(struct exporter *e, int rc)
{
	int failed = spool_flush(&e->out);

	return failed ? failed : rc;
}

int exporter_finish(struct exporter *e, struct buf *why)
{
	uint64_t before = exporter_position(e);
	int rc = finish(e, why);

	if (exporter_measures(e) && !e->ops->sums)
		budget_add_fixed(e->options.budget, exporter_position(e) - before);
	if (!rc || why->len)
		rc = drain_last(e, rc);
	return rc;
}

uint64_t exporter_bytes(const struct exporter *e)
{
	return exporter_position(e);
}

bool exporter_full(const struct exporter *e)
{
	return e->full;
}
