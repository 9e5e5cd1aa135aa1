/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "failure_message.h"

#include <exectrace/base/cleanup.h>
#include <exectrace/base/word.h>
#include <exectrace/target/syscalls/names.h>
#include <string.h>

#define NAME_MIN 4 /* bytes of a name that says something */

static bool has_one_of(const char *text, const char *const *words)
{
	while (*words && !strcasestr(text, *words))
		words++;
	return *words != NULL;
}

/* A part of a text as a text; empty without memory. */
static const char *part(struct buf *copy, const char *text, size_t n)
{
	copy->len = 0;
	return buf_append(copy, text, n) || !copy->data ? "" : copy->data;
}

/* --- What a test runner says -------------------------------------------------------------------------------------- */

/* True when a line has a word that test runners have for a failure. */
static bool speaks_of_failure(const char *line, size_t n)
{
	static const char *const words[] = {
		"fail", "error", "not ok", "\xe2\x9c\x97", "\xe2\x9c\x98", "\xe2\x9c\x96", "declined", "timeout", NULL};
	cleanup_buf struct buf text = BUF_INIT;

	return has_one_of(part(&text, line, n), words);
}

/* True when a line of the output that speaks of a failure has the name. */
static bool names_failed(const struct buf *output, const char *name, size_t n)
{
	for (size_t at = 0; at < output->len;) {
		const char *line = output->data + at, *end = memchr(line, '\n', output->len - at);
		size_t length = end ? (size_t)(end - line) : output->len - at;

		if (memmem(line, length, name, n) && speaks_of_failure(line, length))
			return true;
		at += length + 1;
	}
	return false;
}

/* The next word of a command line, without directories and suffixes; its length. *at goes behind it. 0: no more. */
static size_t next_name(const char **at, const char **name)
{
	while (**at) {
		size_t n = strcspn(*at, " '\""), stem;
		const char *slash = memrchr(*at, '/', n);

		*name = slash ? slash + 1 : *at;
		stem = n - (size_t)(*name - *at);
		*at += n;
		*at += strspn(*at, " '\"");
		for (size_t i = 1; i < stem; i++)
			if ((*name)[i] == '.')
				stem = i;
		if (stem && **name != '-')
			return stem;
	}
	return 0;
}

bool failure_message_tells(const struct story *s, const struct tree_node *parent, const struct tree_node *child)
{
	const struct process_history *p = story_history(s, parent);
	const char *at = program_command(child), *name;

	for (size_t n; p && (n = next_name(&at, &name));)
		for (int i = 0; n >= NAME_MIN && i < OUTPUTS; i++)
			if (names_failed(&p->output[i], name, n))
				return true;
	return false;
}

/* --- What is about itself ----------------------------------------------------------------------------------------- */

/* True when a text has an argument of the command line, as a whole. */
static bool has_argument(const char *text, const char *command)
{
	while (*(command += strcspn(command, " '\""))) {
		size_t n;

		command += strspn(command, " '\"");
		n = strcspn(command, " '\"");
		if (n > 1 && *command != '-' && word_is_in(text, command, n))
			return true;
	}
	return false;
}

/* The program that it runs, or one of its arguments, is named; or what it wrote is repeated. */
static bool speaks_of(const struct story *s, const char *text, const struct tree_node *child)
{
	const struct process_history *p = story_history(s, child);
	const char *at = program_command(child), *name;
	cleanup_buf struct buf said = BUF_INIT;
	const char *line;

	size_t n = next_name(&at, &name);

	if ((n > 1 && word_is_in(text, name, n)) || has_argument(text, program_command(child)))
		return true;
	if (!p || !p->output[OUTPUT_STDERR].len)
		return false;
	line = part(&said, p->output[OUTPUT_STDERR].data, strcspn(p->output[OUTPUT_STDERR].data, "\n"));
	return strlen(line) >= NAME_MIN && strstr(text, line);
}

static bool is_shell(const struct tree_node *node)
{
	static const char *const shells[] = {"sh", "bash", "dash", "zsh", "ksh", "mksh", "busybox", NULL};

	return story_runs_one_of(node, shells);
}

/* "t.sh: line 4: NAME: unbound variable", "sh: 1: cannot create x: Directory nonexistent" */
static bool is_of_a_script(const char *line)
{
	for (const char *at = strchr(line, ':'); at; at = strchr(at + 1, ':')) {
		const char *digits = at + strspn(at, ": ");
		size_t n;

		if (strncmp(digits, "line ", 5) == 0)
			digits += 5;
		n = strspn(digits, "0123456789");
		if (n && digits[n] == ':' && !strstr(line, "(core dumped)") && !strstr(line, "Killed"))
			return true;
	}
	return false;
}

/* An exception that nobody caught, but not one that tells of a child. */
static bool is_exception(const char *text)
{
	static const char *const marks[] = {"Traceback (most recent call last)", "\n    at ", "Exception in thread",
	                                    "terminate called", NULL};
	static const char *const of_children[] = {"fail",    "returned ",  "exit status", "exit code", "exited",
	                                          "status ", "subprocess", "command",     NULL};

	return has_one_of(text, marks) && !has_one_of(text, of_children);
}

/* A call of its own failed after the child's end, and the text has the error and the file. */
static bool tells_own_call(const struct story *s, const struct process_history *p, const char *text, uint64_t since)
{
	for (size_t i = p->n_failures; i-- > 0;) {
		const struct failure *f = &p->failures[i];
		const char *error = errno_text(f->error), *slash = strrchr(f->what, '/');
		const char *name = slash ? slash + 1 : f->what;

		if (story_time(s, f->last) > since && *name && error && strstr(text, error) &&
		    word_is_in(text, name, strlen(name)))
			return true;
	}
	return false;
}

bool failure_message_is_own(const struct story *s, const struct tree_node *parent, const struct tree_node *child)
{
	const struct process_history *p = story_history(s, parent);
	const struct buf *said = p ? &p->output[OUTPUT_STDERR] : NULL;
	cleanup_buf struct buf copy = BUF_INIT;
	uint64_t end = story_end(s, child);
	const char *text, *last;
	size_t n;

	if (!said || !said->len || story_time(s, p->wrote[OUTPUT_STDERR]) <= end)
		return false;
	text = part(&copy, said->data, said->len);
	for (n = strlen(text); n && text[n - 1] == '\n'; n--)
		copy.data[n - 1] = 0;
	last = strrchr(text, '\n');
	last = last ? last + 1 : text;
	if (is_shell(parent))
		return is_of_a_script(last) && !speaks_of(s, last, child);
	return !speaks_of(s, text, child) && (is_exception(text) || tells_own_call(s, p, text, end));
}
