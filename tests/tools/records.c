/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * records [-n] FILE: the records of a recording as lines, for tests: nothing of the analysis commands is in it. A call
 * is `TID NAME(EXTRA, ...) = RESULT`, with its frames below it as strace -k has them; -n: without arguments and frames.
 * The last line tells how the file ends.
 */
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/quote.h>
#include <exectrace/format/data/dictionary.h>
#include <exectrace/target/arch/arch.h>
#include <exectrace/target/symbol/demangle.h>
#include <exectrace/target/syscalls/names.h>
#include <exectrace/target/syscalls/table.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_text(const char *label, struct data_text text)
{
	cleanup_buf struct buf out = BUF_INIT;

	quote_json(&out, text.bytes, text.n);
	printf("%s%s", label, out.data);
}

static void print_frame(struct data_reader *r, const struct data_stack *stack, uint32_t i)
{
	uint64_t pc = stack->frames[i], at = pc - (i > 0);
	cleanup_buf struct buf name = BUF_INIT;
	cleanup_buf struct buf mangled = BUF_INIT;
	struct data_symbol symbol;
	struct data_file file;
	struct data_map map;

	if (data_reader_map_at(r, stack->mapset, at, &map) || data_reader_file(r, map.file, &file)) {
		printf(" > [0x%" PRIx64 "]\n", pc);
		return;
	}
	pc += map.offset - map.start;
	at += map.offset - map.start;
	printf(" > %.*s(", (int)file.path.n, file.path.bytes);
	if (data_reader_symbol(r, map.file, at, &symbol) == 0 &&
	    buf_append(&mangled, symbol.name.bytes, symbol.name.n) == 0 && demangle(&name, mangled.data) == 0)
		printf("%s+0x%" PRIx64, name.data, pc - symbol.address);
	printf(") [0x%" PRIx64 "]\n", pc);
}

static void print_call(struct data_reader *r, const struct data_event *e, bool brief)
{
	const struct data_syscall *call = &e->syscall;
	const struct syscall_desc *desc = syscall_by_nr(arch_by_call(call->arch, call->nr), call->nr);
	struct data_stack stack;
	const char *separator = "";

	printf("%u %s", call->tid, desc ? desc->name : "?");
	for (unsigned i = 0; i < call->nextras && !brief; i++) {
		printf("%s%u", i ? ", " : "(", call->extras[i].arg);
		print_text((const char *const[]){"b", "p", "t", "s", "c", "m", "d"}[call->extras[i].kind % 7],
		           call->extras[i].text);
		separator = ")";
	}
	printf("%s = ", separator);
	if (e->type == DATA_UNFINISHED)
		printf("?\n");
	else if (call->error)
		printf("-1 %s\n", errno_name((int)-call->result));
	else
		printf("%" PRId64 "\n", call->result);
	if (brief || !call->stack || data_reader_stack(r, call->stack, &stack))
		return;
	for (uint32_t i = 0; i < stack.n; i++)
		print_frame(r, &stack, i);
}

static void print_process(const struct data_event *e)
{
	switch (e->type) {
	case DATA_THREAD:
		printf("%u begins: process %u, made by %u, flags %#" PRIx64 "\n", e->thread.tid, e->thread.pid,
		       e->thread.parent, e->thread.flags);
		break;
	case DATA_EXEC:
		printf("%u executes (%u words, maps %s)", e->exec.pid, e->exec.argc, e->exec.mapset ? "known" : "none");
		print_text(": ", e->exec.path);
		print_text(" ", e->exec.argv);
		putchar('\n');
		break;
	case DATA_COMM:
		printf("%u is called", e->comm.tid);
		print_text(" ", e->comm.name);
		putchar('\n');
		break;
	case DATA_SIGNAL:
		printf("%u gets signal %d (code %d, pid %u, address %#" PRIx64 ", stack %" PRIu64 ")\n", e->signal.tid,
		       e->signal.number, e->signal.code, e->signal.pid, e->signal.address, e->signal.stack);
		break;
	case DATA_USAGE:
		printf("%u used (flags %u) user %" PRIu64 ", system %" PRIu64 ", peak %" PRIu64 ", read %" PRIu64
		       ", written %" PRIu64 "\n",
		       e->usage.pid, e->usage.flags, e->usage.user, e->usage.system, e->usage.peak, e->usage.read,
		       e->usage.written);
		break;
	case DATA_EXIT:
		printf("%u ends: process %u, status %#x\n", e->exit.tid, e->exit.pid, (unsigned)e->exit.status);
		break;
	case DATA_LOST:
		printf("lost %" PRIu64 "\n", e->lost.count);
		break;
	case DATA_NOTE:
		print_text("note ", e->note);
		putchar('\n');
		break;
	default:
		break;
	}
}

int main(int argc, char **argv)
{
	static const char *const ends[] = {"open", "whole", "cut"};
	cleanup_buf struct buf why = BUF_INIT;
	struct data_reader *r = NULL;
	struct data_event event;
	bool brief = argc > 2 && strcmp(argv[1], "-n") == 0;
	int err = argc < 2 ? -EINVAL : data_reader_open(&r, argv[argc - 1], &why);

	if (!err)
		err = data_reader_load(r, &why);
	while (!err && (err = data_reader_next(r, &event, &why)) > 0) {
		err = 0;
		if (event.type == DATA_SYSCALL || event.type == DATA_UNFINISHED)
			print_call(r, &event, brief);
		else
			print_process(&event);
	}
	if (err)
		fprintf(stderr, "records: %s\n", why.len ? why.data : strerror(-err));
	else
		printf("file: %s\n", ends[data_reader_end(r)]);
	data_reader_close(r);
	return err ? 1 : 0;
}
