/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/form/times.h>

#include <exectrace/base/clock.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char *const times_units[] = {[UNIT_US] = "us", [UNIT_S] = "s", [UNIT_MS] = "ms", [UNIT_NS] = "ns", NULL};

static const char *const clocks[] = {[CLOCK_UNIX] = "unix", [CLOCK_DAY] = "time", [CLOCK_NONE] = "none", NULL};

/* Which of `words` the n bytes are; -1: none. */
static int find(const char *const *words, const char *word, size_t n)
{
	for (int i = 0; words[i]; i++)
		if (strlen(words[i]) == n && memcmp(words[i], word, n) == 0)
			return i;
	return -1;
}

/* How many bytes of the n are the name of what a word is of. */
static size_t label(const char *word, size_t n, const char *name)
{
	size_t length = strlen(name);

	return n >= length && memcmp(word, name, length) == 0 ? length : 0;
}

static bool take_word(struct trace_form *form, const char *word, size_t n)
{
	size_t format = label(word, n, "format:"), precision = label(word, n, "precision:");
	int clock = precision ? -1 : find(clocks, word + format, n - format);
	int unit = format ? -1 : find(times_units, word + precision, n - precision);

	if (clock >= 0)
		form->clock = (enum trace_clock)clock;
	if (unit >= 0)
		form->clock_unit = (enum trace_unit)unit;
	return clock >= 0 || unit >= 0;
}

bool times_take(struct trace_form *form, const char *words)
{
	if (!form->timed) {
		form->clock = CLOCK_DAY;
		form->clock_unit = UNIT_S;
	}
	form->timed = true;
	while (words) {
		size_t n = strcspn(words, ",");

		if (!take_word(form, words, n))
			return false;
		words = words[n] ? words + n + 1 : NULL;
	}
	return true;
}

void times_more(struct trace_form *form)
{
	if (!form->timed) {
		(void)times_take(form, NULL);
		return;
	}
	form->clock = form->clock == CLOCK_DAY && form->clock_unit == UNIT_S ? CLOCK_DAY : CLOCK_UNIX;
	form->clock_unit = UNIT_US;
}

void times_settle(struct trace_form *form)
{
	if (!form->timed)
		form->clock = form->strace || form->relative ? CLOCK_NONE : CLOCK_UNIX;
}

unsigned times_digits(enum trace_unit unit)
{
	return unit == UNIT_S ? 0 : unit == UNIT_MS ? 3 : unit == UNIT_US ? 6 : 9;
}

char *times_write(char *end, uint64_t ns, enum trace_unit unit)
{
	uint32_t fraction = (uint32_t)(ns % NS_PER_S);
	uint64_t seconds = ns / NS_PER_S;
	unsigned n = times_digits(unit);

	for (unsigned i = n; i < 9; i++)
		fraction /= 10;
	for (unsigned i = 0; i < n; i++, fraction /= 10)
		*--end = (char)('0' + fraction % 10);
	if (n)
		*--end = '.';
	do
		*--end = (char)('0' + seconds % 10);
	while (seconds /= 10);
	return end;
}

bool times_span(const char *text, uint64_t *ns)
{
	static const double lengths[] = {[UNIT_US] = 1e3, [UNIT_S] = 1e9, [UNIT_MS] = 1e6, [UNIT_NS] = 1};
	char *end = NULL;
	double value = strtod(text, &end);
	int unit = *end ? find(times_units, end, strlen(end)) : UNIT_US;

	if (end == text || unit < 0)
		return false;
	value *= lengths[unit];
	*ns = (uint64_t)(value >= 0 && value < 1e18 ? value : 0);
	return value >= 0 && value < 1e18;
}
