/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page about many recordings, and the same for programs. */
#include "set.h"

#include <exectrace/answer/why/page/page.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/quote.h>
#include <stdlib.h>
#include <string.h>

#define CAUSES_MAX 10u
#define NAMES_MAX 5u /* recordings that are named */
#define OUTCOMES_MAX 6u
#define WAITS_MAX 8u
#define PART_MIN 50u /* of all time: a wait that took less than such a part is not shown */

static int most_recordings(const void *a, const void *b)
{
	const struct set_group *one = a, *two = b;

	if (one->recordings.n != two->recordings.n)
		return one->recordings.n > two->recordings.n ? -1 : 1;
	return strcmp(one->title, two->title);
}

static int most_time(const void *a, const void *b)
{
	const struct set_group *one = a, *two = b;

	if (one->time != two->time)
		return one->time > two->time ? -1 : 1;
	return strcmp(one->title, two->title);
}

static int shortest(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, two = *(const uint64_t *)b;

	return (one > two) - (one < two);
}

/* Numbers of groups mean nothing from now on. */
static void sort(struct why_set *set)
{
	if (set->outcomes.n)
		qsort(set->outcomes.items, set->outcomes.n, sizeof(*set->outcomes.items), most_recordings);
	if (set->causes.n)
		qsort(set->causes.items, set->causes.n, sizeof(*set->causes.items), most_recordings);
	if (set->waits.n)
		qsort(set->waits.items, set->waits.n, sizeof(*set->waits.items), most_time);
	if (set->n_times)
		qsort(set->times, set->n_times, sizeof(*set->times), shortest);
}

static void put_name(const char *path, struct buf *out)
{
	page_name(out, path, COMMAND_MAX);
}

/* --- For people --------------------------------------------------------------------------------------------------- */

static void put_outcomes(const struct why_set *set, struct buf *out)
{
	buf_printf(out, "%zu recording%s", set->recordings, set->recordings == 1 ? "" : "s");
	for (size_t i = 0; i < set->outcomes.n && i < OUTCOMES_MAX; i++) {
		buf_puts(out, i ? ", " : ": ");
		buf_printf(out, "%zu x ", set->outcomes.items[i].recordings.n);
		page_foreign(out, set->outcomes.items[i].title, COMMAND_MAX);
	}
	if (set->outcomes.n > OUTCOMES_MAX)
		buf_printf(out, ", and %zu other ends", set->outcomes.n - OUTCOMES_MAX);
	buf_putc(out, '\n');
	if (!set->n_times)
		return;
	buf_puts(out, "  they took ");
	clock_print(out, set->times[0]);
	if (set->n_times > 1) {
		buf_puts(out, " to ");
		clock_print(out, set->longest);
		buf_puts(out, " (");
		put_name(set->where, out);
		buf_puts(out, "), half of them ");
		clock_print(out, set->times[(set->n_times - 1) / 2]);
		buf_puts(out, " or less");
	}
	buf_putc(out, '\n');
}

static void put_recordings(const struct strv *recordings, struct buf *out)
{
	for (size_t i = 0; i < recordings->n && i < NAMES_MAX; i++) {
		buf_puts(out, i ? ", " : "");
		put_name(recordings->items[i], out);
	}
	if (recordings->n > NAMES_MAX)
		buf_printf(out, " and %zu more", recordings->n - NAMES_MAX);
}

static void put_causes(const struct why_set *set, struct buf *out)
{
	if (!set->failed)
		return;
	buf_printf(out, "\nWhy they failed: %zu recording%s, %zu cause%s\n", set->failed, set->failed == 1 ? "" : "s",
	           set->causes.n, set->causes.n == 1 ? "" : "s");
	for (size_t i = 0; i < set->causes.n && i < CAUSES_MAX; i++) {
		const struct set_group *cause = &set->causes.items[i];

		buf_printf(out, "%s%zu x ", i ? "\n" : "", cause->recordings.n);
		buf_puts(out, cause->title);
		buf_puts(out, "\n  of ");
		put_recordings(&cause->recordings, out);
		buf_putc(out, '\n');
		buf_puts(out, cause->text);
		buf_puts(out, "  more: exectrace why ");
		quote_shell(out, cause->recordings.items[0], strlen(cause->recordings.items[0]));
		buf_putc(out, '\n');
	}
	if (set->causes.n > CAUSES_MAX)
		buf_printf(out, "\nand %zu more causes (--json has all)\n", set->causes.n - CAUSES_MAX);
}

static void put_waits(const struct why_set *set, struct buf *out)
{
	for (size_t i = 0; i < set->waits.n && i < WAITS_MAX; i++) {
		const struct set_group *wait = &set->waits.items[i];
		size_t before = out->len, width;

		if (wait->time < set->total / PART_MIN)
			return;
		if (!i)
			buf_puts(out, "\nWhat took the time of all of them together\n");
		before = out->len;
		buf_puts(out, "  ");
		clock_print(out, wait->time);
		width = out->len - before;
		buf_printf(out, "%*s  %2.0f%%  ", width < 9 ? (int)(9 - width) : 0, "",
		           set->total ? 100.0 * (double)wait->time / (double)set->total : 0);
		buf_puts(out, wait->title);
		buf_printf(out, ", in %zu recording%s", wait->recordings.n, wait->recordings.n == 1 ? "" : "s");
		if (wait->times > 1) {
			buf_printf(out, ", %llu times, at most ", (unsigned long long)wait->times);
			clock_print(out, wait->longest);
		}
		buf_puts(out, " (");
		put_name(wait->where, out);
		buf_puts(out, ")\n");
	}
}

int why_set_text(struct why_set *set, struct buf *out)
{
	sort(set);
	put_outcomes(set, out);
	put_causes(set, out);
	put_waits(set, out);
	return out->err;
}

/* --- For programs ------------------------------------------------------------------------------------------------- */
static void put_groups(struct jsonl *j, const char *key, const char *title, const struct set_groups *groups)
{
	struct buf items = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < groups->n; i++) {
		const struct set_group *group = &groups->items[i];

		jsonl_begin(&one);
		jsonl_string(&one, title, group->title);
		if (group->text)
			jsonl_string(&one, "text", group->text);
		if (group->where) {
			jsonl_unsigned(&one, "time", group->time);
			jsonl_unsigned(&one, "count", group->times);
			jsonl_unsigned(&one, "longest", group->longest);
			jsonl_string(&one, "longest_in", group->where);
		}
		jsonl_array(&one, "recordings");
		for (size_t k = 0; k < group->recordings.n; k++)
			jsonl_item(&one,
			           (struct data_text){group->recordings.items[k], strlen(group->recordings.items[k])});
		jsonl_array_end(&one);
		jsonl_end(&one);
		jsonl_object(&items, &one);
	}
	jsonl_objects(j, key, &items);
	buf_release(&text);
}

int why_set_json(struct why_set *set, struct buf *out)
{
	struct jsonl j = {.out = out};

	sort(set);
	jsonl_begin(&j);
	jsonl_unsigned(&j, "recordings", set->recordings);
	jsonl_unsigned(&j, "failed", set->failed);
	jsonl_unsigned(&j, "time", set->total);
	put_groups(&j, "outcomes", "status", &set->outcomes);
	put_groups(&j, "causes", "what", &set->causes);
	put_groups(&j, "critical", "what", &set->waits);
	return jsonl_end(&j);
}
