/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/failure/calls.h>

#include "obstacle.h"
#include <errno.h>
#include <exectrace/answer/why/page/who.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/word.h>
#include <exectrace/target/syscalls/names.h>
#include <limits.h>
#include <string.h>

#define CALLS_MAX 6        /* that are shown */
#define SEARCHED_MAX 5     /* of a search that are named */
#define CALL_BYTES_MAX 180 /* of the text of one */
#define AFTER_NS (20 * NS_PER_MS)

#define TOLD_FULLY 3 /* of the error and the file */
#define TOLD_ERROR 2 /* of the error */

/* True when a text has a name that says something. */
static bool has_word(const char *text, const char *name)
{
	size_t n = strlen(name);

	return n > 2 && word_is_in(text, name, n);
}

/* How much what it wrote speaks of this failure: 3 of the error and the file, 2 of the error, 1 of the file, 0. */
static int told_of(const struct process_history *p, const struct failure *f)
{
	const char *text = errno_text(f->error), *slash = strrchr(f->what, '/');
	const char *name = slash ? slash + 1 : f->what;
	int most = 0;

	for (int i = 0; i < OUTPUTS; i++) {
		int told = 0;

		if (!p->output[i].data)
			continue;
		if (text && strstr(p->output[i].data, text))
			told += 2;
		if (has_word(p->output[i].data, name) || has_word(p->output[i].data, f->what))
			told += 1;
		most = told > most ? told : most;
	}
	return most;
}

/* A call that is too long loses the end of its arguments, not its result. */
static void page_call_text(const char *text, struct buf *out)
{
	cleanup_buf struct buf cut = BUF_INIT;

	page_foreign(out, failure_text_cut(&cut, text, CALL_BYTES_MAX) ? cut.data : text, CALL_BYTES_MAX);
}

void page_call_line(const struct why *why, const struct process_history *p, const struct failure *f, bool told,
                    struct buf *out)
{
	buf_puts(out, "    ");
	page_at(why, f->last, out);
	buf_puts(out, "  ");
	page_call_text(f->text, out);
	if (f->count > 1)
		buf_printf(out, ", %llu times", (unsigned long long)f->count);
	page_obstacle(why, p, f, out);
	buf_puts(out, told ? "  <- its message\n" : "\n");
	if (!f->stack)
		return;
	buf_puts(out, "           in ");
	page_foreign(out, f->stack, 2 * COMMAND_MAX);
	buf_putc(out, '\n');
}

/* Whether a failure counts, among those of which so much is told. */
static bool counts(const struct process_history *p, const struct failure *f, int told)
{
	uint64_t said = p->wrote[OUTPUT_STDERR] ? p->wrote[OUTPUT_STDERR] : UINT64_MAX - AFTER_NS;

	return told_of(p, f) == told && f->first <= said + AFTER_NS && (told || !page_is_installed(p, f));
}

const struct failure *page_first_call(const struct process_history *p, bool *told)
{
	for (int much = TOLD_FULLY; much >= 0; much--)
		for (size_t i = p->n_failures; i-- > 0;) {
			*told = much >= TOLD_ERROR;
			if (counts(p, &p->failures[i], much))
				return &p->failures[i];
		}
	return NULL;
}

/* The last part of a path. */
static const char *name_in(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A search: the same call in vain for a file of the same name in another directory. */
static bool same_search(const struct failure *a, const struct failure *b)
{
	return a->error == ENOENT && b->error == ENOENT && strcmp(a->call, b->call) == 0 && *name_in(a->what) &&
	       strchr(a->what, '/') && strchr(b->what, '/') && strcmp(name_in(a->what), name_in(b->what)) == 0;
}

/* The other directories of the search that ended with the failure `at`, the last one first. */
static void searched(const struct process_history *p, size_t at, struct buf *out)
{
	size_t n = 0;

	for (size_t i = at; i-- > 0;) {
		const struct failure *f = &p->failures[i];
		size_t length = (size_t)(name_in(f->what) - f->what);
		char directory[PATH_MAX];

		if (!same_search(f, &p->failures[at]))
			continue;
		n++;
		if (n > SEARCHED_MAX || length > sizeof(directory))
			continue;
		memcpy(directory, f->what, length);
		directory[length > 1 ? length - 1 : length] = 0;
		buf_puts(out, n == 1 ? "           and before that in " : ", ");
		page_foreign(out, directory, COMMAND_MAX);
	}
	if (n > SEARCHED_MAX)
		buf_printf(out, " and %zu more", n - SEARCHED_MAX);
	if (n)
		buf_putc(out, '\n');
}

/* One that is shown is the end of the same search. */
static bool is_of_shown(const struct process_history *p, size_t at, uint64_t shown)
{
	for (size_t i = at + 1; i < p->n_failures; i++)
		if (shown >> i & 1 && same_search(&p->failures[at], &p->failures[i]))
			return true;
	return false;
}

const struct failure *page_calls(const struct why *why, const struct process_history *p, bool *told, struct buf *out)
{
	const struct failure *first = NULL;
	uint64_t which = 0; /* a bit each: FAILURES_KEPT */
	size_t shown = 0;

	for (int much = TOLD_FULLY; much >= 0; much--) {
		for (size_t i = p->n_failures; i-- > 0 && shown < CALLS_MAX;) {
			const struct failure *f = &p->failures[i];

			if (!counts(p, f, much) || is_of_shown(p, i, which))
				continue;
			which |= UINT64_C(1) << i;
			if (!shown++)
				buf_puts(out, "  calls that failed before that, the last one first:\n");
			if (!first) {
				first = f;
				*told = much >= TOLD_ERROR;
			}
			/* An error alone is that of the newest. */
			page_call_line(why, p, f, much == TOLD_FULLY || (much && shown == 1), out);
			searched(p, i, out);
		}
		/* When it is told which one it was, that is enough. */
		if (much && shown)
			break;
		if (much == TOLD_ERROR && p->answered.text && told_of(p, &p->answered) >= TOLD_ERROR) {
			buf_puts(out, "  calls that failed before that, the last one first:\n");
			page_call_line(why, p, &p->answered, true, out);
			*told = true;
			return &p->answered;
		}
	}
	return first;
}
