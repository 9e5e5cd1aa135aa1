/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2];
static char got[100000];

/* What came out since the last time, as one string; "" for nothing. A sequenced-packet socket shows single writes. */
static const char *said(void)
{
	ssize_t n = recv(ends[0], got, sizeof(got) - 1, MSG_DONTWAIT);

	got[n > 0 ? n : 0] = '\0';
	return got;
}

static void levels(void)
{
	for (int v = -1; v <= 1; v++) {
		err_set_verbosity(v);
		CHECK_INT(err_verbosity(), v);
		err_say(ERR_ERROR, "error");
		CHECK_STR(said(), "exectrace: error\n");
		err_say(ERR_NOTE, "note");
		CHECK_STR(said(), v >= 0 ? "exectrace: note\n" : "");
		err_line(ERR_VERBOSE, "verbose");
		CHECK_STR(said(), v > 0 ? "verbose\n" : "");
	}
	err_set_verbosity(0);
}

static void sanitised(void)
{
	err_say(ERR_ERROR, "a\nb\x1b[31m\x7f\t%s", "\xc3\xbc\xff\xc2\x9b");
	CHECK_STR(said(), "exectrace: a\\x0ab\\x1b[31m\\x7f\\x09\xc3\xbc\\xff\\xc2\\x9b\n");
	err_line(ERR_ERROR, "%s", "");
	CHECK_STR(said(), "\n");
}

static void long_lines(void)
{
	static const size_t lengths[] = {1023, 1024, 1025, 20000};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		cleanup_buf struct buf text = BUF_INIT;

		while (text.len < lengths[i])
			buf_putc(&text, '\x01');
		err_line(ERR_ERROR, "%s", text.data);
		CHECK_INT(strlen(said()), (long long)lengths[i] * 4 + 1);
		CHECK_STR(got + strlen(got) - 5, "\\x01\n");
	}
}

static void keeps_errno(void)
{
	errno = EXDEV;
	err_say(ERR_ERROR, "%s", strerror(errno));
	CHECK_INT(errno, EXDEV);
	said();
}

static void forked(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		err_say(ERR_ERROR, "child");
		_exit(0);
	}
	CHECK(waitpid(pid, NULL, 0) == pid);
	CHECK_STR(said(), "exectrace: child\n");
}

static void nobody_there(void)
{
	close(STDERR_FILENO);
	errno = EXDEV;
	err_say(ERR_ERROR, "into the void");
	CHECK_INT(errno, EXDEV);
}

int main(void)
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) || dup2(ends[1], STDERR_FILENO) < 0)
		return 1;
	levels();
	sanitised();
	long_lines();
	keeps_errno();
	forked();
	nobody_there();
	return TAP_DONE();
}
