/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The texts of --run: what they become, and what is said of those that are wrong. */
#include "program.h"
#include "tap.h"
#include <exectrace/base/cleanup.h>
#include <exectrace/base/quote.h>
#include <exectrace/pick/action/action.h>

static int parse(const char *text, struct action *action, struct buf *err)
{
	int e = action_parse(text, action, err);

	CHECK((e == 0) == (err->len == 0));
	return e;
}

/* Refused, with this line; nothing is left in the action. */
static void refused(const char *text, const char *want)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct action action;

	memset(&action, 0xee, sizeof(action));
	CHECK_INT(parse(text, &action, &err), -EINVAL);
	CHECK_STR(err.data, want);
	CHECK(!action.program && !action.output && !action.args.items && !action.env.items);
	action_release(&action);
}

static void refusals(void)
{
	refused("", "--run='': no action given");
	refused(" \t", "--run=' \t': no action given");
	refused("nothing", "--run='nothing': unknown action; see 'exectrace help actions'");
	refused("nothing at all", "--run='nothing': unknown action; see 'exectrace help actions'");
	refused("''", "--run='': unknown action; see 'exectrace help actions'");
	refused("Strace", "--run='Strace': unknown action; did you mean strace?");
	refused("nothing-like-it", "--run='nothing-like-it': unknown action; see 'exectrace help actions'");
	refused("valgrind",
	        "--run='valgrind': unknown action; a program that takes a command line: --run='wrap valgrind', "
	        "one that attaches to a pid: --run='attach valgrind {pid}'");
	refused("strace 'x", "--run='strace 'x': open quote or backslash at offset 7");
	refused("strace \"", "--run='strace \"': open quote or backslash at offset 7");
	refused("strace x\\", "--run='strace x\\': open quote or backslash at offset 8");
	refused("guest -x", "--run: guest: unknown option '-x' (argument 1)");
	refused("stop now", "--run: stop: takes no arguments, not 'now'");
	refused("ignore ''", "--run: ignore: takes no arguments, not ''");
	refused("wrap", "--run: wrap: needs a program");
	refused("wrap nowhere -x", "--run: wrap: not found in PATH: 'nowhere'");
	refused("wrap ./nowhere", "--run: wrap: not found in PATH: './nowhere'");
	refused("wrap ''", "--run: wrap: not found in PATH: ''");
	refused("perf record -e 'x", "--run='perf record -e 'x': open quote or backslash at offset 15");
	refused("gdb", "--run: gdb: 'gdb' is not installed (not found in PATH)");
}

static void refused_options(void)
{
	refused("args", "--run: args: needs --append or --env");
	refused("args -l", "--run: args: unknown option '-l'");
	refused("args --append a b", "--run: args: unknown option 'b'");
	refused("args --appendix=a", "--run: args: unknown option '--appendix=a'");
	refused("args --append", "--run: args: missing value of '--append'");
	refused("args --append a --env", "--run: args: missing value of '--env'");
	refused("args --env NAME", "--run: args: --env needs NAME=VALUE, not 'NAME'");
	refused("args --env =VALUE", "--run: args: --env needs NAME=VALUE, not '=VALUE'");
	refused("args --env=", "--run: args: --env needs NAME=VALUE, not ''");
	refused("args --append=x --env=Y", "--run: args: --env needs NAME=VALUE, not 'Y'");
	refused("log --format=xml", "--run: log: --format is text, tree or json, not 'xml'");
	refused("log --format=", "--run: log: --format is text, tree or json, not ''");
	refused("log --format=textual", "--run: log: --format is text, tree or json, not 'textual'");
	refused("log --output a b", "--run: log: unknown option 'b'");
	refused("log --output=a --what", "--run: log: unknown option '--what'");
	refused("log --format", "--run: log: missing value of '--format'");
	refused("log --output", "--run: log: missing value of '--output'");
}

/* The words that an accepted action keeps, as one line. */
static void accepted(const char *text, enum action_kind kind, const char *args, const char *env)
{
	cleanup_buf struct buf err = BUF_INIT, got = BUF_INIT, vars = BUF_INIT;
	struct action action;

	if (!CHECK_INT(parse(text, &action, &err), 0)) {
		printf("#   %s\n", err.data);
		return;
	}
	CHECK_INT(action.kind, kind);
	CHECK(action.name && strncmp(text, action.name, strlen(action.name)) == 0);
	buf_puts(&got, "");
	buf_puts(&vars, "");
	quote_shell_strv(&got, &action.args);
	quote_shell_strv(&vars, &action.env);
	CHECK_STR(got.data, args);
	CHECK_STR(vars.data, env);
	action_release(&action);
	CHECK(!action.args.items && !action.env.items && !action.program && !action.output);
}

static void acceptances(void)
{
	accepted("stop", ACTION_STOP, "", "");
	accepted("ignore", ACTION_IGNORE, "", "");
	accepted("log", ACTION_LOG, "", "");
	accepted("wrap env A=1 'b c'", ACTION_WRAP, "env A=1 'b c'", "");
	accepted("wrap ./bin/env", ACTION_WRAP, "./bin/env", "");
	accepted("args --append x", ACTION_ARGS, "x", "");
	accepted("args --append=x --append='' --append -y", ACTION_ARGS, "x '' -y", "");
	accepted("args --append --env", ACTION_ARGS, "--env", "");
	accepted("args --env A=1 --env=B= --append=--env", ACTION_ARGS, "--env", "A=1 B=");
	accepted("args --env 'A=b=c d'", ACTION_ARGS, "", "'A=b=c d'");
	accepted("strace -f -o {pid}", ACTION_TOOL, "strace -f -o '{pid}' -p '{pid}'", "");
}

static void programs(void)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct place env = place("bin/env");
	struct action action;

	CHECK_INT(parse("wrap env", &action, &err), 0);
	CHECK_STR(action.program, env.path);
	CHECK(!action.interactive && !action.output);
	action_release(&action);
	CHECK_INT(parse("wrap ./bin/env x", &action, &err), 0);
	CHECK_STR(action.program, env.path);
	action_release(&action);
}

/* What strace, ltrace and perf write to is told by their words. NULL: nothing that is ours to remove. */
static void writes(const char *text, const char *output, bool each)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct action action;
	int e = action_parse(text, &action, &err);

	CHECK_INT(e, 0);
	CHECK_STR(action.output, output);
	CHECK_INT(action.output_each, each);
	action_release(&action);
}

static void outputs(void)
{
	writes("strace -o name", "name", false);
	writes("strace -oname", "name", false);
	writes("strace -fo name", "name", false);
	writes("strace -foname", "name", false);
	writes("strace -ttfo name", "name", false);
	writes("strace -s 100 -fo name", "name", false);
	writes("strace -e trace=open -o name", "name", false);
	writes("strace -eo -f", NULL, false);
	writes("strace -e o -f", NULL, false);
	writes("strace --output=name", "name", false);
	writes("strace --output name", "name", false);
	writes("strace -o one -o two", "two", false);
	writes("strace -ff -o name", "name", true);
	writes("strace -f -f -o name", "name", true);
	writes("strace -ffo name", "name", true);
	writes("strace -f --output-separately -o name", "name", true);
	writes("strace -A -o name", NULL, false);
	writes("strace -fAo name", NULL, false);
	writes("strace --output-append-mode -o name", NULL, false);
	writes("strace -o '|cat'", NULL, false);
	writes("strace -o '!cat'", NULL, false);
	writes("strace", NULL, false);
	writes("ltrace -fo name", "name", false);
	writes("ltrace -s 3 -S -o name", "name", false);
	writes("perf record -go name", "name", false);
	writes("perf record -F 99 -o name", "name", false);
	writes("perf stat --append -o name", NULL, false);
	writes("perf record", NULL, false);
}

static void log_is(const char *text, enum log_format format, const char *output)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct action action;

	CHECK_INT(parse(text, &action, &err), 0);
	CHECK_INT(action.format, format);
	CHECK_STR(action.output, output);
	action_release(&action);
}

static void logs(void)
{
	log_is("log", LOG_TEXT, NULL);
	log_is("log --format=tree", LOG_TREE, NULL);
	log_is("log --format json --output 'a {n}'", LOG_JSON, "a {n}");
	log_is("log --output=one --output=two --format=text", LOG_TEXT, "two");
}

/* Every name that is offered is known to the parser, is in the help, and there are no others in it. */
static void names(void)
{
	cleanup_buf struct buf help = BUF_INIT;
	size_t rows = 0, n = 0;

	CHECK_INT(action_help(&help), 0);
	for (; action_name(n); n++) {
		cleanup_buf struct buf err = BUF_INIT;
		char row[64];
		struct action action;

		snprintf(row, sizeof(row), "\n  %s", action_name(n));
		CHECK(strstr(help.data, row) != NULL);
		if (action_parse(action_name(n), &action, &err))
			CHECK(err.data && !strstr(err.data, "unknown action"));
		action_release(&action);
	}
	for (const char *at = help.data; (at = strstr(at, "\n  ")); at++)
		rows += at[3] != ' ';
	CHECK_INT(rows, n);
	CHECK(strstr(help.data, "{pid}") && strstr(help.data, "{host}") && strstr(help.data, "{time}"));
}

int main(void)
{
	scratch_begin(60);
	mkdir(place("bin").path, 0755);
	write_text(place("bin/env").path, "#!/bin/sh\n", 0755);
	write_text(place("bin/strace").path, "#!/bin/sh\n", 0755);
	write_text(place("bin/ltrace").path, "#!/bin/sh\n", 0755);
	write_text(place("bin/perf").path, "#!/bin/sh\n", 0755);
	setenv("PATH", place("bin").path, 1);
	if (chdir(scratch_dir))
		return 1;
	refusals();
	refused_options();
	acceptances();
	programs();
	logs();
	names();
	outputs();
	return TAP_DONE();
}
