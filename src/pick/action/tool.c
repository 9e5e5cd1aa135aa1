/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"
#include "outputs.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/err.h>
#include <exectrace/record/form/outputs.h>
#include <exectrace/record/sample/sample.h>
#include <exectrace/record/trace/trace.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What they record, when the user gives no name. */
#define TRACE_DATA_NAME "{dir}/trace-{n}-{pid}.xtr"
#define PROFILE_DATA_NAME "{dir}/profile-{n}-{pid}.xtr"

/* The user's words, then -p PID: how most tools have it. */
static int pid_last(struct action *action, const struct strv *words, struct buf *err)
{
	int e = strv_extend(&action->args, words);

	(void)err;
	if (!e)
		e = strv_push(&action->args, "-p");
	return e ? e : strv_push(&action->args, "{pid}");
}

/* gdbserver [OPTION]... HOST:PORT --attach PID; without HOST:PORT, a free port of this machine only. */
static int gdbserver_argv(struct action *action, const struct strv *words, struct buf *err)
{
	const char *last = words->items[words->n - 1];
	int e = strv_extend(&action->args, words);

	(void)err;
	if (!e && (words->n == 1 || last[0] == '-'))
		e = strv_push(&action->args, "127.0.0.1:0");
	if (!e)
		e = strv_push(&action->args, "--attach");
	return e ? e : strv_push(&action->args, "{pid}");
}

static int perf_argv(struct action *action, const struct strv *words, struct buf *err)
{
	static const char *const known[] = {"trace", "record", "stat", "top"};

	for (size_t i = 0; words->n > 1 && i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(words->items[1], known[i]) == 0)
			return pid_last(action, words, err);
	}
	/* kvm stat record, kvm stat live, kvm --host top, ...: what it is comes last of its own words. */
	if (words->n > 2 && strcmp(words->items[1], "kvm") == 0)
		return pid_last(action, words, err);
	(void)buf_printf(err, "--run: perf: needs trace, record, stat, top or kvm with a command%s%s",
	                 words->n > 1 ? ", not " : "", words->n > 1 ? words->items[1] : "");
	return -EINVAL;
}

/* attach PROGRAM ARGS: any tool; it says itself where the pid goes. */
static int attach_argv(struct action *action, const struct strv *words, struct buf *err)
{
	bool has_pid = false;
	int e = 0;

	if (words->n < 2) {
		(void)buf_puts(err, "--run: attach: needs a program");
		return -EINVAL;
	}
	for (size_t i = 1; i < words->n && !e; i++) {
		has_pid |= strstr(words->items[i], "{pid}") != NULL;
		e = strv_push(&action->args, words->items[i]);
	}
	if (!e && !has_pid) {
		(void)buf_printf(err, "--run: attach: no {pid} among the arguments of '%s'", words->items[1]);
		e = -EINVAL;
	}
	return e;
}

/* The options of our own tracer are checked here and now; what they say of its output. */
static int check_trace(struct action *action, const struct strv *words, struct buf *err)
{
	cleanup_buf struct buf why = BUF_INIT;
	struct trace_options options;
	int e = trace_options_parse(&options, words->items, 1, &why);

	if (!e &&
	    (options.help || options.version || options.execs || options.ends || options.parked || options.directory)) {
		(void)buf_printf(&why, "--%s is not for an action",
		                 options.help        ? "help"
		                 : options.version   ? "version"
		                 : options.directory ? "directory"
		                 : options.execs     ? "execs"
		                 : options.parked    ? "parked"
		                                     : "ends");
		e = -EINVAL;
	}
	if (e == -EINVAL)
		(void)buf_printf(err, "--run: trace: %s", why.data);
	action->tells = !e;
	action->told = !e && trace_filters(&options) && syscall_filter_has_exec(&options.filter);
	action->needs_dir = !e && options.format == TRACE_DATA && !options.output;
	if (!e && ((options.output && !outputs_is_command(options.output) && !options.appends) || action->needs_dir)) {
		action->output = strdup(action->needs_dir ? TRACE_DATA_NAME : options.output);
		e = action->output ? 0 : -ENOMEM;
	}
	action->in_dir = !e && action->output && template_in_dir(action->output);
	action->output_each = !e && action->output && options.separately;
	trace_options_release(&options);
	return e;
}

/* The words for a program of our own; output: its option for the file in the directory of the run. */
static int own_argv(struct action *action, const char *program, const struct strv *words, const char *output)
{
	int e = strv_push(&action->args, program);

	for (size_t i = 1; i < words->n && !e; i++)
		e = strv_push(&action->args, words->items[i]);
	if (!e && action->needs_dir)
		e = strv_push(&action->args, output);
	if (!e)
		e = strv_push(&action->args, "-p");
	return e ? e : strv_push(&action->args, "{pid}");
}

static int trace_argv(struct action *action, const struct strv *words, struct buf *err)
{
	int e = check_trace(action, words, err);

	if (!e)
		e = own_argv(action, TRACE_PROGRAM, words, "--output=" TRACE_DATA_NAME);
	return e || err_verbosity() <= 0 ? e : strv_push(&action->args, "--verbose");
}

/* Likewise for the options of our own sampler. */
static int check_profile(struct action *action, const struct strv *words, struct buf *err)
{
	cleanup_buf struct buf why = BUF_INIT;
	struct sample_options options;
	int e = sample_options_parse(&options, words->items, 1, &why);

	if (!e && (options.pid || options.help || options.directory)) {
		(void)buf_printf(&why, "--%s is not for an action",
		                 options.pid    ? "pid"
		                 : options.help ? "help"
		                                : "directory");
		e = -EINVAL;
	}
	if (e == -EINVAL)
		(void)buf_printf(err, "--run: profile: %s", why.data);
	action->covers = options.follow ? UINT_MAX : 1;
	action->needs_dir = !e && !options.output;
	if (!e) {
		action->output = strdup(action->needs_dir ? PROFILE_DATA_NAME : options.output);
		e = action->output ? 0 : -ENOMEM;
	}
	action->in_dir = !e && template_in_dir(action->output);
	sample_options_release(&options);
	return e;
}

static int profile_argv(struct action *action, const struct strv *words, struct buf *err)
{
	int e = check_profile(action, words, err);

	return e ? e : own_argv(action, SAMPLE_PROGRAM, words, "--output=" PROFILE_DATA_NAME);
}

static const char *const gdb_batch[] = {"-batch", "--batch", "-batch-silent", "--batch-silent", NULL};
static const char *const lldb_batch[] = {"-b", "--batch", NULL};

static const struct tool tools[] = {
	{"trace", "[OPTIONS]", "our own tracer of system calls, from the execve itself on; see exectrace-trace(1)",
         NULL, READY_TRACER | READY_SETTLED, true, true, NULL, trace_argv},
	{"profile", "[-F HZ] [OPTIONS]", "our own sampler of processor time, with stacks; see exectrace-profile(1)",
         NULL, READY_PERF, false, true, NULL, profile_argv},
	{"strace", "[ARGS]", "strace ARGS -p PID, from the execve itself on", NULL, READY_TRACER | READY_SETTLED, true,
         false, &strace_outputs, pid_last},
	{"ltrace", "[ARGS]", "ltrace ARGS -p PID", NULL, READY_TRACER | READY_SETTLED | READY_STOPS, false, false,
         &ltrace_outputs, pid_last},
	{"gdb", "[ARGS]", "gdb ARGS -p PID, on the terminal unless -batch is among ARGS", gdb_batch,
         READY_TRACER | READY_STOPS, false, false, NULL, pid_last},
	{"lldb", "[ARGS]", "lldb ARGS -p PID, on the terminal unless --batch is among ARGS", lldb_batch,
         READY_TRACER | READY_STOPS, false, false, NULL, pid_last},
	{"gdbserver", "[ARGS] [HOST:PORT]", "gdbserver HOST:PORT --attach PID; a free local port when none is given",
         NULL, READY_TRACER | READY_STOPS, false, false, NULL, gdbserver_argv},
	{"perf", "trace|record|stat|top|kvm ... [ARGS]", "perf ... ARGS -p PID", NULL, READY_PERF, false, false,
         &perf_outputs, perf_argv},
	{"attach", "PROGRAM [ARGS]", "any tool that attaches to a pid: {pid} among ARGS is replaced", NULL,
         READY_TRACER | READY_PERF, false, false, NULL, attach_argv},
};

#define TOOLS (sizeof(tools) / sizeof(tools[0]))

const struct tool *tool_at(size_t i)
{
	return i < TOOLS ? &tools[i] : NULL;
}

const struct tool *tool_by_name(const char *name)
{
	for (size_t i = 0; i < TOOLS; i++) {
		if (strcmp(tools[i].name, name) == 0)
			return &tools[i];
	}
	return NULL;
}

static bool runs(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static int take_path(const char *found, char **path)
{
	*path = realpath(found, NULL);
	return *path ? 0 : -errno;
}

int tool_find(const char *name, char **path)
{
	const char *dirs = getenv("PATH");
	cleanup_buf struct buf file = BUF_INIT;

	if (strchr(name, '/'))
		return runs(name) ? take_path(name, path) : -ENOENT;
	if (!dirs)
		dirs = "/bin:/usr/bin";
	for (;;) {
		size_t n = strcspn(dirs, ":");

		buf_reset(&file, 4096);
		if (buf_append(&file, n ? dirs : ".", n ? n : 1) || buf_putc(&file, '/') || buf_puts(&file, name))
			return -ENOMEM;
		if (runs(file.data)) {
			/* Not realpath: busybox and its like look at the name they are called by. */
			*path = file.data[0] == '/' ? strdup(file.data) : realpath(file.data, NULL);
			return *path ? 0 : -ENOMEM;
		}
		if (!dirs[n])
			return -ENOENT;
		dirs += n + 1;
	}
}

static bool is_batch(const struct tool *tool, const struct strv *words)
{
	for (size_t i = 1; i < words->n; i++) {
		for (size_t b = 0; tool->batch[b]; b++) {
			if (strcmp(words->items[i], tool->batch[b]) == 0)
				return true;
		}
	}
	return false;
}

int tool_parse(const struct tool *tool, struct action *action, const struct strv *words, struct buf *err)
{
	int e = 0;

	action->kind = ACTION_TOOL;
	action->name = tool->name;
	action->ready = tool->ready;
	action->restarts = tool->restarts;
	action->interactive = tool->batch && !is_batch(tool, words);
	e = tool->make_argv(action, words, err);
	if (e)
		return e;
	e = tool->own ? take_path("/proc/self/exe", &action->program)
	              : tool_find(action->args.items[0], &action->program);
	if (e == -ENOENT) {
		(void)buf_printf(err, "--run: %s: '%s' is not installed (not found in PATH)", tool->name,
		                 action->args.items[0]);
		return -EINVAL;
	}
	return !e && tool->records ? outputs_find(action, tool->records) : e;
}
