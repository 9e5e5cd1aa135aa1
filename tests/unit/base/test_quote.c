/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/quote.h>
#include <stdlib.h>
#include <unistd.h>

/* Bytes of the literal without the NUL at its end. */
#define LIT(text) (text), sizeof(text) - 1

struct pair {
	const char *in;
	size_t n;
	const char *out;
};

static const struct pair shell_pairs[] = {
	{LIT(""), "''"},
	{LIT("./prog"), "./prog"},
	{LIT("aZ09@%+=:,./_-"), "aZ09@%+=:,./_-"},
	{LIT("two words"), "'two words'"},
	{LIT("$HOME"), "'$HOME'"},
	{LIT("it's"), "'it'\\''s'"},
	{LIT("'"), "''\\'''"},
	{LIT("\\"), "'\\'"},
	{LIT("gr\xc3\xbc\xc3\x9f"), "'gr\xc3\xbc\xc3\x9f'"},
	{LIT("a\nb"), "$'a\\nb'"},
	{LIT("it's\ta\\b"), "$'it\\'s\\ta\\\\b'"},
	{LIT("\x1b[31m"), "$'\\x1b[31m'"},
	{LIT("\x7f"), "$'\\x7f'"},
	{LIT("\xc2\x9b"
             "31m"),
         "$'\\xc2\\x9b31m'"},
	{LIT("\xff\xc3\xbc"), "$'\\xff\xc3\xbc'"},
	{LIT("\xc3"), "$'\\xc3'"},
};

static void shell(void)
{
	for (size_t i = 0; i < sizeof(shell_pairs) / sizeof(shell_pairs[0]); i++) {
		cleanup_buf struct buf out = BUF_INIT;

		CHECK_INT(quote_shell(&out, shell_pairs[i].in, shell_pairs[i].n), 0);
		CHECK_STR(out.data, shell_pairs[i].out);
	}
}

static void shell_words(void)
{
	cleanup_strv struct strv v = STRV_INIT;
	cleanup_buf struct buf out = BUF_INIT;

	CHECK_INT(quote_shell_strv(&out, &v), 0);
	CHECK_STR(out.data, "");
	strv_push(&v, "grep");
	strv_push(&v, "");
	strv_push(&v, "a b");
	CHECK_INT(quote_shell_strv(&out, &v), 0);
	CHECK_STR(out.data, "grep '' 'a b'");
}

/* All bytes through the real shell: what it prints is what was quoted. */
static void bash_reads_it_back(void)
{
	cleanup_buf struct buf all = BUF_INIT, line = BUF_INIT;
	char got[1024];
	size_t n;
	FILE *out;

	if (access("/bin/bash", X_OK))
		return;
	for (int c = 1; c < 256; c++)
		buf_putc(&all, (char)c);
	buf_puts(&all, "\xc3\xbc 'x' 0");
	buf_puts(&line, "printf %s ");
	CHECK_INT(quote_shell(&line, all.data, all.len), 0);
	setenv("LINE", line.data, 1);
	out = popen("exec /bin/bash -c \"$LINE\"", "r");
	if (!CHECK(out))
		return;
	n = fread(got, 1, sizeof(got), out);
	pclose(out);
	CHECK_INT(n, (long long)all.len);
	CHECK(n == all.len && memcmp(got, all.data, n) == 0);
}

static const struct pair json_pairs[] = {
	{LIT(""), "\"\""},
	{LIT("plain / text"), "\"plain / text\""},
	{LIT("\"\\"), "\"\\\"\\\\\""},
	{LIT("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\""},
	{LIT("\x01\x1f\x7f"), "\"\\u0001\\u001f\\u007f\""},
	{LIT("a\0b"), "\"a\\u0000b\""},
	{LIT("\xc3\xbc\xf0\x9f\x98\x80"), "\"\xc3\xbc\xf0\x9f\x98\x80\""},
	{LIT("\xc2\x9b"), "\"\\u009b\""},
	{LIT("\xff\xc3"), "\"\\udcff\\udcc3\""},
	/* A surrogate in UTF-8 is not UTF-8, or \udcNN would be ambiguous. */
	{LIT("\xed\xb2\x80"), "\"\\udced\\udcb2\\udc80\""},
};

static void json(void)
{
	for (size_t i = 0; i < sizeof(json_pairs) / sizeof(json_pairs[0]); i++) {
		cleanup_buf struct buf out = BUF_INIT;

		CHECK_INT(quote_json(&out, json_pairs[i].in, json_pairs[i].n), 0);
		CHECK_STR(out.data, json_pairs[i].out);
	}
}

static void json_valid(void)
{
	cleanup_buf struct buf out = BUF_INIT;

	CHECK_INT(quote_json_valid(&out, "a\xff\"\xc3\xa9\x80", 6), 0);
	CHECK_STR(out.data, "\"a\\\\xff\\\"\xc3\xa9\\\\x80\"");
}

/* The words of text joined by '|', or "error at N". */
static char *split(const char *text)
{
	cleanup_strv struct strv v = STRV_INIT;
	struct buf out = BUF_INIT;
	size_t bad = 0;

	if (quote_split(text, &v, &bad))
		buf_printf(&out, "error at %zu", bad);
	for (size_t i = 0; i < v.n && !strstr(out.data ? out.data : "", "error"); i++)
		buf_printf(&out, "%s%s", i ? "|" : "", v.items[i]);
	return buf_steal(&out);
}

static const struct {
	const char *in, *out;
} split_pairs[] = {
	{"", ""},
	{" \t\n ", ""},
	{"strace -f  -o x", "strace|-f|-o|x"},
	{"a'b c'd \"e f\"", "ab cd|e f"},
	{"'' \"\" x", "||x"},
	{"a\\ b \\'c", "a b|'c"},
	{"'a\\b' \"a\\b\" \"a\\\"b\\$c\\`d\\\\e\"", "a\\b|a\\b|a\"b$c`d\\e"},
	{"a\\\nb \"c\\\nd\" 'e\\\nf'", "ab|cd|e\\\nf"},
	{"\\\n", ""},
	{"a \\\n b", "a|b"},
	{"$x `y` * ; | & # ~", "$x|`y`|*|;|||&|#|~"},
	{"a 'b", "error at 2"},
	{"a \"b\\\"", "error at 2"},
	{"'x' y\\", "error at 5"},
	{"\"\\", "error at 0"},
};

static void splitting(void)
{
	cleanup_strv struct strv v = STRV_INIT;

	for (size_t i = 0; i < sizeof(split_pairs) / sizeof(split_pairs[0]); i++) {
		cleanup_free char *got = split(split_pairs[i].in);

		CHECK_STR(got, split_pairs[i].out);
	}
	CHECK_INT(quote_split("'", &v, NULL), -EINVAL);
}

static void shown_as(const char *bytes, const char *want)
{
	cleanup_buf struct buf out = BUF_INIT;

	buf_puts(&out, "<");
	CHECK_INT(quote_terminal(&out, bytes, strlen(bytes)), 0);
	CHECK_STR(out.data + 1, want);
}

static void terminal(void)
{
	shown_as("", "");
	shown_as("a b\\c\"'", "a b\\c\"'");
	shown_as("\033[31mred\033[0m", "\\x1b[31mred\\x1b[0m");
	shown_as("a\nb\tc\rd\177", "a\\x0ab\\x09c\\x0dd\\x7f");
	shown_as("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
	shown_as("\xc2\x9b"
	         "2J\xc2\x80\xc2\xa0",
	         "\\xc2\\x9b"
	         "2J\\xc2\\x80\xc2\xa0");
	shown_as("\x9b\xff\xc3", "\\x9b\\xff\\xc3");
}

static void named(const char *bytes, const char *want)
{
	cleanup_buf struct buf out = BUF_INIT;

	CHECK_INT(quote_file_name(&out, bytes, strlen(bytes)), 0);
	CHECK_STR(out.data, want);
}

static void file_names(void)
{
	cleanup_buf struct buf out = BUF_INIT;
	char every[256] = "", name[2 * QUOTE_FILE_NAME_MAX];

	named("", "_");
	named("g++-12.real_x@y=z", "g++-12.real_x@y=z");
	named(".", "_");
	named("..", "_.");
	named("-rf", "_rf");
	named("a/b c\n;|&$(x)", "a_b_c______x_");
	for (int i = 1; i < 256; i++)
		every[i - 1] = (char)i;
	CHECK_INT(quote_file_name(&out, every, 255), 0);
	CHECK_INT(out.len, QUOTE_FILE_NAME_MAX);
	CHECK_INT(strspn(out.data, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+=@-"), out.len);
	memset(name, 'a', sizeof(name));
	out.len = 0;
	CHECK_INT(quote_file_name(&out, name, sizeof(name)), 0);
	CHECK_INT(out.len, QUOTE_FILE_NAME_MAX);
}

static void cell_is(const char *bytes, const char *want)
{
	cleanup_buf struct buf out = BUF_INIT;

	buf_puts(&out, "<");
	CHECK_INT(quote_csv(&out, bytes, strlen(bytes)), 0);
	CHECK_STR(out.data + 1, want);
}

static void csv(void)
{
	cell_is("", "");
	cell_is("plain", "plain");
	cell_is("a,b", "\"a,b\"");
	cell_is("say \"x\"", "\"say \"\"x\"\"\"");
	cell_is("\"", "\"\"\"\"");
	cell_is(" x", "\" x\"");
	cell_is("two\nlines\033[m,", "\"two\\x0alines\\x1b[m,\"");
}

/* Random words, with many of the characters that mean something. */
static void undoing(void)
{
	static const char special[] = "'\\$ \n\t\x01\"x41nb\xc3\xa4\xff";
	bool same = true;

	srand(1);
	for (int round = 0; round < 2000 && same; round++) {
		struct strv words = STRV_INIT;
		struct buf plain = BUF_INIT, quoted = BUF_INIT, back = BUF_INIT;

		for (int n = 1 + rand() % 4; n--;) {
			char word[9];
			size_t len = (size_t)(rand() % 8);

			for (size_t i = 0; i < len; i++)
				word[i] = special[(size_t)rand() % (sizeof(special) - 1)];
			strv_pushn(&words, word, len);
			buf_append(&plain, word, len);
			if (n)
				buf_putc(&plain, ' ');
		}
		quote_shell_strv(&quoted, &words);
		quote_shell_undo(&back, quoted.data);
		same = plain.len == back.len && (!plain.len || memcmp(plain.data, back.data, plain.len) == 0);
		strv_release(&words);
		buf_release(&plain);
		buf_release(&quoted);
		buf_release(&back);
	}
	CHECK(same);
}

int main(void)
{
	shell();
	shell_words();
	bash_reads_it_back();
	json();
	json_valid();
	splitting();
	terminal();
	file_names();
	csv();
	undoing();
	return TAP_DONE();
}
