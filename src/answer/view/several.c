/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/view/several.h>

#include <errno.h>
#include <exectrace/answer/view/guest.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/err.h>
#include <string.h>

size_t several_count(const struct several *s)
{
	return s->paths ? s->n_paths : s->analysis->n_more + 1;
}

static const char *path_at(const struct several *s, size_t i)
{
	if (s->paths)
		return s->paths[i];
	return i ? s->analysis->more[i - 1] : s->analysis->data;
}

/* Whether it is asked which processes fit. A guest's functions are of no process of the run. */
static bool chooses(const struct several *s)
{
	cleanup_buf struct buf ignored = BUF_INIT;
	size_t file;

	return s->choose && !(s->guests && guest_files(s->analysis, *s->r, &file, &ignored) > 0);
}

/* One that fits nothing is not worth a line, as long as another one does. */
static int open_one(struct several *s, const char *path, struct buf *err)
{
	int rc = analysis_open(s->analysis, s->r, path, s->options, err);

	if (rc)
		s->failed = rc;
	else if (chooses(s))
		rc = analysis_choose(s->analysis, path, s->options, err);
	if (!rc || rc == -ENOMEM || several_count(s) == 1 || *s->r)
		return rc;
	err_say(ERR_ERROR, "%s", err->len ? err->data : strerror(-rc));
	s->analysis->damaged = true;
	return rc;
}

/* There is no more: whether that is a failure. */
static int at_end(const struct several *s, int rc, struct buf *err)
{
	if (s->read || several_count(s) == 1)
		return s->read ? 0 : rc;
	if (!s->failed)
		return rc; /* nothing fits, and the line says so */
	buf_reset(err, 0);
	rc = buf_printf(err, "none of the %zu recordings is of use", several_count(s));
	return rc ? rc : s->failed;
}

/* Names the one that is open, and why it does not count. */
static void leave_out(struct several *s, const char *what)
{
	size_t n = strlen(recording_path(*s->r));

	if (strncmp(what, recording_path(*s->r), n) == 0 && strncmp(what + n, ": ", 2) == 0)
		what += n + 2;
	err_say(ERR_ERROR, "%s: left out: %s", recording_path(*s->r), what);
	s->analysis->damaged = true;
	s->failed = -EINVAL;
}

int several_next(struct several *s, struct recording **r, struct buf *err)
{
	int rc = -ENOENT;

	analysis_close(s->analysis, s->r);
	while (s->given < several_count(s)) {
		buf_reset(err, 0);
		rc = open_one(s, path_at(s, s->given++), err);
		if (!rc) {
			s->read++;
			*r = *s->r;
			return 1;
		}
		if (rc == -ENOMEM || several_count(s) == 1)
			return rc;
		/* What is wrong with an option is so with the next one, too; unless it was right with those before. */
		if (*s->r && rc != -ENOENT && !s->read)
			return rc;
		if (*s->r && rc != -ENOENT)
			leave_out(s, err->len ? err->data : strerror(-rc));
		analysis_close(s->analysis, s->r);
	}
	rc = at_end(s, rc, err);
	if (!rc)
		buf_reset(err, 0);
	return rc;
}

void several_skip(struct several *s, const char *what)
{
	leave_out(s, what);
	s->read--;
}

void several_unfit(struct several *s)
{
	s->read--;
}
