/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of kernel symbols out of the text of /proc/kallsyms (proc(5)) and System.map. */
#include <exectrace/target/symbol/kallsyms.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESS_DIGITS 16u
#define NAME_MAX_BYTES 1024u /* twice the kernel's KSYM_NAME_LEN */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Goes behind blanks. False: there are none, or nothing is behind them. */
static bool skip_blanks(const char **at, const char *end)
{
	const char *start = *at;

	while (*at < end && is_blank(**at))
		(*at)++;
	return *at > start && *at < end;
}

/* Reads the digits in front of a blank. False: there are none, or too many. */
static bool address(const char **at, const char *end, uint64_t *value)
{
	const char *start = *at;

	for (*value = 0; *at < end && (size_t)(*at - start) < ADDRESS_DIGITS; (*at)++) {
		char c = **at, small = c | 0x20;

		if (c >= '0' && c <= '9')
			*value = *value << 4 | (uint64_t)(c - '0');
		else if (small >= 'a' && small <= 'f')
			*value = *value << 4 | (uint64_t)(small - 'a' + 10);
		else
			break;
	}
	return *at > start && skip_blanks(at, end);
}

/* Bytes of the text up to a blank or the end; 0: too many, or one is none of a name. */
static size_t name_length(const char *at, const char *end)
{
	size_t n = 0;

	while (at + n < end && !is_blank(at[n]) && at[n] != '\r')
		n++;
	return n <= NAME_MAX_BYTES && !memchr(at, '\0', n) ? n : 0;
}

bool kallsyms_line(const char *at, const char *end, struct kallsyms_line *line)
{
	size_t n;

	*line = (struct kallsyms_line){0};
	if (!address(&at, end, &line->address))
		return false;
	line->type = *at++;
	if (!skip_blanks(&at, end))
		return false;
	line->name = at;
	line->name_bytes = name_length(at, end);
	at += line->name_bytes;
	if (line->name_bytes && skip_blanks(&at, end) && *at == '[') {
		n = name_length(++at, end);
		line->module = at;
		line->module_bytes = n && at[n - 1] == ']' ? n - 1 : 0;
	}
	return line->name_bytes;
}

/* There is room: a line of the text is longer than its names. */
static void add_name(struct kallsyms *table, const char *name, size_t n)
{
	memcpy(table->names + table->names_size, name, n);
	table->names[table->names_size + n] = '\0';
	table->names_size += n + 1;
}

static bool add_line(const char *at, const char *end, struct kallsyms *table)
{
	struct kallsyms_line line;

	if (!kallsyms_line(at, end, &line))
		return false;
	table->items[table->n++] =
		(struct kallsym){line.address, (uint32_t)table->names_size, line.type, line.module_bytes > 0};
	add_name(table, line.name, line.name_bytes);
	if (line.module_bytes)
		add_name(table, line.module, line.module_bytes);
	return true;
}

static size_t count_lines(const char *text, size_t n)
{
	size_t lines = 1;

	for (const char *at = text, *end = text + n; (at = memchr(at, '\n', (size_t)(end - at))); at++)
		lines++;
	return lines;
}

int kallsyms_parse(const char *text, size_t n, struct kallsyms *ret)
{
	const char *end = text + n;
	size_t lines = n ? count_lines(text, n) : 0;
	uint64_t any = 0;

	*ret = (struct kallsyms){0};
	if (!lines || lines > KALLSYMS_MAX || n > UINT32_MAX)
		return -EBADMSG;
	ret->items = calloc(lines, sizeof(*ret->items));
	ret->names = malloc(n + 1);
	if (!ret->items || !ret->names) {
		kallsyms_release(ret);
		return -ENOMEM;
	}
	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		if (!stop)
			stop = end;
		if (!add_line(text, stop, ret)) {
			kallsyms_release(ret);
			return -EBADMSG;
		}
		any |= ret->items[ret->n - 1].address;
		text = stop < end ? stop + 1 : end;
	}
	if (!any) {
		kallsyms_release(ret);
		return -EACCES;
	}
	/* Those of a module stand behind the kernel's; names at one address stay in the order of the text. */
	kallsyms_sort(ret);
	return 0;
}
