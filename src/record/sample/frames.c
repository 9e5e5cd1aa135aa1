/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"

#include <errno.h>
#include <exectrace/target/arch/arch.h>
#include <linux/audit.h>
#include <linux/perf_event.h>

#define KEEP_BYTES (64u << 20) /* of stacks and places; then they start over */

int frames_name(struct sampler *s)
{
	return places_name(&s->places);
}

/* --- Frames ------------------------------------------------------------------------------------------------------- */

/* Without permission its functions have addresses for names. 0 or -ENOMEM. */
static int read_kernel(struct sampler *s)
{
	s->kernel_read = true;
	s->places.kernel = &s->images.kernel.names;
	return kernel_code_read(&s->images.kernel);
}

/* Takes note of the modules whose code is in a chain; what they are called is known then. 0 or -ENOMEM. */
static int see_kernel(struct sampler *s, const struct ring_record *record)
{
	bool kernel = false;
	int err = 0;

	for (size_t i = 0; i < record->sample.n_chain && !err; i++) {
		uint64_t pc = record->sample.chain[i];

		if (pc >= PERF_CONTEXT_MAX) { /* a mark: what follows is of the kernel, or of the program */
			kernel = pc == PERF_CONTEXT_KERNEL;
			continue;
		}
		if (kernel && !s->kernel_read)
			err = read_kernel(s);
		if (kernel)
			kernel_code_see(&s->images.kernel, pc);
	}
	return err;
}

/* Adds what the kernel found. The number of frames by now. */
static size_t chain_frames(struct sampler *s, const struct ring_record *record)
{
	uint32_t flags = UNWIND_EXACT;
	size_t n = 0;

	for (size_t i = 0; i < record->sample.n_chain && n < SAMPLE_FRAMES; i++) {
		uint64_t pc = record->sample.chain[i];

		if (pc >= PERF_CONTEXT_MAX) {
			flags = UNWIND_EXACT;
			continue;
		}
		s->frames[n++] = (struct unwind_frame){pc, flags};
		flags = 0;
	}
	return n;
}

/* What the registers of a sample are laid out as; NULL: not known. */
static const struct arch *arch_of(unsigned abi)
{
	const struct arch *native = arch_native();

	if (abi == PERF_SAMPLE_REGS_ABI_64)
		return native;
	if (abi == PERF_SAMPLE_REGS_ABI_32 && native && native->audit == AUDIT_ARCH_X86_64)
		return arch_by_name("i386");
	return NULL;
}

/* Unwinds the copy of the stack behind the n frames that are there. The number of frames by now. */
static size_t stack_frames(struct sampler *s, struct image *image, const struct ring_record *record, size_t n)
{
	struct stack_copy copy = {{.arch = arch_of(record->sample.abi)}, record->sample.stack, record->sample.n_stack};
	int more = 0;

	if (!copy.regs.arch || n >= SAMPLE_FRAMES ||
	    !arch_perf_regs(copy.regs.arch, s->session.format.registers, record->sample.registers,
	                    record->sample.n_registers, copy.regs.raw))
		return n;
	more = unwind_copied(image->unwind, 0, &copy, s->frames + n, SAMPLE_FRAMES - n);
	return more > 0 ? n + (size_t)more : n;
}

/* Stacks and places that were defined need not be known any longer when they are too many. */
static int trim(struct sampler *s)
{
	int err = 0;

	if (s->table.known.bytes + places_bytes(&s->places) < KEEP_BYTES)
		return 0;
	err = frames_name(s);
	stack_table_forget(&s->table);
	places_reset(&s->places);
	return err;
}

static int add_places(struct sampler *s, const struct image *image, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		uint64_t pc = s->frames[i].pc;
		bool caller = stack_frame_returns(&s->frames[i], i);
		uint32_t number;

		err = places_add(&s->places, code_maps_find(&image->maps, pc - caller), pc, caller, &number);
	}
	return err;
}

/* The number of the n frames in *id. 0 or -ENOMEM. */
static int number(struct sampler *s, const struct image *image, size_t n, uint64_t *id)
{
	struct stack_number number = {0};
	int err = 0;

	*id = 0;
	if (!n || stack_table_full(&s->table))
		return 0;
	err = trim(s);
	if (!err)
		err = stack_table_number(&s->table, &image->maps, s->frames, n, &number);
	*id = number.id;
	if (err || !number.fresh)
		return err;
	err = add_places(s, image, n);
	if (!err)
		stack_table_define(&s->table, &s->files, &number);
	return err ? err : s->error;
}

int frames_on_sample(struct sampler *s, const struct ring_record *record)
{
	struct sampled_process *p = tasks_of(s, (pid_t)record->pid, (pid_t)record->tid);
	struct data_event out = {
		.type = DATA_SAMPLE,
		.sample = {.tid = record->tid, .cpu = record->cpu, .weight = record->sample.period},
	};
	size_t n = 0;
	int err = p ? see_kernel(s, record) : s->error;

	if (p && !err)
		err = image_settle(p->image, &s->images, p->pid);
	if (err)
		return err;
	n = chain_frames(s, record);
	if (s->session.format.stack)
		n = stack_frames(s, p->image, record, n);
	if (n && s->frames[n - 1].flags & UNWIND_CUT && record->sample.whole)
		out.sample.flags |= DATA_SAMPLE_CUT;
	err = number(s, p->image, n, &out.sample.stack);
	s->result.samples++;
	return err ? err : sampler_put(s, &out);
}
