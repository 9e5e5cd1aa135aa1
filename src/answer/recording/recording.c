/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/recording/parts.h>

#include <dirent.h>
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

int recording_note(struct recording *r, const char *fmt, ...)
{
	char *text;
	va_list ap;
	int n, rc;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	rc = strv_push(&r->notes, text);
	free(text);
	return rc;
}

/* --- Opening ------------------------------------------------------------------------------------------------------ */

/* trace-2-30.xtr before trace-10-4.xtr, for files that begin at the same time. */
static int earlier_first(const void *a, const void *b)
{
	const struct source *one = a, *two = b;

	if (one->public.start != two->public.start)
		return one->public.start < two->public.start ? -1 : 1;
	return strverscmp(one->path, two->path);
}

static bool is_xtr(const char *name)
{
	size_t n = strlen(name);

	return n > 4 && strcmp(name + n - 4, ".xtr") == 0;
}

/* Adds a file of a directory; one that is bad is noted. One whose writer has ended before it wrote, as it has said, is
 * not bad. 0 or -ENOMEM. */
static int add_noted(struct recording *r, const char *path)
{
	cleanup_buf struct buf why = BUF_INIT;
	int rc = source_add(r, path, true, &why);

	if (!rc || rc == -ENOMEM)
		return rc;
	r->damaged |= rc != -ENODATA;
	return recording_note(r, "%s", why.data);
}

static int add_named(struct recording *r, const char *dir, const char *name)
{
	cleanup_buf struct buf path = BUF_INIT, why = BUF_INIT;
	int rc = buf_printf(&path, "%s/%s", dir, name);

	if (rc)
		return rc;
	if (is_xtr(name))
		return add_noted(r, path.data);
	if (strcmp(name, "execs.jsonl") == 0)
		return buf_puts(&r->execs, path.data);
	if (strcmp(name, "run.json") != 0)
		return 0;
	rc = run_read(&r->run, &r->texts, path.data, &why);
	if (rc == -ENOMEM)
		return rc;
	r->has_run = !rc;
	r->damaged |= rc != 0;
	return rc ? recording_note(r, "%s", why.data) : 0;
}

static int add_directory(struct recording *r, const char *dir, struct buf *why)
{
	DIR *d = opendir(dir);
	struct dirent *item;
	int rc = 0;

	if (!d) {
		rc = -errno;
		return buf_printf(why, "%s: %s", dir, strerror(-rc)) ? -ENOMEM : rc;
	}
	while (!rc && (item = readdir(d)))
		rc = add_named(r, dir, item->d_name);
	closedir(d);
	if (rc || r->n || r->execs.len)
		return rc;
	if (r->notes.n && !r->damaged)
		return 0;
	if (r->notes.n)
		return buf_puts(why, r->notes.items[0]) ? -ENOMEM : -EBADMSG;
	return buf_printf(why, "%s: no recording is in this directory", dir) ? -ENOMEM : -ENOENT;
}

static int add_all(struct recording *r, const char *path, struct buf *why)
{
	struct stat st;
	int rc;

	if (stat(path, &st)) {
		rc = -errno;
		(void)buf_printf(why, "%s: %s", path, strerror(-rc));
		if (rc == -ENOENT && strcmp(path, RECORDING_DEFAULT) == 0)
			(void)buf_puts(why, "; to record: exectrace --run='trace --format=data' -- COMMAND "
			                    "(or --run=profile, --run=guest, or -o DIR)");
		return why->err ? why->err : rc;
	}
	rc = S_ISDIR(st.st_mode) ? add_directory(r, path, why) : source_add(r, path, false, why);
	if (rc)
		return rc;
	if (r->n)
		qsort(r->sources, r->n, sizeof(*r->sources), earlier_first);
	for (size_t i = 0; i < r->n; i++)
		r->sources[i].public.path = r->sources[i].path;
	r->heap = calloc(r->n + 1, sizeof(*r->heap));
	return r->heap ? 0 : -ENOMEM;
}

int recording_open(struct recording **ret, const char *path, const struct recording_options *options, struct buf *why)
{
	struct recording *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return -ENOMEM;
	if (options)
		r->options = *options;
	r->path = strdup(path);
	rc = r->path ? add_all(r, path, why) : -ENOMEM;
	if (rc)
		recording_close(r);
	else
		*ret = r;
	return rc;
}

void recording_close(struct recording *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		source_release(&r->sources[i]);
	free(r->sources);
	free(r->heap);
	process_table_release(r);
	names_release(r);
	pool_release(&r->texts);
	strv_release(&r->run.command);
	strv_release(&r->run.given);
	strv_release(&r->notes);
	buf_release(&r->execs);
	free(r->path);
	free(r);
}

/* --- Events in order of their time -------------------------------------------------------------------------------- */

static bool before(const struct recording *r, size_t a, size_t b)
{
	const struct source *one = &r->sources[r->heap[a]], *two = &r->sources[r->heap[b]];

	return one->time != two->time ? one->time < two->time : one < two;
}

static void swap(struct recording *r, size_t a, size_t b)
{
	size_t other = r->heap[a];

	r->heap[a] = r->heap[b];
	r->heap[b] = other;
}

/* Lets the first one sink to its place. */
static void sink(struct recording *r)
{
	for (size_t at = 0;;) {
		size_t first = at, left = 2 * at + 1;

		if (left < r->open && before(r, left, first))
			first = left;
		if (left + 1 < r->open && before(r, left + 1, first))
			first = left + 1;
		if (first == at)
			return;
		swap(r, at, first);
		at = first;
	}
}

static void push(struct recording *r, size_t source)
{
	size_t at = r->open++;

	for (r->heap[at] = source; at && before(r, at, (at - 1) / 2); at = (at - 1) / 2)
		swap(r, at, (at - 1) / 2);
}

static bool is_left_out(const struct recording *r, const struct source *s)
{
	return r->options.no_guests && s->public.guest_clock != DATA_CLOCK_NONE;
}

/* Begins the files whose turn has come. 0 or -ENOMEM. */
static int begin_due(struct recording *r)
{
	while (r->next < r->n) {
		struct source *s = &r->sources[r->next];
		int rc;

		if (r->open && (r->options.by_files || s->public.start > r->sources[r->heap[0]].time))
			return 0;
		rc = is_left_out(r, s) ? 0 : source_begin(r, s);
		if (rc < 0)
			return rc;
		if (rc)
			push(r, r->next);
		r->next++;
	}
	return 0;
}

/* Takes the step of the source that gave the last event. 0 or -ENOMEM. */
static int step_given(struct recording *r)
{
	int rc = r->given ? source_step(r, r->given) : 1;

	if (rc < 0)
		return rc;
	if (!rc)
		r->heap[0] = r->heap[--r->open];
	r->given = NULL;
	if (r->open > 1)
		sink(r);
	return r->next < r->n ? begin_due(r) : 0;
}

int recording_next(struct recording *r, struct recorded_event *event)
{
	int rc = step_given(r);
	struct source *s;

	if (rc || !r->open)
		return rc;
	s = r->given = &r->sources[r->heap[0]];
	event->record = &s->event;
	event->time = s->time;
	event->file = (unsigned)(s - r->sources);
	rc = process_table_event(r, s, &event->thread);
	return rc ? rc : 1;
}

/* --- What is known ------------------------------------------------------------------------------------------------ */

const struct recorded_run *recording_run(const struct recording *r)
{
	return r->has_run ? &r->run : NULL;
}

const char *recording_execs(const struct recording *r)
{
	return r->execs.len ? r->execs.data : NULL;
}

const char *recording_path(const struct recording *r)
{
	return r->path;
}

size_t recording_files(const struct recording *r)
{
	return r->n;
}

const struct recorded_file *recording_file(const struct recording *r, size_t i)
{
	return &r->sources[i].public;
}

size_t recording_processes(const struct recording *r)
{
	return r->n_processes;
}

const struct recorded_process *recording_process(const struct recording *r, size_t i)
{
	return &r->processes[i]->public;
}

size_t recording_threads(const struct recording *r)
{
	return r->n_threads;
}

const struct recorded_thread *recording_thread(const struct recording *r, size_t i)
{
	return &r->threads[i]->public;
}

uint64_t recording_start(const struct recording *r)
{
	if (r->has_run && r->run.start)
		return r->run.start;
	return r->n ? r->sources[0].public.start : 0;
}

uint64_t recording_realtime(const struct recording *r, unsigned file, uint64_t time)
{
	const struct recorded_file *f = &r->sources[file].public;

	return f->realtime ? f->realtime + (time - f->start) : 0;
}

const struct strv *recording_notes(const struct recording *r)
{
	return &r->notes;
}

bool recording_damaged(const struct recording *r)
{
	return r->damaged;
}
