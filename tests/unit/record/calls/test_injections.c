/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --inject is given: what it means, what is refused, and which calls of a thread are meant. */
#include "tap.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/record/calls/injections.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

static int add(struct injections *injections, const char *text, bool fault)
{
	cleanup_buf struct buf err = BUF_INIT;
	int r = injections_add(injections, text, fault, &err);

	/* One line says what is wrong, and only then. */
	CHECK(!r == !err.len);
	CHECK(!err.len || !strchr(err.data, '\n'));
	return r;
}

static void meanings(void)
{
	struct injections all = {0}, negative = {0};

	CHECK_INT(add(&all, "write,openat:error=ENOSPC", false), 0);
	CHECK_INT(add(&negative, "read:retval=-1", false), 0);
	CHECK_INT(negative.items[0].result, -1);
	CHECK_INT(negative.items[0].succeeds, 1);
	injections_release(&negative);
	CHECK_INT(add(&all, "read:retval=0x10:when=2..8+3", false), 0);
	CHECK_INT(add(&all, "close:signal=TERM:delay_enter=5:delay_exit=2ms", false), 0);
	CHECK_INT(add(&all, "%file", true), 0);
	CHECK_INT(all.n, 4);
	CHECK_INT(all.items[0].result, -ENOSPC);
	CHECK(all.items[0].has_result && all.items[0].first == 1 && all.items[0].last == UINT64_MAX);
	CHECK(syscall_filter_has(&all.items[0].calls, arch_native(), SYS_openat));
	CHECK(!syscall_filter_has(&all.items[0].calls, arch_native(), SYS_read));
	CHECK_INT(all.items[1].result, 16);
	CHECK(all.items[1].first == 2 && all.items[1].last == 8 && all.items[1].step == 3);
	CHECK_INT(all.items[2].sig, SIGTERM);
	CHECK(!all.items[2].has_result && all.items[2].delay_enter == 5000 && all.items[2].delay_exit == 2000000);
	CHECK_INT(all.items[3].result, -ENOSYS);
	CHECK(syscall_filter_has(&all.calls, arch_native(), SYS_read) &&
	      syscall_filter_has(&all.calls, arch_native(), SYS_unlink));
	injections_release(&all);
}

/* Which of a thread's 12 calls, as digits. */
static const char *picked(const char *when)
{
	static char digits[13];
	struct injections all = {0};
	struct injected thread = {0};
	struct syscall_call call = {.arch = arch_native(), .nr = SYS_read};
	char text[64];

	snprintf(text, sizeof(text), "read:error=EIO:when=%s", when);
	CHECK_INT(add(&all, text, false), 0);
	for (unsigned i = 0; i < 12; i++) {
		struct syscall_call other = {.arch = arch_native(), .nr = SYS_write};

		CHECK_INT(injections_enter(&all, &thread, &other), 0);
		CHECK(!thread.of);
		CHECK_INT(injections_enter(&all, &thread, &call), 0);
		digits[i] = thread.of ? '1' : '0';
	}
	injected_release(&thread);
	injections_release(&all);
	return digits;
}

static void refused(void)
{
	static const char *const texts[] = {
		"",
		":error=EIO",
		"write",
		"write:",
		"write:error",
		"write:error=",
		"write:error=EFOO",
		"write:error=-1",
		"write:poke_enter=",
		"write:poke_enter=@arg0=00",
		"write:poke_enter=@arg7=00",
		"write:poke_enter=@arg1=0",
		"write:poke_enter=@arg1=",
		"write:poke_exit=@arg1=0g",
		"write:poke_exit=@arg1=00,",
		"write:poke_exit=arg1=00",
		"write:error=EIO:syscall=write",
		"write:error=EIO:syscall=nosuch",
		"write:error=EIO:syscall=gettid:syscall=getpid",
		"write:error=0",
		"write:error=4096",
		"write:when=3",
		"write:retval=--1",
		"write:poke_exit=@arg1=00,@arg1=01",
		"write:retval=18446744073709551616",
		"write:retval=1x",
		"write:error=EIO:error=EIO",
		"write:signal=0",
		"write:signal=65x",
		"write:delay_enter=",
		"write:delay_enter=1h",
		"write:delay_exit=-1",
		"write:error=EIO:when=",
		"write:error=EIO:when=0",
		"write:error=EIO:when=2..1",
		"write:error=EIO:when=1+0",
		"write:error=EIO:when=1+x",
		"write:error=EIO:when=1..",
		"nosuch:error=EIO",
	};
	struct injections all = {0};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!CHECK_INT(add(&all, texts[i], false), -EINVAL))
			tap_show("text:", texts[i]);
	CHECK_INT(all.n, 0);
	injections_release(&all);
}

/* Whatever it is given, it answers 0 or -EINVAL with a line. */
static void anything(unsigned seed)
{
	static const char *const pieces[] = {
		"write", ":",  "error=", "retval=", "when=", "signal=", "delay_exit=",          "EIO",
		"3",     "..", "+",      ",",       "!",     "%file",   "18446744073709551615", "/r.*d/",
		"ms",    "=",  "0x",     "",        "-"};
	struct injections all = {0};

	for (unsigned i = 0; i < 20000; i++) {
		char text[256] = "write:";

		for (unsigned n = (unsigned)rand_r(&seed) % 8; n-- > 0;)
			strcat(text, pieces[(unsigned)rand_r(&seed) % (sizeof(pieces) / sizeof(pieces[0]))]);
		{
			cleanup_buf struct buf err = BUF_INIT;
			int r = injections_add(&all, text, i & 1, &err);

			if ((r && r != -EINVAL) || !r != !err.len) {
				CHECK_INT(r, 0);
				tap_show("text:", text);
			}
		}
	}
	injections_release(&all);
}

/* What is written, what is made instead, and any result. */
static void deeds(void)
{
	struct injections all = {0};
	const struct injection *one;

	CHECK_INT(add(&all, "chdir:poke_enter=@arg1=00fF,@arg3=7f:poke_exit=@arg6=01", false), 0);
	CHECK_INT(add(&all, "write:retval=0xffffffffffffffff:syscall=gettid", false), 0);
	one = &all.items[0];
	CHECK_INT(one->n_pokes, 3);
	CHECK(!one->has_result && one->pokes[0].arg == 0 && one->pokes[0].n == 2 && !one->pokes[0].at_end);
	CHECK(one->pokes[0].bytes[0] == 0 && one->pokes[0].bytes[1] == 0xff && one->pokes[1].arg == 2);
	CHECK(one->pokes[2].at_end && one->pokes[2].arg == 5 && one->pokes[2].bytes[0] == 1);
	one = &all.items[1];
	CHECK(one->has_result && one->succeeds && one->result == -1);
	CHECK_STR(one->instead, "gettid");
	injections_release(&all);
}

/* A ! in front of a list is that of the whole list; the last injection of a call counts, and no other. */
static void lists(void)
{
	struct injections all = {0};
	struct injected thread = {0};
	struct syscall_call call = {.arch = arch_native(), .nr = SYS_read};
	struct syscall_filter shown = {0};

	CHECK_INT(add(&all, "!write,close:error=EIO", false), 0);
	CHECK(!syscall_filter_has(&all.items[0].calls, arch_native(), SYS_close));
	CHECK(syscall_filter_has(&all.items[0].calls, arch_native(), SYS_read));
	CHECK_INT(add(&all, "read:error=EPERM:when=2", false), 0);
	CHECK_INT(injections_enter(&all, &thread, &call), 0);
	CHECK(!thread.of);
	CHECK_INT(injections_enter(&all, &thread, &call), 0);
	CHECK(thread.of == &all.items[1]);
	injections_keep(&all, &shown);
	CHECK_INT(injections_enter(&all, &thread, &call), 0);
	CHECK(!thread.of);
	injected_release(&thread);
	injections_release(&all);
}

int main(void)
{
	meanings();
	deeds();
	lists();
	CHECK_STR(picked("3"), "001000000000");
	CHECK_STR(picked("3+"), "001111111111");
	CHECK_STR(picked("2+3"), "010010010010");
	CHECK_STR(picked("2..5"), "011110000000");
	CHECK_STR(picked("2..9+3"), "010010010000");
	CHECK_STR(picked("1..1+"), "100000000000");
	CHECK_STR(picked("1"), "100000000000");
	refused();
	anything(1);
	return TAP_DONE();
}
