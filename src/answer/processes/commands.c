/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <exectrace/answer/output/cell.h>
#include <exectrace/answer/processes/profile_view.h>
#include <string.h>

#define COMMAND_MIN 12 /* bytes of a command line, however little room there is */

static int print_command(const char *command, size_t room, struct buf *out)
{
	size_t n = strlen(command);
	bool cut = n > room;
	int rc = cell_text(out, command, cut ? room - 3 : n);

	return rc || !cut ? rc : buf_puts(out, "...");
}

int profile_print_fork(struct buf *out, const struct tree_node *node)
{
	int rc;

	if (!node->forked || node->lost)
		return 0;
	if (!node->renamed)
		return buf_puts(out, " (fork)");
	rc = buf_puts(out, " (fork: ");
	if (!rc)
		rc = cell_text(out, node->renamed, strlen(node->renamed));
	return rc ? rc : buf_putc(out, ')');
}

int profile_print_commands(struct buf *out, const struct tree_node *node, size_t room)
{
	const char *command = node->commands.data;
	unsigned left_out = room != SIZE_MAX && node->n_commands > 2 ? node->n_commands - 2 : 0;
	int rc = 0;

	if (node->lost)
		return buf_puts(out, "?");
	/* They share what room there is. */
	if (room != SIZE_MAX && node->n_commands > 1)
		room = (room - 4) / 2;
	if (room < COMMAND_MIN)
		room = COMMAND_MIN;
	for (unsigned i = 0; i < node->n_commands && !rc; i++, command += strlen(command) + 1) {
		if (i == 1 && left_out)
			rc = buf_printf(out, " => (%u more)", left_out);
		if (i && i <= left_out)
			continue;
		if (!rc && i)
			rc = buf_puts(out, " => ");
		if (!rc)
			rc = print_command(command, room, out);
	}
	return rc ? rc : profile_print_fork(out, node);
}

int profile_print_bytes(struct buf *out, uint64_t bytes)
{
	static const char units[] = "KMGTPE";
	double value = (double)bytes;
	int unit = -1;

	if (bytes < 1024)
		return buf_printf(out, "%u", (unsigned)bytes);
	/* What is rounded to 1000 of a unit is one of the next. */
	for (; value >= 999.5; unit++)
		value /= 1024;
	return buf_printf(out, "%.*f%c", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, units[unit]);
}
