/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/form/prefixes.h>

#include <exectrace/base/clock.h>
#include <exectrace/record/form/times.h>
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

/* Of the fraction of a second. */
static char *micros(char *end, uint64_t ns)
{
	uint32_t n = (uint32_t)(ns % NS_PER_S / 1000);

	for (int i = 0; i < MICROS; i++, n /= 10)
		*--end = (char)('0' + n % 10);
	*--end = '.';
	return end;
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

static int put_clock(const struct trace_form *form, uint64_t wall, struct buf *out)
{
	char text[TIMES_BYTES], *end = text + sizeof(text), *at = times_write(end, wall, form->clock_unit);
	time_t second = (time_t)(wall / NS_PER_S);
	struct tm tm = {0};
	int err = 0;

	if (form->clock == CLOCK_DAY) {
		(void)localtime_r(&second, &tm);
		err = buf_printf(out, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
		at = memchr(at, '.', (size_t)(end - at));
	}
	if (!err && at)
		err = buf_append(out, at, (size_t)(end - at));
	return err ? err : buf_putc(out, ' ');
}

/* The seconds since the line before, in six columns. */
static int put_since(const struct trace_form *form, uint64_t ns, struct buf *out)
{
	char text[TIMES_BYTES], *end = text + sizeof(text), *at = times_write(end, ns, form->relative_unit);
	unsigned digits = times_digits(form->relative_unit);
	bool bracketed = form->clock != CLOCK_NONE;

	return buf_printf(out, "%s%*.*s%s ", bracketed ? "(+" : "", (int)(6 + digits + (digits > 0)), (int)(end - at),
	                  at, bracketed ? ")" : "");
}

/* The times that are asked for. */
static int put_times(struct prefixes *p, const struct trace_form *form, uint64_t wall, struct buf *out)
{
	uint64_t since = p->before && wall > p->before ? wall - p->before : 0;
	int err = form->clock == CLOCK_NONE ? 0 : put_clock(form, wall, out);

	p->before = wall;
	return err || !form->relative ? err : put_since(form, since, out);
}

/* What the line is of, beside the thread. */
static int put_place(const struct trace_form *form, const struct prefix_line *line, struct buf *out)
{
	int err = 0;

	if (form->numbered)
		err = line->in_call ? buf_printf(out, "[%4u] ", line->nr) : buf_puts(out, "[????] ");
	if (err || !form->placed)
		return err;
	if (line->has_pc)
		return buf_printf(out, "[%0*llx] ", line->narrow ? 8 : 16, (unsigned long long)line->pc);
	return buf_puts(out, line->narrow ? "[????????] " : "[????????????????] ");
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

int prefixes_name(const char *name, struct buf *out)
{
	int err = *name ? buf_putc(out, '<') : 0;

	for (const char *at = name; *at && !err; at++) {
		bool plain = *at >= ' ' && *at < 0x7f && !strchr("<>\\", *at);

		err = plain ? buf_putc(out, *at) : buf_printf(out, *at == '\\' ? "\\\\" : "\\%o", (unsigned char)*at);
	}
	return err || !*name ? err : buf_putc(out, '>');
}

/* In columns, unless a name follows. */
static int put_pid(const struct prefix_line *line, struct buf *out)
{
	int err = buf_printf(out, "%-*d", *line->name ? 0 : PID_WIDTH, (int)line->pid);

	if (!err)
		err = prefixes_name(line->name, out);
	return err ? err : buf_putc(out, ' ');
}

/* As strace(1) has it: of a second process on, or with -o, the pid with -f. */
static int put_strace_pid(const struct prefixes *p, const struct trace_form *form, const struct prefix_line *line,
                          struct buf *out)
{
	int err = 0;

	if (form->numbers == PIDS_ALL)
		return put_pid(line, out);
	if (form->numbers != PIDS_OF_SEVERAL || p->threads < 2)
		return 0;
	err = buf_printf(out, "[pid %*d", PID_WIDTH, (int)line->pid);
	if (!err)
		err = prefixes_name(line->name, out);
	return err ? err : buf_puts(out, "] ");
}

/* Whether it begins as it does without options, which is done by hand. */
static bool is_usual(const struct trace_form *form)
{
	return !form->strace && form->clock == CLOCK_UNIX && form->clock_unit == UNIT_US && !form->relative &&
	       !form->numbered && !form->placed;
}

int prefixes_put(struct prefixes *p, const struct trace_form *form, const struct prefix_line *line, struct buf *out)
{
	int err;

	if (is_usual(form) && !*line->name && !*line->context)
		return put_unix(p, line->pid, line->wall, out);
	err = form->strace ? put_strace_pid(p, form, line, out) : put_pid(line, out);
	if (!err && *line->context)
		err = buf_printf(out, "[%s] ", line->context);
	if (!err)
		err = put_times(p, form, line->wall, out);
	return err ? err : put_place(form, line, out);
}
