/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/trace/trace.h>

#include "json.h"
#include "recorder.h"
#include "summary.h"
#include "text.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/file.h>
#include <exectrace/record/form/outputs.h>
#include <exectrace/record/stops/ending.h>
#include <exectrace/record/stops/stops.h>
#include <exectrace/record/trace/stacks/withstacks.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/tracee/wait.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Where events go. */
struct sinking {
	const struct trace_options *options;
	pid_t command; /* that reads the output; 0: none */
	struct outputs apart;
	const char *output; /* name of the file, NULL: standard error */
	int fd;
	struct syscall_filter calls;         /* what is to be seen beside the calls asked for */
	struct syscall_filter seen;          /* what is to be seen, and tampered with */
	const struct syscall_filter *filter; /* what is to be seen; NULL: all */
	const struct syscall_filter *shown;  /* of that; NULL: all */
	struct call_sink *sink;
	struct contexts *contexts;
};

/* Each thread has a file. */
static bool separate(const struct trace_options *o)
{
	return o->separately && o->output && (o->format == TRACE_TEXT || o->format == TRACE_STRACE);
}

/* A table, behind the calls or alone. */
static struct call_sink *counting_sink(const struct trace_options *o, const struct writer_config *config)
{
	struct call_sink *calls = o->both ? text_sink(config) : NULL;
	struct call_sink *sink = o->both && !calls ? NULL : summary_sink(config, calls);

	if (!sink && calls)
		(void)calls->end(calls);
	return sink;
}

static struct call_sink *last_sink(const struct sinking *s, struct trace_stacks *stacks)
{
	const struct trace_options *o = s->options;
	const struct writer_config config = {
		.fd = s->fd,
		.separate = separate(o) ? &s->apart : NULL,
		.string_max = o->string_max,
		.form = o->form,
		.sets = &o->sets,
		.counting = &o->counting,
		.started = o->ends != 0,
		.contexts = s->contexts->form ? s->contexts : NULL,
		.why = o->why,
		.paths = &o->paths,
		.partial = s->filter,
		.stacks = stacks,
	};

	if (o->summary)
		return counting_sink(o, &config);
	if (o->format == TRACE_DATA)
		return recorder_sink(&config, stacks);
	return o->format == TRACE_JSON ? json_sink(&config) : text_sink(&config);
}

static int make_sinks(struct sinking *s)
{
	struct trace_stacks *stacks = NULL;
	const struct trace_options *o = s->options;
	struct call_sink *last = NULL;
	int err = o->stack ? stacks_new(o->stack, o->why, &stacks) : 0;

	if (err)
		return err;
	if (stacks && o->form.strace)
		stacks_show_parameters(stacks);
	s->filter = trace_filters(o) ? &o->filter : NULL;
	s->shown = trace_has_list(o) && (!s->filter || o->injections.n) ? &o->filter : NULL;
	s->sink = last = last_sink(s, stacks);
	if (last && stacks) {
		s->sink = stacks_sink(stacks, s->filter, last, o->why, &s->calls);
		s->filter = s->filter ? &s->calls : NULL;
	}
	if (s->filter && o->injections.n) {
		s->seen = *s->filter;
		syscall_filter_add(&s->seen, &o->injections.calls);
		s->filter = &s->seen;
	}
	if (s->sink)
		return 0;
	stacks_free(stacks);
	return -ENOMEM;
}

static int open_named(struct sinking *s)
{
	const struct trace_options *o = s->options;

	if (separate(o))
		return -1;
	if (outputs_is_command(s->output))
		return outputs_command(s->output + 1, &s->command);
	if (o->appends && !o->directory)
		return file_open_output(s->output, O_APPEND, false);
	return file_create_in(o->directory, s->output);
}

static int open_output(struct sinking *s, struct buf *name, struct buf *err)
{
	int r = 0;

	s->output = s->options->output;
	if (!s->output && s->options->format == TRACE_DATA) {
		r = buf_printf(name, "trace-%d.xtr", (int)s->options->pids[0]);
		s->output = name->data;
	}
	s->fd = STDERR_FILENO;
	if (!r && s->output)
		s->fd = open_named(s);
	if (s->fd >= 0 || separate(s->options))
		return r;
	r = s->fd;
	(void)buf_printf(err, "cannot write %s: %s", s->output, strerror(-r));
	return r;
}

static enum counting counting_of(const struct trace_options *options)
{
	unsigned hidden = options->form.hidden;

	if (!options->summary || options->both || hidden & OUTCOME_FAILED)
		return COUNT_NONE;
	return hidden & OUTCOME_SUCCESSFUL ? COUNT_FAILED : COUNT_ALL;
}

static void not_attached(pid_t pid, int r, struct buf *err)
{
	pid_t tracer = r == -EPERM ? proc_tracer(pid) : 0;

	(void)buf_printf(err, "cannot attach to process %d: %s", (int)pid, strerror(-r));
	if (tracer > 0)
		(void)buf_printf(err, "; process %d traces it already", (int)tracer);
}

static int run(struct sinking *s, struct stops_why *why, struct buf *err)
{
	const struct stops_config config = {
		.pid = s->options->pids[0],
		.others = s->options->pids + 1,
		.n_others = s->options->n_pids - 1,
		.below = s->options->below,
		.inside = trace_inside_from(s->options),
		.follow = s->options->follow,
		.filter = s->filter,
		.shown = s->shown,
		.injections = s->options->injections.n ? &s->options->injections : NULL,
		.stacks = s->options->stack && !s->options->why,
		.failures = s->options->stack && s->options->why,
		.counting = counting_of(s->options),
		.memory = (!s->options->summary || s->options->both) && !trace_looks(s->options),
		.string_max = s->options->string_max,
		.usage = s->options->format == TRACE_DATA && !s->options->summary && s->options->follow,
		.interrupted = s->options->format == TRACE_DATA && !s->options->filtered,
		.leaving = s->options->form.strace && s->options->follow && (!s->options->summary || s->options->both),
		.until_exec = s->options->until_exec,
		.execs = s->options->execs,
		.ends = s->options->ends,
		.parked = s->options->parked,
	};
	int r = stops_run(&config, s->sink, ending_asked(), why);
	int last = s->sink->end(s->sink);

	if (r == -EPERM || r == -ESRCH)
		not_attached(why->refused ? why->refused : config.pid, r, err);
	else if (r || last)
		(void)buf_printf(err, "%s: %s", s->output ? s->output : "standard error", strerror(r ? -r : -last));
	return r ? r : last;
}

/* Until what reads the output has seen all of it. */
static void wait_for_reader(pid_t command)
{
	struct wait_event event = {0};
	int err = command ? 0 : -ECHILD;

	while (!err || err == -EINTR) {
		err = wait_any(&event);
		if (!err && event.pid == command && event.kind == WAIT_EXIT)
			return;
	}
}

int trace_run(const struct trace_options *options, struct stops_why *why, struct buf *err)
{
	cleanup_buf struct buf name = BUF_INIT;
	struct contexts contexts = {.form = options->form.contexts};
	struct sinking s = {.options = options,
	                    .apart = {options->output, options->directory, options->appends},
	                    .contexts = &contexts};
	int r = open_output(&s, &name, err);

	if (!r && contexts.form & FORM_CONTEXT_MISMATCH && contexts_prepare(&contexts, err))
		contexts.form &= ~(unsigned)FORM_CONTEXT_MISMATCH;
	if (!r)
		r = make_sinks(&s);
	if (!r) {
		prctl(PR_SET_NAME, TRACE_PROGRAM, 0, 0, 0);
		r = ending_prepare();
		if (!r)
			r = run(&s, why, err);
	}
	if (s.fd != STDERR_FILENO)
		fd_close(&s.fd);
	wait_for_reader(s.command);
	contexts_release(&contexts);
	/* As strace does, for those who wait for it. */
	if (!r && options->form.strace && !options->ends)
		ending_finish();
	return r;
}
