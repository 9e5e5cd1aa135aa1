/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/calls/call.h>

#include "recording_sample.h"
#include "tap.h"

#include <errno.h>
#include <stdlib.h>

/* The text of a call; freed by the caller. */
static char *text_of(const struct data_syscall *call, bool unfinished)
{
	struct buf out = BUF_INIT;

	CHECK_INT(call_print(&out, call, unfinished), 0);
	return buf_steal(&out);
}

static void check(const struct data_syscall *call, bool unfinished, const char *want)
{
	char *got = text_of(call, unfinished);

	CHECK_STR(got, want);
	free(got);
}

#define CALL(number, n, ...)                                                                           \
	(struct data_syscall)                                                                          \
	{                                                                                              \
		.tid = 1, .arch = AUDIT_ARCH_X86_64, .nr = number, .nargs = n, .args = { __VA_ARGS__ } \
	}

static struct data_syscall with(struct data_syscall call, const struct data_extra *extras, size_t n, int64_t result)
{
	call.extras = extras;
	call.nextras = (uint8_t)n;
	call.result = result;
	call.error = result < 0;
	return call;
}

static void test_text(void)
{
	static const struct data_extra two[] = {{0, DATA_EXTRA_PATH, TEXT("a\n")}, {1, DATA_EXTRA_PATH, TEXT("")}};
	static const struct data_extra odd[] = {{6, DATA_EXTRA_TEXT, TEXT("")},
	                                        {5, DATA_EXTRA_PATH, TEXT("never")},
	                                        {200, DATA_EXTRA_TEXT, TEXT("never")},
	                                        {0, 99, TEXT("never")}};
	static const struct data_extra buffer[] = {{1, DATA_EXTRA_BYTES, TEXT("\1a")}};
	struct data_syscall call = with(CALL(257, 4, (uint64_t)-100, 1, 02000000), extra_path, 2, 3);

	check(&call, false, "openat(AT_FDCWD, \"/etc/pas\\\"swd\", O_RDONLY|O_CLOEXEC) = 3</etc/pas\"swd>");
	call = with(CALL(1, 3, 1, 4096, 6), extra_write, 2, 6);
	check(&call, false, "write(1</dev/null>, \"hello\\n\", 6)       = 6");
	/* The buffer goes on behind what was recorded of it. */
	call = with(CALL(1, 3, 1, 4096, 600), extra_write, 2, 600);
	check(&call, false, "write(1</dev/null>, \"hello\\n\"..., 600)  = 600");
	call = with(CALL(0, 3, 5, 4096, 600), buffer, 1, 2);
	check(&call, false, "read(5, \"\\1a\", 600)                     = 2");
	call = with(CALL(0, 3, 5, 4096, 600), buffer, 1, 40);
	check(&call, false, "read(5, \"\\1a\"..., 600)                  = 40");
	call = with(CALL(82, 2, 1, 2), two, 2, -1);
	check(&call, false, "rename(\"a\\n\", \"\")                       = -1 EPERM (Operation not permitted)");
	call = with(CALL(3, 1, 7), odd, 4, 0);
	check(&call, false, "close(7)                                = ");
	/* Nothing is known but the values. */
	call = with(CALL(257, 4, (uint64_t)-100, 0x1000, 0), NULL, 0, -2);
	check(&call, false, "openat(AT_FDCWD, 0x1000, O_RDONLY)      = -1 ENOENT (No such file or directory)");
	call = CALL(231, 1, 3);
	check(&call, true, "exit_group(3)                           = ?");
	call = CALL(0, 3, 5, 4096, 600);
	check(&call, true, "read(5,  <unfinished ...>)              = ?");
	call = with(CALL(4000, 0), NULL, 0, -38);
	check(&call, false, "syscall_0xfa0(0, 0, 0, 0, 0, 0)         = -1 ENOSYS (Function not implemented)");
	call = with(CALL(5, 2, 1, 0xff), NULL, 0, -9);
	call.arch = 1;
	check(&call, false, "syscall_0x5(0x1, 0xff) = -9");
	check(&call, true, "syscall_0x5(0x1, 0xff) = ?");
}

static void test_names(void)
{
	struct data_syscall call = CALL(257, 0);
	char out[32];

	CHECK_STR(call_name(&call, out), "openat");
	call.arch = AUDIT_ARCH_I386;
	call.nr = 6;
	CHECK_STR(call_name(&call, out), "close");
	call.nr = UINT32_MAX;
	CHECK_STR(call_name(&call, out), "syscall_0xffffffff");
	call.arch = 77;
	call.nr = 1;
	CHECK_STR(call_name(&call, out), "syscall_0x1");
}

static bool path_is(const struct data_extra *extras, size_t n, const char *want)
{
	struct data_syscall call = with(CALL(0, 0), extras, n, 0);
	struct data_text path;

	if (!call_path(&call, &path))
		return !want;
	return want && path.n == strlen(want) && !memcmp(path.bytes, want, path.n);
}

static void test_paths(void)
{
	static const struct data_extra odd[] = {{0, DATA_EXTRA_TEXT, TEXT("3<")},
	                                        {1, DATA_EXTRA_TEXT, TEXT("<x>")},
	                                        {2, DATA_EXTRA_TEXT, TEXT("{3<x>}")},
	                                        {3, DATA_EXTRA_TEXT, TEXT("")},
	                                        {4, DATA_EXTRA_BYTES, TEXT("3<x>")}};
	static const struct data_extra empty[] = {{0, DATA_EXTRA_TEXT, TEXT("3<>")}};
	static const struct data_extra at[] = {{0, DATA_EXTRA_TEXT, TEXT("AT_FDCWD</tmp>")},
	                                       {1, DATA_EXTRA_PATH, TEXT("x")}};
	struct data_syscall call = with(CALL(0, 0), at, 2, 0);

	CHECK(path_is(extra_path, 2, "/etc/pas\"swd"));
	CHECK(path_is(extra_path + 1, 1, NULL)); /* the result is what came of it */
	CHECK(path_is(extra_write, 2, "/dev/null"));
	CHECK(path_is(odd, COUNT(odd), NULL));
	CHECK(path_is(empty, 1, ""));
	CHECK(path_is(at, 2, "x"));
	CHECK(path_is(at, 1, "/tmp"));
	CHECK(call_names(&call, "x") && call_names(&call, "/tmp") && !call_names(&call, "/tm") &&
	      !call_names(&call, ""));
	call = with(CALL(0, 0), extra_path + 1, 1, 0);
	CHECK(call_names(&call, "/etc/pas\"swd"));
}

static void file_is(const struct data_extra *extras, size_t n, const char *want)
{
	struct data_syscall call = with(CALL(0, 0), extras, n, 0);
	struct buf file = BUF_INIT;

	CHECK_INT(call_file(&file, &call), want ? 0 : -ENOENT);
	CHECK_STR(file.len ? file.data : "", want ? want : "");
	buf_release(&file);
}

static void test_files(void)
{
	static const struct data_extra at[] = {{0, DATA_EXTRA_TEXT, TEXT("AT_FDCWD</tmp>")},
	                                       {1, DATA_EXTRA_PATH, TEXT("./x")}};
	static const struct data_extra here[] = {{0, DATA_EXTRA_TEXT, TEXT("AT_FDCWD</tmp/>")},
	                                         {1, DATA_EXTRA_PATH, TEXT(".")}};
	static const struct data_extra empty[] = {{0, DATA_EXTRA_TEXT, TEXT("3</tmp/y>")},
	                                          {1, DATA_EXTRA_PATH, TEXT("")}};
	static const struct data_extra list[] = {
		{0, DATA_EXTRA_TEXT, TEXT("[{fd=3<UNIX:run/s>, events=POLLIN}, {fd=4</z>}]")}};
	static const struct data_extra odd[] = {{0, DATA_EXTRA_TEXT, TEXT("[{fd=3<x")},
	                                        {1, DATA_EXTRA_TEXT, TEXT("[<x>]")}};
	struct data_syscall call = with(CALL(0, 0), list, 1, 0);

	file_is(at, 2, "/tmp/x");
	file_is(here, 2, "/tmp");
	file_is(empty, 2, "/tmp/y");
	file_is(list, 1, "UNIX:run/s");
	file_is(odd, 2, NULL);
	file_is(odd, 0, NULL);
	file_is(extra_path, 2, "/etc/pas\"swd");
	CHECK(call_names(&call, "run/s") && call_names(&call, "/z") && !call_names(&call, "run"));
}

#define AT_4096 "\0\x10\0\0\0\0\0\0"

/* Memory that was recorded is decoded as that of a process is. */
static void test_memory(void)
{
	static const struct data_extra address[] = {
		{1, DATA_EXTRA_MEMORY, TEXT(AT_4096 "\2\0\0\65\n\0\0\1\0\0\0\0\0\0\0\0")}};
	static const struct data_extra cut[] = {{1, DATA_EXTRA_MEMORY, TEXT(AT_4096 "\2\0\0\65\n\0\0\1\0\0\0\0\0\0\0")},
	                                        {1, DATA_EXTRA_MEMORY, TEXT("\0")}};
	static const struct data_extra polled[] = {{0, DATA_EXTRA_MEMORY,
	                                            TEXT(AT_4096 "\3\0\0\0\1\0\0\0"
	                                                         "\63\0\0\0\1\0\0\0")},
	                                           {0, DATA_EXTRA_DESCRIPTOR, TEXT("3<socket:[7]>")},
	                                           {0, DATA_EXTRA_DESCRIPTOR, TEXT("5<>")},
	                                           {0, DATA_EXTRA_MEMORY,
	                                            TEXT(AT_4096 "\3\0\0\0\1\0\1\0"
	                                                         "\63\0\0\0\1\0\0\0")}};
	struct data_syscall call = with(CALL(42, 3, 3, 4096, 16), address, 1, -101);

	check(&call, false,
	      "connect(3, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr(\"10.0.0.1\")}, 16) = "
	      "-1 ENETUNREACH (Network is unreachable)");
	call = with(CALL(42, 3, 3, 4096, 16), cut, 2, 0);
	check(&call, false, "connect(3, 0x1000, 16)                  = 0");
	/* As it was before the call, and behind it. */
	call = with(CALL(7, 3, 4096, 2, (uint64_t)-1), polled, 4, 1);
	check(&call, false,
	      "poll([{fd=3<socket:[7]>, events=POLLIN}, {fd=51, events=POLLIN}], 2, -1) = 1 "
	      "([{fd=3, revents=POLLIN}])");
	check(&call, true, "poll([{fd=3<socket:[7]>, events=POLLIN}, {fd=51, events=POLLIN}], 2, -1) = ?");
}

int main(void)
{
	test_files();
	test_memory();
	test_text();
	test_names();
	test_paths();
	return TAP_DONE();
}
