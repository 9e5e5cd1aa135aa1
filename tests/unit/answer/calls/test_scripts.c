/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/calls/scripts.h>

#include "recording_sample.h"
#include "tap.h"

#include <fcntl.h>
#include <string.h>

static struct recorded_process process = {.number = 0, .pid = 10, .path = "", .execs = 1};
static struct recorded_process child = {.number = 1, .pid = 11, .path = "", .parent = &process};

static void event(struct scripts *scripts, struct recorded_process *p, const struct data_event *record)
{
	struct recorded_thread thread = {.tid = p->pid, .process = p, .comm = ""};
	const struct recorded_event it = {.record = record, .thread = &thread};

	CHECK_INT(scripts_take(scripts, &it), 0);
}

/* Words as "sh\0client.sh\0". */
static void run(struct scripts *scripts, const char *path, const char *words, size_t n)
{
	static const struct data_event record = {.type = DATA_EXEC};

	strv_release(&process.argv);
	for (size_t at = 0; at < n; at += strlen(words + at) + 1)
		CHECK_INT(strv_push(&process.argv, words + at), 0);
	process.path = path;
	event(scripts, &process, &record);
}

#define RUN(path, words) run(&scripts, path, words, sizeof(words) - 1)

static void call(struct scripts *scripts, uint32_t nr, uint64_t one, uint64_t two, int64_t result)
{
	const struct data_event record = {
		.type = DATA_SYSCALL,
		.syscall = {.arch = AUDIT_ARCH_X86_64, .nr = nr, .args = {one, two}, .result = result}};

	event(scripts, &process, &record);
}

static void opened(struct scripts *scripts, const char *name, const char *result, int fd)
{
	const struct data_extra extras[] = {{1, DATA_EXTRA_PATH, {name, strlen(name)}},
	                                    {DATA_ARGS, DATA_EXTRA_TEXT, {result, strlen(result)}}};
	const struct data_event record = {.type = DATA_SYSCALL,
	                                  .syscall = {.arch = AUDIT_ARCH_X86_64,
	                                              .nr = 257,
	                                              .extras = extras,
	                                              .nextras = COUNT(extras),
	                                              .result = fd}};

	event(scripts, &process, &record);
}

static void is(const struct scripts *scripts, const struct recorded_process *p, const char *want)
{
	const char *found = scripts_find(scripts, p);

	CHECK_STR(found ? found : "(none)", want);
}

static void test_shell(void)
{
	static const struct data_event begin = {.type = DATA_THREAD};
	struct scripts scripts = {0};

	RUN("/usr/bin/sh", "sh\0-e\0./client.sh\0x.sh\0");
	opened(&scripts, "/etc/ld.so.cache", "3</etc/ld.so.cache>", 3);
	is(&scripts, &process, "(none)");
	opened(&scripts, "./client.sh", "3</tmp/client.sh>", 3);
	is(&scripts, &process, "client.sh");
	/* A file that it reads like its script, and one that it is fed with. */
	opened(&scripts, "lib.sh", "3</tmp/lib.sh>", 3);
	call(&scripts, 72, 3, F_DUPFD, 12);
	call(&scripts, 3, 3, 0, 0);
	is(&scripts, &process, "lib.sh");
	event(&scripts, &child, &begin);
	is(&scripts, &child, "lib.sh");
	call(&scripts, 3, 12, 0, 0);
	is(&scripts, &process, "client.sh");
	is(&scripts, &child, "lib.sh");
	opened(&scripts, "x.sh", "3</tmp/x.sh>", 3);
	call(&scripts, 33, 3, 0, 0);
	is(&scripts, &process, "client.sh");
	RUN("/usr/bin/cat", "cat\0x.sh\0");
	opened(&scripts, "x.sh", "3</tmp/x.sh>", 3);
	is(&scripts, &process, "(none)");
	scripts_release(&scripts);
}

static void test_others(void)
{
	struct scripts scripts = {0};

	RUN("/usr/bin/python3.11", "python3\0run.py\0");
	opened(&scripts, "/tmp/run.py", "3</tmp/run.py>", 3);
	is(&scripts, &process, "run.py");
	RUN("/usr/bin/sh", "sh\0-c\0cat run.py\0run.py\0");
	opened(&scripts, "run.py", "3</tmp/run.py>", 3);
	is(&scripts, &process, "(none)");
	/* Its first line has an interpreter. */
	RUN("./x", "./x\0a\0");
	opened(&scripts, "./x", "3</tmp/x>", 3);
	is(&scripts, &process, "x");
	/* What others wrote. */
	RUN("/usr/bin/sh", "sh\0x\0");
	opened(&scripts, "x", "", 3);
	opened(&scripts, "x", "3<", 3);
	opened(&scripts, "x", "3</>", 3);
	opened(&scripts, "", "3</x>", 3);
	is(&scripts, &process, "(none)");
	for (int i = 0; i < 40; i++) {
		opened(&scripts, "y", "3</y>", i);
		call(&scripts, 72, (uint64_t)i, F_DUPFD, 100 + i);
	}
	is(&scripts, &process, "y");
	strv_release(&process.argv);
	scripts_release(&scripts);
}

int main(void)
{
	test_shell();
	test_others();
	return TAP_DONE();
}
