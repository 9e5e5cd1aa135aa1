/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/page/again.h>

#include <ctype.h>
#include <exectrace/answer/why/page/began.h>
#include <exectrace/base/quote.h>
#include <string.h>

/* "prlimit --fsize=65536: " (prlimit(1)) of "FSIZE 65536 unlimited": the soft ones. */
static void limits(const struct strv *state, struct buf *out)
{
	size_t n = 0;

	for (size_t i = 0; i < state->n; i++) {
		const char *limit = page_state_behind(state->items[i], "limit");
		struct buf option = BUF_INIT;

		if (!limit)
			continue;
		buf_puts(out, n++ ? "" : "prlimit ");
		buf_puts(&option, "--");
		for (; *limit && *limit != ' '; limit++)
			buf_putc(&option, (char)tolower((unsigned char)*limit));
		if (*limit)
			buf_printf(&option, "=%.*s:", (int)strcspn(limit + 1, " "), limit + 1);
		quote_shell(out, option.data, option.len);
		buf_putc(out, ' ');
		buf_fail(out, option.err);
		buf_release(&option);
	}
}

/* "env --ignore-signal=PIPE -u B A=1 " (env(1)): what it had otherwise than exectrace. */
static void environment(const struct strv *state, struct buf *out)
{
	static const char *const words[] = {"ignored", "blocked", "unset", "env"};
	static const char *const options[] = {"--ignore-signal=", "--block-signal=", "-u ", ""};
	size_t n = 0;

	for (size_t word = 0; word < sizeof(words) / sizeof(*words); word++) {
		for (size_t i = 0; i < state->n; i++) {
			const char *text = page_state_behind(state->items[i], words[word]);

			if (!text || strncmp(text, "_=", 2) == 0 || strcmp(text, "_") == 0 ||
			    strncmp(text, "OLDPWD=", 7) == 0)
				continue;
			buf_puts(out, n++ ? "" : "env ");
			buf_puts(out, options[word]);
			quote_shell(out, text, strlen(text));
			buf_putc(out, ' ');
		}
	}
}

/* True when a shell finds what is in that directory. */
static bool is_searched(const char *path, size_t n)
{
	static const char *const directories[] = {"/bin",      "/usr/bin",       "/sbin",
	                                          "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"};

	for (size_t i = 0; i < sizeof(directories) / sizeof(*directories); i++)
		if (strlen(directories[i]) == n && memcmp(directories[i], path, n) == 0)
			return true;
	return false;
}

/* What was executed may have been given another name, by which a shell does not find it. */
static void command(const struct why *why, const struct tree_node *node, struct buf *out)
{
	const struct process_history *p = story_history(&why->story, node);
	const char *path = p ? p->process->path : "", *slash = strrchr(path, '/');
	const char *line = program_command(node);
	size_t n = strcspn(line, " ");

	if (slash && !is_searched(path, (size_t)(slash - path)) && strlen(slash + 1) == n &&
	    memcmp(slash + 1, line, n) == 0) {
		quote_shell(out, path, strlen(path));
		line += n;
	}
	page_foreign(out, line, COPY_MAX);
}

void page_command_to_copy(const struct why *why, const struct tree_node *node, struct buf *out)
{
	const char *cwd = story_cwd(&why->story, node), *umask = page_state(&node->state, "umask");

	buf_puts(out, umask ? "  run it:    (" : "  run it:    ");
	if (*cwd) {
		buf_puts(out, "cd ");
		quote_shell(out, cwd, strlen(cwd));
		buf_puts(out, " && ");
	}
	if (umask) {
		buf_puts(out, "umask ");
		quote_shell(out, umask, strlen(umask));
		buf_puts(out, " && ");
	}
	limits(&node->state, out);
	environment(&node->state, out);
	command(why, node, out);
	buf_puts(out, umask ? ")\n" : "\n");
}
