/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/action/action.h>

#include "tool.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/quote.h>
#include <exectrace/base/spelling.h>
#include <exectrace/pick/action/guest.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One row a kind of action that is not a tool; words[0] is the name. */
struct action_type {
	const char *name;
	const char *usage;
	const char *summary;
	enum action_kind kind;
	int (*parse)(struct action *action, const struct strv *words, struct buf *err);
};

static int bad(struct buf *err, const char *action, const char *what, const char *text)
{
	(void)buf_printf(err, "--run: %s: %s", action, what);
	if (text)
		(void)buf_printf(err, " '%s'", text);
	return -EINVAL;
}

static int parse_wrap(struct action *action, const struct strv *words, struct buf *err)
{
	int e = 0;

	if (words->n < 2)
		return bad(err, "wrap", "needs a program", NULL);
	e = tool_find(words->items[1], &action->program);
	if (e)
		return e == -ENOENT ? bad(err, "wrap", "not found in PATH:", words->items[1]) : e;
	for (size_t i = 1; i < words->n && !e; i++)
		e = strv_push(&action->args, words->items[i]);
	return e;
}

/* The value of an option given as "--name=value", or as "--name" and then the next word. NULL when it is another or has
 * none. */
static const char *option_value(const struct strv *words, size_t *i, const char *name)
{
	const char *word = words->items[*i];
	size_t n = strlen(name);

	if (strncmp(word, name, n) != 0)
		return NULL;
	if (word[n] == '=')
		return word + n + 1;
	if (word[n] || *i + 1 >= words->n)
		return NULL;
	return words->items[++*i];
}

static int parse_args(struct action *action, const struct strv *words, struct buf *err)
{
	for (size_t i = 1; i < words->n; i++) {
		const char *word = words->items[i];
		const char *value = option_value(words, &i, "--append");
		int e = 0;

		if (value) {
			e = strv_push(&action->args, value);
		} else if ((value = option_value(words, &i, "--env"))) {
			if (*value == '=' || !strchr(value, '='))
				return bad(err, "args", "--env needs NAME=VALUE, not", value);
			e = strv_push(&action->env, value);
		} else if (strcmp(word, "--append") == 0 || strcmp(word, "--env") == 0) {
			return bad(err, "args", "missing value of", word);
		} else {
			return bad(err, "args", "unknown option", word);
		}
		if (e)
			return e;
	}
	if (!action->args.n && !action->env.n)
		return bad(err, "args", "needs --append or --env", NULL);
	return 0;
}

static int parse_log(struct action *action, const struct strv *words, struct buf *err)
{
	static const char *const formats[] = {[LOG_TEXT] = "text", [LOG_TREE] = "tree", [LOG_JSON] = "json"};

	for (size_t i = 1; i < words->n; i++) {
		const char *word = words->items[i];
		const char *value = option_value(words, &i, "--format");
		size_t f = 0;

		if (value) {
			while (f < 3 && strcmp(value, formats[f]) != 0)
				f++;
			if (f == 3)
				return bad(err, "log", "--format is text, tree or json, not", value);
			action->format = (enum log_format)f;
		} else if ((value = option_value(words, &i, "--output")) || (value = option_value(words, &i, "-o"))) {
			free(action->output);
			action->output = strdup(value);
			if (!action->output)
				return -ENOMEM;
		} else if (strcmp(word, "--format") == 0 || strcmp(word, "--output") == 0 || strcmp(word, "-o") == 0) {
			return bad(err, "log", "missing value of", word);
		} else {
			return bad(err, "log", "unknown option", word);
		}
	}
	return 0;
}

static int parse_none(struct action *action, const struct strv *words, struct buf *err)
{
	return words->n > 1 ? bad(err, action->name, "takes no arguments, not", words->items[1]) : 0;
}

static const struct action_type types[] = {
	{"wrap", "PROGRAM [ARGS]", "re-execute it in place as PROGRAM ARGS exe args... (valgrind, rr, gdb --args)",
         ACTION_WRAP, parse_wrap},
	{"args", "[--append ARG]... [--env NAME=VALUE]...", "give it more arguments or variables", ACTION_ARGS,
         parse_args},
	{"stop", "", "leave it before its first instruction; print its pid and how to attach", ACTION_STOP, parse_none},
	{"guest", "[--clock=insn|tsc] [--programs=yes|no] [--host[=FILTER]] [--tcg] [--output=NAME] ...",
         "it is QEMU: record the calls of its guest; see exectrace-guest(1)", ACTION_GUEST, guest_parse},
	{"log", "[--format=text|tree|json] [--output=FILE]", "describe it: pid, parent, depth, directory, status, time",
         ACTION_LOG, parse_log},
	{"ignore", "", "nothing: an early rule that shields from later ones", ACTION_IGNORE, parse_none},
};

#define TYPES (sizeof(types) / sizeof(types[0]))

/* Well-known programs that go in front of a command line, for a hint where they are not installed. */
static bool is_wrapper(const char *name)
{
	static const char *const known[] = {"valgrind", "rr", "heaptrack"};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(name, known[i]) == 0)
			return true;
	return false;
}

/* What was meant: an action that is spelled nearly so, or a program for another action. */
static int unknown(const char *name, struct buf *err)
{
	struct spelling spelling;
	char *program = NULL;
	int e = buf_printf(err, "--run='%s': unknown action", name);

	spelling_start(&spelling, name, strlen(name));
	for (size_t i = 0; action_name(i); i++)
		spelling_try(&spelling, action_name(i));
	if (spelling.nearest) {
		e = buf_printf(err, "; did you mean %s?", spelling.nearest);
	} else if (is_wrapper(name) || tool_find(name, &program) == 0) {
		e = buf_printf(err,
		               "; a program that takes a command line: --run='wrap %s', "
		               "one that attaches to a pid: --run='attach %s {pid}'",
		               name, name);
	} else {
		e = buf_puts(err, "; see 'exectrace help actions'");
	}
	free(program);
	return e ? e : -EINVAL;
}

static int parse_words(const struct strv *words, struct action *action, struct buf *err)
{
	const struct tool *tool = tool_by_name(words->items[0]);

	if (tool)
		return tool_parse(tool, action, words, err);
	for (size_t i = 0; i < TYPES; i++) {
		if (strcmp(words->items[0], types[i].name) != 0)
			continue;
		action->kind = types[i].kind;
		action->name = types[i].name;
		return types[i].parse(action, words, err);
	}
	return unknown(words->items[0], err);
}

int action_parse(const char *text, struct action *action, struct buf *err)
{
	cleanup_strv struct strv words = STRV_INIT;
	size_t at = 0;
	int e = quote_split(text, &words, &at);

	*action = (struct action){0};
	if (e == -EINVAL) {
		(void)buf_printf(err, "--run='%s': open quote or backslash at offset %zu", text, at);
		return e;
	}
	if (!e && !words.n) {
		(void)buf_printf(err, "--run='%s': no action given", text);
		return -EINVAL;
	}
	if (!e)
		e = parse_words(&words, action, err);
	if (e)
		action_release(action);
	return e;
}

void action_release(struct action *action)
{
	if (action->host)
		action_release(action->host);
	free(action->host);
	free(action->program);
	free(action->output);
	strv_release(&action->args);
	strv_release(&action->env);
	*action = (struct action){0};
}

static int help_row(struct buf *out, const char *name, const char *usage, const char *summary)
{
	return buf_printf(out, "  %s%s%s\n        %s\n", name, *usage ? " " : "", usage, summary);
}

int action_help_one(struct buf *out, const char *name)
{
	const struct tool *tool = tool_by_name(name);

	if (tool)
		return help_row(out, tool->name, tool->usage, tool->summary);
	for (size_t i = 0; i < TYPES; i++)
		if (strcmp(types[i].name, name) == 0)
			return help_row(out, name, types[i].usage, types[i].summary);
	return -ENOENT;
}

int action_help(struct buf *out)
{
	int e = buf_puts(out, "Actions (--run='NAME [ARGS]'):\n\n");
	const char *name;

	for (size_t i = 0; !e && (name = action_name(i)); i++)
		e = action_help_one(out, name);
	return e ? e
	         : buf_puts(out,
	                    "\nIn ARGS and output names {pid} {n} {comm} {rule} {host} {time} {dir} are replaced.\n");
}

const char *action_name(size_t i)
{
	size_t tools = 0;

	while (tool_at(tools))
		tools++;
	if (i < tools)
		return tool_at(i)->name;
	return i - tools < TYPES ? types[i - tools].name : NULL;
}
