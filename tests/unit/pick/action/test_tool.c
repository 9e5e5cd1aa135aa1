/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command lines of tools, and where their programs are found: in a PATH of our own. */
#include "program.h"
#include "src/pick/action/tool.h"
#include "tap.h"
#include <exectrace/base/cleanup.h>
#include <exectrace/base/quote.h>

/* The action made of the words, as one line; an error text when it is refused. */
static const char *argv_of(const char *text, struct action *action)
{
	static char line[1024];
	cleanup_strv struct strv words = STRV_INIT;
	cleanup_buf struct buf err = BUF_INIT, out = BUF_INIT;
	int e;

	*action = (struct action){0};
	CHECK_INT(quote_split(text, &words, NULL), 0);
	e = tool_parse(tool_by_name(words.items[0]), action, &words, &err);
	if (!e)
		quote_shell_strv(&out, &action->args);
	snprintf(line, sizeof(line), "%s", e ? err.data ? err.data : "no message" : out.data);
	CHECK(e == 0 || e == -EINVAL);
	return line;
}

static void becomes(const char *text, const char *want)
{
	struct action action;

	CHECK_STR(argv_of(text, &action), want);
	action_release(&action);
}

static void command_lines(void)
{
	becomes("strace", "strace -p '{pid}'");
	becomes("strace -f -o 'out {n}' -e trace=%file", "strace -f -o 'out {n}' -e trace=%file -p '{pid}'");
	becomes("ltrace -S", "ltrace -S -p '{pid}'");
	becomes("gdb -batch -ex bt", "gdb -batch -ex bt -p '{pid}'");
	becomes("lldb", "lldb -p '{pid}'");
	becomes("gdbserver", "gdbserver 127.0.0.1:0 --attach '{pid}'");
	becomes("gdbserver :1234", "gdbserver :1234 --attach '{pid}'");
	becomes("gdbserver host:99", "gdbserver host:99 --attach '{pid}'");
	becomes("gdbserver --once", "gdbserver --once 127.0.0.1:0 --attach '{pid}'");
	becomes("gdbserver --once :1", "gdbserver --once :1 --attach '{pid}'");
	becomes("perf record -g", "perf record -g -p '{pid}'");
	becomes("perf stat", "perf stat -p '{pid}'");
	becomes("perf trace", "perf trace -p '{pid}'");
	becomes("perf top", "perf top -p '{pid}'");
	becomes("perf kvm stat record -o x", "perf kvm stat record -o x -p '{pid}'");
	becomes("perf kvm --host top", "perf kvm --host top -p '{pid}'");
	becomes("profile", "exectrace-profile '--output={dir}/profile-{n}-{pid}.xtr' -p '{pid}'");
	becomes("profile -F 99 -o x", "exectrace-profile -F 99 -o x -p '{pid}'");
	becomes("attach strace -c -p {pid}", "strace -c -p '{pid}'");
	becomes("attach strace pid={pid},x", "strace 'pid={pid},x'");
}

/* Only a tracer whose filter has execs needs to be told of them. */
static void told(void)
{
	static const struct {
		const char *text;
		bool told;
	} cases[] = {{"trace", false},
	             {"trace --filter=getpid", false},
	             {"trace --filter=%file,!execve,!execveat", false},
	             {"trace --filter=%file", true},
	             {"trace -e execveat", true},
	             {"trace -e !read", true},
	             {"strace -e execve", false}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct action action;

		(void)argv_of(cases[i].text, &action);
		CHECK_INT(action.told, cases[i].told);
		action_release(&action);
	}
}

static void refusals(void)
{
	becomes("perf", "--run: perf: needs trace, record, stat, top or kvm with a command");
	becomes("perf script", "--run: perf: needs trace, record, stat, top or kvm with a command, not script");
	becomes("perf kvm", "--run: perf: needs trace, record, stat, top or kvm with a command, not kvm");
	becomes("profile -F 0", "--run: profile: --frequency: '0' is not a number from 1 to 100000");
	becomes("profile -p 1", "--run: profile: --pid is not for an action");
	becomes("trace --execs=7", "--run: trace: --execs is not for an action");
	becomes("trace --ends=7", "--run: trace: --ends is not for an action");
	becomes("trace --parked=7", "--run: trace: --parked is not for an action");
	becomes("perf ''", "--run: perf: needs trace, record, stat, top or kvm with a command, not ");
	becomes("attach", "--run: attach: needs a program");
	becomes("attach strace", "--run: attach: no {pid} among the arguments of 'strace'");
	becomes("attach strace {PID}", "--run: attach: no {pid} among the arguments of 'strace'");
	becomes("attach nowhere {pid}", "--run: attach: 'nowhere' is not installed (not found in PATH)");
	becomes("attach ./nowhere {pid}", "--run: attach: './nowhere' is not installed (not found in PATH)");
	unlink(place("bin/ltrace").path);
	becomes("ltrace -S", "--run: ltrace: 'ltrace' is not installed (not found in PATH)");
}

static void is_interactive(const char *text, bool want)
{
	struct action action;

	argv_of(text, &action);
	CHECK_INT(action.interactive, want);
	action_release(&action);
}

/* Which tools want the terminal. */
static void terminals(void)
{
	is_interactive("gdb", true);
	is_interactive("gdb -q -x batch", true);
	is_interactive("gdb -ex -batching", true);
	is_interactive("gdb -batch", false);
	is_interactive("gdb -q --batch -ex bt", false);
	is_interactive("gdb -batch-silent", false);
	is_interactive("gdb --batch-silent", false);
	is_interactive("lldb", true);
	is_interactive("lldb -batch", true);
	is_interactive("lldb -b", false);
	is_interactive("lldb --batch -o bt", false);
	is_interactive("strace", false);
	is_interactive("gdbserver", false);
	is_interactive("perf top", false);
	is_interactive("attach strace {pid}", false);
}

static void records_to(const char *text, const char *want)
{
	struct action action;

	argv_of(text, &action);
	CHECK_STR(action.output, want);
	action_release(&action);
}

/* The file that --keep=failed takes away. */
static void outputs(void)
{
	records_to("strace", NULL);
	records_to("strace -o log.{n}", "log.{n}");
	records_to("strace -f -olog", "log");
	records_to("strace --output=log", "log");
	records_to("strace --output log", "log");
	records_to("perf record -o data -g", "data");
	records_to("gdb -batch", NULL);
	/* Here -o is a command for the debugger. */
	records_to("lldb -b -o bt -o detach", NULL);
}

static void fields(void)
{
	struct action action;
	struct place strace = place("bin/strace");

	argv_of("strace -f", &action);
	CHECK_INT(action.kind, ACTION_TOOL);
	CHECK_STR(action.name, "strace");
	CHECK_STR(action.program, strace.path);
	CHECK(action.restarts && action.ready == (READY_TRACER | READY_SETTLED));
	action_release(&action);
	argv_of("perf stat", &action);
	CHECK(!action.restarts && action.ready == READY_PERF);
	action_release(&action);
	argv_of("attach strace {pid}", &action);
	CHECK_STR(action.name, "attach");
	CHECK_STR(action.program, strace.path);
	CHECK(!action.restarts && (action.ready & READY_TRACER));
	action_release(&action);
	CHECK(!tool_by_name("wrap"));
	CHECK(!tool_by_name(""));
	for (size_t i = 0; tool_at(i); i++)
		CHECK(tool_by_name(tool_at(i)->name) == tool_at(i));
	CHECK(!tool_at(100));
}

static void finds(const char *path, const char *name, const char *want)
{
	char *found = NULL;
	int e;

	if (path)
		setenv("PATH", path, 1);
	else
		unsetenv("PATH");
	e = tool_find(name, &found);
	CHECK_INT(e, want ? 0 : -ENOENT);
	CHECK_STR(found, want);
	free(found);
}

/* As execvp(3) would: which of three directories, in which order. */
static void searching(void)
{
	char path[2048];
	struct place a = place("a"), b = place("b"), one = place("a/one"), two = place("b/two"), both = place("b/both");

	mkdir(a.path, 0755);
	mkdir(b.path, 0755);
	mkdir(place("a/two").path, 0755);
	write_text(one.path, "#!/bin/sh\n", 0755);
	write_text(two.path, "#!/bin/sh\n", 0755);
	write_text(place("a/both").path, "#!/bin/sh\n", 0644);
	write_text(both.path, "#!/bin/sh\n", 0755);
	(void)!symlink("one", place("a/link").path);
	(void)!symlink("gone", place("a/dangling").path);
	snprintf(path, sizeof(path), "/no/such/dir:%s:%s", a.path, b.path);
	finds(path, "one", one.path);
	finds(path, "two", two.path);
	finds(path, "both", both.path);
	finds(path, "link", place("a/link").path);
	finds(path, "dangling", NULL);
	finds(path, "none", NULL);
	finds(path, "", NULL);
	finds(path, one.path, one.path);
	finds(path, a.path, NULL);
	finds(path, place("a/both").path, NULL);
	finds("", "one", NULL);
	CHECK_INT(chdir(b.path), 0);
	finds("", "two", two.path);
	finds("/nowhere:", "two", two.path);
	finds(":/nowhere", "two", two.path);
	finds(".", "two", two.path);
	finds("../a:.", "two", two.path);
	finds("../a", "one", one.path);
	finds(path, "./two", two.path);
	finds(path, "../b/two", two.path);
	finds(path, "./one", NULL);
	finds(NULL, "sh", access("/bin/sh", X_OK) == 0 ? "/bin/sh" : "/usr/bin/sh");
}

int main(void)
{
	static const char *const programs[] = {"strace", "ltrace", "gdb", "lldb", "gdbserver", "perf"};
	char name[64];

	scratch_begin(60);
	mkdir(place("bin").path, 0755);
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		snprintf(name, sizeof(name), "bin/%s", programs[i]);
		write_text(place(name).path, "#!/bin/sh\n", 0755);
	}
	setenv("PATH", place("bin").path, 1);
	command_lines();
	terminals();
	outputs();
	fields();
	told();
	refusals();
	searching();
	return TAP_DONE();
}
