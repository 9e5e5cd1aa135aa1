/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/html/html_page.h>

#include <errno.h>
#include <exectrace/answer/recording/program.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/quote.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND_MAX 300 /* bytes of a command line in a page */

/* A time of the tree, in ns since 1970 where that is known, as events have it. */
static uint64_t event_time(const struct recording *r, uint64_t time)
{
	const struct recorded_run *run = recording_run(r);
	const struct recorded_file *file = recording_files(r) ? recording_file(r, 0) : NULL;
	uint64_t real = run ? run->start_realtime : file ? file->realtime : 0;
	uint64_t event = run ? run->start : file ? file->start : 0;

	/* Without one the tree has the other. */
	if (!real || time < real / 2)
		return time;
	return time + event > real ? time + event - real : 0;
}

uint64_t html_processes_start(const struct html_facts *facts)
{
	uint64_t start = facts->tree ? process_tree_start(facts->tree) : 0;

	return start ? event_time(facts->recording, start) : 0;
}

/* Those whose end is unknown last as long as there is something. */
static uint64_t end_of(const struct html_facts *facts, const struct tree_node *node, uint64_t last)
{
	uint64_t end = node->end.when >= node->start ? event_time(facts->recording, node->end.when) : last;

	return end > last ? last : end;
}

uint64_t html_processes_end(const struct html_facts *facts)
{
	uint64_t end = 0;

	for (const struct tree_node *node = facts->tree ? process_tree_first(facts->tree) : NULL; node;
	     node = process_tree_next(node)) {
		uint64_t one = node->end.when ? event_time(facts->recording, node->end.when) : 0;

		end = one > end ? one : end;
	}
	return end;
}

static int descending(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a < b) - (a > b);
}

static bool is_shown(const struct tree_node *node)
{
	return !node->lost && node->start;
}

/* What a process has to have lasted to be shown. 0 or -ENOMEM. */
static int least_time(const struct html_facts *facts, uint64_t *least)
{
	uint64_t *times = calloc(process_tree_size(facts->tree) + 1, sizeof(*times));
	size_t n = 0;

	if (!times)
		return -ENOMEM;
	for (const struct tree_node *node = process_tree_first(facts->tree); node; node = process_tree_next(node))
		if (is_shown(node))
			times[n++] = node->end.when >= node->start ? node->end.when - node->start : UINT64_MAX;
	if (n)
		qsort(times, n, sizeof(*times), descending);
	*least = n > HTML_PROCESSES ? times[HTML_PROCESSES - 1] : 0;
	free(times);
	return 0;
}

static void put_process(struct buf *out, const struct html_facts *facts, const struct tree_node *node, uint64_t start,
                        uint64_t last)
{
	cleanup_buf struct buf name = BUF_INIT, command = BUF_INIT, end = BUF_INIT;
	const char *line = program_command(node);
	size_t n = strlen(line);
	uint64_t from = event_time(facts->recording, node->start), to = end_of(facts, node, last);

	buf_fail(out, program_name(&name, node));
	buf_append(&command, line, n > COMMAND_MAX ? COMMAND_MAX : n);
	buf_puts(&command, n > COMMAND_MAX ? "..." : "");
	buf_fail(out, command.err ? command.err : exec_print_end(&end, &node->end));
	from = from > start ? from - start : 0;
	to = to > start + from ? to - start : from;
	buf_printf(out, "[%ju,%ju,%u,", (uintmax_t)from, (uintmax_t)to, node->pid);
	html_string(out, end.data ? end.data : "");
	buf_putc(out, ',');
	html_string(out, name.data ? name.data : "");
	buf_putc(out, ',');
	html_string(out, command.data ? command.data : "");
	buf_putc(out, ']');
}

void html_processes(struct spool *out, const struct html_facts *facts, uint64_t start, uint64_t last)
{
	size_t shown = 0, left_out = 0;
	uint64_t least = 0;

	buf_fail(&out->text, least_time(facts, &least));
	html_key(&out->text, "processes");
	buf_putc(&out->text, '[');
	for (const struct tree_node *node = process_tree_first(facts->tree); node; node = process_tree_next(node)) {
		uint64_t time = node->end.when >= node->start ? node->end.when - node->start : UINT64_MAX;

		if (!is_shown(node))
			continue;
		if (time < least || shown == HTML_PROCESSES) {
			left_out++;
			continue;
		}
		shown++;
		html_item(&out->text);
		spool_drain(out);
		put_process(&out->text, facts, node, start, last);
	}
	buf_printf(&out->text, "],\"processes_left_out\":%zu", left_out);
}
