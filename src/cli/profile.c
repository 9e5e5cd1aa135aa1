/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/cli/profile.h>

#include <errno.h>
#include <exectrace/answer/output/output.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/err.h>
#include <exectrace/base/path.h>
#include <exectrace/options/help.h>
#include <exectrace/record/sample/sample.h>
#include <string.h>

static const char overview[] = "usage: " SAMPLE_PROGRAM " [OPTION]... --pid=PID\n"
			       "\n"
			       "Records where a process, and what it starts, spends its processor time.\n";

bool profile_is_meant(const char *name)
{
	return strcmp(path_name(name), SAMPLE_PROGRAM) == 0;
}

static int show_help(void)
{
	cleanup_buf struct buf out = BUF_INIT;
	int r = buf_puts(&out, overview);

	r |= help_options(&out, sample_table);
	return output_text(&out, r);
}

/* What a reader of the recording should know, and would not see in it. */
static void say_limits(pid_t pid, const struct sampler *s)
{
	if (sampler_without_kernel(s))
		err_say(ERR_ERROR,
		        "[%d] profile: time in the kernel is not seen: kernel.perf_event_paranoid is %d; "
		        "1 would do (sysctl kernel.perf_event_paranoid=1), or CAP_PERFMON",
		        (int)pid, sample_paranoid());
}

static void say_losses(pid_t pid, const struct sample_result *result)
{
	if (result->lost)
		err_say(ERR_ERROR, "[%d] profile: %llu records lost, %llu samples kept; a lower --frequency may help",
		        (int)pid, (unsigned long long)result->lost, (unsigned long long)result->samples);
	if (result->throttled)
		err_say(ERR_ERROR, "[%d] profile: the kernel paused sampling %llu times; a lower --frequency may help",
		        (int)pid, (unsigned long long)result->throttled);
}

static int run(const struct sample_options *options, struct buf *err)
{
	struct sample_result result = {0};
	struct sampler *s = NULL;
	int r = sampler_open(&s, options, err);

	if (!r) {
		say_limits(options->pid, s);
		r = sampler_run(s, &result, err);
		say_losses(options->pid, &result);
	}
	sampler_free(s);
	return r ? output_error(err, r) : 0;
}

int profile_command(char **argv)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct sample_options options;
	int r = sample_options_parse(&options, argv, 1, &err);

	if (r)
		return output_error(&err, r);
	if (options.help)
		r = show_help();
	else if (!options.pid)
		r = output_error(&err, buf_puts(&err, "--pid is missing: which process?") ? -ENOMEM : -EINVAL);
	else
		r = run(&options, &err);
	sample_options_release(&options);
	return r;
}
