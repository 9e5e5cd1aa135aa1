/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Option parsing, with an argument list split from the input at NUL bytes, and files of options, with the whole input.
 * What must hold: each step gets further, the end lies within the list, and a refusal says one line.
 */
#include "expect.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/options/config.h>
#include <exectrace/options/options.h>
#include <stdint.h>
#include <string.h>

static const char *const choices[] = {"auto", "always", "never", NULL};

static const struct option_spec table[] = {
	{.name = "run", .arg = "ACTION", .help = "h", .group = "G"},
	{.name = "rules", .arg = "FILE", .help = "h", .hint = OPTION_FILE},
	{.name = "not-cmd", .letter = 'c', .arg = "REGEX", .help = "h"},
	{.name = "not-cwd", .arg = "DIR", .help = "h", .hint = OPTION_DIR},
	{.name = "color", .letter = 'C', .arg = "WHEN", .help = "h", .choices = choices, .flags = OPTION_OPTIONAL},
	{.name = "engine", .letter = 'e', .arg = "ENGINE", .help = "h", .choices = choices},
	{.name = "quiet", .letter = 'q', .help = "h"},
	{.name = "verbose", .letter = 'v', .help = "h"},
	{.name = "a-name-as-long-as-names-may-be-", .help = "h"},
	{.name = "help", .letter = 'h', .help = "h", .flags = OPTION_LAST},
	{0},
};

/* A line is refused with a reason, all else without one. */
static void check_refusal(int r, const struct buf *err)
{
	expect(r == 0 || r == -EINVAL);
	expect((r == -EINVAL) == (err->len > 0));
}

static void check_use(const struct option_use *use, size_t n)
{
	expect(use->spec >= table && use->spec->name && use->at > 0 && (size_t)use->at < n);
	expect(!use->value || use->spec->arg);
	expect(use->value || !use->spec->arg || use->spec->flags & OPTION_OPTIONAL);
}

static void parse_arguments(struct strv *argv)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct option_use use;
	struct options o;
	const char *bundle;
	int at, r;

	options_init(&o, table, argv->items, 1);
	do {
		at = o.at;
		bundle = o.bundle;
		r = options_next(&o, &use, &err);
		if (r == 1) {
			check_use(&use, argv->n);
			expect(o.at > at || o.bundle != bundle);
		}
	} while (r == 1);
	check_refusal(r, &err);
	if (r)
		return;
	expect(o.at > 0 && (size_t)o.at <= argv->n);
	expect(!o.dashes || !strcmp(argv->items[o.at - 1], "--"));
	expect(o.dashes || !argv->items[o.at] || argv->items[o.at][0] != '-' || !argv->items[o.at][1]);
}

static int check_item(void *ctx, const struct config_item *item, struct buf *err)
{
	const struct option_spec *spec = options_find(table, item->name);
	int *line = ctx;

	expect(*item->name && !strpbrk(item->name, "= \t\n") && item->line > *line);
	expect(!item->value || !strchr(item->value, '\n'));
	*line = item->line;
	options_nearest(table, item->name, strlen(item->name));
	return spec ? options_check_value(spec, item->name, item->value, err) : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_buf struct buf err = BUF_INIT;
	cleanup_strv struct strv argv = STRV_INIT;
	const char *text = (const char *)data, *end = text + size, *zero;
	int line = 0;

	check_refusal(config_parse(text, size, check_item, &line, &err), &err);
	expect(!strv_push(&argv, "exectrace"));
	for (; text < end; text = zero + 1) {
		zero = memchr(text, '\0', (size_t)(end - text));
		if (!zero)
			zero = end;
		expect(!strv_pushn(&argv, text, (size_t)(zero - text)));
	}
	parse_arguments(&argv);
	return 0;
}
