/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "html_page.h"

#include <exectrace/base/cleanup.h>
#include <exectrace/base/path.h>
#include <exectrace/base/quote.h>
#include <time.h>

/* Adds [key, text], when there is a text. */
static int put_fact(struct buf *out, const char *key, const char *text)
{
	int rc = text && *text ? html_item(out) : 0;

	if (!text || !*text || rc)
		return rc;
	rc = buf_putc(out, '[');
	rc = rc ? rc : html_string(out, key);
	rc = rc ? rc : buf_putc(out, ',');
	rc = rc ? rc : html_string(out, text);
	return rc ? rc : buf_putc(out, ']');
}

static int put_when(struct buf *out, uint64_t realtime)
{
	time_t seconds = (time_t)(realtime / 1000000000u);
	struct tm tm;
	char text[64];

	if (!realtime || !gmtime_r(&seconds, &tm) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm))
		return 0;
	return put_fact(out, "Recorded", text);
}

static int put_run(struct buf *out, const struct recorded_run *run)
{
	cleanup_buf struct buf command = BUF_INIT;
	int rc = quote_shell_strv(&command, &run->command);

	rc = rc ? rc : put_fact(out, "Command", command.data);
	rc = rc ? rc : put_fact(out, "Directory", run->cwd);
	rc = rc ? rc : put_fact(out, "Host", run->host);
	rc = rc ? rc : put_fact(out, "System", run->system);
	rc = rc ? rc : put_when(out, run->start_realtime);
	return rc ? rc : put_fact(out, "exectrace", run->version);
}

static int put_facts(struct buf *out, const struct html_facts *facts)
{
	const struct recorded_run *run = recording_run(facts->recording);
	int rc = html_key(out, "about");

	rc = rc ? rc : buf_putc(out, '[');
	rc = rc || !run ? rc : put_run(out, run);
	for (size_t i = 0; i < recording_files(facts->recording) && i < 8 && !rc; i++)
		rc = put_fact(out, "File", recording_file(facts->recording, i)->path);
	if (facts->other && recording_files(facts->other))
		rc = rc ? rc : put_fact(out, "Compared with", recording_file(facts->other, 0)->path);
	for (size_t i = 0; facts->notes && i < facts->notes->n && !rc; i++)
		rc = put_fact(out, "Recorder", facts->notes->items[i]);
	for (size_t i = 0; i < recording_notes(facts->recording)->n && i < 20 && !rc; i++)
		rc = put_fact(out, "Note", recording_notes(facts->recording)->items[i]);
	return rc ? rc : buf_putc(out, ']');
}

/* What the page is about: the last word of the command's path and what follows, or the file. */
static int put_title(struct buf *out, const struct recording *r)
{
	cleanup_buf struct buf title = BUF_INIT;
	const struct recorded_run *run = recording_run(r);
	int rc = html_key(out, "title");

	if (!rc && run && run->command.n)
		rc = quote_shell_strv(&title, &run->command);
	else if (!rc)
		rc = buf_puts(&title, recording_files(r) ? path_name(recording_file(r, 0)->path) : "recording");
	return rc ? rc : html_string(out, title.data);
}

/* What counts are of. */
static const char *events_of(const struct survey *s)
{
	if (survey_is_guest(s))
		return "calls";
	return survey_is_sampled(s) ? "samples" : "system calls";
}

int html_page(struct exporter *e, struct survey *s, const struct html_facts *facts)
{
	struct buf *out = &e->out;
	int rc = buf_append(out, html_head, html_head_size);

	rc = rc ? rc : buf_putc(out, '{');
	rc = rc ? rc : put_title(out, facts->recording);
	rc = rc ? rc : put_facts(out, facts);
	rc = rc ? rc : html_key(out, "unit");
	rc = rc ? rc : html_string(out, facts->unit);
	rc = rc ? rc : html_key(out, "hz");
	rc = rc ? rc : buf_printf(out, "%ju", (uintmax_t)facts->hz);
	rc = rc ? rc : html_key(out, "events");
	rc = rc ? rc : html_string(out, events_of(s));
	rc = rc ? rc : html_paths(e, s, facts->other ? 2 : 1);
	rc = rc ? rc : html_chart(e, s);
	rc = rc ? rc : buf_putc(out, '}');
	return rc ? rc : buf_append(out, html_tail, html_tail_size);
}
