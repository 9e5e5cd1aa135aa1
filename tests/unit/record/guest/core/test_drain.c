/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From rings to a file, read by the reader of the format. */
#include "tap.h"
#include <errno.h>
#include <exectrace/base/fd.h>
#include <exectrace/format/data/reader.h>
#include <exectrace/record/guest/core/drain.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define CPUS 2

struct world {
	struct functions functions;
	struct drain drain;
	struct ring ring[CPUS];
	char path[64];
	struct output output;
	char text[2000];
	size_t n;
};

static int open_world(struct world *w, const char *path)
{
	const struct data_facts facts = {
		.arch = AUDIT_ARCH_X86_64,
		.clocks = {{.kind = DATA_CLOCK_MONOTONIC, .hz = 1000000000}, {.kind = DATA_CLOCK_INSTRUCTIONS}}};
	int rc;

	memset(w, 0, sizeof(*w));
	snprintf(w->path, sizeof(w->path), "%s", path);
	(void)functions_init(&w->functions);
	rc = output_find(&w->output, w->path, &(struct output_dir){0});
	rc = rc ? rc : drain_open(&w->drain, &w->functions, &w->output, &facts);
	for (unsigned i = 0; i < CPUS; i++) {
		(void)ring_init(&w->ring[i]);
		if (!rc)
			(void)drain_add(&w->drain, i, &w->ring[i]);
	}
	return rc;
}

static void close_world(struct world *w)
{
	functions_release(&w->functions);
	fd_close(&w->output.dir);
	for (unsigned i = 0; i < CPUS; i++)
		ring_release(&w->ring[i]);
	(void)unlink(w->path);
}

static void add(struct world *w, const char *text)
{
	w->n += (size_t)snprintf(w->text + w->n, sizeof(w->text) - w->n, "%s%s", w->n ? " " : "", text);
}

/* What only guests with processes have. */
static void print_process(char *text, size_t size, const struct data_event *e)
{
	if (e->type == DATA_EXEC)
		snprintf(text, size, "%u!%.*s:%u:%s", e->exec.pid, (int)e->exec.path.n, e->exec.path.bytes,
		         e->exec.argc, e->exec.argc ? e->exec.argv.bytes : "");
	else if (e->type == DATA_EXIT)
		snprintf(text, size, "%u/%u~%d", e->exit.tid, e->exit.pid, e->exit.status);
	else if (e->type == DATA_UNFINISHED)
		snprintf(text, size, "X%u:%u?", e->syscall.tid, e->syscall.nr);
	else if (e->type == DATA_SIGNATURE)
		snprintf(text, size, "G%lu:%.*s", e->signature.function, (int)e->signature.text.n,
		         e->signature.text.bytes);
	else if (e->type == DATA_MESSAGE)
		snprintf(text, size, "K%u:%u:%lu:%u:%.*s@%lu", e->message.cpu, e->message.level, e->message.stamp,
		         e->message.caller, (int)e->message.text.n, e->message.text.bytes, e->clock);
	else if (e->type == DATA_CALL_ARGS || e->type == DATA_CALL_RESULT)
		snprintf(text, size, "%c%u:%lu@%lu", e->type == DATA_CALL_ARGS ? 'A' : 'V', e->values.nargs,
		         e->values.args[0], e->clock);
	for (unsigned i = 0; (e->type == DATA_SYSCALL || e->type == DATA_UNFINISHED) && i < e->syscall.nextras; i++) {
		size_t n = strlen(text);

		snprintf(text + n, size - n, "%u='%.*s'", e->syscall.extras[i].arg, (int)e->syscall.extras[i].text.n,
		         e->syscall.extras[i].text.bytes);
	}
}

static void print(struct world *w, const struct data_event *e)
{
	char text[100] = "?";

	if (e->type == DATA_CALL || e->type == DATA_TAIL || e->type == DATA_IRQ_ENTER)
		snprintf(text, sizeof(text), "%s%lu@%lu",
		         e->type == DATA_CALL   ? "C"
		         : e->type == DATA_TAIL ? "T"
		                                : "I",
		         e->call.function, e->clock);
	else if (e->type == DATA_RETURN || e->type == DATA_IRQ_EXIT)
		snprintf(text, sizeof(text), "%s@%lu", e->type == DATA_RETURN ? "R" : "E", e->clock);
	else if (e->type == DATA_SWITCH)
		snprintf(text, sizeof(text), "S%lu/%u", e->on.stack, e->on.cpu);
	else if (e->type == DATA_FUNCTION)
		snprintf(text, sizeof(text), "F%lu:%.*s/%lu", e->function.id, (int)e->function.name.n,
		         e->function.name.bytes, e->function.file);
	else if (e->type == DATA_FILE)
		snprintf(text, sizeof(text), "%.*s=%lu", (int)e->file.path.n, e->file.path.bytes, e->file.id);
	else if (e->type == DATA_MODULE)
		snprintf(text, sizeof(text), "M%lu:%lx+%lx", e->module.file, e->module.address, e->module.size);
	else if (e->type == DATA_SYNC)
		snprintf(text, sizeof(text), "Y%u:%lu", e->sync.cpu, e->sync.clock);
	else if (e->type == DATA_TASK)
		snprintf(text, sizeof(text), "P%lu:%u:%u:%.*s", e->task.stack, e->task.pid, e->task.tgid,
		         (int)e->task.name.n, e->task.name.bytes);
	else if (e->type == DATA_THREAD)
		snprintf(text, sizeof(text), "%u/%u<%u", e->thread.tid, e->thread.pid, e->thread.parent);
	else if (e->type == DATA_COMM)
		snprintf(text, sizeof(text), "%.*s=%u", (int)e->comm.name.n, e->comm.name.bytes, e->comm.tid);
	else if (e->type == DATA_SYSCALL)
		snprintf(text, sizeof(text), "X%u:%u/%u=%ld%s@%lu+%lu(%lu..%lu)", e->syscall.tid, e->syscall.nr,
		         e->syscall.arch, e->syscall.result, e->syscall.error ? "e" : "", e->syscall.enter,
		         e->syscall.duration, e->syscall.args[0], e->syscall.args[5]);
	else if (e->type == DATA_UNWIND)
		snprintf(text, sizeof(text), "U@%lu", e->clock);
	else if (e->type == DATA_FILTERED)
		snprintf(text, sizeof(text), "L%lu:%lu+%lu@%lu", e->filtered.function, e->filtered.count,
		         e->filtered.ticks, e->clock);
	else if (e->type == DATA_WINDOW)
		snprintf(text, sizeof(text), "W%lu:%u@%lu", e->window.number, e->window.open, e->clock);
	else if (e->type == DATA_NOTE)
		snprintf(text, sizeof(text), "%.*s", (int)e->note.n, e->note.bytes);
	print_process(text, sizeof(text), e);
	add(w, text);
}

/* All records of the file, as text. */
static const char *written(struct world *w)
{
	struct buf why = BUF_INIT;
	struct data_reader *r = NULL;
	struct data_event event;
	int rc = data_reader_open(&r, w->path, &why);

	w->n = 0;
	w->text[0] = '\0';
	while (!rc && data_reader_next(r, &event, &why) == 1)
		print(w, &event);
	if (rc || data_reader_end(r) != DATA_END_WHOLE)
		add(w, "not whole");
	data_reader_close(r);
	buf_release(&why);
	return w->text;
}

static void test_records(void)
{
	struct world w;
	struct function f = {.address = 0x1000, .size = 16, .name = "one"};
	const uint64_t now = 77, task[6] = {1, 5ull << 32 | 4, 99, 0x6f6c6c6568 /* "hello" */, 0, 3ull << 32 | 1};
	const uint64_t call[12] = {3ull << 32 | 80, 5, 1000, 1200, -2ull, 1, 2, 3, 4, 5, 6, 0};

	if (!CHECK(open_world(&w, "drain.xtr") == 0))
		return;
	f.origin = functions_origin(&w.functions, "[kernel]", 0xff00, 0x100);
	CHECK_INT(functions_get(&w.functions, &f)->id, 1);
	CHECK_INT(functions_get(&w.functions, &f)->id, 1);
	f = (struct function){.address = 0x2000, .name = "two"};
	CHECK_INT(functions_get(&w.functions, &f)->id, 2);
	CHECK(functions_at(&w.functions, 3) == NULL && functions_at(&w.functions, UINT32_MAX) == NULL);
	ring_put(&w.ring[0], 10, RING_SWITCH, 1);
	ring_put(&w.ring[0], 11, RING_CALL, 1);
	ring_put(&w.ring[0], 12, RING_TAIL, 2);
	ring_put_more(&w.ring[0], 13, RING_SYNC, &now);
	ring_put_more(&w.ring[0], 13, RING_TASK, task);
	ring_put_more(&w.ring[0], 14, RING_SYSCALL, call);
	ring_put(&w.ring[0], 1ull << 33, RING_IRQ_ENTER, 1);
	ring_put(&w.ring[0], (1ull << 33) + 1, RING_IRQ_EXIT, 0);
	ring_put(&w.ring[0], (1ull << 33) + 2, RING_RETURN, 0);
	CHECK_INT(drain_run(&w.drain), 0);
	CHECK_INT(drain_end(&w.drain, "note"), 0);
	CHECK_STR(written(&w),
	          "S1/0 [kernel]=1 M1:ff00+100 F1:one/1 C1@11 F2:two/0 T2@12 Y0:77 P1:5:4:hello 5/4<3 hello=5 "
	          "X5:80/3=-2e@1000+200(1..6) "
	          "I1@8589934592 E@8589934593 R@8589934594 note");
	close_world(&w);
}

static uint64_t values_of(uint32_t function, uint64_t value)
{
	struct ring_values *v = calloc(1, sizeof(*v));

	*v = (struct ring_values){.refs = 1, .function = function, .values = {.nargs = 1, .args = {value}}};
	return (uintptr_t)v;
}

/* Arguments stand before their call, whatever ends in between; results before their return. Others are dropped. */
static void test_values(void)
{
	struct world w;
	char signature[] = "a:s4;s4";
	const struct arguments args = {.signature = signature, .n = 1};
	struct function f = {.address = 0x1000, .name = "one", .args = &args};
	uint64_t word;

	if (!CHECK(open_world(&w, "values.xtr") == 0))
		return;
	CHECK_INT(functions_get(&w.functions, &f)->id, 1);
	ring_put(&w.ring[0], 10, RING_SWITCH, 1);
	ring_put(&w.ring[0], 11, RING_CALL, 2);
	word = values_of(1, 80);
	ring_put_more(&w.ring[0], 12, RING_ARGS, &word);
	ring_put(&w.ring[0], 12, RING_RETURN, 0);
	ring_put(&w.ring[1], 5, RING_SWITCH, 2);
	CHECK_INT(drain_run(&w.drain), 0);
	ring_put(&w.ring[0], 12, RING_CALL, 1);
	word = values_of(1, 7);
	ring_put_more(&w.ring[0], 13, RING_RESULT, &word);
	ring_put(&w.ring[0], 13, RING_RETURN, 0);
	word = values_of(1, 81);
	ring_put_more(&w.ring[0], 14, RING_ARGS, &word);
	ring_put(&w.ring[0], 14, RING_CALL, 3);
	word = values_of(1, 8);
	ring_put_more(&w.ring[0], 15, RING_RESULT, &word);
	ring_put(&w.ring[0], 15, RING_CALL, 3);
	word = values_of(1, 82);
	ring_put_more(&w.ring[0], 16, RING_ARGS, &word); /* the machine ends here */
	CHECK_INT(drain_end(&w.drain, NULL), 0);
	CHECK_STR(written(&w), "S1/0 C2@11 R@12 S2/1 S1/0 F1:one/0 G1:a:s4;s4 A1:80@12 C1@12 V1:7@13 R@13 C3@14 C3@15");
	close_world(&w);
}

/* A stack goes from vCPU 1 to vCPU 0: its events come in the order in which they were. */
static void test_order(void)
{
	struct world w;
	uint64_t after[2] = {1, 3};

	if (!CHECK(open_world(&w, "order.xtr") == 0))
		return;
	ring_put(&w.ring[1], 100, RING_SWITCH, 7);
	ring_put(&w.ring[1], 101, RING_CALL, 1);
	ring_put(&w.ring[1], 102, RING_CALL, 2);
	ring_put(&w.ring[1], 103, RING_SWITCH, 8);
	ring_put(&w.ring[0], 5, RING_SWITCH, 6);
	ring_put(&w.ring[0], 6, RING_CALL, 3);
	ring_put_more(&w.ring[0], 7, RING_AFTER, after);
	ring_put(&w.ring[0], 7, RING_SWITCH, 7);
	ring_put(&w.ring[0], 8, RING_RETURN, 0);
	CHECK_INT(drain_end(&w.drain, NULL), 0);
	CHECK_STR(written(&w), "S6/0 C3@6 S7/1 C1@101 C2@102 S6/0 S7/0 R@8 S7/1 S8/1");
	close_world(&w);
}

/* A vCPU that waits for itself, or for one that is not there, waits for nobody. */
static void test_knot(void)
{
	struct world w;
	uint64_t self[2] = {0, 100}, nobody[2] = {200, 1}, far[2] = {1ull << 40, 1}, each[2] = {1, 100};

	if (!CHECK(open_world(&w, "knot.xtr") == 0))
		return;
	ring_put_more(&w.ring[0], 1, RING_AFTER, self);
	ring_put_more(&w.ring[0], 1, RING_AFTER, nobody);
	ring_put_more(&w.ring[0], 1, RING_AFTER, far);
	ring_put(&w.ring[0], 1, RING_SWITCH, 1);
	ring_put_more(&w.ring[1], 1, RING_AFTER, self);
	ring_put(&w.ring[1], 1, RING_SWITCH, 2);
	each[1] = w.ring[1].at;
	ring_put_more(&w.ring[0], 1, RING_AFTER, each);
	CHECK_INT(drain_end(&w.drain, NULL), 0);
	CHECK_STR(written(&w), "S1/0 S2/1");
	close_world(&w);
}

/* More than a ring holds, with the thread that drains it. */
static void test_thread(void)
{
	struct world w;
	struct buf why = BUF_INIT;
	struct data_reader *r = NULL;
	struct data_event event;
	uint64_t calls = 0, n = 3 * RING_WORDS;

	if (!CHECK(open_world(&w, "thread.xtr") == 0))
		return;
	CHECK_INT(drain_start(&w.drain), 0);
	for (uint64_t i = 0; i < n; i++)
		ring_put(&w.ring[0], i, i % 2 ? RING_RETURN : RING_CALL, i % 2 ? 0 : 1);
	CHECK_INT(drain_end(&w.drain, NULL), 0);
	CHECK_INT(data_reader_open(&r, w.path, &why), 0);
	while (data_reader_next(r, &event, &why) == 1)
		calls += event.type == DATA_CALL && event.clock == calls * 2;
	CHECK_INT((long long)calls, (long long)n / 2);
	CHECK_INT(data_reader_end(r), DATA_END_WHOLE);
	data_reader_close(r);
	buf_release(&why);
	close_world(&w);
}

/* The disk is full: nobody waits, and the end says so. */
static void test_full(void)
{
	struct world w;

	CHECK_INT(open_world(&w, "/nowhere/at.xtr"), -ENOENT);
	close_world(&w);
	if (!CHECK(open_world(&w, "full.xtr") == 0))
		return;
	if (CHECK(dup2(STDIN_FILENO, w.drain.fd) == w.drain.fd)) { /* not to be written to: see main */
		CHECK_INT(drain_start(&w.drain), 0);
		for (uint64_t i = 0; i < 4 * RING_WORDS; i++)
			ring_put(&w.ring[0], i, RING_CALL, 1);
		CHECK_INT(drain_end(&w.drain, NULL), -EBADF);
	}
	close_world(&w);
}

static struct ring_texts *new_texts(uint8_t arg, const char *text)
{
	struct ring_texts *texts = calloc(1, sizeof(*texts));

	if (texts) {
		texts->n = 1;
		texts->items[0].arg = arg;
		texts->items[0].kind = DATA_EXTRA_PATH;
		texts->items[0].n = strlen(text);
		texts->items[0].text = strdup(text);
	}
	return texts;
}

/* Processes of the guest: a program's stack, what it executes, calls with texts, its end. */
static void test_processes(void)
{
	struct world w;
	static const char words[] = "/bin/one\0one\0two";
	struct ring_exec *exec = malloc(sizeof(*exec) + sizeof(words));
	uint64_t task[6] = {1, 5ull << 32 | 5, 99, 'x', 0, 2 << 1}, idle[6] = {3, 0, 99, 'i', 0, 1};
	uint64_t call[12] = {3ull << 32 | 80, 5, 1000, 1200, -2ull}, end[3] = {5ull << 32 | 5, 1400, 256}, word;

	if (!CHECK(exec && open_world(&w, "processes.xtr") == 0))
		return;
	*exec = (struct ring_exec){.when = 900, .pid = 5, .argc = 2, .path_size = 9, .argv_size = 8};
	memcpy(exec->text, words, sizeof(words));
	word = (uintptr_t)exec;
	ring_put_more(&w.ring[0], 10, RING_TASK, idle);
	ring_put_more(&w.ring[0], 10, RING_TASK, task);
	ring_put_more(&w.ring[0], 11, RING_EXEC, &word);
	call[11] = (uintptr_t)new_texts(0, "/nowhere");
	ring_put_more(&w.ring[0], 12, RING_SYSCALL, call);
	call[11] = (uintptr_t)new_texts(2, "there");
	ring_put_more(&w.ring[0], 13, RING_UNFINISHED, call);
	ring_put_more(&w.ring[0], 14, RING_EXIT, end);
	CHECK_INT(drain_stop(&w.drain), 0);
	call[11] = 0;
	CHECK_INT(drain_unfinished(&w.drain, call), 0);
	CHECK_INT(drain_end(&w.drain, NULL), 0);
	CHECK_STR(written(&w), "P3:0:0:i P1:5:5:x P2:5:5:x x=5 5!/bin/one:2:one X5:80/3=-2e@1000+200(0..0)0='/nowhere' "
	                       "X5:80?2='there' 5/5~256 X5:80?");
	close_world(&w);
}

static void name(struct world *w, const char *text, uint64_t address)
{
	const struct function want = {.address = address, .name = text};

	(void)functions_get(&w->functions, &want);
}

/* A world in which only some of the events are wanted. The functions: 1 [filtered], 2 one, 3 two. */
static bool open_gated(struct world *w, const char *path, const struct control_config *control)
{
	const struct function filtered = {.name = "[filtered]", .what = CONTROL_WANTED};

	if (!CHECK(open_world(w, path) == 0))
		return false;
	w->functions.control = control;
	CHECK_INT(functions_get(&w->functions, &filtered)->id, 1);
	name(w, "one", 0x1000);
	name(w, "two", 0x2000);
	return CHECK_INT(drain_control(&w->drain, control, 1000000000, 1), 0);
}

static void test_windows(void)
{
	struct control_config control = {.start = {.when = CONTROL_ENTRY, .function = (char[]){"two"}},
	                                 .stop = {.when = CONTROL_EXIT, .function = (char[]){"two"}}};
	const uint64_t call[12] = {80, 5, 1000, 1200, 0}, now = 77;
	struct world w;

	if (!open_gated(&w, "windows.xtr", &control))
		return;
	ring_put(&w.ring[0], 10, RING_SWITCH, 1);
	ring_put(&w.ring[0], 11, RING_CALL, 2);
	ring_put_more(&w.ring[0], 12, RING_SYSCALL, call);
	ring_put_more(&w.ring[0], 12, RING_SYNC, &now);
	ring_put(&w.ring[0], 13, RING_CALL, 3);
	ring_put_more(&w.ring[0], 14, RING_SYSCALL, call);
	ring_put(&w.ring[0], 15, RING_RETURN, 0);
	ring_put(&w.ring[0], 16, RING_CALL, 2);
	CHECK_INT(drain_end(&w.drain, NULL), 0);
	CHECK_STR(written(&w), "Y0:77 W1:1@13 S1/0 F2:one/0 C2@13 F3:two/0 C3@13 X5:80/0=0@1000+200(0..0) R@15 "
	                       "S1/0 U@15 W1:0@15");
	close_world(&w);
}

/* Records with words behind them keep their place among calls that wait. */
static void test_waiting(void)
{
	struct control_config control = {.min_time = 5};
	const uint64_t now = 77;
	struct world w;

	if (!open_gated(&w, "waiting.xtr", &control))
		return;
	ring_put(&w.ring[0], 10, RING_SWITCH, 1);
	ring_put(&w.ring[0], 11, RING_CALL, 2);
	ring_put_more(&w.ring[0], 12, RING_SYNC, &now);
	ring_put(&w.ring[0], 13, RING_CALL, 3);
	ring_put(&w.ring[0], 15, RING_RETURN, 0);
	ring_put(&w.ring[0], 20, RING_RETURN, 0);
	CHECK_INT(drain_end(&w.drain, NULL), 0);
	CHECK_STR(written(&w), "W1:1@10 S1/0 F2:one/0 C2@11 Y0:77 F1:[filtered]/0 L1:1+2@20 R@20");
	close_world(&w);
}

static void test_task(void)
{
	struct control_config control = {.task = (char[]){"^he"}};
	const uint64_t task[6] = {1, 5ull << 32 | 5, 99, 0x6f6c6c6568 /* "hello" */, 0, 1};
	const uint64_t other[6] = {2, 6ull << 32 | 6, 99, 0x6f6c /* "lo" */, 0, 1}, owner[2] = {3, 1};
	const uint64_t call[12] = {80, 6, 1000, 1200, 0};
	struct world w;

	if (!open_gated(&w, "task.xtr", &control))
		return;
	ring_put_more(&w.ring[0], 1, RING_TASK, task);
	ring_put_more(&w.ring[0], 1, RING_TASK, other);
	ring_put_more(&w.ring[0], 1, RING_OWNER, owner);
	ring_put(&w.ring[0], 10, RING_SWITCH, 2);
	ring_put(&w.ring[0], 11, RING_CALL, 2);
	ring_put_more(&w.ring[0], 12, RING_SYSCALL, call);
	ring_put(&w.ring[0], 13, RING_SWITCH, 3);
	ring_put(&w.ring[0], 14, RING_CALL, 3);
	CHECK_INT(drain_end(&w.drain, NULL), 0);
	CHECK_STR(written(&w), "W1:1@1 P1:5:5:hello 5/5<0 hello=5 P2:6:6:lo 6/6<0 lo=6 S2/0 S3/0 F3:two/0 C3@14");
	close_world(&w);
}

/* Whoever can rename the directory of a run and put another in its place does not choose what is written to. */
static void test_directory(void)
{
	struct output_dir want = {.known = true};
	struct output o;
	struct stat st;
	int fd;

	if (!CHECK(mkdir("run", 0700) == 0 && mkdir("other", 0700) == 0 && stat("run", &st) == 0))
		return;
	want.device = st.st_dev;
	want.inode = st.st_ino;
	CHECK_INT(output_find(&o, "run/g.xtr", &want), 0);
	CHECK(rename("run", "away") == 0 && symlink("other", "run") == 0);
	fd = output_open(&o);
	CHECK(fd >= 0 && access("away/g.xtr", F_OK) == 0 && access("other/g.xtr", F_OK) != 0);
	CHECK_INT(output_open(&o), -EEXIST);
	fd_close(&fd);
	fd_close(&o.dir);
	CHECK_INT(output_find(&o, "run/g.xtr", &want), -ESTALE);
	CHECK_INT(o.dir, -1);
	CHECK_INT(output_find(&o, "none/g.xtr", &want), -ENOENT);
	(void)unlink("run");
	(void)unlink("away/g.xtr");
	(void)rmdir("away");
	(void)rmdir("other");
}

/* The last events are there, with the calls that are open, the names and the tasks; the file is never much larger. */
static void test_flight(void)
{
	const struct data_facts facts = {.host = {"here", 4}};
	const uint64_t task[6] = {1, 5ull << 32 | 5, 99, 0x6f6c6c6568, 0, 1};
	struct data_event event;
	struct data_reader *r = NULL;
	struct buf why = BUF_INIT;
	struct world w;
	uint64_t last = 0, end = 0, opens = 0, calls = 0, seed = 1;

	if (!CHECK(open_world(&w, "flight.xtr") == 0))
		return;
	CHECK_INT(drain_flight(&w.drain, &w.output, &facts, 65536), 0);
	name(&w, "one", 0x1000);
	name(&w, "two", 0x2000);
	ring_put(&w.ring[0], 1, RING_SWITCH, 1);
	ring_put_more(&w.ring[0], 1, RING_TASK, task);
	ring_put(&w.ring[0], 2, RING_CALL, 1);
	for (uint64_t i = 0, clock = 3; i < 3000000; i++) {
		seed = seed * 6364136223846793005ull + 1; /* clocks that do not compress */
		clock += seed >> 48;
		ring_put(&w.ring[0], clock, i % 2 ? RING_RETURN : RING_CALL, i % 2 ? 0 : 2);
		if (i % 100000 == 0)
			CHECK_INT(drain_run(&w.drain), 0);
		last = clock;
	}
	CHECK_INT(access("flight.xtr.next", F_OK), 0);
	CHECK_INT(drain_end(&w.drain, NULL), 0);
	CHECK(access("flight.xtr.next", F_OK) != 0);
	CHECK_INT(data_reader_open(&r, w.path, &why), 0);
	while (data_reader_next(r, &event, &why) == 1) {
		opens += event.type == DATA_CALL && event.call.function == 1;
		calls += event.type == DATA_CALL && event.call.function == 2;
		if (event.type == DATA_TASK)
			CHECK_INT(event.task.pid, 5);
		if (event.type == DATA_RETURN)
			end = event.clock;
	}
	CHECK_INT((long long)end, (long long)last);
	CHECK_INT((long long)opens, 1);
	CHECK(calls > 10000 && calls < 1000000);
	CHECK_INT(data_reader_end(r), DATA_END_WHOLE);
	data_reader_close(r);
	buf_release(&why);
	close_world(&w);
}

static struct ring_message *new_message(const char *text)
{
	struct ring_message *message = malloc(sizeof(*message) + strlen(text));

	if (!message)
		abort();
	*message = (struct ring_message){2000, 3, 17, (uint32_t)strlen(text)};
	memcpy(message->text, text, strlen(text));
	return message;
}

/* What the kernel logs is there whether calls are wanted or not, and what comes last is not lost. */
static void test_messages(bool filtered)
{
	struct control_config config = {0};
	struct buf why = BUF_INIT;
	struct world w;
	uint64_t word = (uintptr_t)new_message("one");

	if (!CHECK(open_world(&w, "messages.xtr") == 0))
		return;
	w.functions.control = &config;
	if (filtered) {
		CHECK_INT(control_set(&config, "from", "entry:never", &why), 0);
		CHECK_INT(drain_control(&w.drain, &config, 0, 9), 0);
	}
	name(&w, "any", 0x1000);
	ring_put(&w.ring[0], 1, RING_SWITCH, 1);
	ring_put(&w.ring[0], 2, RING_CALL, 1);
	ring_put_more(&w.ring[1], 30, RING_MESSAGE, &word);
	CHECK_INT(drain_stop(&w.drain), 0);
	CHECK_INT(drain_message(&w.drain, 0, 40, new_message("")), 0);
	CHECK_INT(drain_message(&w.drain, 9, 50, new_message("no such vCPU")), 0);
	CHECK_INT(drain_end(&w.drain, NULL), 0);
	CHECK_STR(written(&w), filtered ? "K1:3:2000:17:one@30 K0:3:2000:17:@40"
	                                : "S1/0 F1:any/0 C1@2 K1:3:2000:17:one@30 K0:3:2000:17:@40");
	control_release(&config);
	buf_release(&why);
	close_world(&w);
}

int main(void)
{
	if (!CHECK(freopen("/dev/null", "r", stdin) != NULL))
		return TAP_DONE();
	test_records();
	test_processes();
	test_values();
	test_order();
	test_knot();
	test_thread();
	test_full();
	test_windows();
	test_waiting();
	test_task();
	test_flight();
	test_messages(false);
	test_messages(true);
	test_directory();
	return TAP_DONE();
}
