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
	bool negative = *text == '-';
	const char *end = text;
	uint64_t value = 0;

	to->result = 0;
	if (!number(text + negative, &value, &end) || *end)
		return false;
	to->result = (int64_t)(negative ? 0 - value : value);
	to->succeeds = true;
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
	if (end[0] == '.' && end[1] == '.') {
		if (!number(end + 2, &to->last, &end) || to->last < to->first)
			return false;
	} else if (*end == '+') {
		to->last = UINT64_MAX;
	}
	if (*end != '+')
		return !*end;
	return !end[1] || (number(end + 1, &to->step, &end) && !*end && to->step);
}

/* A call that changes nothing, for it is made with the arguments of another one. */
static bool parse_instead(const char *text, struct injection *to)
{
	cleanup_buf struct buf err = BUF_INIT;
	const struct syscall_desc *desc = syscall_by_name(text);
	struct syscall_filter pure;

	if (!desc || to->instead || syscall_filter_parse(&pure, "%pure", &err))
		return false;
	to->instead = desc->name;
	return syscall_filter_has(&pure, arch_native(), (uint32_t)syscall_nr(arch_native(), desc->name));
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* "@arg1=00ff", n bytes of it. */
static bool parse_poke(const char *text, size_t n, bool at_end, struct injection *to)
{
	static const char begin[] = "@arg";
	const size_t head = sizeof(begin) - 1 + 2; /* with the number and the = */
	const char *hex = text + head;
	size_t bytes = n > head ? (n - head) / 2 : 0;
	struct poke *poke;

	if (!bytes || (n - head) % 2 || strncmp(text, begin, sizeof(begin) - 1) != 0 || hex[-1] != '=' ||
	    hex[-2] < '1' || hex[-2] > '0' + SYSCALL_ARGS)
		return false;
	if (grow_array((void **)&to->pokes, to->n_pokes, &to->pokes_cap, sizeof(*poke)))
		return false;
	for (size_t i = 0; i < to->n_pokes; i++)
		if (to->pokes[i].arg == (unsigned)(hex[-2] - '1') && to->pokes[i].at_end == at_end)
			return false;
	poke = &to->pokes[to->n_pokes];
	*poke = (struct poke){(unsigned)(hex[-2] - '1'), at_end, malloc(bytes), bytes};
	to->n_pokes += poke->bytes != NULL;
	for (size_t i = 0; poke->bytes && i < bytes; i++) {
		int high = digit(hex[2 * i]), low = digit(hex[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		poke->bytes[i] = (unsigned char)(high << 4 | low);
	}
	return poke->bytes != NULL;
}

static bool parse_pokes(const char *text, bool at_end, struct injection *to)
{
	for (;;) {
		size_t n = strcspn(text, ",");

		if (!parse_poke(text, n, at_end, to))
			return false;
		if (!text[n])
			return true;
		text += n + 1;
	}
}

/* What is done, beside the result. */
static bool parse_deed(const char *name, const char *value, struct injection *to)
{
	if (strcmp(name, "signal") == 0)
		return (to->sig = signal_number(value)) > 0;
	if (strcmp(name, "delay_enter") == 0)
		return parse_time(value, &to->delay_enter);
	if (strcmp(name, "delay_exit") == 0)
		return parse_time(value, &to->delay_exit);
	if (strcmp(name, "poke_enter") == 0 || strcmp(name, "poke_exit") == 0)
		return parse_pokes(value, strcmp(name, "poke_exit") == 0, to);
	if (strcmp(name, "syscall") == 0)
		return parse_instead(value, to);
	return parse_when(value, to);
}

static bool is_deed(const char *name)
{
	static const char *const deeds[] = {"signal",    "delay_enter", "delay_exit", "poke_enter",
	                                    "poke_exit", "syscall",     "when"};

	for (size_t i = 0; i < sizeof(deeds) / sizeof(deeds[0]); i++)
		if (strcmp(name, deeds[i]) == 0)
			return true;
	return false;
}

/* One NAME=VALUE. */
static int parse_part(struct injection *to, char *part, struct buf *err)
{
	char *value = strchr(part, '=');
	bool good = false;

	if (!value)
		return refuse(err,
		              "no error=, retval=, syscall=, signal=, delay_enter=, delay_exit=, poke_enter=, "
		              "poke_exit= or when=",
		              part, strlen(part));
	*value++ = '\0';
	if (strcmp(part, "error") == 0 || strcmp(part, "retval") == 0) {
		if (to->has_result)
			return refuse(err, "a result was given already", part, strlen(part));
		to->has_result = true;
		good = *part == 'e' ? parse_error(value, to) : parse_value(value, to);
	} else if (is_deed(part)) {
		good = parse_deed(part, value, to);
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

/* With a ! in front of the list, and nowhere else, it means all others than all that is in it, as strace(1) has it. */
static int parse_calls(struct syscall_filter *calls, const char *list, struct buf *err)
{
	bool others = *list == '!' && !strstr(list, ",!");
	int r = syscall_filter_parse(calls, list + others, err);

	if (!r && others)
		syscall_filter_invert(calls);
	return r;
}

static int parse(struct injection *to, const char *text, bool fault, struct buf *err)
{
	size_t n = strcspn(text, ":");
	cleanup_free char *list = strndup(text, n), *parts = strdup(text + n);
	int r = list && parts ? parse_calls(&to->calls, list, err) : -ENOMEM;

	if (!r)
		r = parse_parts(to, parts, err);
	if (r)
		return r;
	if (to->has_result || (!fault && (to->sig || to->delay_enter || to->delay_exit || to->n_pokes)))
		return 0;
	if (!fault)
		return refuse(err,
		              "nothing is to be done: error=, retval=, signal=, delay_enter=, delay_exit=, "
		              "poke_enter= or poke_exit= is missing",
		              text, strlen(text));
	to->has_result = true;
	to->result = -ENOSYS;
	return 0;
}

static void release_one(struct injection *injection)
{
	for (size_t i = 0; i < injection->n_pokes; i++)
		free(injection->pokes[i].bytes);
	free(injection->pokes);
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
	if (r) {
		release_one(to);
		return r;
	}
	syscall_filter_add(&injections->calls, &to->calls);
	injections->n++;
	return 0;
}

void injections_keep(struct injections *injections, const struct syscall_filter *calls)
{
	syscall_filter_keep(&injections->calls, calls);
	for (size_t i = 0; i < injections->n; i++)
		syscall_filter_keep(&injections->items[i].calls, calls);
}

int injections_enter(const struct injections *injections, struct injected *injected, const struct syscall_call *call)
{
	injected->of = NULL;
	injected->returned = injected->late = injected->poked = false;
	if (!injections->n || !call->arch || !syscall_filter_has(&injections->calls, call->arch, call->nr))
		return 0;
	if (!injected->counts)
		injected->counts = calloc(injections->n, sizeof(*injected->counts));
	if (!injected->counts)
		return -ENOMEM;
	for (size_t i = injections->n; i-- > 0;) {
		const struct injection *of = &injections->items[i];
		uint64_t count;

		if (!syscall_filter_has(&of->calls, call->arch, call->nr))
			continue;
		count = ++injected->counts[i];
		if (count >= of->first && count <= of->last && (count - of->first) % of->step == 0)
			injected->of = of;
		break; /* the one that was given last counts */
	}
	return 0;
}

void injections_release(struct injections *injections)
{
	for (size_t i = 0; i < injections->n; i++)
		release_one(&injections->items[i]);
	free(injections->items);
	*injections = (struct injections){0};
}

void injected_release(struct injected *injected)
{
	free(injected->counts);
	*injected = (struct injected){0};
}
