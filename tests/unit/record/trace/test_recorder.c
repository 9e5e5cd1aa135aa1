/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sink that records, fed with events of this very process, and what a reader then finds in the file. */
#include "src/record/trace/recorder.h"
#include "tap.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/format/data/reader.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint64_t now = 1000000;

static struct thread self(void)
{
	return (struct thread){.tid = getpid(), .tgid = getpid(), .parent = getppid(), .clone_flags = SIGCHLD};
}

static void release(struct thread *thread)
{
	extras_release(&thread->extras);
	buf_release(&thread->line);
}

/* A variable: this process, whose memory goes with it. */
#define THREAD(name) __attribute__((cleanup(release))) struct thread name = self()

static int feed(struct call_sink *sink, struct thread *thread, enum call_type type, int sig_or_status)
{
	struct call_event event = {.type = type, .thread = thread};

	now += 10;
	event.now = now;
	event.wall = 5 * now;
	event.sig = event.status = sig_or_status;
	event.other = thread->tid;
	return sink->event(sink, &event);
}

/* A whole call. */
static int call(struct call_sink *sink, struct thread *thread, long nr, const uint64_t *args, int64_t result)
{
	int err;

	thread->call = (struct syscall_call){.arch = arch_native(), .nr = (uint32_t)nr, .tid = thread->tid};
	memcpy(thread->call.args, args, sizeof(thread->call.args));
	thread->in_call = thread->wanted = true;
	thread->enter = now + 10;
	err = feed(sink, thread, CALL_ENTER, 0);
	thread->result = (struct syscall_result){result, result < 0};
	err = err ? err : feed(sink, thread, CALL_EXIT, 0);
	thread->in_call = false;
	return err;
}

#define ARGS(...) ((uint64_t[SYSCALL_ARGS]){__VA_ARGS__})

static struct call_sink *begin(int *fd, unsigned hidden, const char *path)
{
	static struct strv paths;
	struct writer_config config = {.string_max = 32, .form.hidden = hidden, .paths = &paths};
	struct call_sink *sink;

	strv_release(&paths);
	if (path)
		CHECK_INT(strv_push(&paths, path), 0);
	*fd = config.fd = memfd_create("recording", MFD_CLOEXEC);
	sink = recorder_sink(&config, NULL);
	if (!CHECK(sink && *fd >= 0))
		exit(1);
	return sink;
}

static struct data_reader *open_file(int fd)
{
	cleanup_buf struct buf why = BUF_INIT;
	struct data_reader *r = NULL;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!CHECK_INT(data_reader_open(&r, path, &why), 0))
		exit(1);
	return r;
}

static struct data_event next(struct data_reader *r)
{
	cleanup_buf struct buf why = BUF_INIT;
	struct data_event event = {0};

	CHECK_INT(data_reader_next(r, &event, &why), 1);
	return event;
}

static bool is(struct data_text text, const char *want)
{
	return text.n == strlen(want) && memcmp(text.bytes, want, text.n) == 0;
}

/* The number of records, and how the file ends. */
static size_t rest(struct data_reader *r, enum data_end end)
{
	cleanup_buf struct buf why = BUF_INIT;
	struct data_event event;
	size_t n = 0;

	while (data_reader_next(r, &event, &why) == 1)
		n++;
	CHECK_INT(data_reader_end(r), end);
	data_reader_close(r);
	return n;
}

static void extras(const struct data_syscall *got)
{
	CHECK(got->tid == (uint32_t)getpid() && got->nr == SYS_openat && got->arch == arch_native()->audit);
	CHECK(got->error && got->result == -ENOENT && got->nargs == 4 && got->stack == 0 && got->duration == 10);
	CHECK(got->args[0] == (uint32_t)AT_FDCWD && got->args[2] == O_RDONLY);
	CHECK_INT(got->nextras, 2);
	CHECK(got->extras[0].arg == 0 && got->extras[0].kind == DATA_EXTRA_TEXT);
	CHECK(got->extras[1].arg == 1 && got->extras[1].kind == DATA_EXTRA_PATH && is(got->extras[1].text, "/no/such"));
}

static void signal_and_stop(struct data_reader *r)
{
	struct data_event e = next(r);

	CHECK(e.type == DATA_SIGNAL && e.signal.number == SIGUSR1);
	e = next(r);
	CHECK(e.type == DATA_STOP && e.stop.tid == (uint32_t)getpid() && e.stop.number == SIGTSTP);
}

static void everything(void)
{
	int fd = -1;
	struct call_sink *sink = begin(&fd, 0, NULL);
	THREAD(thread);
	struct data_reader *r;
	struct data_event e;
	char name[16] = "", new[] = "another";

	prctl(PR_GET_NAME, name);
	CHECK_INT(feed(sink, &thread, CALL_BEGIN, 0), 0);
	CHECK(sink->held);
	CHECK_INT(feed(sink, &thread, CALL_EXEC, 0), 0);
	CHECK_INT(call(sink, &thread, SYS_openat, ARGS((uint32_t)AT_FDCWD, (uintptr_t) "/no/such"), -ENOENT), 0);
	prctl(PR_SET_NAME, new);
	CHECK_INT(call(sink, &thread, SYS_prctl, ARGS(PR_SET_NAME, (uintptr_t) new), 0), 0);
	CHECK_INT(feed(sink, &thread, CALL_SIGNAL, SIGUSR1), 0);
	CHECK_INT(feed(sink, &thread, CALL_STOP, SIGTSTP), 0);
	thread.call.nr = SYS_exit_group;
	thread.in_call = true;
	CHECK_INT(feed(sink, &thread, CALL_ENTER, 0), 0);
	CHECK_INT(feed(sink, &thread, CALL_END, 0x300), 0);
	CHECK_INT(sink->end(sink), 0);

	r = open_file(fd);
	CHECK(data_reader_facts(r)->pid == (uint32_t)getpid());
	CHECK(data_reader_facts(r)->clocks[0].kind == DATA_CLOCK_MONOTONIC &&
	      data_reader_facts(r)->clocks[0].realtime == 5 * data_reader_facts(r)->clocks[0].start);
	e = next(r);
	CHECK(e.type == DATA_THREAD && e.thread.parent == (uint32_t)getppid() && e.thread.flags == SIGCHLD);
	e = next(r);
	CHECK(e.type == DATA_COMM && is(e.comm.name, name));
	e = next(r);
	CHECK(e.type == DATA_EXEC && e.exec.argc >= 1 && e.exec.path.n > 0 && e.exec.mapset == 0);
	CHECK_INT(next(r).type, DATA_COMM);
	e = next(r);
	if (CHECK_INT(e.type, DATA_SYSCALL))
		extras(&e.syscall);
	CHECK_INT(next(r).type, DATA_SYSCALL);
	e = next(r);
	CHECK(e.type == DATA_COMM && is(e.comm.name, "another"));
	signal_and_stop(r);
	e = next(r);
	CHECK(e.type == DATA_UNFINISHED && e.syscall.nr == SYS_exit_group);
	e = next(r);
	CHECK(e.type == DATA_EXIT && e.exit.status == 0x300);
	CHECK_INT(rest(r, DATA_END_WHOLE), 0);
	close(fd);
	prctl(PR_SET_NAME, name);
}

/* What a process used stands before its end, and nothing does when nothing is known. */
static void usage(void)
{
	static const struct exec_usage cases[] = {{true, 5, 6, 4096, true, 7, 8}, {.peak = 4096}, {0}};
	struct data_event e;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int fd = -1;
		struct call_sink *sink = begin(&fd, 0, NULL);
		THREAD(thread);
		struct call_event end = {.type = CALL_END, .thread = &thread, .now = ++now, .usage = &cases[i]};
		struct data_reader *r;

		CHECK_INT(feed(sink, &thread, CALL_BEGIN, 0), 0);
		end.now = now;
		CHECK_INT(sink->event(sink, &end), 0);
		CHECK_INT(sink->end(sink), 0);
		r = open_file(fd);
		CHECK_INT(next(r).type, DATA_THREAD);
		CHECK_INT(next(r).type, DATA_COMM);
		if (i < 2) {
			e = next(r);
			CHECK(e.type == DATA_USAGE && e.usage.pid == (uint32_t)getpid() && e.usage.peak == 4096);
			CHECK_INT(e.usage.flags, i ? 0 : DATA_USAGE_CPU | DATA_USAGE_IO);
			CHECK(e.usage.user == cases[i].user && e.usage.written == cases[i].written);
		}
		CHECK_INT(next(r).type, DATA_EXIT);
		CHECK_INT(rest(r, DATA_END_WHOLE), 0);
		close(fd);
	}
}

/* --failed, -z and --path. */
static void chosen(void)
{
	static const struct {
		unsigned hidden;
		const char *path;
		int calls;
	} cases[] = {
		{OUTCOME_SUCCESSFUL | OUTCOME_UNFINISHED, NULL, 5},
		{OUTCOME_FAILED | OUTCOME_UNFINISHED, NULL, 10},
		{0, "/no/such", 5},
		{0, "/no", 0},
		{OUTCOME_FAILED, "/no/such", 0},
	};
	const uint64_t *bad = ARGS((uint32_t)AT_FDCWD, (uintptr_t) "/no/such"), *good = ARGS(1, 0, 0);
	int fd = -1;

	for (size_t which = 0; which < sizeof(cases) / sizeof(cases[0]); which++) {
		struct call_sink *sink = begin(&fd, cases[which].hidden, cases[which].path);
		THREAD(thread);

		for (int i = 0; i < 5; i++) {
			CHECK_INT(call(sink, &thread, SYS_openat, bad, -ENOENT), 0);
			CHECK_INT(call(sink, &thread, SYS_lseek, good, 0), 0);
			CHECK_INT(call(sink, &thread, SYS_lseek, good, 0), 0);
		}
		CHECK_INT(sink->end(sink), 0);
		/* With what the process executes, and its name. */
		CHECK_INT(rest(open_file(fd), DATA_END_WHOLE), 2 + cases[which].calls);
		close(fd);
	}
}

/* What was flushed is there without any end: after a second without events, or with them. */
static void flushed(void)
{
	int fd = -1;
	struct call_sink *sink = begin(&fd, 0, NULL);
	THREAD(thread);

	now = clock_now();
	CHECK_INT(call(sink, &thread, SYS_lseek, ARGS(1), 0), 0);
	CHECK_INT(sink->idle(sink), 0);
	CHECK(sink->held);
	CHECK_INT(rest(open_file(fd), DATA_END_CUT), 0);
	now += NS_PER_S;
	CHECK_INT(call(sink, &thread, SYS_lseek, ARGS(1), 0), 0);
	CHECK_INT(call(sink, &thread, SYS_lseek, ARGS(1), 0), 0);
	CHECK(rest(open_file(fd), DATA_END_CUT) >= 3);
	CHECK_INT(sink->end(sink), 0);
	CHECK_INT(rest(open_file(fd), DATA_END_WHOLE), 5);
	close(fd);
}

/* The failure is told once; an earlier second is readable. */
static void full(void)
{
	struct writer_config config = {.fd = open("/dev/full", O_WRONLY | O_CLOEXEC)};
	struct call_sink *sink = recorder_sink(&config, NULL);
	THREAD(thread);

	CHECK_INT(feed(sink, &thread, CALL_BEGIN, 0), -ENOSPC);
	CHECK_INT(sink->end(sink), 0);
	close(config.fd);
}

int main(void)
{
	everything();
	usage();
	chosen();
	flushed();
	full();
	return TAP_DONE();
}
