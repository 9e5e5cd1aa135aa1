/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shadow stacks: which calls are open on each of the guest's stacks. A frame is known by its slot, the address of its
 * return address; stacks of the kernel are told apart by the 16 KiB in which they are, those of programs by the kernel
 * stack that was in use before them. So a task switch is nothing but another stack. What happens goes into the vCPU's
 * ring.
 */
#ifndef EXECTRACE_RECORD_GUEST_CORE_STACKS_H
#define EXECTRACE_RECORD_GUEST_CORE_STACKS_H

#include <exectrace/record/guest/core/ring.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define STACKS_TABLE (1u << 17)     /* places in the table of stacks */
#define STACKS_MAX (1u << 16)       /* stacks */
#define STACKS_DEPTH_MAX (1u << 16) /* frames of one stack */
#define STACKS_SHIFT 14          /* THREAD_SIZE of x86-64, to which kernel stacks are aligned: what is above is a key */
#define STACKS_USER (1ull << 63) /* in the key of the program whose kernel stack that is */
#define TRACK_NONE UINT64_MAX    /* a key that no stack has */

/* Where Linux maps the stacks to which processors change by themselves (cpu_entry_area,
 * Documentation/arch/x86/x86_64/mm.rst). */
#define TRACK_AREA 0xfffffe0000000000ull
#define TRACK_AREA_SHIFT 39
#define TRACK_ENTRY 512u /* bytes that are used of the one by which the kernel is entered from a program */

struct frame {
	uint64_t slot;
	uint32_t function;
	bool interrupt;
};

/* A system call of a program. */
struct syscall {
	uint64_t slot;  /* of the function that does it; 0: none is being made */
	uint64_t what;  /* machine << 32 | number */
	uint64_t enter; /* CLOCK_MONOTONIC, ns */
	uint64_t args[6];
	uint64_t result;          /* what it returned, when a signal was there then, ... */
	bool signaled;            /* ... which is so */
	struct ring_texts *texts; /* what is known of the arguments; NULL: nothing */
	uint8_t missing;          /* a bit for each argument that is a text which was not there yet */
};

struct stack {
	uint64_t key;
	uint32_t id; /* from 1 */
	uint32_t depth, cap;
	_Atomic uint32_t cpu; /* of the vCPU that used it last, plus 1; 0: none */
	struct frame *frames;
	uint64_t task; /* of one that the processor changes to: key of the kernel stack used before; 0: it is none */
	bool told;     /* of a program's: whose it is */
	uint32_t pid, tgid;  /* of the task whose it is; 0: not known, or idle */
	uint64_t descriptor; /* where the kernel has what it knows of that task (struct task_struct); 0: not known */
	bool named;          /* it was told whose it is */
	struct syscall call; /* that is being made on it */
	uint64_t owner;      /* where a lock has who holds it, for which its task waited last; 0: none is known, ... */
	uint64_t lock;       /* ... and where that lock is */
};

/* All of them; used by all vCPUs. */
struct stacks {
	_Atomic(struct stack *) table[STACKS_TABLE];
	pthread_mutex_t lock; /* for adding */
	uint32_t n;
	struct ring *rings[256]; /* of each vCPU, NULL: not there (yet) */
};

/* What is counted, for the checks at the end. */
struct track_counts {
	uint64_t calls;      /* frames that were opened, interrupts not counted */
	uint64_t tails;      /* tail calls */
	uint64_t returns;    /* frames closed by a return from exactly their slot */
	uint64_t unwound;    /* frames closed because one further out was */
	uint64_t strays;     /* returns from a slot that no frame has */
	uint64_t interrupts; /* entered */
	uint64_t irets;      /* interrupts closed by an iret from exactly their slot */
	uint64_t switches;
	uint64_t too_deep; /* calls beyond the depth that is kept */
};

/* One vCPU. */
struct track {
	struct ring *ring;
	struct stacks *stacks;
	struct stack *stack;  /* in use; NULL: none yet */
	struct stack *before; /* in use before that one */
	uint64_t key;         /* its key; TRACK_NONE while there is none */
	uint64_t kernel_key;  /* of the kernel stack used last */
	uint64_t first_key;   /* that, before any was */
	uint32_t cpu;
	uint64_t entry;        /* end of the stack by which the kernel is entered from a program; 0: not known yet */
	struct stack *entered; /* of the task whose program was interrupted last; NULL: none was */
	bool programs; /* all calls of programs and the kernel are told: where none of the kernel is open, a program
	                  runs */
	struct track_counts counts;
};

/* 0 or -errno. */
int stacks_init(struct stacks *stacks);
void stacks_release(struct stacks *stacks);

/* The stack with a key; NULL: none, or no memory. */
struct stack *stacks_find(struct stacks *stacks, uint64_t key);
struct stack *stacks_add(struct stacks *stacks, uint64_t key);

/* The kernel stack that an address is on; it is made when it is new. NULL: no memory. */
struct stack *stacks_at(struct stacks *stacks, uint64_t address);

/* Likewise of the stack of the program whose kernel stack that is. */
struct stack *stacks_user(struct stacks *stacks, uint64_t address);

void track_init(struct track *t, struct stacks *stacks, struct ring *ring, uint32_t cpu);

/* What the CPU runs low before any kernel stack is used has a stack of its own: before anything else. */
void track_apart(struct track *t);

/* The stack of what runs low before any kernel stack is used. NULL: no memory. */
struct stack *track_first(struct track *t);

/* Everything on a stack has ended, and its task too: the machine begins again. */
void track_end(struct track *t, uint64_t clock, struct stack *stack);

/* Likewise of the vCPU: it does not run. */
void track_again(struct track *t);

/* The kernel stack that an address is on is given to a new task: what is open there, and on its program's stack, was
 * that of another one, which has ended. */
void track_bury(struct track *t, uint64_t clock, uint64_t address);

/* The task of the kernel's stack that is in use has another program: what was open in the one before is over. */
void track_exec(struct track *t, uint64_t clock);

/* The task of the kernel's stack that is in use has forked: the child, whose kernel stack an address is on, will return
 * through the same calls of the program, on a copy of its stack. They are recorded as if they began there now. */
void track_fork(struct track *t, uint64_t clock, uint64_t address);

/* A function begins, with the stack pointer at its return address: a call, or a tail call when a frame has that slot.
 */
void track_enter(struct track *t, uint64_t clock, uint64_t slot, uint32_t function);

/* True when a slot is on the stack in use, and that is one of the kernel. */
static inline bool track_on_kernel(const struct track *t, uint64_t slot)
{
	/* Where programs have their stacks no shifted address is the key of any. */
	return slot >> STACKS_SHIFT == t->key &&
	       atomic_load_explicit(&t->stack->cpu, memory_order_relaxed) == t->cpu + 1;
}

/* track_enter, made for a call on the kernel's stack that is in use. False: it is something else; nothing is done. */
static inline bool track_enter_quick(struct track *t, uint64_t clock, uint64_t slot, uint32_t function)
{
	struct stack *stack = t->stack;
	struct frame *next;

	if (__builtin_expect(!track_on_kernel(t, slot) || stack->depth == stack->cap, 0))
		return false;
	next = &stack->frames[stack->depth];
	if (__builtin_expect((stack->depth && next[-1].slot <= slot) || !ring_has_room(t->ring, clock), 0))
		return false;
	*next = (struct frame){slot, function, false};
	stack->depth++;
	t->kernel_key = t->key;
	t->counts.calls++;
	ring_put_now(t->ring, clock, RING_CALL, function);
	return true;
}

/* Nothing but that this stack is in use now. */
void track_touch(struct track *t, uint64_t clock, uint64_t slot);

/* The innermost call of the stack of a slot, which is to be `function`, becomes another: one that it jumps to. */
void track_leave(struct track *t, uint64_t clock, uint64_t slot, uint32_t function, uint32_t other);

/* A call, whose return address was written to `slot`. */
void track_call(struct track *t, uint64_t clock, uint64_t slot, uint32_t function);

/* A return, whose address was read from `slot`, of a call or of a function that was left out. True when it ends the
 * system call that is made on the stack in use: when that has been told of, track_resume follows. */
bool track_return(struct track *t, uint64_t clock, uint64_t slot);

/* With `programs`: when nothing of the kernel is open any more on the stack in use, that of the program whose task it
 * is is in use from now on. */
void track_resume(struct track *t, uint64_t clock);

/* track_return, made for the innermost call on the kernel's stack that is in use, but for the last one. False: it is
 * something else; nothing is done. */
static inline bool track_return_quick(struct track *t, uint64_t clock, uint64_t slot)
{
	struct stack *stack = t->stack;
	const struct frame *top;

	if (__builtin_expect(!track_on_kernel(t, slot) || stack->depth < 2, 0))
		return false;
	top = &stack->frames[stack->depth - 1];
	if (__builtin_expect(top->slot != slot || top->interrupt || stack->call.slot == slot ||
	                             !ring_has_room(t->ring, clock),
	                     0))
		return false;
	stack->depth--;
	t->counts.returns++;
	ring_put_now(t->ring, clock, RING_RETURN, 0);
	return true;
}

/*
 * The slot of the innermost call on the kernel stack that is in use; where none is open there, that on the one before,
 * as of what an interrupt has stopped, or else `last`, when it is on this one; 0: not known.
 */
uint64_t track_slot(const struct track *t, uint64_t last);

/* True when that is the slot of the innermost frame of the stack in use. */
static inline bool track_on_top(const struct track *t, uint64_t slot)
{
	return t->stack && t->stack->depth && t->stack->frames[t->stack->depth - 1].slot == slot;
}

/* True when a return from `slot` may end something on that stack: a call, or a system call. */
static inline bool stack_has(const struct stack *stack, uint64_t slot)
{
	return (stack->depth && stack->frames[0].slot >= slot) || stack->call.slot == slot;
}

/* Likewise of whatever stack the slot is on. */
bool track_has_further(const struct track *t, uint64_t slot);

/* Likewise, cheaper where most end nothing. */
static inline bool track_has(const struct track *t, uint64_t slot)
{
	return slot >> STACKS_SHIFT == t->key ? stack_has(t->stack, slot) : track_has_further(t, slot);
}

/* True when a call with that slot is open. */
bool track_is_open(const struct track *t, uint64_t slot);

#endif
