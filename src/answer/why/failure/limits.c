/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "limits.h"

#include <errno.h>
#include <exectrace/answer/why/failure/cause.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_FILES 6 /* kinds of open descriptors that are shown */

/* --- Limits ------------------------------------------------------------------------------------------------------- */

/* The last time that the limit of a process was set, by itself or by one that it inherited it from. */
static const struct limit_set *limit_of(const struct why *why, const struct tree_node *node, const char *resource,
                                        uint64_t by)
{
	const struct history *h = &why->story.history;

	for (; node; node = node->parent) {
		const struct limit_set *found = NULL;

		for (size_t i = 0; i < h->n_limits; i++)
			if (node->process == h->limits[i].process + 1 && h->limits[i].time <= by &&
			    !h->limits[i].only_seen && strcmp(h->limits[i].resource, resource) == 0)
				found = &h->limits[i];
		if (found)
			return found;
		by = story_event(&why->story, story_start(&why->story, node));
	}
	return NULL;
}

void page_limit(const struct why *why, const struct tree_node *node, const char *resource, uint64_t by, struct buf *out)
{
	const struct limit_set *set = limit_of(why, node, resource, by);

	if (!set) {
		buf_printf(out, "  %s: no recorded process has set it\n", resource);
		return;
	}
	buf_printf(out, "  %s is ", resource);
	page_foreign(out, set->now, COMMAND_MAX);
	buf_puts(out, ", set by ");
	page_foreign(out, set->setter, COMMAND_MAX);
	buf_printf(out, " [%u]", set->pid);
	buf_puts(out, " at ");
	page_at(why, set->time, out);
	if (*set->before) {
		buf_puts(out, "; it was ");
		page_foreign(out, set->before, COMMAND_MAX);
	}
	buf_putc(out, '\n');
}

/* "8*1024" as a number; UINT64_MAX when it is none. */
static uint64_t number_of(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 10);

	if (end == text)
		return UINT64_MAX;
	return *end == '*' ? n * strtoull(end + 1, NULL, 10) : n;
}

/* Limits that the run has lowered: they may be the reason where no call that failed tells one. */
void page_lowered_limits(const struct why *why, const struct tree_node *node, struct buf *out)
{
	static const char *const resources[] = {"RLIMIT_AS",    "RLIMIT_DATA",  "RLIMIT_STACK",  "RLIMIT_NOFILE",
	                                        "RLIMIT_FSIZE", "RLIMIT_NPROC", "RLIMIT_MEMLOCK"};

	for (size_t i = 0; i < sizeof(resources) / sizeof(*resources); i++) {
		const struct limit_set *set = limit_of(why, node, resources[i], UINT64_MAX);

		if (set && number_of(set->now) < (*set->before ? number_of(set->before) : UINT64_MAX))
			page_limit(why, node, resources[i], UINT64_MAX, out);
	}
}

const char *page_resource_behind(const struct failure *f)
{
	switch (f->error) {
	case EMFILE:
		return "RLIMIT_NOFILE";
	case EFBIG:
		return "RLIMIT_FSIZE";
	case ENOMEM:
		return "RLIMIT_AS";
	case EAGAIN:
		return strstr(f->call, "clone") || strstr(f->call, "fork") ? "RLIMIT_NPROC" : NULL;
	default:
		return NULL;
	}
}

/* --- Descriptors -------------------------------------------------------------------------------------------------- */

/* One line for those of one process that refer to the same. */
static void descriptor_line(const struct why *why, const struct process_history *p, const struct descriptor *d,
                            size_t n, struct buf *out)
{
	buf_printf(out, "    %zu x ", n);
	page_name(out, objects_at(&why->story.history.objects, d->object)->name, COMMAND_MAX);
	if (d->opener == p->process->number) {
		buf_puts(out, ", which it opened itself\n");
		return;
	}
	buf_puts(out, ", inherited from ");
	page_process_of(why, d->opener, out);
	buf_puts(out, d->cloexec ? "\n" : ", without CLOEXEC\n");
}

void page_descriptors(const struct why *why, const struct process_history *p, struct buf *out)
{
	const struct descriptors *table = &p->exhausted;
	size_t shown = 0, rest = 0;

	if (!table->n)
		return;
	buf_printf(out, "  %zu descriptors that are known were open then:\n", table->n);
	for (size_t i = 0; i < table->n; i++) {
		const struct descriptor *d = &table->items[i];
		size_t n = 0, before = 0;

		for (size_t j = 0; j < table->n; j++) {
			bool same = table->items[j].object == d->object && table->items[j].opener == d->opener;

			n += same;
			before += same && j < i;
		}
		if (before)
			continue;
		if (shown++ < SHOWN_FILES)
			descriptor_line(why, p, d, n, out);
		else
			rest += n;
	}
	if (rest)
		buf_printf(out, "    and %zu more\n", rest);
}

void page_limit_behind(const struct why *why, const struct tree_node *node, const struct failure *f, struct buf *out)
{
	const char *resource = page_resource_behind(f);

	if (resource && limit_of(why, node, resource, f->last)) {
		buf_puts(out, "         ");
		page_limit(why, node, resource, f->last, out);
	}
}
