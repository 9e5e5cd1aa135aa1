/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "prefixes.h"

#include <exectrace/base/clock.h>
#include <string.h>
#include <time.h>

#define PID_WIDTH 5
#define MICROS 6 /* digits behind the point */

static char *digits(char *end, uint64_t n)
{
	do
		*--end = (char)('0' + n % 10);
	while (n /= 10);
	return end;
}

/* .MICROS */
static char *micros(char *end, uint64_t ns)
{
	uint32_t n = (uint32_t)(ns % NS_PER_S / 1000);

	for (int i = 0; i < MICROS; i++, n /= 10)
		*--end = (char)('0' + n % 10);
	*--end = '.';
	return end;
}

char *prefixes_seconds(char *end, uint64_t ns)
{
	end = micros(end, ns);
	return digits(end, ns / NS_PER_S);
}

/* What begins all lines of a thread within a second. */
static void make_head(struct prefix_head *head, pid_t pid, uint64_t second)
{
	char *end = head->text + sizeof(head->text), *at = digits(end, second);
	char number[16], *begin = digits(number + sizeof(number), (uint64_t)pid);
	size_t n = (size_t)(number + sizeof(number) - begin), width = n < PID_WIDTH ? PID_WIDTH : n;

	*--at = ' ';
	at -= width;
	memcpy(at, begin, n);
	memset(at + n, ' ', width - n);
	head->pid = pid;
	head->second = second;
	head->begin = at;
	head->n = (size_t)(end - at);
}

/* The time in the form that is asked for. */
static int put_time(struct prefixes *p, const struct trace_form *form, uint64_t wall, struct buf *out)
{
	time_t second = (time_t)(wall / NS_PER_S);
	uint64_t since = p->before && wall > p->before ? wall - p->before : 0;
	struct tm tm = {0};
	int err = 0;

	p->before = wall;
	if (form->clock == CLOCK_RELATIVE)
		return buf_printf(out, "%6llu.%06llu ", (unsigned long long)(since / NS_PER_S),
		                  (unsigned long long)(since % NS_PER_S / NS_PER_US));
	if (form->clock == CLOCK_UNIX)
		return buf_printf(out, "%llu.%06llu ", (unsigned long long)(wall / NS_PER_S),
		                  (unsigned long long)(wall % NS_PER_S / NS_PER_US));
	(void)localtime_r(&second, &tm);
	err = buf_printf(out, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
	if (err || form->clock == CLOCK_DAY)
		return err ? err : buf_putc(out, ' ');
	return buf_printf(out, ".%06llu ", (unsigned long long)(wall % NS_PER_S / NS_PER_US));
}

/* `PID SECONDS.MICROS `; by hand, for it is done for every line. */
static int put_unix(struct prefixes *p, pid_t pid, uint64_t wall, struct buf *out)
{
	char text[MICROS + 2], *end = text + sizeof(text);
	struct prefix_head *head = &p->head;
	int err;

	if (head->pid != pid || head->second != wall / NS_PER_S)
		make_head(head, pid, wall / NS_PER_S);
	err = buf_append(out, head->begin, head->n);
	*--end = ' ';
	return err ? err : buf_append(out, micros(end, wall), sizeof(text));
}

/* As strace(1) has it: of a second process on, or with -o, the pid with -f; the time when it is asked for. */
static int put_strace(struct prefixes *p, const struct trace_form *form, pid_t pid, uint64_t wall, struct buf *out)
{
	int err = 0;

	p->several |= p->first && p->first != pid;
	p->first = p->first ? p->first : pid;
	if (form->follows && form->to_file)
		err = buf_printf(out, "%-*d ", PID_WIDTH, (int)pid);
	else if (form->follows && p->several)
		err = buf_printf(out, "[pid %*d] ", PID_WIDTH, (int)pid);
	return err || !form->timed ? err : put_time(p, form, wall, out);
}

int prefixes_put(struct prefixes *p, const struct trace_form *form, pid_t pid, uint64_t wall, struct buf *out)
{
	int err;

	if (form->strace)
		return put_strace(p, form, pid, wall, out);
	if (form->clock == CLOCK_UNIX)
		return put_unix(p, pid, wall, out);
	err = buf_printf(out, "%-*d ", PID_WIDTH, (int)pid);
	return err ? err : put_time(p, form, wall, out);
}
