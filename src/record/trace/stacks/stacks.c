/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/trace/stacks/stacks.h>

#include "spaces.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/record/common/places.h>
#include <exectrace/record/common/stacktable.h>
#include <string.h>
#include <sys/mman.h>

#define ELF_FILES 128u         /* kept open */
#define KEEP_BYTES (64u << 20) /* of stacks and places; then they start over */
#define FRAMES_TO_END 512      /* of a walk to where a stack ends */
#define STACK_GRAIN 256u       /* bytes that a stack's end is rounded up to, a part of a page */
#define STACK_SAME (1u << 20)  /* bytes between two ends of one stack, at most */
#define I386_MMAP 90u          /* whose arguments are in memory */

/* Where the places of a stack are. */
struct stack_range {
	size_t at;
	uint32_t n;
};

struct trace_stacks {
	struct code_files files;
	struct spaces spaces;
	struct places places;
	bool lazy;
	struct syscall_filter changes;  /* calls that change what is mapped */
	struct syscall_filter protects; /* of those, the ones that say in their third argument what may be executed */
	struct unwind_frame *frames;    /* depth of them, at least FRAMES_TO_END */
	struct stack_table table;
	struct buf ranges;  /* struct stack_range of each stack, when they are printed */
	struct buf numbers; /* uint32_t: places of frames */
};

static int init(struct trace_stacks *stacks, unsigned depth, bool lazy)
{
	static const char changes[] = "mmap,mmap2,munmap,mprotect,pkey_mprotect,mremap,remap_file_pages,shmat,shmdt";
	cleanup_buf struct buf why = BUF_INIT;
	int err = elf_cache_new(ELF_FILES, &stacks->files.cache);

	if (!err)
		err = symbolizer_new(stacks->files.cache, NULL, &stacks->places.symbolizer);
	stacks->lazy = lazy;
	if (!err && !lazy)
		err = syscall_filter_parse(&stacks->changes, changes, &why);
	if (!err)
		err = syscall_filter_parse(&stacks->protects, "mmap,mmap2,mprotect,pkey_mprotect", &why);
	if (!err)
		err = stack_table_init(&stacks->table, depth);
	stacks->frames = calloc(depth > FRAMES_TO_END ? depth : FRAMES_TO_END, sizeof(*stacks->frames));
	stacks->spaces.files = &stacks->files;
	stacks->places.files = &stacks->files;
	return err ? err : stacks->frames ? 0 : -ENOMEM;
}

int stacks_new(unsigned depth, bool lazy, struct trace_stacks **out)
{
	struct trace_stacks *stacks = calloc(1, sizeof(*stacks));
	int err = -ENOMEM;

	if (!stacks)
		return -ENOMEM;
	err = init(stacks, depth, lazy);
	if (err)
		stacks_free(stacks);
	else
		*out = stacks;
	return err;
}

void stacks_show_parameters(struct trace_stacks *stacks)
{
	stacks->places.parameters = true;
}

void stacks_free(struct trace_stacks *stacks)
{
	if (!stacks)
		return;
	places_reset(&stacks->places);
	intern_release(&stacks->places.functions);
	symbolizer_free(stacks->places.symbolizer);
	spaces_release(&stacks->spaces);
	code_files_release(&stacks->files);
	elf_cache_free(stacks->files.cache);
	stack_table_release(&stacks->table);
	buf_release(&stacks->ranges);
	buf_release(&stacks->numbers);
	free(stacks->frames);
	free(stacks);
}

void stacks_define(struct trace_stacks *stacks, stack_define_fn *define, void *user)
{
	stacks->files.define = define;
	stacks->files.user = user;
}

/* --- Threads --- */

int stacks_begin(struct trace_stacks *stacks, const struct thread *thread)
{
	return spaces_begin(&stacks->spaces, thread);
}

void stacks_exec(struct trace_stacks *stacks, const struct thread *thread)
{
	spaces_exec(&stacks->spaces, thread);
}

void stacks_end(struct trace_stacks *stacks, const struct thread *thread)
{
	spaces_end(&stacks->spaces, thread);
}

const struct syscall_filter *stacks_calls(const struct trace_stacks *stacks)
{
	return &stacks->changes;
}

void stacks_returned(struct trace_stacks *stacks, const struct thread *thread)
{
	const struct syscall_call *call = &thread->call;
	struct space *space = NULL;

	if (thread->result.error || !syscall_filter_has(&stacks->changes, call->arch, call->nr))
		return;
	space = spaces_of(&stacks->spaces, thread);
	if (!space || !space->unwind)
		return;
	if ((syscall_filter_has(&stacks->protects, call->arch, call->nr) && call->args[2] & PROT_EXEC) ||
	    (call->arch->word == 4 && call->nr == I386_MMAP) ||
	    code_maps_overlap(&space->maps, call->args[0], call->args[1]))
		unwind_space_changed(space->unwind);
	if (thread->inside) /* when the next stack comes out of a ring the process may be gone */
		(void)unwind_refresh(space->unwind, thread->tid);
}

/* --- Frames --- */

static int add_places(struct trace_stacks *stacks, const struct space *space, size_t n)
{
	struct stack_range range = {stacks->numbers.len / sizeof(uint32_t), (uint32_t)n};
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		const struct unwind_frame *frame = &stacks->frames[i];
		bool caller = stack_frame_returns(frame, i);
		uint32_t number = 0;

		err = places_add(&stacks->places, code_maps_find(&space->maps, frame->pc - caller), frame->pc, caller,
		                 &number);
		if (!err && !stacks->files.define)
			err = buf_append(&stacks->numbers, &number, sizeof(number));
	}
	if (!err && !stacks->files.define)
		err = buf_append(&stacks->ranges, &range, sizeof(range));
	return err;
}

/* The number of the n frames. 0 without memory. */
static uint64_t number(struct trace_stacks *stacks, const struct space *space, size_t n)
{
	struct stack_number number;

	if (stacks->files.define)
		stacks_trim(stacks);
	if (stack_table_number(&stacks->table, &space->maps, stacks->frames, n, &number))
		return 0;
	if (!number.fresh)
		return number.id;
	if (add_places(stacks, space, n))
		return 0;
	if (stacks->files.define)
		stack_table_define(&stacks->table, &stacks->files, &number);
	return number.id;
}

/*
 * True when a frame is in none of the maps: they have changed since they were read. Where that does not help, as with
 * code that a program makes, they are read again less and less often.
 */
static bool strays(const struct trace_stacks *stacks, struct space *space, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct unwind_frame *frame = &stacks->frames[i];

		if (code_maps_find(&space->maps, frame->pc - stack_frame_returns(frame, i)))
			continue;
		space->strays++;
		return (space->strays & (space->strays - 1)) == 0;
	}
	return false;
}

/* Where what is copied of stacks may end: so that it is in the same page. */
static uint64_t end_of_stack(uint64_t used)
{
	return (used + STACK_GRAIN - 1) & ~(uint64_t)(STACK_GRAIN - 1);
}

/*
 * After a walk, which got to the end of the stack if it was not limited by how many frames are wanted. A thread may
 * have another stack now than at its last stop; and of one not each walk gets to the end, for code without tables.
 */
static void learn_end(struct trace_stacks *stacks, const struct space *space, struct thread *thread, bool copied,
                      bool limited)
{
	uint64_t end = end_of_stack(unwind_stack_end(space->unwind));
	bool same = copied || (thread->stack_end > end && thread->stack_end - end < STACK_SAME);

	if (!same && limited) {
		limited = unwind_stack(space->unwind, thread->tid, stacks->frames, FRAMES_TO_END) == FRAMES_TO_END;
		end = limited ? 0 : end_of_stack(unwind_stack_end(space->unwind));
	}
	if (!end || !same || end > thread->stack_end)
		thread->stack_end = end;
}

static size_t unwind_once(struct trace_stacks *stacks, struct thread *thread, const struct stack_copy *copy, size_t max,
                          struct space *space)
{
	int n = copy ? unwind_copied(space->unwind, thread->tid, copy, stacks->frames, max)
	             : unwind_stack(space->unwind, thread->tid, stacks->frames, max);

	if (n < 1)
		return 0;
	if (thread->inside && max > 1)
		learn_end(stacks, space, thread, copy != NULL, n == (int)max);
	return spaces_update(&stacks->spaces, space, thread->tid) ? 0 : (size_t)n;
}

/* Unwinds up to max frames; their number, 0 when there are none. */
static size_t unwind(struct trace_stacks *stacks, struct thread *thread, const struct stack_copy *copy, size_t max,
                     struct space **space)
{
	size_t n;

	*space = spaces_of(&stacks->spaces, thread);
	if (!*space || spaces_ready(&stacks->spaces, *space))
		return 0;
	n = unwind_once(stacks, thread, copy, max, *space);
	if (stacks->lazy && strays(stacks, *space, n)) {
		unwind_space_changed((*space)->unwind);
		n = unwind_once(stacks, thread, copy, max, *space);
	}
	return n;
}

uint64_t stacks_take(struct trace_stacks *stacks, struct thread *thread, const struct stack_copy *copy)
{
	struct space *space = NULL;
	size_t n = stack_table_full(&stacks->table) ? 0 : unwind(stacks, thread, copy, stacks->table.depth, &space);

	return n ? number(stacks, space, n) : 0;
}

uint64_t stacks_again(struct trace_stacks *stacks, struct thread *thread, const struct stack_copy *copy)
{
	bool kept = stacks->files.define || !thread->stack || thread->stack > stacks->table.before;

	return kept ? thread->stack : stacks_take(stacks, thread, copy);
}

uint64_t stacks_mapset(struct trace_stacks *stacks, struct thread *thread)
{
	struct space *space = NULL;

	return unwind(stacks, thread, NULL, 1, &space) ? space->maps.set : 0;
}

/* --- Names --- */

int stacks_name(struct trace_stacks *stacks)
{
	return places_name(&stacks->places);
}

int stacks_print(const struct trace_stacks *stacks, uint64_t stack, const struct stack_form *form, struct buf *out)
{
	const struct stack_range *range = (const struct stack_range *)(const void *)stacks->ranges.data;
	const uint32_t *numbers = (const uint32_t *)(const void *)stacks->numbers.data;
	int err = 0;

	if (stack <= stacks->table.before)
		return 0;
	err = buf_puts(out, form->begin);
	range += stack - stacks->table.before - 1;
	for (uint32_t i = 0; i < range->n && !err; i++) {
		struct data_text text = places_text(&stacks->places, numbers[range->at + i]);

		err = buf_puts(out, i ? form->between : "");
		if (!err)
			err = buf_puts(out, form->frame);
		if (!err)
			err = form->put(out, text.bytes, text.n);
	}
	return err ? err : buf_puts(out, form->end);
}

void stacks_trim(struct trace_stacks *stacks)
{
	if (stacks->table.known.bytes + stacks->numbers.cap + places_bytes(&stacks->places) < KEEP_BYTES)
		return;
	(void)stacks_name(stacks);
	stack_table_forget(&stacks->table);
	places_reset(&stacks->places);
	buf_release(&stacks->ranges);
	buf_release(&stacks->numbers);
}
