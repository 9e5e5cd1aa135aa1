/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/html/html_page.h>

#include <exectrace/base/cleanup.h>
#include <exectrace/base/path.h>
#include <exectrace/base/quote.h>
#include <time.h>

/* Adds [key, text], when there is a text. */
static void put_fact(struct buf *out, const char *key, const char *text)
{
	if (!text || !*text)
		return;
	html_item(out);
	buf_putc(out, '[');
	html_string(out, key);
	buf_putc(out, ',');
	html_string(out, text);
	buf_putc(out, ']');
}

static void put_when(struct buf *out, uint64_t realtime)
{
	time_t seconds = (time_t)(realtime / 1000000000u);
	struct tm tm;
	char text[64];

	if (!realtime || !gmtime_r(&seconds, &tm) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm))
		return;
	put_fact(out, "Recorded", text);
}

static void put_run(struct buf *out, const struct recorded_run *run)
{
	cleanup_buf struct buf command = BUF_INIT;

	buf_fail(out, quote_shell_strv(&command, &run->command));
	put_fact(out, "Command", command.data);
	put_fact(out, "Directory", run->cwd);
	put_fact(out, "Host", run->host);
	put_fact(out, "System", run->system);
	put_when(out, run->start_realtime);
	put_fact(out, "exectrace", run->version);
}

static void put_facts(struct buf *out, const struct html_facts *facts)
{
	const struct recorded_run *run = recording_run(facts->recording);

	html_key(out, "about");
	buf_putc(out, '[');
	if (run)
		put_run(out, run);
	for (size_t i = 0; i < recording_files(facts->recording) && i < 8; i++)
		put_fact(out, "File", recording_file(facts->recording, i)->path);
	if (facts->other && recording_files(facts->other))
		put_fact(out, "Compared with", recording_file(facts->other, 0)->path);
	for (size_t i = 0; facts->notes && i < facts->notes->n; i++)
		put_fact(out, "Recorder", facts->notes->items[i]);
	for (size_t i = 0; i < recording_notes(facts->recording)->n && i < 20; i++)
		put_fact(out, "Note", recording_notes(facts->recording)->items[i]);
	buf_putc(out, ']');
}

/* What the page is about: the last word of the command's path and what follows, or the file. */
static void put_title(struct buf *out, const struct recording *r)
{
	cleanup_buf struct buf title = BUF_INIT;
	const struct recorded_run *run = recording_run(r);

	html_key(out, "title");
	if (run && run->command.n)
		quote_shell_strv(&title, &run->command);
	else
		buf_puts(&title, recording_files(r) ? path_name(recording_file(r, 0)->path) : "recording");
	buf_fail(out, title.err);
	html_string(out, title.data ? title.data : "");
}

/* What counts are of. */
static const char *events_of(const struct overview *s)
{
	if (overview_is_guest(s))
		return "calls";
	return overview_is_sampled(s) ? "samples" : "system calls";
}

int html_page(struct spool *spool, struct overview *s, const struct html_facts *facts)
{
	struct buf *out = &spool->text;

	buf_append(out, html_head, html_head_size);
	buf_putc(out, '{');
	put_title(out, facts->recording);
	put_facts(out, facts);
	html_key(out, "unit");
	html_string(out, facts->unit);
	html_key(out, "hz");
	buf_printf(out, "%ju", (uintmax_t)facts->hz);
	html_key(out, "events");
	html_string(out, events_of(s));
	html_paths(spool, s, facts->other ? 2 : 1);
	html_chart(spool, s, facts);
	buf_putc(out, '}');
	return buf_append(out, html_tail, html_tail_size);
}
