/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What lies where in a process that has the agent, and how agent and tracer talk: included by both (agent/agent.c is no
 * part of the tracer's program) and by the assembler. All addresses are the same in each process, below 2 GiB, so that
 * code can name them in 32 bits:
 *
 * - INSIDE_CODE: the agent's code and its table of recipes; anonymous, readable and executable, written by the tracer
 *   only (through /proc/PID/mem). The only place whose system calls Syscall User Dispatch lets pass, but for the last.
 * - INSIDE_DATA: a memory file that the tracer has mapped, too. Its first page begins with the control word. One area
 *   for each thread follows, area 0 for threads that are not recorded.
 *
 * The control word is a robust futex of a thread of the tracer (set_robust_list(2)): its lowest byte, which dispatch
 * takes for its selector, is 1, SYSCALL_DISPATCH_FILTER_BLOCK, as long as that thread lives. When the tracer dies of
 * whatever, the kernel makes the word FUTEX_OWNER_DIED: the low byte is SYSCALL_DISPATCH_FILTER_ALLOW then, and as the
 * low 16 bits are 0 the stubs do without the agent.
 */
#ifndef EXECTRACE_RECORD_INSIDE_LAYOUT_H
#define EXECTRACE_RECORD_INSIDE_LAYOUT_H

#define INSIDE_CODE 0x6f000000
#define INSIDE_CODE_BYTES 0x10000
#define INSIDE_RECIPES 0x6f003000                        /* the table, behind the code */
#define INSIDE_NEEDS (INSIDE_RECIPES + INSIDE_CALLS * 8) /* the lists that it refers to */
#define INSIDE_DATA 0x60000000
#define INSIDE_END (INSIDE_CODE + INSIDE_CODE_BYTES)
#define INSIDE_DATA_BYTES (INSIDE_PAGE + INSIDE_AREAS * INSIDE_AREA_BYTES)
#define INSIDE_PAGE 0x1000
#define INSIDE_AREAS 192
#define INSIDE_AREA_BYTES 0x50000
#define INSIDE_RING 0x10000 /* where in an area the ring begins */
#define INSIDE_RING_BYTES 0x40000
#define INSIDE_STACK 0x4000 /* where in an area the agent's stack ends */
#define INSIDE_RECORD_MAX 0x8000
/* With more in it there may be no room for a call and its end, and for what is filled up at the end of the ring. */
#define INSIDE_RING_FULL (INSIDE_RING_BYTES - 4 * INSIDE_RECORD_MAX)
#define INSIDE_STACK_COPY 0x6000 /* bytes of a thread's stack that are copied at most */
#define AGENT_SIGNAL 31          /* SIGSYS */
#define INSIDE_CALLS 512         /* numbers of calls that the agent knows; all others stop */

/* Offsets in an area: what the assembler uses. */
#define AREA_QUIET 0 /* not 0: the agent is not to be used. 4 bytes */
#define AREA_SELF 8
#define AREA_STACK 16
#define AREA_SITE 24 /* of the call that is made */
#define AREA_RAX 32
#define AREA_RDI 40
#define AREA_RSI 48
#define AREA_RDX 56
#define AREA_R10 64
#define AREA_R8 72
#define AREA_R9 80
#define AREA_RBX 88
#define AREA_RBP 96
#define AREA_R12 104
#define AREA_R13 112
#define AREA_R14 120
#define AREA_R15 128
#define AREA_RSP 136
#define AREA_FLAGS 144
#define AREA_RESULT 152
#define AREA_MADE 160   /* not 0: the call was made */
#define AREA_SECOND 168 /* the second argument that the call is made with */

#ifndef __ASSEMBLER__
#include <exectrace/record/inside/counts.h>
#include <exectrace/target/decode/need.h>
#include <stddef.h>
#include <stdint.h>

/* The beginning of an area. Whatever the tracer reads there may be wrong: the program can write to it. */
struct area {
	/*
	 * Set while the agent makes a call, for the handler of a signal that comes then, when no tracer is there any
	 * more to put the thread before or behind it; always in area 0.
	 */
	uint32_t quiet;
	uint32_t inside; /* not 0: the thread does not get to the program's text before it has looked at `hold` */
	uint64_t self, stack, site;
	uint64_t rax, rdi, rsi, rdx, r10, r8, r9; /* the registers of the program at its call */
	uint64_t rbx, rbp, r12, r13, r14, r15, rsp, flags;
	uint64_t result, made, second;
	uint64_t head; /* bytes that were ever put into the ring; the agent's */
	uint64_t pad[2];
	uint64_t tail;  /* bytes that were ever taken out of it; the tracer's */
	uint64_t limit; /* bytes in the ring from which on the thread stops until they are taken */
	uint64_t full;  /* not 0: the last call stopped because of that */
	uint64_t links; /* enum links */
	/*
	 * SIGSYS is never blocked, for dispatch would then take its handler away (force_sig_info_to_task in
	 * kernel/signal.c). Not 0: the program has blocked it; it had, before its call; it will have.
	 */
	uint64_t blocked, was_blocked, will_block;
	uint64_t mask;       /* a mask of the program's, without it */
	uint64_t action[4];  /* struct kernel_sigaction, likewise */
	uint64_t given;      /* not 0: that is what the call is made with; 2: the program's mask had it */
	uint64_t was_masked; /* likewise before the call */
	uint64_t slot;       /* of the program, in control.masked */
	uint64_t calls;      /* that the agent has taken */
	uint64_t began;      /* when the call that is counted did, by the time stamp counter; 0: there is none */
	uint64_t stack_end;  /* up to where its stack is copied, where that is asked for; 0: not known */
};

/* What new descriptors refer to. */
enum links {
	LINKS_NONE,    /* is not wanted */
	LINKS_INSIDE,  /* the agent tells */
	LINKS_OUTSIDE, /* it would have other names for files than the tracer has: the calls stop */
};

enum record_type {
	RECORD_FILL = 1, /* nothing, to the end of the ring */
	RECORD_ENTER,
	RECORD_EXIT,
};

/* The beginning of INSIDE_DATA. */
struct control {
	uint32_t word;
	uint32_t hold;     /* not 0, while the tracer lives: threads stay in the agent; a futex */
	uint64_t making;   /* threads that make others, which needs stops: who calls all the time lets others have the
	                      processor */
	uint64_t counting; /* enum counting: calls go into tallies, not into rings */
	uint64_t ns_per_tick; /* of the time stamp counter, times 2^32 */
	uint64_t stacks;      /* not 0: each call is recorded with its stack */
	/* Of each program. Bit N-1: signal N has an action whose mask has SIGSYS, which the kernel was not told. */
	uint64_t masked[INSIDE_AREAS];
};

/*
 * What is in place of the ring where calls are counted. The agent can be interrupted between any two instructions, and
 * does not get to the rest then: so it says first what a row is to become (`next`), and who finds `settling` does it.
 */
struct tally {
	uint16_t row_of[INSIDE_CALLS]; /* from 1 on; 0: none yet */
	uint32_t used;                 /* rows */
	uint32_t settling;             /* not 0: a row, from 1 on, is to become `next` */
	uint32_t class, in_class;      /* ... and its class that */
	struct call_sums next;
	struct call_counts rows[]; /* TALLY_ROWS */
};

#define TALLY_ROWS ((INSIDE_RING_BYTES - sizeof(struct tally)) / sizeof(struct call_counts))

static inline struct tally *area_tally(struct area *area)
{
	return (struct tally *)(void *)((unsigned char *)area + INSIDE_RING);
}

/* Does what is settling, if anything: the call that is counted is over then. */
static inline void tally_settle(struct area *area)
{
	struct tally *tally = area_tally(area);
	uint32_t n = __atomic_load_n(&tally->settling, __ATOMIC_RELAXED), class = tally->class;

	if (!n || n > TALLY_ROWS || class >= COUNTS_CLASSES)
		return;
	tally->rows[n - 1].sums = tally->next;
	tally->rows[n - 1].classes[class] = tally->in_class;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	area->began = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&tally->settling, 0, __ATOMIC_RELEASE);
}

/* A record begins at a multiple of 8 and is in one piece. */
struct record {
	uint32_t size; /* with the chunks */
	uint16_t type;
	uint16_t chunks;
	uint64_t time;    /* of the time stamp counter */
	uint64_t nr;      /* of the call */
	uint64_t sp;      /* RECORD_ENTER */
	uint64_t args[6]; /* RECORD_ENTER; RECORD_EXIT has the first only, its result */
};

/* What comes before its chunks. */
static inline unsigned record_head(unsigned type)
{
	return type == RECORD_EXIT ? offsetof(struct record, args[1]) : sizeof(struct record);
}

/* Bytes of the program's memory, `n` of them behind this, and so many more that the next chunk begins at a multiple
 * of 8. */
struct chunk {
	uint64_t addr; /* CHUNK_LINK: the descriptor */
	uint32_t n;
	uint16_t kind;
	uint16_t unused;
};

enum chunk_kind {
	CHUNK_BYTES,
	CHUNK_STRING,  /* its NUL is the last byte */
	CHUNK_ENTRIES, /* instead of the bytes: how many directory entries these are, in 4 bytes */
	CHUNK_LINK,    /* what the new descriptor refers to, as /proc/self/fd says */
	CHUNK_STACK,   /* struct stack_chunk, and what is on the stack from addr on */
};

/* Registers that no argument of the call is in. */
struct stack_chunk {
	uint64_t site, rbx, rbp, r12, r13, r14, r15;
};

/* What the agent does with a call. */
enum recipe_class {
	RECIPE_STOPS, /* nothing: the call stops, the tracer sees it made */
	RECIPE_RECORDED,
	RECIPE_LINKED, /* what it returns is a new descriptor */
	RECIPE_FCNTL,  /* recorded for some commands, of which some are as RECIPE_LINKED */
	RECIPE_IOCTL,  /* recorded for some commands */
	RECIPE_SIGNAL, /* recorded unless its first argument is SIGSYS, which is the agent's */
	RECIPE_MASK,   /* rt_sigprocmask: made without SIGSYS */
	RECIPE_ARCH,   /* arch_prctl: recorded when it sets fs, which each program does */
	RECIPE_LIMIT,  /* prlimit64: recorded but for the limit of the address space */
	RECIPE_MAPS,   /* mmap and others with an address and a length: recorded when that is away from the agent */
};

struct recipe {
	uint8_t class;
	uint8_t unseen; /* not 0: nothing of it gets into the ring */
	uint8_t shown;  /* not 0: when it has failed, the thread stops behind it */
	uint8_t masks;  /* not 0: it has a mask of its own while it waits; it stops where SIGSYS is blocked */
	uint16_t enter; /* where in INSIDE_NEEDS what is copied at the entry begins; each list ends with NEED_NONE */
	uint16_t exit;
};

/* Whether a range meets what lies from INSIDE_DATA to INSIDE_END. */
static inline int meets_agent(uint64_t at, uint64_t n)
{
	return at < INSIDE_END && (n > INSIDE_DATA || at > INSIDE_DATA - n);
}

/* Whether the agent records a call of this recipe with these arguments. */
static inline int recipe_records(const struct recipe *recipe, uint64_t first, uint64_t second)
{
	int out;

	switch (recipe->class) {
	case RECIPE_STOPS:
		return 0;
	case RECIPE_FCNTL:
		return need_fcntl(second);
	case RECIPE_IOCTL:
		return need_ioctl(second, &out) >= 0;
	case RECIPE_SIGNAL:
		return (int)first != AGENT_SIGNAL;
	case RECIPE_ARCH:
		return first == 0x1002; /* ARCH_SET_FS */
	case RECIPE_LIMIT:
		return (int)second != 9; /* RLIMIT_AS */
	case RECIPE_MAPS:
		return !meets_agent(first, second);
	default:
		return 1;
	}
}

/* Whether its result is a new descriptor. */
static inline int recipe_gives_fd(const struct recipe *recipe, uint64_t second)
{
	return recipe->class == RECIPE_LINKED || (recipe->class == RECIPE_FCNTL && need_fcntl_gives_fd(second));
}

/* What the agent's code begins with: where in INSIDE_CODE what the tracer must know of is. */
struct agent_map {
	uint64_t entry;          /* where stubs jump to, r11: the site */
	uint64_t saved, flags;   /* from here on the registers, the flags, are in the area */
	uint64_t called, kept;   /* behind the call; from here on its result is in the area */
	uint64_t copy, copy_end; /* reads what a pointer points to: where a fault is the program's */
	uint64_t string, string_end;
	uint64_t action, nothing; /* of SIGSYS, as rt_sigaction(2) has it: the agent's, SIG_DFL */
	uint64_t show; /* where dispatch ends: a call that is caught, by a thread that is to stop behind its own */
	uint64_t end;
};
#endif

#endif
