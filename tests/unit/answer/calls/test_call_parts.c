/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recorded call in parts: whatever an argument looks like, it is one. */
#include "tap.h"

#include <exectrace/answer/calls/call.h>
#include <linux/audit.h>

#define TEXT(literal) ((struct data_text){literal, sizeof(literal) - 1})
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* "name|filename: ...|flags: ...= result" */
static const char *joined(const struct data_syscall *call, bool unfinished)
{
	static char line[512];
	static struct call_parts parts;
	int n = 0;

	if (!CHECK_INT(call_take_apart(&parts, call, unfinished), 0))
		return "";
	n = snprintf(line, sizeof(line), "%.*s", (int)parts.name.n, parts.name.bytes);
	for (unsigned i = 0; i < parts.nargs; i++)
		n += snprintf(line + n, sizeof(line) - (size_t)n, "|%s: %.*s", parts.args[i].name,
		              (int)parts.args[i].text.n, parts.args[i].text.bytes);
	snprintf(line + n, sizeof(line) - (size_t)n, "= %.*s", (int)parts.result.n, parts.result.bytes);
	call_parts_release(&parts);
	return line;
}

/* The parts stand in the text in their order. */
static void in_order(const struct data_syscall *call)
{
	struct call_parts parts = {0};
	struct buf whole = BUF_INIT;
	const char *at;
	bool ordered = true;

	CHECK_INT(call_print(&whole, call, false), 0);
	CHECK_INT(call_take_apart(&parts, call, false), 0);
	at = whole.data + parts.name.n;
	for (unsigned i = 0; i < parts.nargs; i++) {
		ordered &= memcmp(at, i ? ", " : "(", i ? 2 : 1) == 0;
		at += i ? 2 : 1;
		ordered &= memcmp(at, parts.args[i].text.bytes, parts.args[i].text.n) == 0;
		at += parts.args[i].text.n;
	}
	CHECK(ordered && *at == ')');
	CHECK_STR(strstr(at, "= ") + 2, parts.result.bytes);
	call_parts_release(&parts);
	buf_release(&whole);
}

static const struct data_extra odd[] = {{0, DATA_EXTRA_TEXT, TEXT("3</a\"b, (c>")},
                                        {1, DATA_EXTRA_PATH, TEXT("d\", [e\\")},
                                        {6, DATA_EXTRA_TEXT, TEXT("4</f) = 5>")}};
static const struct data_extra cloned[] = {{0, DATA_EXTRA_TEXT, TEXT("{flags=CLONE_VM, exit_signal=17}")}};

int main(void)
{
	struct data_syscall openat = {.arch = AUDIT_ARCH_X86_64, .nr = 257, .nargs = 4, .result = 4, .args = {3, 1, 1}};
	struct data_syscall clone3 = {.arch = AUDIT_ARCH_X86_64, .nr = 435, .nargs = 2, .result = 7, .args = {1, 88}};
	struct data_syscall close = {.arch = AUDIT_ARCH_I386, .nr = 6, .nargs = 1, .error = true, .result = -9};
	struct data_syscall unknown = {.arch = AUDIT_ARCH_X86_64, .nr = 999, .nargs = 6, .args = {1, 2, 3, 4, 5, 6}};
	struct data_syscall foreign = {.arch = 0x1234, .nr = 16, .nargs = 2, .args = {10, 11}, .result = -3};

	openat.extras = odd;
	openat.nextras = COUNT(odd);
	CHECK_STR(joined(&openat, false),
	          "openat|dirfd: 3</a\"b, (c>|pathname: \"d\\\", [e\\\\\"|flags: O_WRONLY= 4</f) = 5>");
	CHECK_STR(joined(&openat, true), "openat|dirfd: 3</a\"b, (c>|pathname: \"d\\\", [e\\\\\"|flags: O_WRONLY= ");
	in_order(&openat);
	clone3.extras = cloned;
	clone3.nextras = COUNT(cloned);
	CHECK_STR(joined(&clone3, false), "clone3|cl_args: {flags=CLONE_VM, exit_signal=17}|size: 88= 7");
	in_order(&clone3);
	CHECK_STR(joined(&close, false), "close|fd: 0= -1 EBADF (Bad file descriptor)");
	in_order(&close);
	CHECK_STR(joined(&unknown, false), "syscall_0x3e7|a: 0x1|b: 0x2|c: 0x3|d: 0x4|e: 0x5|f: 0x6= 0");
	in_order(&unknown);
	CHECK_STR(joined(&foreign, false), "syscall_0x10|a: 0xa|b: 0xb= -3");
	in_order(&foreign);
	return TAP_DONE();
}
