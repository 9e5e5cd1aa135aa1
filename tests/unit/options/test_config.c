/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of options: what a line means, which lines are refused, and reading them from odd places. */
#include "tap.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/options/config.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Notes an option as "line:name[value] "; a name "stop" is refused. */
static int note(void *ctx, const struct config_item *item, struct buf *err)
{
	if (!strcmp(item->name, "stop")) {
		buf_puts(err, "enough");
		return -EINVAL;
	}
	if (!strcmp(item->name, "full"))
		return -ENOMEM;
	buf_printf(ctx, "%d:%s", item->line, item->name);
	if (item->value)
		buf_printf(ctx, "[%s]", item->value);
	return buf_putc(ctx, ' ');
}

static char *parse(const char *text, size_t len, int want)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct buf out = BUF_INIT;

	CHECK_INT(config_parse(text, len, note, &out, &err), want);
	if (err.len)
		buf_printf(&out, "! %s", err.data);
	return buf_steal(&out);
}

#define PARSES(text, status, want)                                 \
	do {                                                       \
		char *got = parse(text, sizeof(text) - 1, status); \
		CHECK_STR(got, want);                              \
		free(got);                                         \
	} while (0)

static void test_lines(void)
{
	PARSES("", 0, "");
	PARSES("\n\n", 0, "");
	PARSES("run=log", 0, "1:run[log] ");
	PARSES("--run=log\n--first\n", 0, "1:run[log] 2:first ");
	PARSES("run strace -f\n", 0, "1:run[strace -f] ");
	PARSES("\t run \t strace \t\n", 0, "1:run[strace] ");
	PARSES("run = strace\n", 0, "1:run[strace] ");
	PARSES("cmd==x\ncmd = = x\n", 0, "1:cmd[=x] 2:cmd[= x] ");
	PARSES("env=A=b c\n", 0, "1:env[A=b c] ");
	PARSES("cmd=\ncmd\n", 0, "1:cmd[] 2:cmd ");
	PARSES("# a\n  # b\n\ncmd=a # b\ncmd='x'\n", 0, "4:cmd[a # b] 5:cmd['x'] ");
	PARSES("run=log\r\n\r\n# x\r\nfirst\r\nnth 3 \r\n", 0, "1:run[log] 4:first 5:nth[3] ");
	PARSES("\xef\xbb\xbfrun=log\n\xef\xbb\xbf#x\n", 0, "1:run[log] 2:\xef\xbb\xbf#x ");
	PARSES("\xef\xbb\xbf", 0, "");
	PARSES("\xef\xbb", 0, "1:\xef\xbb ");
	PARSES("cmd=a\rb\r", 0, "1:cmd[a\rb] ");
	PARSES("cmd=\xff\xc3\xa9\n", 0, "1:cmd[\xff\xc3\xa9] ");
}

static void test_errors(void)
{
	PARSES("a\n\n=x\nb\n", -EINVAL, "1:a ! 3: no option name at the start of the line");
	PARSES("--\n", -EINVAL, "! 1: no option name at the start of the line");
	PARSES("-- x\n", -EINVAL, "! 1: no option name at the start of the line");
	PARSES("a\nb=\0c\n", -EINVAL, "1:a ! 2: NUL byte in the line");
	PARSES("#\0\n", -EINVAL, "! 1: NUL byte in the line");
	PARSES("a\nstop\nb\n", -EINVAL, "1:a ! 2: enough");
	PARSES("a\nfull\nb\n", -ENOMEM, "1:a ");
}

static void test_long_line(void)
{
	cleanup_buf struct buf text = BUF_INIT;
	cleanup_buf struct buf out = BUF_INIT;
	cleanup_buf struct buf err = BUF_INIT;

	buf_puts(&text, "cmd=");
	for (int i = 0; i < 100000; i++)
		buf_puts(&text, "0123456789");
	CHECK_INT(config_parse(text.data, text.len, note, &out, &err), 0);
	CHECK_INT(out.len, strlen("1:cmd[] ") + 1000000);
}

static void write_file(const char *path, const char *text, size_t n)
{
	cleanup_fd int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	CHECK_INT(fd_write_all(fd, text, n), 0);
}

static void test_read(void)
{
	cleanup_buf struct buf text = BUF_INIT;
	char dir[] = "/tmp/test_config.XXXXXX";
	int ends[2];
	char path[64];

	CHECK(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/rules", dir);
	CHECK_INT(config_read(path, &text), -ENOENT);
	CHECK_INT(config_read(dir, &text), -EISDIR);
	write_file(path, "a\0b\n", 4);
	CHECK_INT(config_read(path, &text), 0);
	CHECK(text.len == 4 && !memcmp(text.data, "a\0b\n", 5));
	write_file(path, "", 0);
	CHECK_INT(config_read(path, &text), 0);
	CHECK_INT(text.len, 4);
	CHECK_INT(truncate(path, CONFIG_SIZE_MAX), 0);
	CHECK_INT(config_read(path, &text), 0);
	CHECK_INT(text.len, 4 + CONFIG_SIZE_MAX);
	CHECK_INT(truncate(path, CONFIG_SIZE_MAX + 1), 0);
	CHECK_INT(config_read(path, &text), -EFBIG);
	CHECK_INT(unlink(path), 0);
	CHECK_INT(rmdir(dir), 0);

	CHECK_INT(fd_pipe(ends, 0), 0);
	CHECK_INT(fd_write_all(ends[1], "run=log", 7), 0);
	fd_close(&ends[1]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	buf_release(&text);
	CHECK_INT(config_read(path, &text), 0);
	CHECK_STR(text.data, "run=log");
	fd_close(&ends[0]);
}

int main(void)
{
	test_lines();
	test_errors();
	test_long_line();
	test_read();
	return TAP_DONE();
}
