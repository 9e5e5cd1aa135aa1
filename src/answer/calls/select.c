/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/calls/select.h>

#include <ctype.h>
#include <errno.h>
#include <exectrace/answer/calls/call.h>
#include <exectrace/base/clock.h>
#include <exectrace/target/syscalls/names.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define ERRNO_END 4096 /* errors are below that (linux/err.h, MAX_ERRNO) */

static bool has_process(const struct call_select *select, const struct recorded_process *process)
{
	return process->number < select->n_processes && select->processes[process->number];
}

static bool has_pid(const struct call_select *select, const struct recorded_thread *thread)
{
	for (size_t i = 0; i < select->n_pids; i++)
		if (select->pids[i] == thread->process->pid || select->pids[i] == thread->tid)
			return true;
	return false;
}

/* Threads rarely change between one event and the next, names even less. */
static bool has_comm(struct call_select *select, const struct recorded_thread *thread)
{
	if (select->comm_seen != thread->comm) {
		select->comm_seen = thread->comm;
		select->comm_matched = fnmatch(select->comm, thread->comm, 0) == 0;
	}
	return select->comm_matched;
}

static bool filter_has(const struct syscall_filter *filter, const struct data_syscall *call)
{
	const struct arch *arch = arch_by_call(call->arch, call->nr);

	return arch ? syscall_filter_has(filter, arch, call->nr) : filter->unknown;
}

/* Length of the first name of a list. */
static size_t name_len(const char *list)
{
	return strcspn(list, ",");
}

static bool error_fits(const char *list, int error)
{
	const char *name = errno_name(error);
	bool except = *list == '!', found = false;

	for (; name && *list && !found; list += name_len(list), list += *list == ',') {
		const char *one = list + (*list == '!');

		found = name_len(one) == strlen(name) && strncmp(one, name, strlen(name)) == 0;
	}
	return found != except;
}

static bool call_fits(const struct call_select *select, const struct recorded_event *event)
{
	const struct data_syscall *call = &event->record->syscall;

	if (select->event != SELECT_ANY && select->event != SELECT_CALLS)
		return false;
	if (select->no_startup && select->in_startup)
		return false;
	if (select->failed && (event->record->type != DATA_SYSCALL || !call_failed(call)))
		return false;
	if (select->errors && !error_fits(select->errors, (int)-call->result))
		return false;
	if (call->duration < select->min)
		return false;
	if (select->timed && (call->enter >= select->until || event->time < select->from))
		return false;
	if (select->filtered && !filter_has(&select->filter, call))
		return false;
	return !select->path || call_names(call, select->path);
}

static bool other_fits(const struct call_select *select, const struct recorded_event *event)
{
	if (select->failed || select->min || select->filtered || select->path)
		return false;
	if (event->record->type == DATA_SAMPLE && select->event != SELECT_ANY && select->event != SELECT_SAMPLES)
		return false;
	return !select->timed || (event->time >= select->from && event->time < select->until);
}

static bool selected(struct call_select *select, const struct recorded_event *event)
{
	if (!event->thread)
		return false;
	if (select->n_pids && !has_pid(select, event->thread))
		return false;
	if (select->processes && !has_process(select, event->thread->process))
		return false;
	if (select->comm && !has_comm(select, event->thread))
		return false;
	return event->record->type == DATA_SYSCALL || event->record->type == DATA_UNFINISHED
	               ? call_fits(select, event)
	               : other_fits(select, event);
}

bool call_selected(struct call_select *select, const struct recorded_event *event)
{
	bool call = event->record->type == DATA_SYSCALL || event->record->type == DATA_UNFINISHED;
	bool fits = selected(select, event);

	select->calls += call;
	select->chosen += call && fits;
	if (call && select->path && !select->path_seen)
		select->path_seen = fits || call_names(&event->record->syscall, select->path);
	return fits;
}

int call_select_errors(struct call_select *select, const char *list)
{
	bool except = *list == '!';

	select->errors = list;
	select->failed = true;
	do {
		const char *name = list + (*list == '!');
		size_t n = name_len(name);
		int error = 1;

		while (error < ERRNO_END && (!errno_name(error) || strlen(errno_name(error)) != n ||
		                             strncmp(errno_name(error), name, n) != 0))
			error++;
		if (error == ERRNO_END || (*list == '!') != except)
			return -EINVAL;
		list = name + n;
	} while (*list++);
	return 0;
}

int call_select_pids(struct call_select *select, const char *list)
{
	do {
		char *end;
		unsigned long pid;
		uint32_t *pids;

		errno = 0;
		pid = strtoul(list, &end, 10);
		if (!isdigit((unsigned char)*list) || errno || pid > UINT32_MAX || (*end && *end != ','))
			return -EINVAL;
		pids = reallocarray(select->pids, select->n_pids + 1, sizeof(*pids));
		if (!pids)
			return -ENOMEM;
		select->pids = pids;
		select->pids[select->n_pids++] = (uint32_t)pid;
		list = *end ? end + 1 : end;
		if (*end && !*list)
			return -EINVAL;
	} while (*list);
	return 0;
}

void call_select_release(struct call_select *select)
{
	free(select->pids);
	free(select->processes);
	*select = (struct call_select){0};
}

/* Digits with a fraction as so many units of `scale` ns. The end of the number, NULL when there is none. */
static const char *read_number(const char *text, uint64_t scale, uint64_t *ns)
{
	uint64_t whole = 0, part = scale;

	if (!isdigit((unsigned char)*text))
		return NULL;
	for (; isdigit((unsigned char)*text); text++) {
		if (__builtin_mul_overflow(whole, UINT64_C(10), &whole) ||
		    __builtin_add_overflow(whole, (uint64_t)(*text - '0'), &whole))
			return NULL;
	}
	if (__builtin_mul_overflow(whole, scale, ns))
		return NULL;
	if (*text != '.')
		return text;
	for (text++; isdigit((unsigned char)*text); text++) {
		part /= 10;
		if (__builtin_add_overflow(*ns, part * (uint64_t)(*text - '0'), ns))
			return NULL;
	}
	return text;
}

int duration_parse(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t scale;
	} units[] = {{"ns", 1},      {"us", 1000},           {"ms", NS_PER_MS},     {"s", NS_PER_S},
	             {"", NS_PER_S}, {"min", 60 * NS_PER_S}, {"h", 3600 * NS_PER_S}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		const char *end = read_number(text, units[i].scale, ns);

		if (end && strcmp(end, units[i].name) == 0)
			return 0;
	}
	return -EINVAL;
}

int call_select_moment(uint64_t *ns, const char *text)
{
	const char *end = read_number(text, NS_PER_S, ns);

	return end && end != text && !*end ? 0 : -EINVAL;
}

int call_select_time(struct call_select *select, const char *range, uint64_t start)
{
	const char *end = range;
	uint64_t ns = 0;

	if (*range != ',' && !(end = read_number(range, NS_PER_S, &ns)))
		return -EINVAL;
	if (*end != ',' || (!end[1] && end == range))
		return -EINVAL;
	select->timed = true;
	select->from = end == range ? 0 : start + ns;
	select->until = UINT64_MAX;
	if (!end[1])
		return 0;
	end = read_number(end + 1, NS_PER_S, &ns);
	if (!end || *end)
		return -EINVAL;
	select->until = start + ns;
	return select->until < select->from ? -EINVAL : 0;
}
