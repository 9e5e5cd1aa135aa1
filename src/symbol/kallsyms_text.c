/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same table out of the text of /proc/kallsyms (proc(5)). */
#include <exectrace/symbol/kallsyms.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESS_DIGITS 16u
#define NAME_MAX_BYTES 1024u /* twice the kernel's KSYM_NAME_LEN */

/* Reads the digits in front of a blank. False: there are none, or too many. */
static bool address(const char **at, const char *end, uint64_t *value)
{
	const char *start = *at;

	for (*value = 0; *at < end && (size_t)(*at - start) < ADDRESS_DIGITS; (*at)++) {
		char c = **at;

		if (c >= '0' && c <= '9')
			*value = *value << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			*value = *value << 4 | (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	return *at > start && *at < end && **at == ' ';
}

/* The module of a symbol, behind its name: "\t[module]". */
static void module_of(const char *at, const char *end, struct kallsyms *table, struct kallsym *symbol)
{
	const char *close = end - at > 3 && at[0] == '\t' && at[1] == '[' ? memchr(at, ']', (size_t)(end - at)) : NULL;
	size_t n = close ? (size_t)(close - at) - 2 : 0;

	if (!n || n > NAME_MAX_BYTES || memchr(at + 2, '\0', n))
		return;
	memcpy(table->names + table->names_size, at + 2, n);
	table->names[table->names_size + n] = '\0';
	table->names_size += n + 1;
	symbol->module = true;
}

/* A line "ffffffff81000000 T _text", perhaps with a tab and "[module]" behind it. */
static bool line(const char *at, const char *end, struct kallsyms *table)
{
	struct kallsym symbol = {.name = (uint32_t)table->names_size};
	const char *name = NULL;
	size_t n = 0;

	if (!address(&at, end, &symbol.address) || end - at < 4 || at[2] != ' ')
		return false;
	symbol.type = at[1];
	name = at + 3;
	while (name + n < end && name[n] != '\t' && name[n] != ' ')
		n++;
	if (!n || n > NAME_MAX_BYTES || memchr(name, '\0', n))
		return false;
	/* There is room: a line of the text is longer than its names. */
	memcpy(table->names + table->names_size, name, n);
	table->names[table->names_size + n] = '\0';
	table->names_size += n + 1;
	module_of(name + n, end, table, &symbol);
	table->items[table->n++] = symbol;
	return true;
}

/* Those of a module stand behind the kernel's; names at one address stay in the order of the text. */
static int by_address(const void *a, const void *b)
{
	const struct kallsym *one = a, *two = b;

	if (one->address != two->address)
		return one->address < two->address ? -1 : 1;
	return one->name < two->name ? -1 : one->name > two->name;
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
		if (!line(text, stop, ret)) {
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
	qsort(ret->items, ret->n, sizeof(*ret->items), by_address);
	return 0;
}
