/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/match/pattern.h>
#include <stdlib.h>

/* Compiles and matches; -1 (which is no error of pattern_match) when it does not compile. */
static int regex(const char *text, const char *subject, size_t n)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct pattern *p = NULL;
	size_t at = 0;
	int found = -1;

	if (!pattern_regex(text, &p, &err, &at))
		found = pattern_match(p, subject, n);
	pattern_free(p);
	return found;
}

#define LIT(text) (text), sizeof(text) - 1

static void regexes(void)
{
	CHECK_INT(regex("b+", LIT("abbc")), 1);
	CHECK_INT(regex("^b", LIT("abbc")), 0);
	CHECK_INT(regex("", LIT("")), 1);
	CHECK_INT(regex("", NULL, 0), 1);
	CHECK_INT(regex("x", NULL, 0), 0);
	CHECK_INT(regex("c$", LIT("abbc")), 1);
	/* Only the n bytes that are given. */
	CHECK_INT(regex("c", "abbc", 3), 0);
	/* A command line is one subject, whatever newlines are in it. */
	CHECK_INT(regex("sh.*gcc", LIT("sh -c set -e\ngcc x")), 1);
	CHECK_INT(regex("^gcc", LIT("sh\ngcc")), 0);
	CHECK_INT(regex("(?m)^gcc", LIT("sh\ngcc")), 1);
	CHECK_INT(regex("(?i)PROG", LIT("./prog")), 1);
}

static void bytes_and_characters(void)
{
	CHECK_INT(regex("^.$", LIT("\xc3\xbc")), 1);
	CHECK_INT(regex("^\xc3\xbc+$", LIT("\xc3\xbc\xc3\xbc")), 1);
	CHECK_INT(regex("prog.*-l", LIT("\xff prog -l \xff")), 1);
	CHECK_INT(regex("-l$", LIT("\xff\xfe -l")), 1);
	/* A pattern that is not UTF-8 is about bytes. */
	CHECK_INT(regex("\xff", LIT("a\xff")), 1);
	CHECK_INT(regex("^.{3}\xff$", LIT("a\xc3\xbc\xff")), 1);
	CHECK_INT(regex("\xff", LIT("a\xfe")), 0);
}

static void bad_regexes(void)
{
	static const struct {
		const char *text, *message;
		size_t at;
	} cases[] = {
		{"a(b", "missing closing parenthesis", 3},
		{"*", "quantifier does not follow a repeatable item", 0},
		{"ab[c", "missing terminating ] for character class", 4},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cleanup_buf struct buf err = BUF_INIT;
		struct pattern *p = NULL;
		size_t at = 99;

		CHECK_INT(pattern_regex(cases[i].text, &p, &err, &at), -EINVAL);
		CHECK_STR(err.data, cases[i].message);
		CHECK_INT(at, (long long)cases[i].at);
		CHECK(!p);
	}
	CHECK_INT(regex("a\\Cb", LIT("axb")), -1);
}

/* n bytes "abab...", the last one replaced. */
static int on_long(const char *text, size_t n, char last)
{
	char *subject = malloc(n);
	int found;

	for (size_t i = 0; i < n; i++)
		subject[i] = i % 2 ? 'b' : 'a';
	subject[n - 1] = last;
	found = regex(text, subject, n);
	free(subject);
	return found;
}

static void long_subjects(void)
{
	/* More backtracking than the JIT's own 32 KiB hold, and than 8 MiB do. */
	CHECK_INT(on_long("(a|b)*c", 50000, 'c'), 1);
	CHECK_INT(on_long("(a|b)*c", 1000000, 'c'), 1);
	CHECK_INT(on_long("(a|b)*c", 1000000, 'b'), 0);
	CHECK_INT(on_long("^(?:a|b)*d", 1000000, 'c'), 0);
	CHECK_INT(on_long("ba.*bac", 1000000, 'c'), 1);
	/* Would take for ever: PCRE2's limits end it. */
	CHECK_INT(on_long("^(a+|b+|ab)+$", 200, 'x'), -E2BIG);
}

static int glob(const char *text, const char *subject)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct pattern *p = NULL;
	size_t at = 0;
	int found = -1;

	if (!pattern_glob(text, &p, &err, &at) && !strcmp(pattern_text(p), text))
		found = pattern_match(p, subject, strlen(subject));
	pattern_free(p);
	return found;
}

struct glob_case {
	const char *glob, *subject;
	int match;
};

static const struct glob_case glob_cases[] = {
	{"", "", 1},
	{"", "a", 0},
	{"abc", "abc", 1},
	{"abc", "abcd", 0},
	{"abc", "ab", 0},
	{"a?c", "abc", 1},
	{"a?c", "a/c", 0},
	{"a?c", "ac", 0},
	{"?", "\xc3\xbc", 1},
	{"??", "\xc3\xbc", 0},
	{"?", "\xff", 1},
	{"*", "", 1},
	{"*", "abc", 1},
	{"*", ".hidden", 1},
	{"*", "a/b", 0},
	{"*.c", "x.c", 1},
	{"*.c", "x.c.c", 1},
	{"*.c", "x.h", 0},
	{"a*b*c", "aXbXbXc", 1},
	{"a*b*c", "aXbXbX", 0},
	{"*a*", "/a", 0},
	{"/*/bin/c*", "/usr/bin/cc", 1},
	{"/*/bin/c*", "/usr/local/bin/cc", 0},
	{"*\xbc", "\xc3\xbc", 0},
	/* two stars */
	{"**", "", 1},
	{"**", "/a/b", 1},
	{"/usr/**", "/usr/a/b", 1},
	{"/usr/**", "/usr", 0},
	{"/usr/**/cc", "/usr/cc", 1},
	{"/usr/**/cc", "/usr/x/cc", 1},
	{"/usr/**/cc", "/usr/x/y/cc", 1},
	{"/usr/**/cc", "/usr/xcc", 0},
	{"**/cc", "cc", 1},
	{"**/cc", "/usr/bin/cc", 1},
	{"**/cc", "/usr/bin/gcc", 0},
	{"**cc", "/usr/bin/gcc", 1},
	{"**c*/z", "/a/cd/z", 1},
	{"/a**z", "/abc/d/z", 1},
	{"**/a*b/**/c*d", "x/y/axb/p/q/cd", 1},
	{"**/a*b/**/c*d", "x/y/axb/p/q/ce", 0},
	{"**/x/**/x/y", "x/x/z/x/y", 1},
	{"***", "a/b", 1},
	{"**/*.so*", "/lib/x/libc.so.6", 1},
	/* brackets */
	{"[abc]", "b", 1},
	{"[abc]", "d", 0},
	{"[!abc]", "d", 1},
	{"[^abc]", "b", 0},
	{"[a-c]x", "bx", 1},
	{"[a-c]x", "dx", 0},
	{"[-a]", "-", 1},
	{"[a-]", "-", 1},
	{"[]]", "]", 1},
	{"[!]]", "]", 0},
	{"[]a]", "a", 1},
	{"[!a]", "/", 0},
	{"[/]", "/", 0},
	{"[\xc3\xa4-\xc3\xbc]", "\xc3\xb6", 1},
	{"[!\xc3\xa4]", "\xc3\xb6", 1},
	{"[\\]]", "]", 1},
	{"[a\\-c]", "b", 0},
	{"[[:digit:]]", "7", 1},
	{"[[:digit:]x-z]", "y", 1},
	{"[![:digit:]]", "7", 0},
	{"[[:alpha:]]", "\xc3\xbc", 0},
	{"[[:nonsense:]]", "n", 0},
	{"[[:alph]", "p", 1},
	{"cc1[", "cc1[", 1},
	{"a[b", "a[b", 1},
	{"[", "[", 1},
	{"[!", "[!", 1},
	{"[]", "[]", 1},
	{"*[x", "aa[x", 1},
	/* backslash */
	{"\\*", "*", 1},
	{"\\*", "a", 0},
	{"\\[a]", "[a]", 1},
	{"\\a", "a", 1},
	{"a\\", "a\\", 1},
	{"\\\\", "\\", 1},
	{"\\\xc3\xbc", "\xc3\xbc", 1},
};

static void globs(void)
{
	for (size_t i = 0; i < sizeof(glob_cases) / sizeof(glob_cases[0]); i++) {
		const struct glob_case *c = &glob_cases[i];

		if (!CHECK_INT(glob(c->glob, c->subject), c->match))
			tap_show("glob: ", c->glob);
	}
}

/* Many stars on a long name: quick, though a matcher that tries everything would not end. */
static void hard_glob(void)
{
	char name[3000];

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	CHECK_INT(glob("*a*a*a*a*a*a*a*a*a*a*b", name), 0);
	CHECK_INT(glob("**a**a**a**a**a**a**a**a**b", name), 0);
	CHECK_INT(glob("**/*a*a*a*a*a", name), 1);
}

int main(void)
{
	regexes();
	bytes_and_characters();
	bad_regexes();
	long_subjects();
	globs();
	hard_glob();
	pattern_free(NULL);
	return TAP_DONE();
}
