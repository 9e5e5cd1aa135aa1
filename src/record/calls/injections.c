/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/calls/injections.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/grow.h>
#include <exectrace/target/syscalls/names.h>
#include <stdlib.h>
#include <string.h>

#define ERRNO_MAX 4095 /* MAX_ERRNO of linux/err.h */
#define DELAY_MAX (UINT64_C(1000) * 3600 * NS_PER_S)

static int refuse(struct buf *err, const char *what, const char *text, size_t n)
{
	return buf_printf(err, "%s: '%.*s'", what, (int)(n < 100 ? n : 100), text) ? -ENOMEM : -EINVAL;
}

/* A number at text, of which *end becomes what is behind it. False: there is none. */
static bool number(const char *text, uint64_t *value, const char **end)
{
	char *behind = NULL;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &behind, 0);
	*end = behind;
	return !errno;
}

/* "ENOSPC" or "28". */
static bool parse_error(const char *text, struct injection *to)
{
	const char *end = text;
	uint64_t value = 0;

	if (number(text, &value, &end) && !*end && value >= 1 && value <= ERRNO_MAX) {
		to->result = -(int64_t)value;
		return true;
	}
	for (int i = 1; i <= ERRNO_MAX; i++) {
		const char *name = errno_name(i);

		if (name && strcmp(name, text) == 0) {
			to->result = -i;
			return true;
		}
	}
	return false;
}

static bool parse_value(const char *text, struct injection *to)
{
	const char *end = text;
	uint64_t value = 0;

	to->result = 0;
	if (!number(text, &value, &end) || *end || value > INT64_MAX)
		return false;
	to->result = (int64_t)value;
	return true;
}

/* "100", of microseconds, or "5ms" with another unit. */
static bool parse_time(const char *text, uint64_t *ns)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = {{"", NS_PER_US}, {"ns", 1}, {"us", NS_PER_US}, {"ms", NS_PER_MS}, {"s", NS_PER_S}};
	const char *end = text;
	uint64_t value = 0;

	if (!number(text, &value, &end))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].unit) != 0 || value > DELAY_MAX / units[i].ns)
			continue;
		*ns = value * units[i].ns;
		return true;
	}
	return false;
}

/* "3", "2..5", "3+", "2+2", "1..9+2". */
static bool parse_when(const char *text, struct injection *to)
{
	const char *end = text;

	if (!number(text, &to->first, &end) || !to->first)
		return false;
	to->last = to->first;
	to->step = 1;
	if (end[0] == '.' && end[1] == '.' && (!number(end + 2, &to->last, &end) || to->last < to->first))
		return false;
	if (*end != '+')
		return !*end;
	if (to->last == to->first)
		to->last = UINT64_MAX;
	return !end[1] || (number(end + 1, &to->step, &end) && !*end && to->step);
}

/* One NAME=VALUE. */
static int parse_part(struct injection *to, char *part, struct buf *err)
{
	char *value = strchr(part, '=');
	bool good = false;

	if (!value)
		return refuse(err, "no error=, retval=, signal=, delay_enter=, delay_exit= or when=", part,
		              strlen(part));
	*value++ = '\0';
	if (strcmp(part, "error") == 0 || strcmp(part, "retval") == 0) {
		if (to->has_result)
			return refuse(err, "a result was given already", part, strlen(part));
		to->has_result = true;
		good = *part == 'e' ? parse_error(value, to) : parse_value(value, to);
	} else if (strcmp(part, "signal") == 0) {
		to->sig = signal_number(value);
		good = to->sig > 0;
	} else if (strcmp(part, "delay_enter") == 0) {
		good = parse_time(value, &to->delay_enter);
	} else if (strcmp(part, "delay_exit") == 0) {
		good = parse_time(value, &to->delay_exit);
	} else if (strcmp(part, "when") == 0) {
		good = parse_when(value, to);
	} else {
		return refuse(err, "unknown", part, strlen(part));
	}
	if (good)
		return 0;
	value[-1] = '=';
	return refuse(err, "not understood", part, strlen(part));
}

static int parse_parts(struct injection *to, char *parts, struct buf *err)
{
	char *save = NULL;
	int r = 0;

	for (char *part = strtok_r(parts, ":", &save); part && !r; part = strtok_r(NULL, ":", &save))
		r = parse_part(to, part, err);
	return r;
}

static int parse(struct injection *to, const char *text, bool fault, struct buf *err)
{
	size_t n = strcspn(text, ":");
	cleanup_free char *list = strndup(text, n), *parts = strdup(text + n);
	int r = list && parts ? syscall_filter_parse(&to->calls, list, err) : -ENOMEM;

	if (!r)
		r = parse_parts(to, parts, err);
	if (r)
		return r;
	if (to->has_result || (!fault && (to->sig || to->delay_enter || to->delay_exit)))
		return 0;
	if (!fault)
		return refuse(err,
		              "nothing is to be done: error=, retval=, signal=, delay_enter= or delay_exit= is missing",
		              text, strlen(text));
	to->has_result = true;
	to->result = -ENOSYS;
	return 0;
}

int injections_add(struct injections *injections, const char *text, bool fault, struct buf *err)
{
	struct injection *to;
	int r;

	if (grow_array((void **)&injections->items, injections->n, &injections->cap, sizeof(*to)))
		return -ENOMEM;
	to = &injections->items[injections->n];
	*to = (struct injection){.first = 1, .last = UINT64_MAX, .step = 1};
	r = parse(to, text, fault, err);
	if (r)
		return r;
	syscall_filter_add(&injections->calls, &to->calls);
	injections->n++;
	return 0;
}

int injections_enter(const struct injections *injections, struct injected *injected, const struct syscall_call *call)
{
	injected->of = NULL;
	injected->returned = injected->late = false;
	if (!injections->n || !call->arch || !syscall_filter_has(&injections->calls, call->arch, call->nr))
		return 0;
	if (!injected->counts)
		injected->counts = calloc(injections->n, sizeof(*injected->counts));
	if (!injected->counts)
		return -ENOMEM;
	for (size_t i = 0; i < injections->n; i++) {
		const struct injection *of = &injections->items[i];
		uint64_t count;

		if (!syscall_filter_has(&of->calls, call->arch, call->nr))
			continue;
		count = ++injected->counts[i];
		/* The one that was given last counts. */
		if (count >= of->first && count <= of->last && (count - of->first) % of->step == 0)
			injected->of = of;
	}
	return 0;
}

void injections_release(struct injections *injections)
{
	free(injections->items);
	*injections = (struct injections){0};
}

void injected_release(struct injected *injected)
{
	free(injected->counts);
	*injected = (struct injected){0};
}
