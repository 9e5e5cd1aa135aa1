/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/syscalls/filter.h>

static bool has(const struct syscall_filter *f, const char *abi, const char *name)
{
	const struct arch *arch = arch_by_name(abi);

	return syscall_filter_has(f, arch, (uint32_t)syscall_nr(arch, name));
}

/* The calls of `names` that a filter has: one letter each, in capitals when it is in. */
static const char *shows(const char *text)
{
	static const char *const names[] = {"openat", "close", "socket", "mmap", "munmap", "kill"};
	static char out[8];
	cleanup_buf struct buf err = BUF_INIT;
	struct syscall_filter f;

	if (syscall_filter_parse(&f, text, &err))
		return "error";
	for (unsigned i = 0; i < 6; i++)
		out[i] = has(&f, "x86_64", names[i]) ? (char)(names[i][0] - 'a' + 'A') : names[i][0];
	return out;
}

static void lists(void)
{
	CHECK_STR(shows("openat"), "Ocsmmk");
	CHECK_STR(shows("openat,close"), "OCsmmk");
	CHECK_STR(shows("%network"), "ocSmmk");
	CHECK_STR(shows("%desc,!close"), "OcsMmk");
	CHECK_STR(shows("!close"), "OcSMMK");
	CHECK_STR(shows("!%memory,!/^op/"), "oCSmmK");
	CHECK_STR(shows("!%all,kill"), "ocsmmK");
	CHECK_STR(shows("/map/"), "ocsMMk");
	CHECK_STR(shows("/^mmap$/,/^(open|clo){1,2}/"), "OCsMmk");
	CHECK_STR(shows("%all"), "OCSMMK");
	CHECK_STR(shows("all,!openat"), "oCSMMK");
	CHECK_STR(shows("9,3"), "oCsMmk");
	CHECK_STR(shows("openat,!openat"), "ocsmmk");
	CHECK_STR(shows("/map@64"), "ocsMMk");
	CHECK_STR(shows("/map/@32"), "ocsmmk");
	CHECK_STR(shows("signal,network"), "ocSmmK");
	CHECK_STR(shows("none"), "ocsmmk");
	CHECK_STR(shows("!none"), "OCSMMK");
	CHECK_STR(shows(",openat,,close,"), "OCsmmk");
	CHECK_STR(shows("/map"), "ocsMMk");
	CHECK_STR(shows("/^open,close,/^mm"), "OCsMmk");
	CHECK_STR(shows("/^open,close,/^mm,/kill/"), "OCsMmK");
}

static void abis(void)
{
	struct syscall_filter f;
	struct buf err = BUF_INIT;

	CHECK_INT(syscall_filter_parse(&f, "mmap2,read", &err), 0);
	CHECK(has(&f, "i386", "mmap2") && has(&f, "i386", "read"));
	CHECK(has(&f, "x32", "read") && !has(&f, "x86_64", "mmap"));
	CHECK(!syscall_filter_has(&f, arch_by_name("x86_64"), 5000));
	CHECK(!syscall_filter_has(&f, arch_by_name("aarch64"), 63));
	CHECK_INT(syscall_filter_parse(&f, "!read", &err), 0);
	CHECK(syscall_filter_has(&f, arch_by_name("x86_64"), 5000));
	CHECK(syscall_filter_has(&f, arch_by_name("aarch64"), 63));
	syscall_filter_all(&f);
	CHECK(has(&f, "x86_64", "read"));
	buf_release(&err);
}

static const struct {
	const char *text, *err;
} refused[] = {
	{"", ": a system call is missing (at offset 0)"},
	{",", ": a system call is missing (at offset 1)"},
	{"!", ": a system call is missing (at offset 0)"},
	{"read,opne", "opne: no such system call (at offset 5)"},
	{"%nonsense", "%nonsense: no such class of system calls (at offset 0)"},
	{"%", "%: no such class of system calls (at offset 0)"},
	{"12x", "12x: no such system call (at offset 0)"},
	{"99999", "99999: no such system call (at offset 0)"},
	{"read,/xyzzy", "/xyzzy: matches no system call (at offset 5)"},
	{"//", "//: an expression is missing (at offset 0)"},
	{"/", "/: an expression is missing (at offset 0)"},
	{"/xyzzy/", "/xyzzy/: matches no system call (at offset 0)"},
};

static void errors(void)
{
	struct syscall_filter f;

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		cleanup_buf struct buf err = BUF_INIT;

		CHECK_INT(syscall_filter_parse(&f, refused[i].text, &err), -EINVAL);
		CHECK_STR(err.data, refused[i].err);
	}
}

static void bad_regex(void)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct syscall_filter f;

	CHECK_INT(syscall_filter_parse(&f, "read,/(/", &err), -EINVAL);
	CHECK(strncmp(err.data, "/(/: ", 5) == 0 && strstr(err.data, "offset 5") && !strchr(err.data, '\n'));
}

int main(void)
{
	lists();
	abis();
	errors();
	bad_regex();
	return TAP_DONE();
}
