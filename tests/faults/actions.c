/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the generators let exectrace do, and what they look at in what it wrote. */
#include "faults.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const struct action actions[] = {
	{.name = "log", .run = "log"},
	{.name = "log json", .run = "log --format=json --output=log.json"},
	{.name = "ignore", .run = "ignore"},
	{.name = "stop", .attaches = true, .run = "stop", .release = true},
	{.name = "strace", .attaches = true, .run = "strace -f -o strace.{n}", .tool = "strace", .files = "strace."},
	{.name = "gdb -batch",
         .attaches = true,
         .run = "gdb -nx -batch -ex continue",
         .tool = "gdb",
         .breakpoints = true},
	{.name = "gdb",
         .run = "gdb -nx -q -ex 'set confirm off' -ex continue -ex quit",
         .tool = "gdb",
         .pty = true,
         .breakpoints = true},
	{.name = "gdbserver",
         .attaches = true,
         .run = "gdbserver",
         .tool = "gdbserver",
         .release = true,
         .breakpoints = true},
	{.name = "attach",
         .attaches = true,
         .run = "attach strace -o attach.{n} -p {pid}",
         .tool = "strace",
         .files = "attach."},
	{.name = "trace", .attaches = true, .run = "trace --output=trace.{n}", .files = "trace."},
	{.name = "trace --filter",
         .attaches = true,
         .run = "trace --filter=openat,nanosleep --output=filter.{n}",
         .files = "filter."},
	{.name = "trace data", .attaches = true, .run = "trace --format=data --stack", .records = true},
	{.name = "profile", .attaches = true, .run = "profile", .records = true},
	{.name = "wrap", .run = "wrap env FAULTS=1"},
	{.name = "args", .run = "args --env FAULTS=1"},
};
const int action_count = sizeof(actions) / sizeof(actions[0]);

bool action_plain(const struct action *action)
{
	return !action->pty && !action->release;
}

bool have_tool(const char *name)
{
	const char *path = getenv("PATH");
	char *copy = strdup(path ? path : "/usr/bin:/bin");
	char *at = copy;
	bool found = false;

	for (char *dir = strtok_r(copy, ":", &at); dir && !found; dir = strtok_r(NULL, ":", &at)) {
		char file[PATH_MAX];

		snprintf(file, sizeof(file), "%s/%s", dir, name);
		found = access(file, X_OK) == 0;
	}
	free(copy);
	return found;
}

void words_add(char **argv, const char *word)
{
	int n = 0;

	while (argv[n])
		n++;
	if (n >= WORDS - 1)
		abort();
	argv[n] = strdup(word);
	argv[n + 1] = NULL;
}

void words_addf(char **argv, const char *format, ...)
{
	char word[PATH_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(word, sizeof(word), format, args);
	va_end(args);
	words_add(argv, word);
}

void words_line(char *const *argv, char *text, size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	for (int i = 0; argv[i] && len < size; i++) {
		bool plain = argv[i][0] && strspn(argv[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		                                           "0123456789_./=,:@%^+-") == strlen(argv[i]);

		const char *quote = plain ? "" : strchr(argv[i], '\'') ? "\"" : "'";
		int n = snprintf(text + len, size - len, "%s%s%s%s", i ? " " : "", quote, argv[i], quote);

		len += n > 0 ? (size_t)n : 0;
	}
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void lines_split(struct lines *lines, const char *text)
{
	char *at = NULL;
	int room = 0;

	*lines = (struct lines){.text = strdup(text)};
	at = lines->text;
	for (char *line = strtok_r(lines->text, "\n", &at); line; line = strtok_r(NULL, "\n", &at)) {
		if (lines->count == room) {
			room = room ? 2 * room : 64;
			lines->at = realloc(lines->at, (size_t)room * sizeof(char *));
		}
		lines->at[lines->count++] = line;
	}
	if (lines->count)
		qsort(lines->at, (size_t)lines->count, sizeof(char *), by_bytes);
}

void lines_read(struct lines *lines, const char *path)
{
	enum { SIZE = 1 << 20 };
	char *text = malloc(SIZE);

	lines_split(lines, file_read(path, text, SIZE));
	free(text);
}

void lines_free(struct lines *lines)
{
	free(lines->text);
	free(lines->at);
}

bool lines_have(const struct lines *lines, const char *line)
{
	for (int i = 0; i < lines->count; i++) {
		if (strcmp(lines->at[i], line) == 0)
			return true;
	}
	return false;
}

bool about_same_child(const char *a, const char *b)
{
	int blanks = 0;

	if (strncmp(a, "child ", 6))
		return false;
	for (; *a && *a == *b; a++, b++) {
		blanks += *a == ' ';
		if (blanks == 3)
			return true;
	}
	return false;
}

bool says_why(const char *path)
{
	static const char *const usual[] = {" match ", "commands matched", "waiting for [", "stopped before its first",
	                                    "engine "};
	struct lines lines;
	bool found = false;

	lines_read(&lines, path);
	for (int i = 0; i < lines.count && !found; i++) {
		const char *line = lines.at[i];
		bool known = strncmp(line, "exectrace: ", 11) && strncmp(line, "exectrace-", 10);

		for (size_t k = 0; k < sizeof(usual) / sizeof(usual[0]); k++)
			known |= strstr(line, usual[k]) != NULL;
		found = !known || strncmp(line, "strace: ", 8) == 0 || strstr(line, "error while loading");
	}
	lines_free(&lines);
	return found;
}

const char *status_text(int status)
{
	static char texts[4][32];
	static int next;
	char *text = texts[next++ % 4];

	if (WIFEXITED(status))
		snprintf(text, sizeof(texts[0]), "exit %d", WEXITSTATUS(status));
	else
		snprintf(text, sizeof(texts[0]), "signal %d", WTERMSIG(status));
	return text;
}

void verdict_say(struct verdict *verdict, const char *kind, const char *format, ...)
{
	va_list args;

	if (verdict->kind[0])
		return;
	snprintf(verdict->kind, sizeof(verdict->kind), "%s", kind);
	va_start(args, format);
	vsnprintf(verdict->detail, sizeof(verdict->detail), format, args);
	va_end(args);
}

static bool reads_with(const struct setup *setup, const char *command, const char *dir, char *why)
{
	char line[2 * PATH_MAX];
	int status = 0;

	snprintf(line, sizeof(line), "cd '%s' && timeout 20 '%s' %s rec >read.out 2>read.err", dir, setup->exectrace,
	         command);
	status = system(line);
	if (status == 0)
		return true;
	snprintf(line, sizeof(line), "%s/read.err", dir);
	file_read(line, why, 200);
	why[strcspn(why, "\n")] = '\0';
	return false;
}

bool recording_reads(const struct setup *setup, const char *dir, char *why, size_t size)
{
	static const char *const commands[] = {"report", "tree", "syscalls"};
	char path[PATH_MAX];
	char said[256];

	snprintf(path, sizeof(path), "%s/rec/run.json", dir);
	if (access(path, F_OK)) /* not that far */
		return true;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		said[0] = '\0';
		/* That there is nothing of a sort in it is an answer. */
		if (!reads_with(setup, commands[i], dir, said) && !strstr(said, "no ")) {
			snprintf(why, size, "%s: %s", commands[i], said);
			return false;
		}
	}
	return true;
}
