/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/recording/program.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/quote.h>
#include <string.h>

const char *program_command(const struct tree_node *node)
{
	const char *command = node->commands.data;

	if (node->lost || !node->commands.len)
		return "?";
	for (unsigned i = 1; i < node->n_commands; i++)
		command += strlen(command) + 1;
	return command;
}

/* Bytes of the first word of a line that quote_shell has made. */
static size_t first_word(const char *line)
{
	bool quoted = false, dollar = false;
	size_t n = 0;

	for (; line[n] && (quoted || line[n] != ' '); n++) {
		if (line[n] == '\\' && (dollar || !quoted) && line[n + 1]) {
			n++;
		} else if (line[n] == '\'') {
			dollar = !quoted && n && line[n - 1] == '$';
			quoted = !quoted;
		}
	}
	return n;
}

int program_name(struct buf *out, const struct tree_node *node)
{
	const char *command = program_command(node), *name, *slash;
	cleanup_buf struct buf word = BUF_INIT, plain = BUF_INIT;

	if (buf_append(&word, command, first_word(command)) || quote_shell_undo(&plain, word.data))
		return -ENOMEM;
	name = plain.len ? plain.data : "?";
	slash = strrchr(name, '/');
	/* A login shell is called with a dash. */
	if (slash && slash[1] && *name != '[') /* threads of a guest's kernel have names such as [kworker/0:1] */
		name = slash + 1;
	else if (*name == '-' && name[1])
		name++;
	return buf_puts(out, name);
}
