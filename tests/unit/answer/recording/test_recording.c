/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/recording/execs.h>
#include <exectrace/answer/recording/parts.h>
#include <exectrace/answer/recording/recording.h>

#include "recording_sample.h"
#include "tap.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* What earlier versions wrote is read as what this one writes. */
#define GOLDEN_RECORDING GOLDEN "/recording"

static char dir[] = "/tmp/exectrace-recording-XXXXXX";

static const char *in_dir(const char *name)
{
	static char path[4][256];
	static unsigned next;
	char *to = path[next++ % 4];

	snprintf(to, sizeof(path[0]), "%s/%s", dir, name);
	return to;
}

/* The events that tell of calls and processes, one a line. */
static void print_events(struct recording *r, struct buf *out)
{
	struct recorded_event event;
	const struct recorded_frame *frames;
	size_t n;

	while (recording_next(r, &event) == 1) {
		if (!event.thread)
			continue;
		buf_printf(out, "%" PRIu64 " %u:%u/%u %s type %u", (event.time - BEGIN) / 1000, event.file,
		           event.thread->process->pid, event.thread->tid, event.thread->comm, event.record->type);
		if (recording_stack(r, &event, &frames, &n))
			buf_puts(out, " no stack");
		for (size_t i = 0; i < n; i++)
			buf_printf(out, " %s+%" PRIu64, frames[i].function->name, frames[i].offset);
		buf_putc(out, '\n');
	}
}

static void test_events(bool by_files)
{
	struct recording_options options = {.names = true, .by_files = by_files};
	struct buf why = BUF_INIT, out = BUF_INIT;
	struct recording *r = NULL;
	const char *second = "3000 1:200/200  type 4\n"
			     "3000 1:200/200 sh type 5\n";
	const char *rest = "7000 1:200/200 sh type 1\n"
			   "20000 1:200/200 sh type 6\n";
	const char *at;

	CHECK_INT(recording_open(&r, dir, &options, &why), 0);
	print_events(r, &out);
	CHECK(strstr(out.data, "1000 0:100/100  type 4\n1000 0:100/100 prog type 5\n1000 0:100/100 prog type 7\n"
	                       "3000 0:100/100 prog type 1 write+8 main+16 __libc_start_main+17\n") ||
	      !by_files);
	CHECK(strstr(out.data, "4000 0:100/101 prog type 4\n4000 0:102/102 prog type 4\n"));
	CHECK(strstr(out.data, "8000 0:100/101 prog type 1 write+8 pool::work+16 pool::work+16 main+16 "
	                       "__libc_start_main+17\n"));
	CHECK(strstr(out.data, "10000 0:100/100 prog type 1 0x7e0000000123+0 0x7f0000009000+0\n"));
	at = strstr(out.data, second);
	CHECK(at);
	CHECK(at && (strstr(at, "18000 0:100/100 prog type 6\n") != NULL) == !by_files);
	CHECK((strstr(out.data, rest) != NULL) == by_files);
	CHECK_INT(recording_next(r, &(struct recorded_event){0}), 0);
	CHECK_INT(recording_notes(r)->n, 1);
	CHECK(strstr(recording_notes(r)->items[0], "trace-2-200.xtr: 7 records were lost"));
	CHECK(!recording_damaged(r));
	recording_close(r);
	buf_release(&out);
	buf_release(&why);
}

static void test_golden(void)
{
	const struct recording_options options = {.names = true};
	struct buf why = BUF_INIT, out = BUF_INIT, golden = BUF_INIT;
	struct recording *r = NULL, *g = NULL;

	CHECK_INT(recording_open(&r, dir, &options, &why), 0);
	CHECK_INT(recording_open(&g, GOLDEN_RECORDING, &options, &why), 0);
	print_events(r, &out);
	print_events(g, &golden);
	CHECK_STR(golden.data, out.data);
	recording_close(r);
	recording_close(g);
	buf_release(&golden);
	buf_release(&out);
	buf_release(&why);
}

static void test_processes(void)
{
	struct buf why = BUF_INIT;
	struct recording *r = NULL;
	struct recorded_event event;
	const struct recorded_process *p;

	CHECK_INT(recording_open(&r, dir, NULL, &why), 0);
	CHECK_INT(recording_files(r), 2);
	CHECK_INT(recording_file(r, 1)->pid, 200);
	CHECK_INT(recording_processes(r), 0);
	while (recording_next(r, &event) == 1)
		;
	CHECK_INT(recording_processes(r), 3);
	CHECK_INT(recording_threads(r), 4);
	p = recording_process(r, 0);
	CHECK(p->picked && p->parent_pid == 90 && !p->parent && p->execs == 1 && p->ended &&
	      WEXITSTATUS(p->status) == 3);
	CHECK_INT(p->end - p->start, 17 * MS);
	CHECK_STR(p->path, "/tmp/prog");
	CHECK(p->argv.n == 2 && !strcmp(p->argv.items[1], "-l"));
	p = recording_process(r, 2);
	CHECK(!p->picked && p->parent == recording_process(r, 0) && !p->execs && WTERMSIG(p->status) == 9);
	CHECK_STR(p->argv.n ? p->argv.items[0] : NULL, "prog");
	CHECK_INT(recording_start(r), BEGIN);
	CHECK_INT(recording_realtime(r, 0, BEGIN + 3), BEGIN_REAL + 3);
	recording_close(r);
	buf_release(&why);
}

static void test_run(void)
{
	struct buf why = BUF_INIT;
	struct recording *r = NULL;
	const struct recorded_run *run;

	CHECK_INT(recording_open(&r, dir, NULL, &why), 0);
	run = recording_run(r);
	if (CHECK(run)) {
		CHECK(run->command.n == 2 && !strcmp(run->command.items[1], "check"));
		CHECK_STR(run->version, "0.1.0");
		CHECK_STR(run->engine, "notify");
		CHECK_STR(run->system, "Linux 6.1");
		CHECK_INT(run->cpus, 2);
		CHECK_INT(run->start, BEGIN);
		CHECK_INT(run->end_realtime, BEGIN_REAL + 21 * MS);
		CHECK(run->ended && WIFEXITED(run->status) && WEXITSTATUS(run->status) == 2);
	}
	recording_close(r);
	buf_release(&why);
}

/* Processor time of all together is there only as a pair. */
static void test_run_usage(void)
{
	static const char *const texts[] = {"{\"cpu_user\":1.5,\"cpu_system\":0.000000002}",
	                                    "{\"cpu_user\":1.5,\"cpu_system\":-1}", "{\"cpu_user\":\"1\"}"};
	char path[] = "/tmp/exectrace-run-XXXXXX";
	int fd = mkstemp(path);

	for (size_t i = 0; CHECK(fd >= 0) && i < COUNT(texts); i++) {
		struct recorded_run run = {0};
		struct pool texts_of = {0};
		struct buf why = BUF_INIT;

		CHECK_INT(sample_write_text(path, texts[i]), 0);
		CHECK_INT(run_read(&run, &texts_of, path, &why), 0);
		CHECK_INT(run.used, i == 0);
		if (!i)
			CHECK(run.cpu_user == 1500000000 && run.cpu_system == 2);
		pool_release(&texts_of);
		buf_release(&why);
	}
	close(fd);
	unlink(path);
}

static int print_exec(void *ctx, const struct exec_record *rec, const struct exec_end *end)
{
	struct buf *out = ctx;

	buf_printf(out, "%d %d %u %s %" PRIu64 " %" PRIu64 " ", rec->pid, rec->ppid, rec->depth, rec->cmdline.data,
	           rec->when_wall - BEGIN_REAL, end->when - rec->when_wall);
	exec_print_end(out, end);
	return buf_putc(out, '\n');
}

static int count_exec(void *ctx, const struct exec_record *rec, const struct exec_end *end)
{
	(void)end;
	return buf_printf(ctx, "%d ", rec->pid);
}

static void test_execs(void)
{
	struct buf out = BUF_INIT, why = BUF_INIT;

	CHECK_INT(execs_read(in_dir("execs.jsonl"), print_exec, &out, &why), 0);
	CHECK_STR(out.data, "100 90 1 prog -l 1000000 17000000 exit 3\n"
	                    "200 90 1 sh -c a b 3000000 17000000 exit 0\n"
	                    "90 80 0 make check 1 20999999 SIGSEGV (core)\n");
	buf_reset(&out, 4096);
	sample_write_text(in_dir("half"), "{\"pid\":1}\n{\"pid\":2");
	CHECK_INT(execs_read(in_dir("half"), print_exec, &out, &why), 0);
	sample_write_text(in_dir("half"), "{\"pid\":1}\n{\"pid\":\"x\"}\n");
	CHECK_INT(execs_read(in_dir("half"), print_exec, &out, &why), -EBADMSG);
	CHECK(strstr(why.data, "half: line 2: not as exectrace writes it"));
	buf_reset(&out, 4096);
	buf_reset(&why, 4096);
	sample_write_text(in_dir("half"), "{\"pid\":1}\nx\n{\"pid\":2}\n{'pid':3}\n{\"pid\":4}\n");
	CHECK_INT(execs_read(in_dir("half"), count_exec, &out, &why), -EBADMSG);
	CHECK_STR(out.data, "1 2 4 ");
	CHECK(strstr(why.data, "half: line 2: not as exectrace writes it, nor 1 more"));
	unlink(in_dir("half"));
	buf_release(&out);
	buf_release(&why);
}

/* What cannot be opened, and the line for it. */
static void test_errors(void)
{
	struct buf why = BUF_INIT;
	struct recording *r = NULL;
	char empty[] = "/tmp/exectrace-recording-XXXXXX";

	CHECK_INT(recording_open(&r, in_dir("nothing"), NULL, &why), -ENOENT);
	CHECK(strstr(why.data, "/nothing: No such file or directory"));
	buf_reset(&why, 4096);
	CHECK_INT(recording_open(&r, in_dir("run.json"), NULL, &why), -EBADMSG);
	CHECK(strstr(why.data, "run.json: not an exectrace data file"));
	buf_reset(&why, 4096);
	if (CHECK(mkdtemp(empty))) {
		CHECK_INT(recording_open(&r, empty, NULL, &why), -ENOENT);
		CHECK(strstr(why.data, ": no recording is in this directory"));
		rmdir(empty);
	}
	CHECK(!r);
	buf_release(&why);
}

/* Writers that were killed before they had begun: the others are there all the same. */
static void test_begun(void)
{
	struct buf why = BUF_INIT;
	struct recording *r = NULL;
	char empty[] = "/tmp/exectrace-recording-XXXXXX";
	char path[64];

	CHECK_INT(sample_write_text(in_dir("trace-3-1.xtr"), ""), 0);
	CHECK_INT(recording_open(&r, dir, NULL, &why), 0);
	CHECK_INT(recording_files(r), 2);
	CHECK(!recording_damaged(r));
	if (CHECK_INT(recording_notes(r)->n, 1))
		CHECK(strstr(recording_notes(r)->items[0], "trace-3-1.xtr: ends within its header"));
	recording_close(r);
	if (CHECK(mkdtemp(empty))) {
		snprintf(path, sizeof(path), "%s/trace-1-1.xtr", empty);
		CHECK_INT(sample_write_text(path, ""), 0);
		CHECK_INT(recording_open(&r, empty, NULL, &why), 0);
		CHECK_INT(recording_files(r), 0);
		recording_close(r);
		unlink(path);
		rmdir(empty);
	}
	buf_release(&why);
}

/* A file cut short, one that is none, and a good one in the same directory. */
static void test_damage(void)
{
	struct buf why = BUF_INIT;
	struct recording *r = NULL;
	struct recorded_event event;
	int events = 0;

	CHECK_INT(truncate(in_dir("trace-2-200.xtr"), 200), 0);
	CHECK_INT(sample_write_text(in_dir("trace-3-1.xtr"), "not one\n"), 0);
	CHECK_INT(recording_open(&r, dir, NULL, &why), 0);
	while (recording_next(r, &event) == 1)
		events++;
	CHECK_INT(events, COUNT(first_file));
	CHECK(recording_damaged(r));
	if (CHECK_INT(recording_notes(r)->n, 2)) {
		CHECK(strstr(recording_notes(r)->items[0], "trace-3-1.xtr: not an exectrace data file"));
		CHECK(strstr(recording_notes(r)->items[1], "trace-2-200.xtr: its end is missing"));
	}
	recording_close(r);
	buf_release(&why);
}

int main(void)
{
	static const char *const names[] = {"run.json", "execs.jsonl", "trace-1-100.xtr", "trace-2-200.xtr",
	                                    "trace-3-1.xtr"};

	if (!CHECK(mkdtemp(dir)) || !CHECK_INT(sample_write(dir), 0))
		return TAP_DONE();
	test_events(false);
	test_events(true);
	test_golden();
	test_processes();
	test_run();
	test_run_usage();
	test_execs();
	test_errors();
	test_begun();
	test_damage();
	for (size_t i = 0; i < COUNT(names); i++)
		unlink(in_dir(names[i]));
	rmdir(dir);
	return TAP_DONE();
}
