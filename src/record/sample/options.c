/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/sample/options.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPT_PID,
	OPT_FREQUENCY,
	OPT_GRAPH,
	OPT_STACK,
	OPT_NO_FOLLOW,
	OPT_USER,
	OPT_OUTPUT,
	OPT_DIRECTORY,
	OPT_HELP,
};

#define FREQUENCY 997u /* a prime: programs rarely repeat themselves that often */
#define FREQUENCY_MAX 100000u
#define STACK_BYTES 8192u
#define STACK_BYTES_MAX 61440u /* a record has at most 65,535, and other things to say */

/* In the order of enum sample_graph. */
static const char *const graphs[] = {"dwarf", "fp", "none", NULL};

const struct option_spec sample_table[] = {
	{.name = "frequency",
         .letter = 'F',
         .arg = "HZ",
         .id = OPT_FREQUENCY,
         .group = "Samples",
         .help = "so many samples for each second that a thread runs (997)"},
	{.name = "call-graph",
         .letter = 'g',
         .arg = "HOW",
         .id = OPT_GRAPH,
         .choices = graphs,
         .help = "find callers by unwind tables and a copy of the stack (dwarf, the default), by frame pointers (fp), "
                 "or not at all (none)"},
	{.name = "stack-size",
         .arg = "BYTES",
         .id = OPT_STACK,
         .help = "copy so much of each stack for dwarf (8192), at most 61440"},
	{.name = "user",
         .letter = 'u',
         .id = OPT_USER,
         .help = "nothing of the kernel: neither its time nor its functions"},
	{.name = "no-follow", .id = OPT_NO_FOLLOW, .help = "only this process and its threads, not its children"},
	{.name = "output",
         .letter = 'o',
         .arg = "NAME",
         .id = OPT_OUTPUT,
         .group = "Output",
         .hint = OPTION_FILE,
         .help = "record into this file instead of profile-PID.xtr"},
	{.name = "pid",
         .letter = 'p',
         .arg = "PID",
         .id = OPT_PID,
         .group = "Process",
         .help = "the process to attach to"},
	{.name = "directory",
         .arg = "FD",
         .id = OPT_DIRECTORY,
         .help = "exectrace gives on this descriptor the directory that the file is made in"},
	{.name = "help", .letter = 'h', .id = OPT_HELP, .flags = OPTION_LAST, .help = "show this"},
	{0},
};

static int set_graph(struct sample_options *options, const char *name)
{
	options->graph = SAMPLE_DWARF;
	while (strcmp(graphs[options->graph], name) != 0)
		options->graph++;
	return 0;
}

static int set_output(struct sample_options *options, const char *name)
{
	free(options->output);
	options->output = strdup(name);
	return options->output ? 0 : -ENOMEM;
}

/* An option_take. */
static int apply(void *ctx, const struct option_use *use, struct buf *err)
{
	struct sample_options *options = ctx;
	unsigned long n = 0;
	int r = 0;

	switch (use->spec->id) {
	case OPT_PID:
		r = option_number(use, 1, 1u << 30, &n, err);
		options->pid = (pid_t)n;
		return r;
	case OPT_FREQUENCY:
		r = option_number(use, 1, FREQUENCY_MAX, &n, err);
		options->frequency = (uint32_t)n;
		return r;
	case OPT_GRAPH:
		return set_graph(options, use->value);
	case OPT_STACK:
		r = option_number(use, 8, STACK_BYTES_MAX, &n, err);
		options->stack_bytes = (uint32_t)(n + 7) / 8 * 8;
		return r;
	case OPT_NO_FOLLOW:
		options->follow = false;
		return 0;
	case OPT_USER:
		options->user = true;
		return 0;
	case OPT_DIRECTORY:
		r = option_number(use, 3, 1u << 20, &n, err);
		options->directory = (int)n;
		return r;
	case OPT_OUTPUT:
		return set_output(options, use->value);
	default:
		options->help = true;
		return 0;
	}
}

int sample_options_parse(struct sample_options *options, char **argv, int at, struct buf *err)
{
	struct options o;
	int r;

	*options = (struct sample_options){.follow = true, .frequency = FREQUENCY, .stack_bytes = STACK_BYTES};
	options_init(&o, sample_table, argv, at);
	r = options_read(&o, apply, options, err);
	if (r)
		sample_options_release(options);
	return r;
}

void sample_options_release(struct sample_options *options)
{
	free(options->output);
	*options = (struct sample_options){0};
}
