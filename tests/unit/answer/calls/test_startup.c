/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/calls/startup.h>

#include "recording_sample.h"
#include "tap.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

static struct recorded_process process = {.number = 2, .pid = 10};
static struct recorded_thread thread = {.tid = 10, .process = &process, .comm = "prog"};

static int event(struct startup *startup, const struct data_event *record, bool in_main)
{
	const struct recorded_event it = {.record = record, .thread = &thread};

	return startup_has(startup, &it, in_main);
}

static void begin(struct startup *startup)
{
	static const struct data_event record = {.type = DATA_EXEC};

	CHECK_INT(event(startup, &record, false), 0);
}

static struct data_text text(const char *of)
{
	return (struct data_text){of, strlen(of)};
}

/* An argument of a call, and who makes it. */
struct how {
	unsigned arg;
	uint64_t value;
	bool in_main;
};

/* A call with a name or a descriptor ("" neither). */
static int take(struct startup *startup, uint32_t nr, const char *path, struct how how)
{
	const struct data_extra extra = {*path == '/' ? 1 : 0, *path == '/' ? DATA_EXTRA_PATH : DATA_EXTRA_TEXT,
	                                 text(path)};
	struct data_event record = {
		.type = DATA_SYSCALL,
		.syscall = {.arch = AUDIT_ARCH_X86_64, .nr = nr, .extras = &extra, .nextras = *path != 0}};

	record.syscall.args[how.arg] = how.value;
	return event(startup, &record, how.in_main);
}

static int plain(struct startup *startup, uint32_t nr, const char *path)
{
	return take(startup, nr, path, (struct how){0});
}

enum {
	READ,
	WRITE,
	OPEN,
	CLOSE,
	MMAP = 9,
	MPROTECT,
	MUNMAP,
	BRK,
	GETPID = 39,
	EXECVE = 59,
	OPENAT = 257,
	PRLIMIT = 302
};

static void test_dynamic(void)
{
	struct startup s = {0};

	CHECK_INT(plain(&s, BRK, ""), 0); /* no execve was seen */
	begin(&s);
	CHECK_INT(plain(&s, EXECVE, "/bin/prog"), 0);
	CHECK_INT(plain(&s, BRK, ""), 1);
	CHECK_INT(plain(&s, OPENAT, "/etc/ld.so.cache"), 1);
	CHECK_INT(plain(&s, CLOSE, "3</etc/ld.so.cache>"), 1);
	CHECK_INT(plain(&s, OPENAT, "/lib/x86_64-linux-gnu/libc.so.6"), 1);
	CHECK_INT(plain(&s, READ, "3</usr/lib/x86_64-linux-gnu/libc.so.6>"), 1);
	CHECK_INT(plain(&s, MMAP, "3</usr/lib/x86_64-linux-gnu/libc.so.6>"), 1);
	CHECK_INT(take(&s, MMAP, "", (struct how){3, MAP_PRIVATE | MAP_ANONYMOUS, false}), 1);
	CHECK_INT(plain(&s, MPROTECT, ""), 1);
	CHECK_INT(take(&s, PRLIMIT, "", (struct how){1, RLIMIT_STACK, false}), 1);
	CHECK_INT(plain(&s, MUNMAP, ""), 1);
	CHECK_INT(plain(&s, BRK, ""), 1);
	CHECK_INT(plain(&s, OPENAT, "/usr/lib/locale/locale-archive"), 1);
	CHECK(process.number < s.n);
	/* What the program does itself, and all behind it. */
	CHECK_INT(plain(&s, GETPID, ""), 0);
	CHECK_INT(plain(&s, BRK, ""), 0);
	begin(&s);
	CHECK_INT(plain(&s, BRK, ""), 1);
	startup_release(&s);
}

static void test_ends(void)
{
	struct startup s = {0};

	begin(&s);
	CHECK_INT(plain(&s, MUNMAP, ""), 1);
	CHECK_INT(take(&s, MMAP, "", (struct how){3, MAP_PRIVATE | MAP_ANONYMOUS, false}),
	          0); /* the libraries are there */
	begin(&s);
	CHECK_INT(plain(&s, OPENAT, "/etc/passwd"), 0);
	begin(&s);
	CHECK_INT(take(&s, OPENAT, "/tmp/new.so", (struct how){2, O_WRONLY | O_CREAT, false}), 0);
	begin(&s);
	CHECK_INT(plain(&s, WRITE, "1</tmp/lib.so>"), 0);
	begin(&s);
	CHECK_INT(take(&s, BRK, "", (struct how){0, 0, true}), 0); /* main has asked for memory */
	begin(&s);
	CHECK_INT(take(&s, OPENAT, "/usr/lib/locale/locale-archive", (struct how){0, 0, true}), 1);
	begin(&s);
	CHECK_INT(take(&s, PRLIMIT, "", (struct how){1, RLIMIT_NOFILE, false}), 0);
	startup_release(&s);
}

int main(void)
{
	test_dynamic();
	test_ends();
	return TAP_DONE();
}
