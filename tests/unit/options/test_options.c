/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsing of option tables: every way to write an option, order, where options end, and what errors say. */
#include "tap.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/options/options.h>

static const char *const modes[] = {"auto", "fast", "slow", NULL};

static const struct option_spec table[] = {
	{.name = "cmd", .letter = 'c', .arg = "REGEX", .help = "h", .group = "All"},
	{.name = "cwd", .arg = "DIR", .help = "h", .hint = OPTION_DIR},
	{.name = "mode", .letter = 'm', .arg = "MODE", .help = "h", .choices = modes},
	{.name = "color", .letter = 'C', .arg = "WHEN", .help = "h", .choices = modes, .flags = OPTION_OPTIONAL},
	{.name = "times",
         .letter = 't',
         .arg = "UNIT",
         .help = "h",
         .choices = modes,
         .flags = OPTION_OPTIONAL | OPTION_BARE},
	{.name = "quiet", .letter = 'q', .help = "h"},
	{.name = "verbose", .letter = 'v', .help = "h"},
	{.name = "list", .help = "h"},
	{.name = "listen", .help = "h"},
	{.name = "help", .letter = 'h', .help = "h", .flags = OPTION_LAST},
	{0},
};

/* What the options of an argument list are, as "name=value@argument ...", then "| rest" and, behind "--", "| -- rest".
 * mixed: the rest are words with their arguments.
 */
static char *parse(char **argv, bool mixed)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct buf out = BUF_INIT;
	struct option_use use;
	struct options o;
	int r;

	options_init(&o, table, argv, 1);
	if (mixed)
		options_mix(&o);
	while ((r = options_next(&o, &use, &err)) > 0) {
		buf_printf(&out, "%s", use.spec->name);
		if (use.value)
			buf_printf(&out, "=%s", use.value);
		buf_printf(&out, "@%d ", use.at);
	}
	if (r < 0) {
		CHECK_INT(r, -EINVAL);
		buf_printf(&out, "! %s", err.data);
		options_release(&o);
		return buf_steal(&out);
	}
	CHECK_INT(options_next(&o, &use, &err), 0);
	buf_puts(&out, o.dashes ? "| --" : "|");
	for (int i = 0; i < o.n_words; i++)
		buf_printf(&out, " %s@%d", argv[o.words[i]], o.words[i]);
	for (; argv[o.at]; o.at++)
		buf_printf(&out, " %s", argv[o.at]);
	options_release(&o);
	return buf_steal(&out);
}

/* Copies, so that a look beyond an argument or beyond the list is found by a sanitizer. */
static void check_parse(const char *want, bool mixed, const char *const *args)
{
	cleanup_strv struct strv argv = STRV_INIT;
	char *got;

	strv_push(&argv, "prog");
	for (; *args; args++)
		strv_push(&argv, *args);
	got = parse(argv.items, mixed);
	CHECK_STR(got, want);
	free(got);
}

#define PARSES(want, ...) check_parse(want, false, (const char *const[]){__VA_ARGS__, NULL})
#define PARSES_MIXED(want, ...) check_parse(want, true, (const char *const[]){__VA_ARGS__, NULL})

static void test_forms(void)
{
	PARSES("cmd=x@1 | a", "--cmd=x", "a");
	PARSES("cmd=x@1 | a", "--cmd", "x", "a");
	PARSES("cmd=x@1 | a", "-cx", "a");
	PARSES("cmd=x@1 | a", "-c", "x", "a");
	PARSES("cmd==x@1 |", "-c=x");
	PARSES("! option '-m' takes auto, fast or slow, not '=fast' (argument 1); write --mode=fast or -mfast",
	       "-m=fast");
	PARSES("! option '-m' takes auto, fast or slow, not '=x' (argument 1)", "-m=x");
	PARSES("cmd=@1 |", "--cmd=");
	PARSES("cmd=@1 |", "--cmd", "");
	PARSES("cmd=a=b@1 |", "--cmd=a=b");
	PARSES("cmd=--quiet@1 |", "--cmd", "--quiet");
	PARSES("! option '-c' needs an argument (argument 1)", "-c", "--", "a");
	PARSES("! option '--cmd' needs an argument (argument 1)", "--cmd", "--", "a");
	PARSES("cmd=--@1 | a", "--cmd=--", "a");
	PARSES("quiet@1 verbose@1 |", "-qv");
	PARSES("quiet@1 cmd=vx@1 verbose@2 |", "-qcvx", "-v");
	PARSES("quiet@1 cmd=x@1 verbose@3 |", "-qc", "x", "-v");
	PARSES("mode=fast@1 |", "--mode=fast");
}

static void test_optional_argument(void)
{
	PARSES("color@1 | auto", "--color", "auto");
	PARSES("color=auto@1 |", "--color=auto");
	PARSES("color=auto@1 |", "-Cauto");
	PARSES("color=auto@1 |", "-C", "auto");
	PARSES("color@1 | other", "-C", "other");
	PARSES("color@1 quiet@2 |", "-C", "-q");
	PARSES("! option '-C' takes auto, fast or slow, not 'quick' (argument 1)", "-Cquick");
	PARSES("quiet@1 color@1 |", "-qC");
	PARSES("times@1 times@1 quiet@1 |", "-ttq");
	PARSES("times@1 | fast", "-t", "fast");
	PARSES("times=fast@1 times@2 |", "--times=fast", "--times");
}

static void test_order_and_end(void)
{
	PARSES("cmd=1@1 quiet@2 cmd=2@3 list@4 |", "--cmd=1", "-q", "--cmd=2", "--list");
	PARSES("quiet@1 | make -k --cmd=x", "-q", "make", "-k", "--cmd=x");
	PARSES("quiet@1 | -- --list -v", "-q", "--", "--list", "-v");
	PARSES("| -- -- x", "--", "--", "x");
	PARSES("| --", "--");
	PARSES("quiet@1 | - -v", "-q", "-", "-v");
	PARSES("|  -q", "", "-q");
	PARSES("help@1 |", "--help", "--bogus", "x");
	PARSES("quiet@1 help@1 |", "-qhv", "x");
}

static void test_words_between(void)
{
	PARSES_MIXED("| a@1 b@2", "a", "b");
	PARSES_MIXED("quiet@2 | a@1", "a", "-q");
	PARSES_MIXED("cmd=x@2 | a@1", "a", "-c", "x");
	PARSES_MIXED("quiet@1 cmd=x@3 list@6 | a@2 b@5 c@7", "-q", "a", "-c", "x", "b", "--list", "c");
	PARSES_MIXED("quiet@2 verbose@2 cmd=x@2 list@5 | a@1 b@4", "a", "-qvc", "x", "b", "--list");
	PARSES_MIXED("quiet@2 | -- a@1 b@3 -v@5", "a", "-q", "b", "--", "-v");
	PARSES_MIXED("| -- a@1 -q@3", "a", "--", "-q");
	PARSES_MIXED("quiet@2 | -@1 @3", "-", "-q", "");
	PARSES_MIXED("color=auto@2 | a@1 b@4", "a", "-C", "auto", "b");
	PARSES_MIXED("help@2 | a@1", "a", "--help", "--bogus");
	PARSES_MIXED("quiet@2 ! unknown option '--bogus' (argument 4)", "a", "-q", "b", "--bogus");
	PARSES_MIXED("! option '--cmd' needs an argument (argument 2)", "a", "--cmd");
}

static void test_short_names(void)
{
	PARSES("mode=slow@1 |", "--mo=slow");
	PARSES("quiet@1 |", "--q");
	PARSES("list@1 |", "--list");
	PARSES("listen@1 |", "--liste");
	PARSES("! option '--lis' is ambiguous (argument 1): --list, --listen", "--lis");
	PARSES("quiet@1 ! option '--c' is ambiguous (argument 2): --cmd, --cwd, --color", "-q", "--c=x");
}

static void test_errors(void)
{
	PARSES("quiet@1 ! unknown option '--cdm=x' (argument 2); did you mean --cmd?", "-q", "--cdm=x");
	PARSES("! unknown option '--colour' (argument 1); did you mean --color?", "--colour");
	PARSES("! unknown option '--zzzz' (argument 1)", "--zzzz");
	PARSES("! unknown option '--=x' (argument 1)", "--=x");
	PARSES("! unknown option '-x' (argument 1)", "-x");
	PARSES("quiet@1 ! unknown option '-x' in '-qxv' (argument 1)", "-qxv");
	PARSES("! unknown option '-l' in '-list' (argument 1); did you mean --list?", "-list");
	PARSES("! unknown option '-\xc3\xa9' (argument 1)", "-\xc3\xa9");
	PARSES("quiet@1 quiet@2 ! option '--cmd' needs an argument (argument 3)", "-q", "-q", "--cmd");
	PARSES("quiet@1 ! option '-c' needs an argument (argument 1)", "-qc");
	PARSES("! option '--list' takes no argument (argument 1)", "--list=x");
	PARSES("! option '--list' takes no argument (argument 1)", "--list=");
	PARSES("! option '--mode' takes auto, fast or slow, not 'x' (argument 1)", "--mode", "x");
	PARSES("! option '-C' takes auto, fast or slow, not 'x' (argument 1)", "-Cx");
	PARSES("! option '--color' takes auto, fast or slow, not '' (argument 1)", "--color=");
	PARSES("! option '--cwd' needs an argument that is not empty (argument 1)", "--cwd=");
}

static void test_lookup(void)
{
	CHECK(options_find(table, "list") == &table[7]);
	CHECK(!options_find(table, "lis"));
	CHECK(!options_find(table, ""));
	CHECK_STR(options_nearest(table, "cdm=x", 3), "cmd");
	CHECK_STR(options_nearest(table, "ver-bose", 8), "verbose");
	CHECK_STR(options_nearest(table, "qiuet", 5), "quiet");
	CHECK_STR(options_nearest(table, "c", 1), NULL);
	CHECK_STR(options_nearest(table, "", 0), NULL);
	CHECK_STR(options_nearest(table, "completely-different-and-far-too-long", 37), NULL);
}

static bool table_is(const struct option_spec *rows, const char *want)
{
	cleanup_buf struct buf err = BUF_INIT;
	int r = options_check_table(rows, &err);

	return want ? r == -EINVAL && strstr(err.data, want) : !r && !err.len;
}

static void test_table(void)
{
	const struct option_spec a = {.name = "a", .help = "h", .group = "G"};
	struct option_spec rows[] = {a, {.name = "b", .letter = 'b', .help = "h"}, {.name = "c", .help = "h"}, {0}};

	CHECK(table_is(table, NULL));
	CHECK(table_is(rows, NULL));
	rows[2].letter = 'b';
	CHECK(table_is(rows, "letter of another"));
	rows[2].letter = '-';
	CHECK(table_is(rows, "cannot be one"));
	rows[2] = (struct option_spec){.name = "b", .help = "h"};
	CHECK(table_is(rows, "twice"));
	rows[2] = (struct option_spec){.name = "c"};
	CHECK(table_is(rows, "no help"));
	rows[2] = (struct option_spec){.name = "c", .help = "h", .choices = modes};
	CHECK(table_is(rows, "no argument"));
	rows[2] = (struct option_spec){.name = "C x", .help = "h"};
	CHECK(table_is(rows, "not a name"));
	rows[2].name = "a-name-of-more-than-31-characters";
	CHECK(table_is(rows, "not a name"));
	rows[2].name = "c";
	rows[0].group = NULL;
	CHECK(table_is(rows, "no heading"));
}

int main(void)
{
	test_forms();
	test_optional_argument();
	test_order_and_end();
	test_words_between();
	test_short_names();
	test_errors();
	test_lookup();
	test_table();
	return TAP_DONE();
}
