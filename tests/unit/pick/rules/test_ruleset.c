/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/pick/rules/ruleset.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define CWD "/start/dir"

/* A record that hands out what is in `from`, and remembers what was asked for. */
struct source {
	struct exec_record from;
	unsigned asked;
};

static void fill(struct exec_record *rec, unsigned fields, void *ctx)
{
	struct source *source = ctx;

	source->asked |= fields;
	rec->have |= fields;
}

static struct source source_of(const char *cmdline)
{
	struct source s = {.from = {
				   .pid = 100,
				   .tid = 100,
				   .uid = 12345,
				   .path = strdup("./prog"),
				   .exe = strdup("/usr/bin/prog"),
				   .cwd = strdup("/start/dir/sub"),
				   .fill = fill,
			   }};

	strv_push(&s.from.argv, cmdline);
	exec_record_join(&s.from);
	return s;
}

/* "name=value\n" lines; NULL with the message in err when one is refused. */
static struct ruleset *rules(const char *options, struct buf *err)
{
	struct ruleset *set = ruleset_new(CWD);

	while (*options) {
		char line[300] = "";
		size_t len = strcspn(options, "\n");
		char *value;

		memcpy(line, options, len);
		value = strchr(line, '=');
		if (value)
			*value++ = '\0';
		if (ruleset_add(set, line, value, err)) {
			ruleset_free(set);
			return NULL;
		}
		options += len + (options[len] == '\n');
	}
	return set;
}

static int match(struct ruleset *set, struct source *s, struct buf *why)
{
	struct verdict verdict;

	s->from.ctx = s;
	s->from.have = 0;
	s->asked = 0;
	ruleset_match(set, &s->from, &verdict, why);
	ruleset_commit(set, &verdict);
	return verdict.rule;
}

/* What one set of options says of s: the rule, or -1 when the options are refused. */
static int says(const char *options, struct source *s)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct ruleset *set = rules(options, &err);
	int rule = set ? match(set, s, NULL) : -1;

	if (!set)
		tap_show("error:", err.data);
	ruleset_free(set);
	return rule;
}

struct says_case {
	const char *options;
	int rule;
};

static void check_all(const struct says_case *cases, size_t n, struct source *s)
{
	for (size_t i = 0; i < n; i++)
		if (!CHECK_INT(says(cases[i].options, s), cases[i].rule))
			tap_show("options:", cases[i].options);
}

#define CHECK_ALL(cases, s) check_all(cases, sizeof(cases) / sizeof((cases)[0]), s)

static void commands(void)
{
	static const struct says_case cases[] = {
		{"", 0},
		{"run=log", 1},
		{"run=log\ncmd=\\./prog.*-l", 1},
		{"run=log\ncmd=^prog", 0},
		{"run=log\nnot-cmd=^prog", 1},
		{"run=log\nnot-cmd=prog", 0},
		{"run=log\ncmd=prog\ncmd=-l", 1},
		{"run=log\ncmd=prog\ncmd=-x", 0},
		{"run=log\ncmd=prog\nnot-cmd=-x", 1},
		{"cmd=prog\nrun=log", 1},
		{"run=log\ncmd=x\nrun=stop", 2},
		{"run=log\nrun=stop", 1},
		{"cmd=x\nrun=log\nrun=stop\ncmd=prog", 2},
		{"cmd=prog", 1},
	};
	struct source s = source_of("./prog a -l");

	CHECK_ALL(cases, &s);
	exec_record_release(&s.from);
}

static void files(void)
{
	static const struct says_case cases[] = {
		{"run=log\nexe=prog", 1},
		{"run=log\nexe=pro?", 1},
		{"run=log\nexe=bin", 0},
		{"run=log\nexe=bash", 1},
		{"run=log\nexe=/usr/bin/prog", 1},
		{"run=log\nexe=/usr//bin/./x/../prog", 1},
		{"run=log\nexe=/usr/*/prog", 1},
		{"run=log\nexe=/*/prog", 0},
		{"run=log\nexe=/**/prog", 1},
		{"run=log\nexe=**/prog", 1},
		{"run=log\nexe=*/prog", 1},
		{"run=log\nexe=*bin/prog", 1},
		{"run=log\nexe=*/usr/prog", 0},
		{"run=log\nexe=/usr", 0},
		{"run=log\nexe=/usr/bin/prog/x", 0},
		{"run=log\nexe=../../usr/bin/prog", 1},
		{"run=log\nexe=./prog", 0},
		{"run=log\nnot-exe=bash", 0},
		{"run=log\nnot-exe=gcc", 1},
		{"run=log\nexe=prog\nexe=gcc", 0},
	};
	struct source s = source_of("x");

	s.from.interp = strdup("/bin/bash");
	CHECK_ALL(cases, &s);
	free(s.from.exe);
	s.from.exe = strdup("/start/dir/prog");
	CHECK_INT(says("run=log\nexe=./prog", &s), 1);
	CHECK_INT(says("run=log\nexe=../dir/prog", &s), 1);
	exec_record_release(&s.from);
}

static void unknown_file(void)
{
	struct source s = source_of("x");

	free(s.from.exe);
	s.from.exe = NULL;
	CHECK_INT(says("run=log\nexe=*", &s), 0);
	CHECK_INT(says("run=log\nnot-exe=gcc", &s), 0);
	exec_record_release(&s.from);
}

static void directories(void)
{
	static const struct says_case cases[] = {
		{"run=log\ncwd=/start/dir/sub", 1},
		{"run=log\ncwd=/start/dir", 1},
		{"run=log\ncwd=/start/di", 0},
		{"run=log\ncwd=/start/dir/", 1},
		{"run=log\ncwd=/start//./dir/x/..", 1},
		{"run=log\ncwd=/", 1},
		{"run=log\ncwd=/..", 1},
		{"run=log\ncwd=.", 1},
		{"run=log\ncwd=sub", 1},
		{"run=log\ncwd=./sub/", 1},
		{"run=log\ncwd=..", 1},
		{"run=log\ncwd=../dir", 1},
		{"run=log\ncwd=../../../../start", 1},
		{"run=log\ncwd=sub/below", 0},
		{"run=log\ncwd=other", 0},
		{"run=log\ncwd=s*", 1},
		{"run=log\ncwd=s*x", 0},
		{"run=log\ncwd=/*/dir", 1},
		{"run=log\ncwd=/*/sub", 0},
		{"run=log\ncwd=/**/sub", 1},
		{"run=log\ncwd=**/sub", 1},
		{"run=log\ncwd=**/dir/../sub", 1},
		{"run=log\ncwd=[rs]ub", 1},
		{"run=log\ncwd=\\sub", 1},
		{"run=log\nnot-cwd=sub", 0},
		{"run=log\nnot-cwd=other", 1},
	};
	struct source s = source_of("x");

	CHECK_ALL(cases, &s);
	free(s.from.cwd);
	s.from.cwd = strdup("/");
	CHECK_INT(says("run=log\ncwd=/", &s), 1);
	CHECK_INT(says("run=log\ncwd=/start", &s), 0);
	CHECK_INT(says("run=log\ncwd=/*", &s), 0);
	exec_record_release(&s.from);
}

/* What would be a glob in an option is plain text in the name of the directory we were started in. */
static void odd_directories(void)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct source s = source_of("x");
	struct ruleset *set = ruleset_new("/odd[1]/*");

	free(s.from.cwd);
	s.from.cwd = strdup("/odd[1]/*/sub/x");
	CHECK_INT(ruleset_add(set, "run", "log", &err), 0);
	CHECK_INT(ruleset_add(set, "cwd", "s*", &err), 0);
	CHECK_INT(match(set, &s, NULL), 1);
	free(s.from.cwd);
	s.from.cwd = strdup("/odd1/y/sub/x");
	CHECK_INT(match(set, &s, NULL), 0);
	ruleset_free(set);
	exec_record_release(&s.from);
}

/* What one option, with top in front of its value, says of s. */
static int says_below(const char *top, const char *name, const char *value, struct source *s)
{
	cleanup_buf struct buf option = BUF_INIT;

	buf_printf(&option, "run=log\n%s=%s/%s", name, top, value);
	return says(option.data, s);
}

/* Links to directories are followed; one to a file is not: the file may have many names, each a program of its own. */
static void links(void)
{
	char top[] = "/tmp/ruleset-XXXXXX", name[64];
	struct source s = source_of("x");

	if (!CHECK(mkdtemp(top) && chdir(top) == 0))
		return;
	CHECK(mkdir("real", 0700) == 0 && symlink("real", "link") == 0 && symlink("prog", "real/other") == 0);
	CHECK(symlink("/dev/null", "real/prog") == 0);
	free(s.from.cwd);
	s.from.cwd = realpath("real", NULL);
	snprintf(name, sizeof(name), "%s/prog", s.from.cwd);
	free(s.from.exe);
	s.from.exe = strdup(name);
	CHECK_INT(says_below(top, "cwd", "link", &s), 1);
	CHECK_INT(says_below(top, "cwd", "l*k", &s), 0);
	CHECK_INT(says_below(top, "exe", "link/prog", &s), 1);
	CHECK_INT(says_below(top, "exe", "link/p*", &s), 1);
	CHECK_INT(says_below(top, "exe", "real/other", &s), 0);
	CHECK_INT(says("run=log\nexe=/dev/null", &s), 0);
	free(s.from.exe);
	s.from.exe = strdup("/dev/null");
	CHECK_INT(says_below(top, "exe", "real/prog", &s), 0);
	CHECK(unlink("real/other") == 0 && unlink("real/prog") == 0 && unlink("link") == 0 && rmdir("real") == 0);
	CHECK(chdir("/") == 0 && rmdir(top) == 0);
	exec_record_release(&s.from);
}

static void environments(void)
{
	static const struct says_case cases[] = {
		{"run=log\nenv=CC", 1},           {"run=log\nenv=C", 0},
		{"run=log\nenv=CC=^gcc$", 1},     {"run=log\nenv=CC=clang", 0},
		{"run=log\nenv=CC=", 1},          {"run=log\nenv=EMPTY", 1},
		{"run=log\nenv=EMPTY=.", 0},      {"run=log\nenv=EQ=^a=b$", 1},
		{"run=log\nenv=BARE", 0},         {"run=log\nnot-env=CC", 0},
		{"run=log\nnot-env=CC=clang", 1}, {"run=log\nnot-env=NONE", 1},
		{"run=log\nenv=TWICE=2", 1},
	};
	struct source s = source_of("x");

	strv_push(&s.from.env, "CC=gcc");
	strv_push(&s.from.env, "EMPTY=");
	strv_push(&s.from.env, "EQ=a=b");
	strv_push(&s.from.env, "BARE");
	strv_push(&s.from.env, "TWICE=1");
	strv_push(&s.from.env, "TWICE=2");
	CHECK_ALL(cases, &s);
	exec_record_release(&s.from);
}

static void ancestors(void)
{
	static const struct says_case cases[] = {
		{"run=log\nparent=^sh -c", 1}, {"run=log\nparent=make", 0}, {"run=log\nnot-parent=make", 1},
		{"run=log\nunder=make", 1},    {"run=log\nunder=gcc", 0},   {"run=log\nnot-under=make", 0},
		{"run=log\nnot-under=gcc", 1},
	};
	static const struct says_case root_cases[] = {
		{"run=log\nparent=", 0},
		{"run=log\nnot-parent=", 1},
		{"run=log\nunder=", 0},
		{"run=log\nnot-under=x", 1},
	};
	struct source s = source_of("x");

	CHECK_ALL(root_cases, &s);
	strv_push(&s.from.ancestors, "sh -c x");
	strv_push(&s.from.ancestors, "make check");
	CHECK_ALL(cases, &s);
	exec_record_release(&s.from);
}

static void users(void)
{
	static const struct says_case cases[] = {
		{"run=log\nuser=12345", 1},
		{"run=log\nuser=root", 0},
		{"run=log\nnot-user=root", 1},
	};
	struct source s = source_of("x");

	CHECK_ALL(cases, &s);
	s.from.uid = 0;
	CHECK_INT(says("run=log\nuser=root", &s), 1);
	CHECK_INT(says("run=log\nuser=0", &s), 1);
	CHECK_INT(says("run=log\nnot-user=0", &s), 0);
	exec_record_release(&s.from);
}

/* Cheapest first, and nothing is read that is not needed. */
static void lazy(void)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct source s = source_of("prog");
	struct ruleset *set = rules("run=log\nunder=x\nenv=X\ncwd=/\nuser=12345\ncmd=no", &err);
	struct ruleset *bare = rules("run=log", &err);

	CHECK_INT(match(set, &s, NULL), 0);
	CHECK_INT(s.asked, EXEC_ARGV);
	ruleset_free(set);
	set = rules("run=log\nunder=x\nenv=X\ncwd=/\nuser=12345\ncmd=prog", &err);
	CHECK_INT(match(set, &s, NULL), 0);
	CHECK_INT(s.asked, EXEC_ARGV | EXEC_USER | EXEC_CWD | EXEC_ENV);
	ruleset_free(set);
	CHECK_INT(match(bare, &s, NULL), 1);
	CHECK_INT(s.asked, 0);
	ruleset_free(bare);
	exec_record_release(&s.from);
}

/* Of what could not be read neither a matcher nor its opposite is true. */
static void unreadable(void)
{
	static const char *const options[] = {"cmd=",      "not-cmd=x",   "cwd=/",       "not-cwd=/x", "env=X",
	                                      "not-env=X", "exe=*",       "not-exe=x",   "user=0",     "not-user=1",
	                                      "under=",    "not-under=x", "not-parent=x"};
	struct source s = source_of("prog");

	s.from.uid = 0;
	s.from.error = EXEC_ARGV | EXEC_CWD | EXEC_ENV | EXEC_TARGET | EXEC_USER | EXEC_ANCESTORS;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		CHECK_INT(says(options[i], &s), 0);
	CHECK_INT(says("run=log", &s), 1);
	exec_record_release(&s.from);
}

/* Nor of what a search would not find out in any time. */
static void endless(void)
{
	struct source s = source_of("prog aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!");

	CHECK_INT(says("cmd=(a+)+[bc]", &s), 0);
	CHECK_INT(says("not-cmd=(a+)+[bc]", &s), 0);
	CHECK_INT(says("not-cmd=(a+)[bc]", &s), 1);
	exec_record_release(&s.from);
	s = source_of("prog");
	CHECK_INT(strv_push(&s.from.env, "X=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"), 0);
	CHECK_INT(says("not-env=X=(a+)+[bc]", &s), 0);
	CHECK_INT(strv_push(&s.from.ancestors, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"), 0);
	CHECK_INT(says("not-under=(a+)+[bc]", &s), 0);
	CHECK_INT(strv_push(&s.from.ancestors, "ab"), 0);
	CHECK_INT(says("under=(a+)+[bc]", &s), 1);
	CHECK_INT(says("parent=(a+)+[bc]", &s), 0);
	exec_record_release(&s.from);
}

/* The rules that n execs go to, as digits; those that fail are taken back at once. */
static char *sequence(const char *options, const char *const *cmdlines, size_t n, bool fail)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct ruleset *set = rules(options, &err);
	struct buf out = BUF_INIT;

	for (size_t i = 0; set && i < n; i++) {
		struct source s = source_of(cmdlines[i]);
		struct verdict verdict;

		s.from.have = ~0u;
		if (fail) {
			ruleset_match(set, &s.from, &verdict, NULL);
			ruleset_commit(set, &verdict);
			ruleset_retract(set, &verdict);
		}
		ruleset_match(set, &s.from, &verdict, NULL);
		ruleset_commit(set, &verdict);
		buf_printf(&out, "%d", verdict.rule);
		exec_record_release(&s.from);
	}
	ruleset_free(set);
	return buf_steal(&out);
}

static void ordinals(void)
{
	static const char *const a[] = {"a", "a", "a", "a", "a", "a"}, *const ab[] = {"a", "b", "a", "b", "a", "b"};
	static const struct {
		const char *options;
		const char *const *cmdlines;
		const char *rules;
	} cases[] = {
		{"run=x\nnth=3", a, "001000"},
		{"run=x\nnth=2-3,5", a, "011010"},
		{"run=x\nnth=5,3-4,2-3", a, "011110"},
		{"run=x\nnth=1-18446744073709551615", a, "111111"},
		{"run=x\nfirst", a, "100000"},
		{"run=x\nlimit=2", a, "110000"},
		{"run=x\nnth=2-6\nlimit=3", a, "011100"},
		{"run=x\nnth=2-6\nfirst", a, "010000"},
		{"run=x\ncmd=a\nnth=2", ab, "001000"},
		{"run=x\ncmd=b\nlimit=2", ab, "010100"},
		{"run=x\nfirst\nrun=y", a, "122222"},
		/* Each rule counts what reaches it and satisfies the rest of it. */
		{"run=x\nnth=1,3\nrun=y\nnth=2", a, "101200"},
		{"run=x\ncmd=a\nfirst\nrun=y\nnth=2-3\nrun=z\ncmd=b", ab, "132203"},
		{"run=x\ncmd=a\nrun=y\nnth=2", ab, "101210"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cleanup_free char *plain = sequence(cases[i].options, cases[i].cmdlines, 6, false);
		cleanup_free char *failing = sequence(cases[i].options, cases[i].cmdlines, 6, true);

		if (!CHECK_STR(plain, cases[i].rules))
			tap_show("options:", cases[i].options);
		/* An exec that fails every other time changes nothing. */
		CHECK_STR(failing, cases[i].rules);
	}
}

/* count: it is counted, too. */
static struct verdict verdict_of(struct ruleset *set, const char *cmdline, bool count)
{
	struct source s = source_of(cmdline);
	struct verdict verdict;

	s.from.have = ~0u;
	ruleset_match(set, &s.from, &verdict, NULL);
	if (count)
		ruleset_commit(set, &verdict);
	exec_record_release(&s.from);
	return verdict;
}

/* After how many execs of "a" no rule will pick another one; 0: not within 6. */
static unsigned over_after(const char *options)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct ruleset *set = rules(options, &err);
	unsigned n = 0;

	while (set && n < 6 && !ruleset_over(set)) {
		struct verdict verdict = verdict_of(set, "a", true);

		(void)verdict;
		n++;
	}
	n = set && ruleset_over(set) ? n : 0;
	ruleset_free(set);
	return n;
}

static void ends(void)
{
	CHECK_INT(over_after("run=x\nfirst"), 1);
	CHECK_INT(over_after("run=x\nlimit=4"), 4);
	CHECK_INT(over_after("run=x\nnth=2-3,5"), 5);
	CHECK_INT(over_after("run=x\nnth=2-6\nlimit=2"), 3);
	CHECK_INT(over_after("run=x\nfirst\nrun=y\nlimit=2"), 3);
	CHECK_INT(over_after("run=x\nfirst\nrun=y"), 0);
	CHECK_INT(over_after("run=x"), 0);
	CHECK_INT(over_after("run=x\ncmd=b\nfirst"), 0);
}

static void committing(void)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct ruleset *set =
		rules("run=w\ncmd=free\nrun=x\ncmd=a\nnth=2\nrun=y\ncmd=^ab$\nlimit=1\nrun=z\ncmd=b", &err);
	struct verdict first, second, seen;

	seen = verdict_of(set, "free", false);
	CHECK(seen.rule == 1 && seen.counted == 0);
	seen = verdict_of(set, "b", false);
	CHECK(seen.rule == 4 && seen.counted == 0);
	seen = verdict_of(set, "c", false);
	CHECK(seen.rule == 0 && seen.counted == 0);
	seen = verdict_of(set, "a", false);
	CHECK(seen.rule == 0 && seen.counted == 2);
	seen = verdict_of(set, "ab", false);
	CHECK(seen.rule == 3 && seen.counted == 6);
	/* Those left no trace: this is rule 2's number 1, and the pick of rule 3. */
	first = verdict_of(set, "ab", true);
	CHECK(first.rule == 3 && first.counted == 6);
	second = verdict_of(set, "ab", true);
	CHECK(second.rule == 2 && second.counted == 2);
	/* Taken back from the last on; then all is as in the beginning. */
	ruleset_retract(set, &second);
	ruleset_retract(set, &first);
	first = verdict_of(set, "a", true);
	CHECK(first.rule == 0 && first.counted == 2);
	second = verdict_of(set, "ab", true);
	CHECK(second.rule == 2 && second.counted == 2);
	ruleset_retract(set, &second);
	second = verdict_of(set, "a", true);
	CHECK(second.rule == 2);
	second = verdict_of(set, "ab", true);
	CHECK(second.rule == 3 && second.counted == 6);
	ruleset_free(set);
}

static void many_rules(void)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct ruleset *set = ruleset_new(CWD);
	struct verdict verdict;

	for (int i = 0; i < RULESET_MAX; i++)
		if (ruleset_add(set, "run", "x", &err) || ruleset_add(set, "first", NULL, &err))
			break;
	CHECK_INT(ruleset_count(set), RULESET_MAX);
	CHECK_INT(ruleset_add(set, "run", "x", &err), -EINVAL);
	CHECK_STR(err.data, "--run='x': more than 64 rules");
	for (int i = 1; i < RULESET_MAX; i++)
		verdict_of(set, "a", true);
	verdict = verdict_of(set, "a", true);
	CHECK(verdict.rule == 64 && verdict.counted == UINT64_MAX);
	ruleset_retract(set, &verdict);
	verdict = verdict_of(set, "a", true);
	CHECK(verdict.rule == 64 && verdict.counted == UINT64_MAX);
	CHECK_INT(verdict_of(set, "a", true).rule, 0);
	ruleset_free(set);
}

static void reasons(void)
{
	cleanup_buf struct buf err = BUF_INIT, why = BUF_INIT;
	struct ruleset *set =
		rules("run=a\ncmd=\\./prog\nrun=b\nnth=3\nrun=c\nfirst\nnth=1\nrun=d\nlimit=1\nrun=e\nenv=X\n"
	              "run=f\nnot-cmd=x\nrun=g\nnot-cwd=/start",
	              &err);
	struct source s = source_of("x");

	s.from.error = EXEC_ENV;
	CHECK_INT(match(set, &s, &why), 3);
	CHECK_STR(why.data, "rule 1: --cmd='\\./prog' does not match; rule 2: --nth=3: this is number 1");
	CHECK_INT(match(set, &s, NULL), 4);
	why.len = 0;
	CHECK_INT(match(set, &s, &why), 2);
	why.len = 0;
	CHECK_INT(match(set, &s, &why), 0);
	CHECK_STR(why.data, "rule 1: --cmd='\\./prog' does not match; rule 2: --nth=3: this is number 4; "
	                    "rule 3: --nth=1: this is number 3; rule 4: --limit=1: as many were picked already; "
	                    "rule 5: --env=X: the environment could not be read; rule 6: --not-cmd=x matches; "
	                    "rule 7: --not-cwd=/start matches");
	ruleset_free(set);
	set = rules("run=a\nfirst", &err);
	CHECK_INT(match(set, &s, NULL), 1);
	why.len = 0;
	CHECK_INT(match(set, &s, &why), 0);
	CHECK_STR(why.data, "rule 1: --first: one was picked already");
	ruleset_free(set);
	exec_record_release(&s.from);
}

static void bad_options(void)
{
	static const char *const cases[][2] = {
		{"cmd=a(b", "--cmd='a(b': missing closing parenthesis at offset 3"},
		{"not-under=*",
	         "--not-under='*': quantifier does not follow a repeatable item at offset 0; this takes a regular "
	         "expression, not a glob: a star is '.*', a dot '\\.'"},
		{"env=A=a(b", "--env='A=a(b': missing closing parenthesis at offset 5"},
		{"env==x", "--env='=x': a variable's name is missing at offset 0"},
		{"env=", "--env='': a variable's name is missing at offset 0"},
		{"exe=", "--exe='': a pattern is missing"},
		{"cwd=", "--cwd='': a directory is missing"},
		{"user=no such", "--user='no such': no such user"},
		{"user=-1", "--user='-1': no such user"},
		{"user=4294967295", "--user='4294967295': user number too large"},
		{"user=99999999999999999999", "--user='99999999999999999999': user number too large"},
		{"user=", "--user='': a name or number is missing"},
		{"nth=3,x", "--nth='3,x': not a number at offset 2"},
		{"nth=", "--nth='': not a number at offset 0"},
		{"nth=3,", "--nth='3,': not a number at offset 2"},
		{"nth=0", "--nth='0': numbers start at 1, not 0, at offset 0"},
		{"nth=1,2-0", "--nth='1,2-0': numbers start at 1, not 0, at offset 4"},
		{"nth=5-2", "--nth='5-2': a range that runs backwards at offset 0"},
		{"nth=1,5-2", "--nth='1,5-2': a range that runs backwards at offset 2"},
		{"nth=2-", "--nth='2-': not a number at offset 2"},
		{"nth=-2", "--nth='-2': not a number at offset 0"},
		{"nth=1 ,2", "--nth='1 ,2': not a number at offset 1"},
		{"nth=18446744073709551616", "--nth='18446744073709551616': number too large at offset 0"},
		{"nth=1\nnth=2", "--nth='2': --nth was given for this rule already"},
		{"limit=0", "--limit='0': numbers start at 1, not 0, at offset 0"},
		{"limit=2x", "--limit='2x': not a number at offset 1"},
		{"limit=", "--limit='': not a number at offset 0"},
		{"limit=1\nfirst", "--first: --limit was given for this rule already"},
		{"first\nlimit=1", "--limit='1': --first was given for this rule already"},
		{"first=1", "--first='1': takes no value"},
		{"cmd", "--cmd: a value is missing"},
		{"run", "--run: a value is missing"},
		{"colour=x", "--colour='x': not an option of a rule"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cleanup_buf struct buf err = BUF_INIT;
		struct ruleset *set = rules(cases[i][0], &err);

		CHECK(!set);
		CHECK_STR(err.data, cases[i][1]);
		ruleset_free(set);
	}
}

static void questions(void)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct ruleset *set = ruleset_new(CWD);

	CHECK(ruleset_knows("run") && ruleset_knows("cmd") && ruleset_knows("not-user") && ruleset_knows("first"));
	CHECK(ruleset_knows("exe") && ruleset_knows("not-env") && ruleset_knows("nth") && ruleset_knows("limit"));
	CHECK(!ruleset_knows("not-nth") && !ruleset_knows("not-run") && !ruleset_knows("not-") && !ruleset_knows(""));
	CHECK(!ruleset_knows("not-not-cmd") && !ruleset_knows("engine"));
	CHECK_INT(ruleset_finish(set, true, &err), 0);
	CHECK_INT(ruleset_count(set), 0);
	CHECK(!ruleset_action(set, 1));
	/* An option that is refused starts no rule. */
	CHECK_INT(ruleset_add(set, "cmd", "(", &err), -EINVAL);
	CHECK_INT(ruleset_count(set), 0);
	err.len = 0;
	CHECK_INT(ruleset_add(set, "cmd", "prog", &err), 0);
	CHECK_INT(ruleset_count(set), 1);
	CHECK(!ruleset_action(set, 1));
	CHECK_INT(ruleset_finish(set, false, &err), 0);
	CHECK_INT(ruleset_finish(set, true, &err), -EINVAL);
	CHECK_STR(err.data, "matchers without an action: add --run=ACTION, or --list to see what they match");
	CHECK_INT(ruleset_add(set, "run", "strace -f", &err), 0);
	CHECK_INT(ruleset_finish(set, true, &err), 0);
	CHECK_STR(ruleset_action(set, 1), "strace -f");
	CHECK(!ruleset_counts(set));
	CHECK_INT(ruleset_add(set, "run", "log", &err), 0);
	CHECK_INT(ruleset_add(set, "first", NULL, &err), 0);
	CHECK(ruleset_counts(set));
	CHECK_INT(ruleset_count(set), 2);
	CHECK_STR(ruleset_action(set, 2), "log");
	CHECK(!ruleset_action(set, 3) && !ruleset_action(set, 0));
	ruleset_free(set);
	ruleset_free(NULL);
}

static bool mentions(const char *options, const char *base)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct ruleset *set = rules(options, &err);
	bool found = set && ruleset_mentions(set, base, strlen(base));

	ruleset_free(set);
	return found;
}

static void mentioning(void)
{
	CHECK(mentions("cmd=\\./prog.*-l", "prog"));
	CHECK(mentions("cmd=python3\\.11", "python3.11"));
	CHECK(mentions("cmd=a\nrun=x\nrun=y\nexe=cc1*", "cc1"));
	CHECK(mentions("parent=make", "make") && mentions("under=make", "make"));
	CHECK(mentions("cmd=\\./prog.*-l", "progs") && mentions("cmd=prgo", "prog")); /* a slip of the keyboard */
	CHECK(!mentions("cmd=\\./prog.*-l", "program") && !mentions("cmd=cat", "cut"));
	CHECK(!mentions("cmd=prog", "other"));
	CHECK(!mentions("not-cmd=prog", "prog"));
	CHECK(!mentions("cwd=/prog\nenv=prog", "prog"));
	CHECK(!mentions("cmd=prog", ""));
	CHECK(!mentions("run=prog", "prog"));
}

int main(void)
{
	commands();
	files();
	unknown_file();
	directories();
	odd_directories();
	links();
	environments();
	ancestors();
	users();
	lazy();
	unreadable();
	endless();
	ordinals();
	ends();
	committing();
	many_rules();
	reasons();
	bad_options();
	questions();
	mentioning();
	return TAP_DONE();
}
