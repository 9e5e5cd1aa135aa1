/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/rules/nearest.h>

#include <exectrace/base/cleanup.h>
#include <exectrace/target/exec/print.h>
#include <string.h>

#define LINE_MAX_BYTES 200

void nearest_look(struct nearest *nearest, const struct ruleset *rules, const struct exec_record *rec)
{
	cleanup_buf struct buf line = BUF_INIT;
	const char *name = rec->argv.n ? rec->argv.items[0] : rec->path;
	const char *slash = name ? strrchr(name, '/') : NULL;

	if (!name || nearest->lines.n >= NEAREST_MAX)
		return;
	name = slash ? slash + 1 : name;
	if (!*name || !ruleset_mentions(rules, name, strlen(name)))
		return;
	if (exec_print_cmdline(&line, rec, LINE_MAX_BYTES) || !line.data)
		return;
	for (size_t i = 0; i < nearest->lines.n; i++) {
		if (strcmp(nearest->lines.items[i], line.data) == 0)
			return;
	}
	(void)strv_push(&nearest->lines, line.data);
}

int nearest_print(const struct nearest *nearest, struct buf *out)
{
	int err = 0;

	if (!nearest->lines.n)
		return buf_puts(out, "; --list shows all of them");
	err = buf_puts(out, "; nearest: ");
	for (size_t i = 0; i < nearest->lines.n && !err; i++)
		err = buf_printf(out, "%s%s", i ? " | " : "", nearest->lines.items[i]);
	return err;
}

void nearest_release(struct nearest *nearest)
{
	strv_release(&nearest->lines);
}
