/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/cli/commands.h>

#include <errno.h>
#include <exectrace/answer/output/outfile.h>
#include <exectrace/answer/view/analysis.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/err.h>
#include <exectrace/base/path.h>
#include <exectrace/cli/help.h>
#include <exectrace/record/import/import.h>
#include <string.h>
#include <sys/stat.h>

enum {
	OPT_FORMAT = ANALYSIS_OPTIONS,
	OPT_SYMBOLS,
	OPT_OUTPUT,
	OPT_QUIET,
};

/* In the order of enum import_format. */
static const char *const formats[] = {"auto", "kft", "exec", "simpletrace", NULL};

static const struct option_spec import_table[] = {
	{.name = "format",
         .arg = "FORMAT",
         .choices = formats,
         .id = OPT_FORMAT,
         .group = "Options",
         .help = "kft: a log of KFT or KFI; exec: QEMU's -d exec or exec_tb; simpletrace: the file of QEMU's simple "
                 "backend; auto: by its beginning (the default)"},
	{.name = "symbols",
         .arg = "FILE",
         .hint = OPTION_FILE,
         .id = OPT_SYMBOLS,
         .help = "names for addresses: System.map, a copy of /proc/kallsyms, or vmlinux"},
	{.name = "output",
         .letter = 'o',
         .arg = "FILE",
         .hint = OPTION_FILE,
         .id = OPT_OUTPUT,
         .help = "the recording that is written (the name of LOG, with .xtr behind it, in this directory)"},
	{.name = "quiet", .letter = 'q', .id = OPT_QUIET, .help = "do not say what was in the log"},
	{.name = "help", .letter = 'h', .id = ANALYSIS_HELP, .flags = OPTION_LAST, .help = "show this"},
	{0},
};

struct import_command {
	struct import_options options;
	const char *log, *output;
	bool help;
};

static void take(struct import_command *c, const struct option_use *use)
{
	switch (use->spec->id) {
	case OPT_FORMAT:
		c->options.format = (enum import_format)analysis_choice(use);
		break;
	case OPT_SYMBOLS:
		c->options.symbols = use->value;
		break;
	case OPT_OUTPUT:
		c->output = use->value;
		break;
	case OPT_QUIET:
		err_set_verbosity(-1);
		break;
	default:
		c->help = true;
		break;
	}
}

static int take_log(struct import_command *c, const struct options *o, struct buf *err)
{
	int rc;

	c->log = o->n_words ? o->argv[o->words[0]] : NULL;
	if (!c->log)
		rc = buf_puts(err, "a log is missing; try '" PROGRAM " help import'");
	else if (o->n_words > 1)
		rc = buf_printf(err, "unexpected '%s' (argument %d); try '" PROGRAM " help import'",
		                o->argv[o->words[1]], o->words[1]);
	else
		return 0;
	return rc ? rc : -EINVAL;
}

static int parse(struct import_command *c, char **argv, int at, struct buf *err)
{
	struct option_use use;
	struct options o;
	int rc;

	options_init(&o, import_table, argv, at);
	options_mix(&o);
	while ((rc = options_next(&o, &use, err)) > 0)
		take(c, &use);
	if (!rc && !c->help)
		rc = take_log(c, &o, err);
	options_release(&o);
	return rc;
}

static int name_output(const struct import_command *c, struct buf *output)
{
	if (c->output)
		return buf_puts(output, c->output);
	return buf_printf(output, "%s.xtr", strcmp(c->log, "-") == 0 ? "import" : path_name(c->log));
}

static int describe(const struct import_counts *counts, const char *output, struct buf *text)
{
	bool kft = counts->format == IMPORT_KFT;
	int rc = buf_printf(text, "%s: %llu %s, %llu functions", output, (unsigned long long)counts->entries,
	                    kft ? "calls" : "blocks", (unsigned long long)counts->functions);

	if (!rc && counts->unended)
		rc = buf_printf(text, ", %llu calls without an end", (unsigned long long)counts->unended);
	if (!rc && counts->filtered)
		rc = buf_printf(text, ", %llu calls were left out by filters", (unsigned long long)counts->filtered);
	if (!rc && counts->dropped)
		rc = buf_printf(text, ", %llu events were lost", (unsigned long long)counts->dropped);
	return rc;
}

/* The recording takes the place of what has its name. */
static int check_output(const struct import_command *c, const char *output, struct buf *err)
{
	struct stat log, out;

	if (strcmp(c->log, "-") == 0 || stat(c->log, &log) || stat(output, &out) || !S_ISREG(log.st_mode) ||
	    log.st_dev != out.st_dev || log.st_ino != out.st_ino)
		return 0;
	return buf_printf(err, "--output: '%s' is the log itself", output) ? -ENOMEM : -EINVAL;
}

/* Writes the recording, which gets its name when it is whole. */
static int import(const struct import_command *c, const char *output, struct import_counts *counts, struct buf *err)
{
	struct import_options options = c->options;
	struct progress progress;
	struct outfile out;
	int rc = outfile_open(&out, output);

	progress_begin(&progress);
	options.progress = progress_tell;
	options.ctx = &progress;
	if (!rc) {
		rc = import_log(c->log, out.fd, &options, counts, err);
		progress_end(&progress);
		rc = outfile_close(&out, rc);
	}
	if (!rc || err->len || rc == -ENOMEM)
		return rc;
	return buf_printf(err, "%s: %s", output, strerror(-rc)) ? -ENOMEM : rc;
}

static int import_main(char **argv, int at)
{
	cleanup_buf struct buf err = BUF_INIT, output = BUF_INIT, text = BUF_INIT;
	struct import_command c = {0};
	struct import_counts counts;
	int rc = parse(&c, argv, at, &err);

	if (!rc && c.help)
		return help_show_command(&cmd_import);
	if (!rc)
		rc = name_output(&c, &output);
	if (!rc)
		rc = check_output(&c, output.data, &err);
	if (!rc)
		rc = import(&c, output.data, &counts, &err);
	if (!rc)
		rc = describe(&counts, output.data, &text);
	if (!rc)
		err_say(ERR_NOTE, "%s", text.data);
	return analysis_status(rc, &err);
}

const struct command cmd_import = {
	.name = "import",
	.args = "[OPTION]... LOG",
	.summary = "make a recording of a log of KFT, KFI or QEMU",
	.about = "LOG is a file, or - for standard input. What is made of it is read by report\n"
		 "and calls.\n",
	.takes_file = true,
	.options = import_table,
	.run = import_main,
};
