/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/trace/trace.h>

#include "json.h"
#include "stops.h"
#include "summary.h"
#include "text.h"
#include <errno.h>
#include <exectrace/base/fd.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static volatile sig_atomic_t asked_to_end; /* a signal handler has nowhere else to write to */

static void on_signal(int sig)
{
	if (sig != SIGALRM)
		asked_to_end = 1;
}

/* All end the wait for the tracees: none has SA_RESTART. */
static void catch_signals(void)
{
	static const int signals[] = {SIGALRM, SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = on_signal};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static struct call_sink *make_sink(const struct trace_options *options, int fd)
{
	const struct writer_config config = {fd, options->string_max, options->failed, options->path,
	                                     options->filtered};

	if (options->summary)
		return summary_sink(fd, options->failed);
	return options->format == TRACE_JSON ? json_sink(&config) : text_sink(&config);
}

static int open_output(const struct trace_options *options, struct buf *err)
{
	int fd = STDERR_FILENO;

	if (options->output)
		fd = open(options->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd >= 0)
		return fd;
	fd = -errno;
	(void)buf_printf(err, "cannot write %s: %s", options->output, strerror(-fd));
	return fd;
}

int trace_run(const struct trace_options *options, struct buf *err)
{
	const struct stops_config config = {
		.pid = options->pid,
		.follow = options->follow,
		.filter = options->filtered ? &options->filter : NULL,
	};
	struct call_sink *sink = NULL;
	int fd = open_output(options, err);
	int r = 0;
	int last = 0;

	if (fd < 0)
		return fd;
	sink = make_sink(options, fd);
	if (!sink)
		return -ENOMEM;
	prctl(PR_SET_NAME, TRACE_PROGRAM, 0, 0, 0);
	catch_signals();
	r = stops_run(&config, sink, &asked_to_end);
	last = sink->end(sink);
	if (r == -EPERM || r == -ESRCH)
		(void)buf_printf(err, "cannot attach to process %d: %s", (int)options->pid, strerror(-r));
	else if (r || last)
		(void)buf_printf(err, "%s: %s", options->output ? options->output : "standard error",
		                 strerror(r ? -r : -last));
	if (fd != STDERR_FILENO)
		fd_close(&fd);
	return r ? r : last;
}
