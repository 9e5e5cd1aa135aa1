/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From rings to a file, read by the reader of the format. */
#include "../../src/plugin/drain.h"
#include "tap.h"
#include <errno.h>
#include <exectrace/data/reader.h>
#include <linux/audit.h>
#include <stdlib.h>
#include <unistd.h>

#define CPUS 2

struct world {
	struct functions functions;
	struct drain drain;
	struct ring ring[CPUS];
	char path[64];
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
	rc = drain_open(&w->drain, &w->functions, w->path, &facts);
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
	for (unsigned i = 0; i < CPUS; i++)
		ring_release(&w->ring[i]);
	(void)unlink(w->path);
}

static void add(struct world *w, const char *text)
{
	w->n += (size_t)snprintf(w->text + w->n, sizeof(w->text) - w->n, "%s%s", w->n ? " " : "", text);
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
		snprintf(text, sizeof(text), "%u/%u", e->thread.tid, e->thread.pid);
	else if (e->type == DATA_COMM)
		snprintf(text, sizeof(text), "%.*s=%u", (int)e->comm.name.n, e->comm.name.bytes, e->comm.tid);
	else if (e->type == DATA_SYSCALL)
		snprintf(text, sizeof(text), "X%u:%u/%u=%ld%s@%lu+%lu(%lu..%lu)", e->syscall.tid, e->syscall.nr,
		         e->syscall.arch, e->syscall.result, e->syscall.error ? "e" : "", e->syscall.enter,
		         e->syscall.duration, e->syscall.args[0], e->syscall.args[5]);
	else if (e->type == DATA_NOTE)
		snprintf(text, sizeof(text), "%.*s", (int)e->note.n, e->note.bytes);
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
	const uint64_t now = 77, task[5] = {1, 5ull << 32 | 4, 99, 0x6f6c6c6568 /* "hello" */, 0};
	const uint64_t call[11] = {3ull << 32 | 80, 5, 1000, 1200, -2ull, 1, 2, 3, 4, 5, 6};

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
	          "S1/0 [kernel]=1 M1:ff00+100 F1:one/1 C1@11 F2:two/0 T2@12 Y0:77 P1:5:4:hello 5/4 hello=5 "
	          "X5:80/3=-2e@1000+200(1..6) "
	          "I1@8589934592 E@8589934593 R@8589934594 note");
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

int main(void)
{
	if (!CHECK(freopen("/dev/null", "r", stdin) != NULL))
		return TAP_DONE();
	test_records();
	test_order();
	test_knot();
	test_thread();
	test_full();
	return TAP_DONE();
}
