/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "why_running.h"
#include <errno.h>
#include <exectrace/answer/output/output.h>
#include <exectrace/answer/recording/recording.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/err.h>
#include <exectrace/cli/commands.h>
#include <exectrace/cli/help.h>
#include <exectrace/cli/hints.h>
#include <exectrace/cli/version.h>
#include <exectrace/cli/why.h>
#include <exectrace/options/config.h>
#include <exectrace/pick/action/action.h>
#include <exectrace/pick/engine/engine.h>
#include <exectrace/pick/supervise/supervisor.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Those without a row here belong to rules. */
enum run_option {
	OPT_RULE,
	OPT_RULES,
	OPT_LIST,
	OPT_WHY,
	OPT_KEEP,
	OPT_ENGINE,
	OPT_BEHIND,
	OPT_SET,
	OPT_AS,
	OPT_PID,
	OPT_FORCE,
	OPT_NNP,
	OPT_OUTPUT,
	OPT_QUIET,
	OPT_VERBOSE,
	OPT_COLOR,
	OPT_VERSION,
	OPT_HELP,
};

#define ENGINE_AUTO "auto"

static const char *engine_choice(size_t i)
{
	return i ? engine_at(i - 1) : ENGINE_AUTO;
}

static const char *const keeps[] = {"failed", NULL};

static const struct option_spec run_table[] = {
	{.name = "run",
         .arg = "ACTION",
         .group = "Rules",
         .words = action_name,
         .help = "start a rule: do ACTION with the programs that its matchers, the options below, pick "
                 "('" PROGRAM " help actions' lists the actions)"},
	{.name = "rules",
         .arg = "FILE",
         .id = OPT_RULES,
         .hint = OPTION_FILE,
         .help = "read rules from FILE: --run and matchers, one a line"},

	{.name = "cmd",
         .arg = "REGEX",
         .group = "Matchers (all of a rule must hold; the first rule that matches wins)",
         .help = "REGEX is found in the command line, its words joined by single spaces"},
	{.name = "exe",
         .arg = "GLOB",
         .help = "the file executed, or its #! interpreter; without a slash GLOB means the last part of its name"},
	{.name = "cwd",
         .arg = "DIR",
         .hint = OPTION_DIR,
         .help = "the working directory is DIR or below; may be a glob"},
	{.name = "env", .arg = "NAME[=REGEX]", .help = "the environment has NAME, and REGEX is found in its value"},
	{.name = "parent", .arg = "REGEX", .help = "REGEX is found in the command line of the parent"},
	{.name = "under", .arg = "REGEX", .help = "REGEX is found in the command line of an ancestor"},
	{.name = "user", .arg = "USER", .hint = OPTION_USER, .help = "it runs as USER, a name or a number"},
	{.name = "nth",
         .arg = "LIST",
         .help = "of those that match: only the ones with these numbers, as in 3 or 2-5,9"},
	{.name = "first", .help = "of those that match: only the first"},
	{.name = "limit", .arg = "N", .help = "of those that match: at most N"},
	{.name = "not-cmd", .arg = "REGEX", .help = "--cmd=REGEX does not match"},
	{.name = "not-exe", .arg = "GLOB", .help = "--exe=GLOB does not match"},
	{.name = "not-cwd", .arg = "DIR", .hint = OPTION_DIR, .help = "--cwd=DIR does not match"},
	{.name = "not-env", .arg = "NAME[=REGEX]", .help = "--env=NAME[=REGEX] does not match"},
	{.name = "not-parent", .arg = "REGEX", .help = "--parent=REGEX does not match"},
	{.name = "not-under", .arg = "REGEX", .help = "--under=REGEX does not match"},
	{.name = "not-user", .arg = "USER", .hint = OPTION_USER, .help = "--user=USER does not match"},

	{.name = "pid",
         .letter = 'p',
         .arg = "PID[,PID]...",
         .id = OPT_PID,
         .group = "Running",
         .hint = OPTION_PROCESSES,
         .help = "watch processes that run already, and all below them; COMMAND can be left out"},
	{.name = "force", .id = OPT_FORCE, .help = "with --pid: also process 1, and those that have started " PROGRAM},
	{.name = "allow-no-new-privs",
         .id = OPT_NNP,
         .help = "with --pid: set no_new_privs where a listener takes that; set-user-id programs run unprivileged "
                 "there from then on"},
	{.name = "list",
         .id = OPT_LIST,
         .help = "run everything untouched; say of each program which rule would match, or which matcher said no"},
	{.name = "why",
         .id = OPT_WHY,
         .help = "say at the end why COMMAND failed and what it waited for; without a rule, all is recorded that this "
                 "needs (exectrace help why)"},
	{.name = "keep",
         .arg = "failed",
         .id = OPT_KEEP,
         .choices = keeps,
         .help = "throw away what was recorded of a picked program that exits with status 0"},
	{.name = "engine",
         .arg = "ENGINE",
         .id = OPT_ENGINE,
         .words = engine_choice,
         .flags = OPTION_ONLY,
         .help = "how programs are seen: notify, ptrace, or auto (the default): notify where it works"},
	{.name = "behind",
         .letter = 'D',
         .id = OPT_BEHIND,
         .help = "let COMMAND be the process that was started as " PROGRAM ", which works from behind"},
	{.name = "set",
         .arg = "NAME[=VALUE]",
         .id = OPT_SET,
         .help = "set NAME in the environment of COMMAND, or take it away; may be repeated"},
	{.name = "as", .arg = "USER", .id = OPT_AS, .hint = OPTION_USER, .help = "run COMMAND as USER; only root can"},

	{.name = "output",
         .letter = 'o',
         .arg = "DIR",
         .id = OPT_OUTPUT,
         .group = "Output",
         .hint = OPTION_DIR,
         .help = "record into DIR instead of exectrace.data; one that is there becomes DIR.old"},
	{.name = "quiet", .letter = 'q', .id = OPT_QUIET, .help = "say nothing but errors"},
	{.name = "verbose", .letter = 'v', .id = OPT_VERBOSE, .help = "say more"},
	{.name = "color",
         .arg = "WHEN",
         .id = OPT_COLOR,
         .flags = OPTION_OPTIONAL,
         .choices = color_choices,
         .help = "auto (the default), always or never; without WHEN: always"},
	{.name = "version", .id = OPT_VERSION, .flags = OPTION_LAST, .help = "show versions and engines"},
	{.name = "help", .letter = 'h', .id = OPT_HELP, .flags = OPTION_LAST, .help = "show this"},
	{0},
};

/* What the command line asks for. */
struct request {
	struct run_config config;
	enum run_option show; /* OPT_HELP, OPT_VERSION, or OPT_RULE when it is to run */
	bool named;           /* "run" was there */
	char *cwd;            /* where we were started; NULL when that cannot be told, errno in cwd_error */
	int cwd_error;
	const char *file; /* of rules, while it is read */
};

static int request_init(struct request *req)
{
	*req = (struct request){.cwd = getcwd(NULL, 0)};
	if (!req->cwd)
		req->cwd_error = errno;
	req->config.rules = ruleset_new(req->cwd ? req->cwd : "/");
	return req->config.rules ? 0 : -ENOMEM;
}

static void request_release(struct request *req)
{
	ruleset_free(req->config.rules);
	free(req->config.pids);
	strv_release(&req->config.changes);
	free(req->cwd);
}

/* 0 or -ENOMEM becomes -EINVAL or -ENOMEM. */
static int refuse(int printed)
{
	return printed < 0 ? printed : -EINVAL;
}

static int add_rule_option(struct request *req, const struct option_spec *spec, const char *value, struct buf *err)
{
	if (!req->cwd && value && spec->hint == OPTION_DIR && *value != '/')
		return refuse(buf_printf(err, "--%s='%s': the current directory is unknown: %s", spec->name, value,
		                         strerror(req->cwd_error)));
	return ruleset_add(req->config.rules, spec->name, value, err);
}

static int refuse_file_option(const char *name, struct buf *err)
{
	const char *nearest = options_nearest(run_table, name, strlen(name));
	int r;

	if (options_find(run_table, name))
		return refuse(buf_printf(err, "option '%s' does not belong in a file of rules", name));
	r = buf_printf(err, "unknown option '%s'", name);
	if (nearest && ruleset_knows(nearest))
		r |= buf_printf(err, "; did you mean %s?", nearest);
	return refuse(r);
}

static int note_place(struct request *req, int line)
{
	cleanup_buf struct buf place = BUF_INIT;

	if (buf_printf(&place, "%s:%d", req->file, line))
		return -ENOMEM;
	return ruleset_set_place(req->config.rules, place.data);
}

/* A line of a file of rules; config_fn. */
static int add_file_option(void *ctx, const struct config_item *item, struct buf *err)
{
	const struct option_spec *spec = options_find(run_table, item->name);
	struct request *req = ctx;
	int r;

	if (!spec || !ruleset_knows(item->name))
		return refuse_file_option(item->name, err);
	r = options_check_value(spec, item->name, item->value, err);
	if (r >= 0)
		r = add_rule_option(req, spec, item->value, err);
	if (r >= 0 && strcmp(item->name, "run") == 0)
		r = note_place(req, item->line);
	return r;
}

static int add_file(struct request *req, const char *path, struct buf *err)
{
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_buf struct buf why = BUF_INIT;
	int r = config_read(path, &text);

	if (r == -ENOMEM)
		return r;
	if (r < 0)
		return refuse(buf_printf(err, "cannot read rules from '%s': %s", path, strerror(-r)));
	req->file = path;
	r = config_parse(text.data, text.len, add_file_option, req, &why);
	if (r == -EINVAL)
		r = refuse(buf_printf(err, "%s:%s", path, why.data));
	return r;
}

static int index_of(const char *const *words, const char *word)
{
	int i = 0;

	while (strcmp(words[i], word))
		i++;
	return i;
}

static void recorded(const struct run_config *config)
{
	why_print(config->output ? config->output : RECORDING_DEFAULT);
}

/* COMMAND and all below it. 0, -EINVAL or -ENOMEM. */
static int add_rule_for_why(struct request *req, struct buf *err)
{
	int r = ruleset_add(req->config.rules, "run", "trace --for=why", err);

	return r ? r : ruleset_add(req->config.rules, "first", NULL, err);
}

/* By its name. It stays in the memory of getpwnam(3), which nobody else asks. */
static int find_user(struct run_config *config, const char *name, struct buf *err)
{
	config->user = getpwnam(name);
	return config->user ? 0 : refuse(buf_printf(err, "--as: there is no user '%s'", name));
}

static int apply(struct request *req, const struct option_use *use, struct buf *err)
{
	struct run_config *config = &req->config;

	switch ((enum run_option)use->spec->id) {
	case OPT_RULE:
		return add_rule_option(req, use->spec, use->value, err);
	case OPT_RULES:
		return add_file(req, use->value, err);
	case OPT_LIST:
		config->list = true;
		break;
	case OPT_WHY:
		config->recorded = recorded;
		break;
	case OPT_KEEP:
		config->keep_failed = true;
		break;
	case OPT_ENGINE:
		config->engine = strcmp(use->value, ENGINE_AUTO) == 0 ? NULL : use->value;
		break;
	case OPT_BEHIND:
		config->behind = true;
		break;
	case OPT_SET:
		return strv_push(&config->changes, use->value);
	case OPT_AS:
		return find_user(config, use->value, err);
	case OPT_PID:
		return option_pids(use, false, &config->pids, &config->n_pids, err);
	case OPT_FORCE:
	case OPT_NNP:
		*(use->spec->id == OPT_FORCE ? &config->force : &config->allow_nnp) = true;
		break;
	case OPT_OUTPUT:
		config->output = use->value;
		break;
	case OPT_QUIET:
	case OPT_VERBOSE:
		err_set_verbosity(use->spec->id == OPT_QUIET ? -1 : 1);
		break;
	case OPT_COLOR:
		config->color = use->value ? (enum color_choice)index_of(color_choices, use->value) : COLOR_ALWAYS;
		break;
	default:
		req->show = (enum run_option)use->spec->id;
		break;
	}
	return 0;
}

/* Reads options from argv[at] on; config.command becomes what follows them. */
static int read_options(struct request *req, char **argv, int at, struct buf *err)
{
	struct options o;
	struct option_use use = {0};
	int r;

	options_init(&o, run_table, argv, at);
	while ((r = options_next(&o, &use, err)) > 0) {
		r = apply(req, &use, err);
		/* What is wrong in a file has a line there. */
		if (r == -EINVAL && use.spec->id != OPT_RULES)
			return refuse(buf_printf(err, " (argument %d)", use.at));
		if (r < 0)
			return r;
	}
	if (r == -EINVAL && o.unknown)
		return hint_option(&use, argv[o.at], err);
	if (r < 0)
		return r;
	req->config.command = argv + o.at;
	if (req->named || o.dashes || !argv[o.at] || strcmp(argv[o.at], cmd_run.name))
		return 0;
	req->named = true;
	return read_options(req, argv, o.at + 1, err);
}

/* 0, -EINVAL or -ENOMEM. */
static int check_pids(struct run_config *config, struct buf *err)
{
	if (!config->n_pids && (config->force || config->allow_nnp))
		return refuse(buf_printf(err, "%s is for --pid", config->force ? "--force" : "--allow-no-new-privs"));
	if (!config->n_pids)
		return 0;
	if (config->behind)
		return refuse(buf_puts(err, "--behind does not go with --pid"));
	/* What an ordinary user's processes may not have without no_new_privs is not tried in vain. */
	if (!config->engine && geteuid() != 0 && !config->allow_nnp)
		config->engine = "ptrace";
	return 0;
}

/* What processes that run already wait for; with rules it is what they start that is picked. */
static bool asks_why_of_running(const struct run_config *config)
{
	return config->recorded && config->n_pids && !config->command[0] && !config->list &&
	       !ruleset_count(config->rules);
}

/* What is left to check when all options are there. */
static int check(struct request *req, struct buf *err)
{
	int r = check_pids(&req->config, err);

	if (r)
		return r;
	if (!req->config.command[0] && !req->config.n_pids)
		return refuse(buf_puts(err, "no command given; try '" PROGRAM " --help'"));
	if (asks_why_of_running(&req->config))
		return 0;
	if (req->config.recorded && !req->config.list && !ruleset_count(req->config.rules))
		r = add_rule_for_why(req, err);
	if (r >= 0)
		r = ruleset_finish(req->config.rules, !req->config.list, err);
	if (r < 0 || req->config.list || ruleset_count(req->config.rules))
		return r;
	return hint_no_rule(run_table, req->config.command, err);
}

static int run_main(char **argv, int at)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct request req;
	int r = request_init(&req), status;

	if (!r)
		r = read_options(&req, argv, at, &err);
	if (!r && req.show == OPT_RULE)
		r = check(&req, &err);
	if (r < 0)
		status = output_error(&err, r);
	else if (req.show == OPT_VERSION)
		status = version_show();
	else if (req.show == OPT_HELP)
		status = req.named ? help_show_command(&cmd_run) : help_show_overview();
	else if (asks_why_of_running(&req.config))
		status = why_running(&req.config);
	else
		status = supervisor_run(&req.config);
	request_release(&req);
	return status;
}

const struct command cmd_run = {
	.name = "run",
	.args = "[OPTION]... [RULE]... [--] COMMAND [ARG]...",
	.summary = "run a program and all that it starts; what is done without a command",
	.about = "A rule is --run=ACTION and the matchers behind it; matchers in front of the\n"
		 "first --run belong to that one. The exit status is that of COMMAND; 125 when\n" PROGRAM
		 " itself failed, 126 when COMMAND could not be run, 127 when it was\n"
		 "not found. The word run is only needed in front of a program that is named like\n"
		 "a command of " PROGRAM ".\n",
	.options = run_table,
	.runs_program = true,
	.run = run_main,
};
