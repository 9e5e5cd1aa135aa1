/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps from frame to frame. */
#include "private.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

/* Not in libunwind's headers, but exported for programs like this one; perf uses it so, too. */
extern int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t as, unw_word_t ip, unw_dyn_info_t *info,
                                              unw_proc_info_t *proc, int need_unwind_info, void *arg);

#if defined(__x86_64__)
static const unsigned char trampoline[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
#elif defined(__aarch64__)
static const unsigned char trampoline[] = {0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4};
#else
static const unsigned char trampoline[] = {0};
#endif

static int access_mem(unw_addr_space_t as, unw_word_t addr, unw_word_t *value, int write, void *arg)
{
	(void)as;
	return write || space_read(arg, addr, value, sizeof(*value)) ? -UNW_EINVAL : 0;
}

static int access_reg(unw_addr_space_t as, unw_regnum_t reg, unw_word_t *value, int write, void *arg)
{
	(void)as;
	/* libunwind's numbers of the general registers are DWARF's. */
	return write || reg < 0 || !space_register(arg, (unsigned)reg, value) ? -UNW_EBADREG : 0;
}

static int find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *proc, int need, void *arg)
{
	struct unwind_space *space = arg;
	const struct unwind_module *m = space_module(space, ip);
	unw_dyn_info_t info = {.format = UNW_INFO_FORMAT_REMOTE_TABLE};

	if (!m || (!m->has_table && !m->index))
		return -UNW_ENOINFO;
	info.start_ip = m->ip_low;
	info.end_ip = m->ip_high;
	if (m->has_table) {
		info.u.rti.segbase = m->bias + m->table.header;
		info.u.rti.table_data = m->bias + m->table.table;
		info.u.rti.table_len = m->table.count * sizeof(struct elf_pair) / sizeof(unw_word_t);
	} else {
		info.u.rti.segbase = m->bias + m->index_base;
		info.u.rti.table_data = MADE_UP + (uint64_t)(m - space->modules) * MADE_UP_STEP;
		info.u.rti.table_len = m->index_n * sizeof(struct elf_pair) / sizeof(unw_word_t);
	}
	return UNW_OBJ(dwarf_search_unwind_table)(as, ip, &info, proc, need, arg);
}

static void put_unwind_info(unw_addr_space_t as, unw_proc_info_t *proc, void *arg)
{
	(void)as;
	(void)proc;
	(void)arg;
}

static int dyn_info_list(unw_addr_space_t as, unw_word_t *addr, void *arg)
{
	(void)as;
	(void)addr;
	(void)arg;
	return -UNW_ENOINFO;
}

static int access_fpreg(unw_addr_space_t as, unw_regnum_t reg, unw_fpreg_t *value, int write, void *arg)
{
	(void)as;
	(void)reg;
	(void)value;
	(void)write;
	(void)arg;
	return -UNW_EBADREG;
}

static int resume(unw_addr_space_t as, unw_cursor_t *cursor, void *arg)
{
	(void)as;
	(void)cursor;
	(void)arg;
	return -UNW_EINVAL;
}

/* No get_proc_name: it is never asked. */
unw_accessors_t unwind_accessors = {
	.find_proc_info = find_proc_info,
	.put_unwind_info = put_unwind_info,
	.get_dyn_info_list_addr = dyn_info_list,
	.access_mem = access_mem,
	.access_reg = access_reg,
	.access_fpreg = access_fpreg,
	.resume = resume,
};

/* Whether the code at pc is the call of rt_sigreturn(2) that a handler returns to: remembered by address. */
static bool is_signal(struct unwind_space *space, uint64_t pc)
{
	unsigned char code[sizeof(trampoline)];
	size_t i = (pc ^ pc >> 12) % KNOWN;
	bool elsewhere = space->elsewhere;

	if (space->known[i].pc != pc) {
		space->known[i].signal =
			space_read(space, pc, code, sizeof(code)) == 0 && memcmp(code, trampoline, sizeof(code)) == 0;
		space->known[i].pc = pc;
		space->elsewhere = elsewhere; /* that was no stack */
	}
	return space->known[i].signal;
}

static size_t walk_by_libunwind(struct unwind_space *space, struct unwind_frame *frames, size_t max)
{
	unw_cursor_t cursor;
	unw_word_t pc = 0;
	uint32_t flags = UNWIND_EXACT;
	size_t n = 0;

	if (unw_init_remote(&cursor, space->as, space) < 0)
		return 0;
	do {
		if (unw_get_reg(&cursor, UNW_REG_IP, &pc) < 0 || !pc)
			break;
		if (is_signal(space, pc))
			flags |= UNWIND_SIGNAL;
		frames[n++] = (struct unwind_frame){pc, flags};
		flags = flags & UNWIND_SIGNAL ? UNWIND_EXACT : 0;
	} while (n < max && unw_step(&cursor) > 0);
	return n;
}

/* Walks the stack that was begun with. The number of frames, at least 1. */
static int walk_any(struct unwind_space *space, const struct regs *regs, struct unwind_frame *frames, size_t max)
{
	size_t n = walk_by_rules(space, frames, max);

	if (n == 0 && regs->arch->reg_width == sizeof(unw_word_t))
		n = walk_by_libunwind(space, frames, max);
	if (n == 0)
		frames[n++] = (struct unwind_frame){arch_reg(regs->arch, regs->raw, REG_PC), UNWIND_EXACT};
	return (int)n;
}

int unwind_regs(struct unwind_space *space, pid_t tid, const struct regs *regs, struct unwind_frame *frames, size_t max)
{
	int n = 0;

	if (!max || space->told)
		return -EINVAL;
	space->tid = tid;
	space->regs = regs;
	n = space_refresh(space);
	if (!n)
		n = stack_begin(space, arch_reg(regs->arch, regs->raw, REG_SP));
	if (n)
		return n;
	n = walk_any(space, regs, frames, max);
	stack_end(space);
	return n;
}

int unwind_copied(struct unwind_space *space, pid_t tid, const struct stack_copy *copy, struct unwind_frame *frames,
                  size_t max)
{
	const struct regs *regs = &copy->regs;
	int n = 0;

	if (!max)
		return -EINVAL;
	if (!space->told)
		space->tid = tid;
	space->regs = regs;
	n = space_refresh(space);
	if (!n)
		n = stack_given(space, arch_reg(regs->arch, regs->raw, REG_SP), copy->bytes, copy->n);
	if (n)
		return n;
	n = walk_any(space, regs, frames, max);
	if (space->beyond)
		frames[n - 1].flags |= UNWIND_CUT;
	return n;
}

int unwind_refresh(struct unwind_space *space, pid_t tid)
{
	if (space->told)
		return -EINVAL;
	space->tid = tid;
	return space_refresh(space);
}

uint64_t unwind_stack_end(const struct unwind_space *space)
{
	return space->elsewhere ? 0 : space->top;
}

int unwind_stack(struct unwind_space *space, pid_t tid, struct unwind_frame *frames, size_t max)
{
	struct regs regs;
	int err = tracee_regs_as(tid, space->arch, &regs);

	if (err)
		return err;
	space->arch = regs.arch;
	return unwind_regs(space, tid, &regs, frames, max);
}
