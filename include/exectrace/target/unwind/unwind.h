/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames of a stopped thread: addresses only, names are for later (symbolize.h). One register read, one read of the
 * stack, and libunwind over that copy with the unwind tables of the mapped files.
 *
 * What holds: x86-64 and i386 programs, with the unwind tables that compilers write by default (.eh_frame), through
 * signal frames; code without them, such as a JIT's, only where it keeps frame pointers.
 */
#ifndef EXECTRACE_TARGET_UNWIND_UNWIND_H
#define EXECTRACE_TARGET_UNWIND_UNWIND_H

#include <exectrace/target/symbol/elf.h>
#include <exectrace/target/symbol/elfcache.h>
#include <exectrace/target/symbol/maps.h>
#include <exectrace/target/tracee/ptrace.h>

/* What is known of an address space (the memory that the threads of a process share). Not for two threads at a time. */
struct unwind_space;

enum unwind_flags {
	UNWIND_EXACT = 1 << 0,  /* pc is the instruction itself: that of the first frame, and of one that a signal
	                           interrupted. Else it is a return address, and pc - 1 lies in the call. */
	UNWIND_SIGNAL = 1 << 1, /* the kernel's trampoline to a signal handler; the next frame is what it interrupted */
	UNWIND_CUT = 1 << 2,    /* of the last frame: the stack goes on beyond what there is a copy of */
};

struct unwind_frame {
	uint64_t pc;
	uint32_t flags; /* enum unwind_flags */
};

/* A new space; its files come from the cache, which must outlive it. 0 or -ENOMEM. */
int unwind_space_new(struct elf_cache *cache, struct unwind_space **space);

/* Frees it. NULL is allowed. */
void unwind_space_free(struct unwind_space *space);

/*
 * Says that mappings of code may have changed: after mmap, mremap, munmap and mprotect of executable memory, and after
 * an exec. They are read again with the next stack, and what was learnt is forgotten if code went away.
 */
void unwind_space_changed(struct unwind_space *space);

/*
 * The frames of a thread in a ptrace-stop, the innermost first, at most max. Their number, at least 1; -ESRCH when it
 * is not stopped or gone; -errno. The caller is the thread that traces it.
 */
int unwind_stack(struct unwind_space *space, pid_t tid, struct unwind_frame *frames, size_t max);

/* Likewise with registers that were read already. */
int unwind_regs(struct unwind_space *space, pid_t tid, const struct regs *regs, struct unwind_frame *frames,
                size_t max);

/*
 * Says what is mapped in a space whose stacks are copies, those of threads that ran on (perf_event_open(2),
 * PERF_SAMPLE_STACK_USER): executable mappings are enough. From then on the space is for unwind_copied alone, and of
 * the process nothing is read but the vdso, for which ours stands in when it is gone, and files by way of /proc/tid.
 * The maps become the space's. 0 or -ENOMEM.
 */
int unwind_space_told(struct unwind_space *space, pid_t tid, struct maps *maps);

/* Where a thread was, and what was on its stack: it has run on since. */
struct stack_copy {
	struct regs regs;
	const void *bytes; /* n of them, from the stack pointer on */
	size_t n;
};

/*
 * Like unwind_regs with a copy of the stack. In a space that was told its maps (tid is not looked at) that is all there
 * is; in another one what is beyond the copy is read of the process as it is now.
 */
int unwind_copied(struct unwind_space *space, pid_t tid, const struct stack_copy *copy, struct unwind_frame *frames,
                  size_t max);

/* Reads the maps of a space again if they have changed, rather than with the next stack. 0 or -errno. */
int unwind_refresh(struct unwind_space *space, pid_t tid);

/*
 * Behind the last byte that was used for the last stack, where its outermost frame is. 0: it is in more than one place,
 * as that of a handler on a stack of its own.
 */
uint64_t unwind_stack_end(const struct unwind_space *space);

/* The mappings that the last stack was unwound with; the space's own, until the next call. */
const struct maps *unwind_maps(const struct unwind_space *space);

/* The vdso of the program, NULL when it has none; the space's own, until the next call. */
struct elf *unwind_vdso(const struct unwind_space *space);

/* A number that is another whenever code mappings have changed: (pc, generation) is one name for good. */
uint64_t unwind_generation(const struct unwind_space *space);

#endif
