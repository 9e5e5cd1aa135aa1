/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of every type, with ordinary and extreme values; and records as text, one a line. */
#ifndef EXECTRACE_TESTS_UNIT_DATA_SAMPLE_H
#define EXECTRACE_TESTS_UNIT_DATA_SAMPLE_H

#include <exectrace/base/quote.h>
#include <exectrace/format/data/reader.h>
#include <exectrace/format/data/writer.h>
#include <inttypes.h>
#include <linux/audit.h>

#define TEXT(literal) ((struct data_text){literal, sizeof(literal) - 1})
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct data_facts sample_facts = {
	.arch = AUDIT_ARCH_X86_64,
	.page_size = 4096,
	.cpus = 2,
	.pid = 4711,
	.clocks = {{DATA_CLOCK_MONOTONIC, 1000000000, 5000, 1700000000000000000},
                   {DATA_CLOCK_INSTRUCTIONS, 0, 0, UINT64_MAX}},
	.producer = TEXT("exectrace 0.1.0"),
	.host = TEXT("build\xff"
                     "7"),
	.system = TEXT("Linux 6.1.0-56-amd64"),
};

static const uint64_t sample_frames[] = {0x7f0000001234, 0x7f0000001000, 0, UINT64_MAX, 0x555500000000};

static const struct data_symbol sample_symbols[] = {
	{0x1000, 0x20, TEXT("main")},
	{0x1020, 0, TEXT("a name with blanks\n")},
	{UINT64_MAX, UINT64_MAX, TEXT("")},
	{0x10, 0x10, TEXT("_start")},
};

static const struct data_extra sample_extras[] = {
	{1, DATA_EXTRA_PATH, TEXT("/etc/ld.so.cache")},
	{2, DATA_EXTRA_TEXT, TEXT("O_RDONLY|O_CLOEXEC")},
	{6, DATA_EXTRA_BYTES, TEXT("\0\1\2\xff")},
	{0, 255, TEXT("")},
};

static const struct data_extra sample_strings[] = {
	{1, DATA_EXTRA_STRING, TEXT("eth0")},
	{6, DATA_EXTRA_CUT, TEXT("a long \xff text")},
	{2, DATA_EXTRA_TEXT, TEXT("{a=1}")},
};

static const struct data_event sample[] = {
	{DATA_THREAD, 1000, .thread = {4711, 4711, 4000, 0x11}},
	{DATA_FILE, 1001, .file = {1, TEXT("/usr/bin/prog"), TEXT("\x01\x23\x45\x67")}},
	{DATA_FILE, 1001, .file = {UINT64_MAX, TEXT(""), TEXT("")}},
	{DATA_FILE, 1001, .file = {2, TEXT("/lib/libc.so.6"), TEXT("")}},
	{DATA_MAPSET, 1002, .mapset = {1, 0, 4711}},
	{DATA_MAP, 1002, .map = {1, 0x555500000000, 0x555500004000, 0, 1, 5}},
	{DATA_MAP, 1002, .map = {1, 0x7f0000000000, 0x7f0000010000, 0x2000, 2, 5}},
	{DATA_MAP, 1002, .map = {1, 0, UINT64_MAX, UINT64_MAX, 0, UINT32_MAX}},
	{DATA_MAP, 1002, .map = {1, 0x7f0000000000, 0x7f0000010000, 0x2000, 2, 5}},
	{DATA_EXEC, 1003, .exec = {4711, 4712, 1, TEXT("/usr/bin/prog"), 3, TEXT("prog\0\0-l\0")}},
	{DATA_EXEC, 1003, .exec = {UINT32_MAX, 0, UINT64_MAX, TEXT(""), 0, TEXT("")}},
	{DATA_COMM, 1004, .comm = {4711, TEXT("prog")}},
	{DATA_STACK, 1005, .stack = {1, 1, COUNT(sample_frames), sample_frames}},
	{DATA_STACK, 1005, .stack = {UINT64_MAX, 0, 0, sample_frames}},
	{DATA_SYSCALL, 0,
         .syscall = {4711,
                     AUDIT_ARCH_X86_64,
                     257,
                     4,
                     false,
                     3,
                     1010,
                     345,
                     3,
                     1,
                     {(uint64_t)-100, 0x7ffc00001000, 0x80000, 0},
                     sample_extras}},
	{DATA_SYSCALL, 0, .syscall = {4711, AUDIT_ARCH_X86_64, 257, 0, true, 0, 1010, 345, -2, 0, {0}, NULL}},
	{DATA_SYSCALL, 0,
         .syscall = {UINT32_MAX,
                     UINT32_MAX,
                     UINT32_MAX,
                     6,
                     true,
                     4,
                     UINT64_MAX,
                     UINT64_MAX,
                     INT64_MIN,
                     UINT64_MAX,
                     {UINT64_MAX, 1ull << 63, INT64_MAX, 0, 1, 2},
                     sample_extras}},
	{DATA_SYSCALL, 0, .syscall = {4712, AUDIT_ARCH_I386, 3, 3, false, 0, 5, 0, INT64_MAX, 0, {1, 2, 3}, NULL}},
	{DATA_SYSCALL, 0, .syscall = {0, 0, 0, 0, false, 0, 0, 0, 0, 0, {0}, NULL}},
	{DATA_SYSCALL, 0, .syscall = {4711, AUDIT_ARCH_X86_64, 257, 0, true, 0, 2010, 345, -2, 0, {0}, NULL}},
	{DATA_SIGNAL, 2000, .signal = {4711, 11, 1, 0, 0, 0xdeadbeef, 0}},
	{DATA_SIGNAL, 2001, .signal = {UINT32_MAX, INT32_MIN, INT32_MAX, UINT32_MAX, UINT32_MAX, UINT64_MAX, 0}},
	{DATA_MAPSET, 2002, .mapset = {2, 1, 4711}},
	{DATA_UNMAP, 2002, .map = {.set = 2, .start = 0x555500001000, .end = 0x555500002000}},
	{DATA_SYMBOLS, 2003, .symbols = {1, COUNT(sample_symbols), sample_symbols}},
	{DATA_SYMBOLS, 2003, .symbols = {2, 0, sample_symbols}},
	{DATA_LOST, 2004, .lost = {123456789, DATA_LOST_RING, TEXT("ring of CPU 1")}},
	{DATA_LOST, 2004, .lost = {UINT64_MAX, UINT32_MAX, TEXT("")}},
	{DATA_SAMPLE, 2005, .sample = {4712, 1, 1003009, 1, DATA_SAMPLE_CUT}},
	{DATA_SAMPLE, 2005, .sample = {UINT32_MAX, UINT32_MAX, UINT64_MAX, UINT64_MAX, UINT32_MAX}},
	{DATA_STOP, 2006, .stop = {4712, 19}},
	{DATA_STOP, 2006, .stop = {UINT32_MAX, INT32_MIN}},
	{DATA_USAGE, 2007, .usage = {4711, DATA_USAGE_CPU | DATA_USAGE_IO, 1500000000, 20000001, 33554432, 4096, 6}},
	{DATA_USAGE, 2007,
         .usage = {UINT32_MAX, UINT32_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}},
	{DATA_NOTE, UINT64_MAX, .note = TEXT("a note, \"quoted\"")},
	{DATA_NOTE, 0, .note = TEXT("")},
	{DATA_FUNCTION, 10, .function = {1, 2, 0xffffffff81000000, 0x100, TEXT("start_kernel")}},
	{DATA_MODULE, 10, .module = {2, 0xffffffffc0000000, 0x4000}},
	{DATA_SWITCH, 11, .on = {0x3ffff, 1}},
	{DATA_TASK, 11, .task = {0x3ffff, 17, 16, TEXT("kworker/0:1")}},
	{DATA_CALL, 12, .call = {1}},
	{DATA_TAIL, 13, .call = {UINT64_MAX}},
	{DATA_IRQ_ENTER, 20, .call = {300}},
	{DATA_IRQ_EXIT, 30, .call = {0}},
	{DATA_RETURN, 31, .call = {0}},
	{DATA_SWITCH, UINT64_MAX, .on = {UINT64_MAX, UINT32_MAX}},
	{DATA_SYNC, 0, .sync = {123456, 3}},
	{DATA_RETURN, 1ull << 63, .call = {0}},
	{DATA_UNFINISHED, 0,
         .syscall = {4712,
                     AUDIT_ARCH_X86_64,
                     202,
                     6,
                     false,
                     2,
                     3000,
                     999,
                     0,
                     1,
                     {1, 2, 3, 4, 5, UINT64_MAX},
                     sample_extras}},
	{DATA_WINDOW, 1, .window = {3, 1}},
	{DATA_WAKE, 1, .wake = {0x3ffff, DATA_WAKE_NEW}},
	{DATA_HELD, 1, .held = {0xffff888012345678, 0x3ffff}},
	{DATA_CALL, 2, .call = {1}},
	{DATA_FILTERED, 70, .filtered = {2, 17, UINT64_MAX}},
	{DATA_EXIT, 4001, .exit = {4711, 4711, 0x8b}},
	{DATA_EXIT, 4002, .exit = {UINT32_MAX, 1, INT32_MIN}},
	{DATA_SIGNATURE, 71, .signature = {1, TEXT("msecs:u4,name:p,c:e4{RED=1|BLUE=2};s4")}},
	{DATA_SIGNATURE, 71, .signature = {UINT64_MAX, TEXT("")}},
	{DATA_CALL_ARGS, 72, .values = {3, 1, {80, 0xffff888003c0c000, 2}, sample_strings}},
	{DATA_CALL, 72, .call = {1}},
	{DATA_CALL_RESULT, 80, .values = {1, 0, {(uint64_t)-2}, NULL}},
	{DATA_RETURN, 80, .call = {0}},
	{DATA_CALL_ARGS, UINT64_MAX, .values = {6, 3, {0, UINT64_MAX, 1, 2, 3, 1ull << 63}, sample_strings}},
	{DATA_CALL_RESULT, 0, .values = {0, 0, {0}, NULL}},
	{DATA_MESSAGE, 90, .message = {1, 0, 2100000000, 17, TEXT("Kernel panic - not syncing: \"x\"\n\x01y")}},
	{DATA_MESSAGE, 91, .message = {UINT32_MAX, 7, UINT64_MAX, DATA_MESSAGE_CPU | 3, TEXT("")}},
};

static inline void sample_text(struct buf *out, const char *name, struct data_text text)
{
	buf_printf(out, " %s=", name);
	quote_json(out, text.bytes, text.n);
}

static inline void sample_call(struct buf *out, const struct data_syscall *call)
{
	buf_printf(out, " tid=%u arch=%#x nr=%u enter=%" PRIu64 " duration=%" PRIu64, call->tid, call->arch, call->nr,
	           call->enter, call->duration);
	buf_printf(out, " result=%" PRId64 "%s stack=%" PRIu64 " args=", call->result, call->error ? "!" : "",
	           call->stack);
	for (unsigned i = 0; i < call->nargs; i++)
		buf_printf(out, "%s%#" PRIx64, i ? "," : "", call->args[i]);
	for (unsigned i = 0; i < call->nextras; i++) {
		buf_printf(out, " %u:%u", call->extras[i].arg, call->extras[i].kind);
		sample_text(out, "", call->extras[i].text);
	}
}

static inline void sample_host(struct buf *out, const struct data_event *e)
{
	switch (e->type) {
	case DATA_SIGNAL:
		buf_printf(out, "signal %u %d %d %u %u %#" PRIx64, e->signal.tid, e->signal.number, e->signal.code,
		           e->signal.pid, e->signal.uid, e->signal.address);
		if (e->signal.stack)
			buf_printf(out, " in %" PRIu64, e->signal.stack);
		break;
	case DATA_STOP:
		buf_printf(out, "stop %u %d", e->stop.tid, e->stop.number);
		break;
	case DATA_USAGE:
		buf_printf(out, "usage %u %#x %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, e->usage.pid,
		           e->usage.flags, e->usage.user, e->usage.system, e->usage.peak, e->usage.read,
		           e->usage.written);
		break;
	case DATA_THREAD:
		buf_printf(out, "thread %u %u %u %#" PRIx64, e->thread.tid, e->thread.pid, e->thread.parent,
		           e->thread.flags);
		break;
	case DATA_EXEC:
		buf_printf(out, "exec %u %u %" PRIu64 " %u", e->exec.pid, e->exec.tid, e->exec.mapset, e->exec.argc);
		sample_text(out, "path", e->exec.path);
		sample_text(out, "argv", e->exec.argv);
		break;
	case DATA_EXIT:
		buf_printf(out, "exit %u %u %d", e->exit.tid, e->exit.pid, e->exit.status);
		break;
	case DATA_COMM:
		buf_printf(out, "comm %u", e->comm.tid);
		sample_text(out, "name", e->comm.name);
		break;
	case DATA_SAMPLE:
		buf_printf(out, "sample %u %u %" PRIu64 " %" PRIu64 " %u", e->sample.tid, e->sample.cpu,
		           e->sample.weight, e->sample.stack, e->sample.flags);
		break;
	case DATA_LOST:
		buf_printf(out, "lost %" PRIu64 " %u", e->lost.count, e->lost.why);
		sample_text(out, "text", e->lost.text);
		break;
	case DATA_NOTE:
		buf_puts(out, "note");
		sample_text(out, "text", e->note);
		break;
	default:
		buf_puts(out, e->type == DATA_SYSCALL ? "syscall" : "unfinished");
		sample_call(out, &e->syscall);
	}
}

static inline void sample_definition(struct buf *out, const struct data_event *e)
{
	switch (e->type) {
	case DATA_FILE:
		buf_printf(out, "file %" PRIu64, e->file.id);
		sample_text(out, "path", e->file.path);
		sample_text(out, "build_id", e->file.build_id);
		break;
	case DATA_MAPSET:
		buf_printf(out, "mapset %" PRIu64 " %" PRIu64 " %u", e->mapset.id, e->mapset.base, e->mapset.pid);
		break;
	case DATA_MAP:
		buf_printf(out, "map %" PRIu64 " %#" PRIx64 "-%#" PRIx64 " %#" PRIx64 " %" PRIu64 " %u", e->map.set,
		           e->map.start, e->map.end, e->map.offset, e->map.file, e->map.prot);
		break;
	case DATA_UNMAP:
		buf_printf(out, "unmap %" PRIu64 " %#" PRIx64 "-%#" PRIx64, e->map.set, e->map.start, e->map.end);
		break;
	case DATA_STACK:
		buf_printf(out, "stack %" PRIu64 " %" PRIu64, e->stack.id, e->stack.mapset);
		for (uint32_t i = 0; i < e->stack.n; i++)
			buf_printf(out, " %#" PRIx64, e->stack.frames[i]);
		break;
	case DATA_SYMBOLS:
		buf_printf(out, "symbols %" PRIu64, e->symbols.file);
		for (uint32_t i = 0; i < e->symbols.n; i++) {
			buf_printf(out, " %#" PRIx64 "+%#" PRIx64, e->symbols.items[i].address,
			           e->symbols.items[i].size);
			sample_text(out, "", e->symbols.items[i].name);
		}
		break;
	default:
		buf_printf(out, "function %" PRIu64 " %" PRIu64 " %#" PRIx64 "+%#" PRIx64, e->function.id,
		           e->function.file, e->function.address, e->function.size);
		sample_text(out, "name", e->function.name);
	}
}

static inline void sample_values(struct buf *out, const struct data_event *e)
{
	buf_printf(out, "%s ", e->type == DATA_CALL_ARGS ? "args" : "result");
	for (unsigned i = 0; i < e->values.nargs; i++)
		buf_printf(out, "%s%#" PRIx64, i ? "," : "", e->values.args[i]);
	for (unsigned i = 0; i < e->values.nextras; i++) {
		buf_printf(out, " %u:%u", e->values.extras[i].arg, e->values.extras[i].kind);
		sample_text(out, "", e->values.extras[i].text);
	}
}

static inline void sample_guest(struct buf *out, const struct data_event *e)
{
	static const char *const names[] = {"call", "return", "tail", "irq-enter", "irq-exit"};

	switch (e->type) {
	case DATA_SWITCH:
		buf_printf(out, "switch %#" PRIx64 " %u", e->on.stack, e->on.cpu);
		break;
	case DATA_TASK:
		buf_printf(out, "task %#" PRIx64 " %u %u", e->task.stack, e->task.pid, e->task.tgid);
		sample_text(out, "name", e->task.name);
		break;
	case DATA_MODULE:
		buf_printf(out, "module %" PRIu64 " %#" PRIx64 "+%#" PRIx64, e->module.file, e->module.address,
		           e->module.size);
		break;
	case DATA_FILTERED:
		buf_printf(out, "filtered %" PRIu64 " %" PRIu64 " %" PRIu64, e->filtered.function, e->filtered.count,
		           e->filtered.ticks);
		break;
	case DATA_WINDOW:
		buf_printf(out, "window %" PRIu64 " %u", e->window.number, e->window.open);
		break;
	case DATA_WAKE:
		buf_printf(out, "wake %#" PRIx64 " %#x", e->wake.stack, e->wake.flags);
		break;
	case DATA_HELD:
		buf_printf(out, "held %#" PRIx64 " %#" PRIx64, e->held.lock, e->held.stack);
		break;
	case DATA_SIGNATURE:
		buf_printf(out, "signature %" PRIu64, e->signature.function);
		sample_text(out, "", e->signature.text);
		break;
	case DATA_CALL_ARGS:
	case DATA_CALL_RESULT:
		sample_values(out, e);
		break;
	case DATA_MESSAGE:
		buf_printf(out, "message %u %u %" PRIu64 " %#x", e->message.cpu, e->message.level, e->message.stamp,
		           e->message.caller);
		sample_text(out, "text", e->message.text);
		break;
	case DATA_SYNC:
		buf_printf(out, "sync %" PRIu64 " %u", e->sync.clock, e->sync.cpu);
		break;
	default:
		buf_puts(out, names[e->type - DATA_CALL]);
		if (e->type != DATA_RETURN && e->type != DATA_IRQ_EXIT)
			buf_printf(out, " %" PRIu64, e->call.function);
	}
}

/* Adds one line. */
static inline void sample_print(struct buf *out, const struct data_event *e)
{
	uint64_t clock = e->clock;

	if (e->type == DATA_SYSCALL || e->type == DATA_UNFINISHED)
		clock = e->syscall.enter + e->syscall.duration;
	buf_printf(out, "%" PRIu64 " ", clock);
	if ((e->type >= DATA_FILE && e->type <= DATA_SYMBOLS) || e->type == DATA_FUNCTION)
		sample_definition(out, e);
	else if (e->type < DATA_CALL)
		sample_host(out, e);
	else
		sample_guest(out, e);
	buf_putc(out, '\n');
}

#endif
