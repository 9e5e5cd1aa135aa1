/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export_run.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/err.h>
#include <exectrace/base/fd.h>
#include <fnmatch.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define CHROME_MAX 500000000u /* bytes: what reads JSON as one string takes no more than 512 MiB */

static bool is_split(const struct export_run *c)
{
	return c->split_bytes || c->split_time;
}

static int write_out(void *user, const char *bytes, size_t n)
{
	struct export_run *c = user;

	/* What is shown on a terminal has the place of how far it is. */
	if (!c->output && isatty(STDOUT_FILENO))
		progress_end(&c->analysis.progress);
	c->failed = is_split(c) ? outparts_write(&c->parts, bytes, n) : fd_write_all(c->file.fd, bytes, n);
	return c->failed;
}

static int cut(void *user)
{
	struct export_run *c = user;

	c->failed = outparts_next(&c->parts);
	return c->failed;
}

/* Is a process of execs.jsonl wanted? What only calls have does not count here. */
static bool wants(void *user, uint32_t pid, const char *comm)
{
	const struct call_select *select = &((const struct export_run *)user)->analysis.select;
	bool listed = !select->n_pids;

	for (size_t i = 0; i < select->n_pids; i++)
		listed |= select->pids[i] == pid;
	return listed && (!select->comm || fnmatch(select->comm, comm, 0) == 0);
}

/* --- What is exported ----------------------------------------------------------------------------------------------
 */

#define NO_FILE SIZE_MAX

/* Of all files but one. */
static int export_events(struct export_run *c, struct recording *r, size_t without, struct exporter *exporter)
{
	/* Whose events are wanted, whatever is asked of calls. Its list of pids is the other's. */
	struct call_select who = {.pids = c->analysis.select.pids,
	                          .n_pids = c->analysis.select.n_pids,
	                          .comm = c->analysis.select.comm};
	struct recorded_event event;
	int rc;

	while ((rc = recording_next(r, &event)) > 0) {
		if (event.file == without || (event.thread && !call_selected(&who, &event)))
			continue;
		rc = exporter_event(exporter, &event, !event.thread || call_selected(&c->analysis.select, &event));
		if (rc)
			return rc;
	}
	return rc;
}

/* A page has all calls of a guest. */
static int check_page(const struct export_run *c, struct buf *err)
{
	const struct call_select *select = &c->analysis.select;

	if (!export_compares(c->format) || (!c->guest.any && !select->min && !select->n_pids && !select->comm))
		return 0;
	return buf_printf(err, "%s shows all calls of a guest: only --time chooses among them", c->format) ? -ENOMEM
	                                                                                                   : -EINVAL;
}

static int export_guest(struct export_run *c, struct recording *r, size_t file, struct replay **p,
                        struct exporter *exporter, struct buf *err)
{
	struct functions_options which;
	int rc = guest_check(&c->analysis, true, err);

	if (!rc)
		rc = check_page(c, err);
	if (!rc)
		rc = guest_open(p, &c->guest, &c->analysis, r, file, err);
	if (rc)
		return rc;
	c->hz = replay_clock(*p).hz;
	if (c->split_time && !c->hz)
		return buf_puts(err, "--split: the clock of this guest counts no time: use a size, such as 1G")
		               ? -ENOMEM
		               : -EINVAL;
	which = guest_options(&c->guest, &c->analysis, *p);
	rc = exporter_guest(exporter, *p, &which);
	if (rc == -ENOTSUP && buf_printf(err, "%s is not for the functions of a guest", c->format))
		return -ENOMEM;
	return rc;
}

/* The calls of a guest and of the host's processes, all on the host's clock. */
static int export_both(struct export_run *c, struct recording *r, size_t file, struct replay **p,
                       struct exporter *exporter, struct buf *err)
{
	int rc = guest_check(&c->analysis, true, err);

	c->guest.host_time = true;
	if (!rc)
		rc = export_events(c, r, file, exporter);
	return rc ? rc : export_guest(c, r, file, p, exporter, err);
}

/* *p: the replay that the exporter was given, which has to stay. */
static int export_recording(struct export_run *c, struct recording *r, struct replay **p, struct exporter *exporter,
                            struct buf *err)
{
	size_t file;
	int rc;

	if (c->analysis.select.event == SELECT_ANY && export_takes_both(c->format) && guest_beside_host(r, &file))
		return export_both(c, r, file, p, exporter, err);
	rc = guest_file(&c->analysis, r, &file, err);
	if (rc > 0)
		return export_guest(c, r, file, p, exporter, err);
	if (!rc && c->guest.any)
		return buf_puts(err, GUEST_NOT_CALLS) ? -ENOMEM : -EINVAL;
	return rc ? rc : export_events(c, r, NO_FILE, exporter);
}

/* Both are of a guest, or both are not. */
static int check_same(const struct export_run *c, const struct recording *r, const struct recording *other,
                      struct buf *err)
{
	size_t file, other_file;
	int guest = guest_file(&c->analysis, r, &file, err);
	int other_guest = guest < 0 ? guest : guest_file(&c->analysis, other, &other_file, err);

	if (other_guest < 0)
		return other_guest;
	if (guest == other_guest &&
	    (!guest || recording_file(r, file)->guest_clock == recording_file(other, other_file)->guest_clock))
		return 0;
	return buf_puts(err, "--diff: these recordings are of different kinds, or have different clocks") ? -ENOMEM
	                                                                                                  : -EINVAL;
}

/* The other recording first: *other has to stay until the exporter is done. */
static int export_other(struct export_run *c, struct recording *r, struct recording **other, struct exporter *exporter,
                        struct buf *err)
{
	const struct recording_options options = {.names = true, .by_files = true};
	int rc = recording_open(other, c->diff, &options, err);

	if (!rc)
		rc = check_same(c, r, *other, err);
	if (rc)
		return rc;
	exporter_compare(exporter, *other);
	rc = export_recording(c, *other, &c->replay[1], exporter, err);
	exporter_compare(exporter, NULL);
	return rc;
}

static void release_replays(struct export_run *c)
{
	for (int i = 0; i < 2; i++) {
		replay_free(c->replay[i]);
		c->replay[i] = NULL;
	}
}

/* The recording from its beginning to its end. */
static int export_once(struct export_run *c, struct recording *r, struct buf *err)
{
	const struct call_select *select = &c->analysis.select;
	const struct export_options options = {
		.directory = c->directory.fd,
		.path = c->output,
		.why = err,
		.budget = c->budget,
		.weight = c->weight,
		.from = select->timed ? select->from : 0,
		.to = select->timed ? select->until : 0,
		.every = c->split_time,
		.wants = wants,
		.write = write_out,
		.cut = cut,
		.user = c,
	};
	bool measures = c->budget && budget_measures(c->budget);
	struct recording *other = NULL;
	struct exporter *exporter;
	int rc = exporter_new(&exporter, c->format, r, &options);

	if (rc)
		return rc;
	rc = c->diff ? export_other(c, r, &other, exporter, err) : 0;
	if (!rc)
		rc = export_recording(c, r, &c->replay[0], exporter, err);
	if (!rc)
		rc = exporter_finish(exporter, err);
	c->full = exporter_full(exporter);
	if (!measures)
		progress_end(&c->analysis.progress);
	if (!rc && !measures && strcmp(c->format, "chrome") == 0 && exporter_bytes(exporter) > CHROME_MAX)
		err_say(ERR_NOTE, "it is larger than many viewers can read: --budget=500M makes it fit");
	exporter_free(exporter);
	release_replays(c);
	recording_close(other);
	return rc;
}

static int open_recording(struct export_run *c, struct recording **r, struct buf *err)
{
	/* The order of files does not matter to sums. */
	const struct recording_options options = {.names = true, .by_files = export_is_sums(c->format)};

	return analysis_open(&c->analysis, r, c->analysis.data, &options, err);
}

/* --- The budget ----------------------------------------------------------------------------------------------------
 */

/* Goes through it a first time, and settles what is folded away. What is wrong with the recording is said later. */
static int measure(struct export_run *c, struct buf *err)
{
	struct recording *r = NULL;
	int rc = budget_new(&c->budget, c->budget_bytes, c->budget_events);

	if (!rc)
		rc = open_recording(c, &r, err);
	if (!rc)
		rc = export_once(c, r, err);
	recording_close(r);
	if (!rc)
		budget_settle(c->budget);
	return rc;
}

/* A length in ticks. Of those that are no time only the number is known. */
static int say_length(const struct export_run *c, struct buf *out, uint64_t length)
{
	if (!c->hz)
		return buf_printf(out, "%llu", (unsigned long long)length);
	return clock_print(out, (uint64_t)((double)length * (double)NS_PER_S / (double)c->hz));
}

static int say_folded(const struct export_run *c)
{
	const struct budget_folded folded = budget_folded(c->budget);
	cleanup_buf struct buf text = BUF_INIT;
	int rc = 0;

	if (!folded.events)
		return 0;
	if (!folded.kept)
		rc = buf_puts(&text, "the budget has no room for any call: ");
	if (!rc)
		rc = buf_printf(&text, "folded away %llu of %llu %s", (unsigned long long)folded.events,
		                (unsigned long long)(folded.events + folded.kept),
		                export_is_sums(c->format) ? "paths" : "calls");
	if (!rc && folded.kept)
		rc = buf_puts(&text, ", which are shorter than ");
	if (!rc && folded.kept)
		rc = say_length(c, &text, folded.below);
	if (!rc)
		rc = buf_puts(&text, "; their own time is ");
	if (!rc)
		rc = say_length(c, &text, folded.time);
	if (!rc)
		err_say(ERR_NOTE, "%s", text.data);
	return rc;
}

/* --- Where it goes -------------------------------------------------------------------------------------------------
 */

/* Nobody reads standard output any more: a quiet end. */
static bool is_quiet(const struct export_run *c)
{
	return c->failed == -EPIPE && !c->output;
}

static int open_parts(struct export_run *c)
{
	int rc = outparts_open(&c->parts, c->output, export_end(c->format));

	c->parts.most = c->split_bytes;
	c->parts.titled = export_is_titled(c->format);
	return rc;
}

static int open_output(struct export_run *c)
{
	if (export_is_database(c->format))
		return 0;
	if (export_is_directory(c->format))
		return outdir_open(&c->directory, c->output);
	return is_split(c) ? open_parts(c) : outfile_open(&c->file, c->output);
}

static int close_output(struct export_run *c, int rc)
{
	if (export_is_database(c->format))
		return rc;
	if (is_split(c))
		return outparts_close(&c->parts, rc);
	return export_is_directory(c->format) ? outdir_close(&c->directory, rc) : outfile_close(&c->file, rc);
}

/* Files of an older export have names that those of this one would have. 0 or -ENOMEM. */
static int tell_failure(struct export_run *c, struct buf *err)
{
	if (c->failed == -EEXIST && is_split(c) && *outparts_name(&c->parts))
		return buf_printf(err, "--split: '%s' is there already, beside which others would be made",
		                  outparts_name(&c->parts));
	return buf_printf(err, "cannot write to %s: %s", c->output ? c->output : "standard output",
	                  strerror(-c->failed));
}

/* All recordings, one behind the other. */
static int export_all(struct export_run *c, struct recording **r, struct buf *err)
{
	const size_t more = c->analysis.n_more;
	int rc = export_once(c, *r, err);

	c->incomplete = more != 0;
	for (size_t i = 0; i < more && !rc; i++) {
		analysis_close(&c->analysis, r);
		c->analysis.data = c->analysis.more[i];
		rc = open_recording(c, r, err);
		if (rc)
			return rc;
		c->incomplete = i + 1 < more;
		rc = export_once(c, *r, err);
	}
	return rc;
}

static int write_all(struct export_run *c, struct recording **r, struct buf *err)
{
	int rc = open_output(c), bad;

	c->failed = rc;
	if (!rc) {
		rc = export_all(c, r, err);
		/* What is written to a directory is not written by us. */
		if (rc && !err->len && rc != -ENOMEM &&
		    (export_is_directory(c->format) || export_is_database(c->format)))
			c->failed = rc;
		/* Of a bad execs.jsonl all that could be read was written. */
		bad = rc && err->len && !c->failed && !c->incomplete && rc != -EINVAL ? rc : 0;
		rc = close_output(c, bad ? 0 : rc);
		if (rc && !c->failed && !bad && !err->len)
			c->failed = rc;
		rc = rc ? rc : bad;
	}
	if (is_quiet(c))
		return 0;
	if (c->failed && tell_failure(c, err))
		return -ENOMEM;
	return rc;
}

int export_run(void *ctx, struct recording *r[ANALYSIS_RECORDINGS], struct buf *err)
{
	struct export_run *c = ctx;
	bool limited = export_is_limited(c);
	int rc;

	c->hz = NS_PER_S;
	signal(SIGPIPE, SIG_IGN);
	rc = limited ? measure(c, err) : 0;
	if (!rc)
		rc = open_recording(c, &r[0], err);
	if (!rc)
		rc = write_all(c, &r[0], err);
	if (!rc && limited)
		rc = say_folded(c);
	if (!rc && c->full)
		err_say(ERR_NOTE, "there are too many different paths of calls: the time of some is that of the paths "
		                  "around them");
	(void)outparts_close(&c->parts, rc);
	budget_free(c->budget);
	return rc;
}
