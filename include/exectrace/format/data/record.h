/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records as plain data, the same for writing and reading. Times are values of the file's clocks. Identifiers (of
 * files, map sets, stacks, functions) are chosen by the writer, from 1; 0 is none; each is defined once, before its
 * use.
 */
#ifndef EXECTRACE_FORMAT_DATA_RECORD_H
#define EXECTRACE_FORMAT_DATA_RECORD_H

#include <exectrace/format/data/format.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes, not ended by a NUL. */
struct data_text {
	const char *bytes;
	size_t n;
};

/* What one clock of a file counts. */
struct data_clock {
	uint32_t kind;     /* enum data_clock_kind */
	uint64_t hz;       /* ticks a second; 0 when they are no measure of time */
	uint64_t start;    /* its value when ... */
	uint64_t realtime; /* ... CLOCK_REALTIME was this, in ns since 1970; 0 when unknown */
};

/* The facts about a file. */
struct data_facts {
	uint32_t arch;      /* AUDIT_ARCH_... (linux/audit.h) of the machine */
	uint32_t page_size; /* bytes */
	uint32_t cpus;      /* 0: unknown */
	uint32_t pid;       /* of the root of what is recorded; 0: unknown */
	struct data_clock clocks[DATA_CLOCKS];
	struct data_text producer; /* program and version that wrote it */
	struct data_text host;     /* name of the machine */
	struct data_text system;   /* name and release of its kernel */
};

#define DATA_ARGS 6

/* What was attached to an argument: the decoded text of a flag, a path, bytes of a buffer. */
struct data_extra {
	uint8_t arg;  /* 0 to 5; 6: the result */
	uint8_t kind; /* enum data_extra_kind */
	struct data_text text;
};

enum data_extra_kind {
	DATA_EXTRA_BYTES = 0,  /* from memory, as they were */
	DATA_EXTRA_PATH = 1,   /* a file name */
	DATA_EXTRA_TEXT = 2,   /* the argument as it is to be shown */
	DATA_EXTRA_STRING = 3, /* the string that it leads to, ... */
	DATA_EXTRA_CUT = 4,    /* ... or the beginning of it */
	/* Of what an argument leads to, to be decoded; there may be several of each: */
	DATA_EXTRA_MEMORY = 5,     /* an address (8 bytes, little-endian), and what was there */
	DATA_EXTRA_DESCRIPTOR = 6, /* a descriptor that is named there, with its file: "3</etc/passwd>" */
};

#define DATA_EXTRAS_MAX 32 /* of one system call */

/* A system call. With DATA_UNFINISHED result and error say nothing, and the duration is until the record's time. */
struct data_syscall {
	uint32_t tid;
	uint32_t arch;                   /* AUDIT_ARCH_... of the call */
	uint32_t nr;                     /* as the kernel got it */
	uint8_t nargs;                   /* arguments recorded, 0 to 6 */
	bool error;                      /* result is -errno */
	uint8_t nextras;                 /* 0 to DATA_EXTRAS_MAX */
	uint64_t enter;                  /* time of the call; the record's own time is that of the return */
	uint64_t duration;               /* ticks until it returned */
	int64_t result;                  /* as in the register */
	uint64_t stack;                  /* 0: none */
	uint64_t args[DATA_ARGS];        /* those from nargs on are 0 when read */
	const struct data_extra *extras; /* nextras of them */
};

enum data_sample_flag {
	DATA_SAMPLE_CUT = 1 << 0, /* the stack goes on beyond what was copied of it */
};

/* What a thread did at one moment, and how much of its time on a processor that stands for. */
struct data_sample {
	uint32_t tid;
	uint32_t cpu;
	uint64_t weight; /* ns */
	uint64_t stack;  /* 0: none */
	uint32_t flags;  /* enum data_sample_flag */
};

/* A signal that was delivered. */
struct data_signal {
	uint32_t tid;
	int32_t number;
	int32_t code;     /* si_code */
	uint32_t pid;     /* si_pid where it has one */
	uint32_t uid;     /* si_uid where it has one */
	uint64_t address; /* si_addr, si_value where it has one */
	uint64_t stack;   /* where the thread was; 0: not recorded */
};

/* A thread was stopped, with all others of its process, by a signal that was delivered before. */
struct data_stop {
	uint32_t tid;
	int32_t number;
};

/* A thread, or the first one of a process. */
struct data_thread {
	uint32_t tid;
	uint32_t pid;    /* its thread group; equal to tid for a process */
	uint32_t parent; /* the thread that made it; 0: unknown */
	uint64_t flags;  /* of clone(2) */
};

/* A successful exec. */
struct data_exec {
	uint32_t pid;
	uint32_t tid;          /* the calling thread, which has the number pid from now on */
	uint64_t mapset;       /* of the new program; 0: none recorded */
	struct data_text path; /* of the file executed */
	uint32_t argc;
	struct data_text argv; /* argc words, each ended by a NUL */
};

/* The end of a thread; of a process when tid is pid. */
struct data_exit {
	uint32_t tid;
	uint32_t pid;
	int32_t status; /* as wait(2) gives it */
};

enum data_usage_flag {
	DATA_USAGE_CPU = 1 << 0, /* user and system are known */
	DATA_USAGE_IO = 1 << 1,  /* read and written are known */
};

/* What a process used until its end, which follows: all its threads, not its children. */
struct data_usage {
	uint32_t pid;
	uint32_t flags;         /* enum data_usage_flag */
	uint64_t user, system;  /* processor time, ns */
	uint64_t peak;          /* the most resident memory of its last program, bytes; 0: unknown */
	uint64_t read, written; /* bytes that its system calls moved (proc_pid_io(5), rchar and wchar) */
};

/* The name of a thread from now on. */
struct data_comm {
	uint32_t tid;
	struct data_text name;
};

/* A file that is mapped, or a name for what is: "[vdso]", "[kernel]". */
struct data_file {
	uint64_t id;
	struct data_text path;
	struct data_text build_id; /* raw bytes; empty: unknown */
};

/*
 * A set of maps: the address space of a process as it was for some time. It begins as a copy of `base`, is changed by
 * the maps and unmaps that name it, and is final when it is used.
 */
struct data_mapset {
	uint64_t id;
	uint64_t base; /* lower than id; 0: begins empty */
	uint32_t pid;
};

/* A map of a set, or what was unmapped (then only set, start, end count). */
struct data_map {
	uint64_t set;
	uint64_t start, end; /* [start, end) */
	uint64_t offset;     /* in the file, of start */
	uint64_t file;       /* 0: anonymous */
	uint32_t prot;       /* PROT_... (sys/mman.h) */
};

/* A call stack. */
struct data_stack {
	uint64_t id;
	uint64_t mapset;
	uint32_t n;
	const uint64_t *frames; /* n program counters, the innermost first */
};

/* A name for [address, address + size) of a file, counted as data_map.offset does. */
struct data_symbol {
	uint64_t address;
	uint64_t size; /* 0: unknown */
	struct data_text name;
};

/* Some of the symbols of a file; there may be several such records. */
struct data_symbols {
	uint64_t file;
	uint32_t n;
	const struct data_symbol *items;
};

enum data_lost_why {
	DATA_LOST_OTHER = 0,
	DATA_LOST_RING = 1,   /* the reader of a ring was too slow */
	DATA_LOST_MEMORY = 2, /* no memory */
	DATA_LOST_WRITE = 3,  /* the file could not be written */
};

/* Records that are missing here. */
struct data_lost {
	uint64_t count;
	uint32_t why; /* enum data_lost_why */
	struct data_text text;
};

/* A call, tail call or interrupt of the guest. */
struct data_call {
	uint64_t function;
};

/* The records of the guest that follow happen on this stack and CPU. */
struct data_switch {
	uint64_t stack; /* any number that names it */
	uint32_t cpu;
};

/* The guest's task on this stack from now on. */
struct data_task {
	uint64_t stack;
	uint32_t pid, tgid;
	struct data_text name;
};

/* A module that the guest loaded, or its kernel. */
struct data_module {
	uint64_t file;
	uint64_t address, size; /* in the guest */
};

/* The first clock when the second was the record's time. */
struct data_sync {
	uint64_t clock;
	uint32_t cpu;
};

/* A function of the guest. */
struct data_function {
	uint64_t id;
	uint64_t file; /* 0: unknown */
	uint64_t address, size;
	struct data_text name;
};

/* What the arguments and the result of a function of the guest are (format/data/signature.h). */
struct data_signature {
	uint64_t function;
	struct data_text text;
};

/*
 * The arguments of the call, or tail call, that is the next record of its kind; or the result of the call that ends
 * with the next record: that is args[0] then, and its extras are those of argument 6.
 */
struct data_values {
	uint8_t nargs, nextras; /* as in struct data_syscall, and so are these: */
	uint64_t args[DATA_ARGS];
	const struct data_extra *extras;
};

/* What was left out within the call that was entered last on this stack; before its end. */
struct data_filtered {
	uint64_t function; /* that stands for it */
	uint64_t count;    /* of calls and interrupts, with those in them that were left out too */
	uint64_t ticks;    /* of the second clock that the stack ran in them, without calls in them that are recorded */
};

/* Recording begins or ends here, by a trigger. */
struct data_window {
	uint64_t number; /* from 1 */
	uint32_t open;   /* 1: begins; 0: ends */
};

enum data_wake_flag {
	DATA_WAKE_NEW = 1 << 0, /* it was made just before, and runs for the first time */
};

/* What runs here lets the task of a stack run again (Linux: try_to_wake_up, wake_up_new_task); it may run already. */
struct data_wake {
	uint64_t stack;
	uint32_t flags; /* enum data_wake_flag */
};

/* What runs here is about to wait for a lock of the kernel (Linux: struct mutex, rw_semaphore) that another task has.
 */
struct data_held {
	uint64_t lock;  /* its address */
	uint64_t stack; /* of the task that has it */
};

#define DATA_LEVEL_MAX 7
#define DATA_MESSAGE_CPU (1u << 31) /* in a caller: what logged ran in no task; the other bits are the CPU */

/* What the guest's kernel logged (Linux: printk), by when it was committed; without its last newline. */
struct data_message {
	uint32_t cpu;    /* the clock is this one's */
	uint32_t level;  /* KERN_EMERG (0) to KERN_DEBUG (7) */
	uint64_t stamp;  /* ns since its boot, by its own clock, as on its console */
	uint32_t caller; /* thread id, or DATA_MESSAGE_CPU */
	struct data_text text;
};

/* A call or an interrupt of the guest that has not returned. */
struct data_open_call {
	uint64_t function;
	uint64_t clock; /* when it was entered */
	bool interrupt;
};

/* The open calls of one of the guest's stacks where a block begins. */
struct data_open {
	uint64_t stack;
	bool current; /* the block's first records happen on it, ... */
	uint32_t cpu; /* ... on this CPU */
	uint32_t n;
	const struct data_open_call *calls; /* n of them, the outermost first */
};

/* One record as it is read. What it points to is valid until the next record is read. */
struct data_event {
	uint8_t type;   /* enum data_type: the member that is set */
	uint64_t clock; /* its time by the clock of its type */
	union {
		struct data_syscall syscall; /* DATA_SYSCALL, DATA_UNFINISHED */
		struct data_sample sample;
		struct data_signal signal;
		struct data_stop stop;
		struct data_thread thread;
		struct data_exec exec;
		struct data_exit exit;
		struct data_usage usage;
		struct data_comm comm;
		struct data_file file;
		struct data_mapset mapset;
		struct data_map map; /* DATA_MAP, DATA_UNMAP */
		struct data_stack stack;
		struct data_symbols symbols;
		struct data_lost lost;
		struct data_text note;
		struct data_call call; /* DATA_CALL, DATA_TAIL, DATA_IRQ_ENTER */
		struct data_switch on;
		struct data_task task;
		struct data_module module;
		struct data_sync sync;
		struct data_function function;
		struct data_filtered filtered;
		struct data_window window;
		struct data_wake wake;
		struct data_held held;
		struct data_signature signature;
		struct data_values values; /* DATA_CALL_ARGS, DATA_CALL_RESULT */
		struct data_message message;
	};
};

/* One of the many small records of a guest. */
struct data_small {
	uint64_t clock;
	uint64_t function; /* of CALL, TAIL, IRQ_ENTER; else nothing */
	uint8_t type;      /* one of these, RETURN, IRQ_EXIT, UNWIND */
};

/*
 * The same in one word, as who has very many keeps them: the ticks since the one before it (32 bits), what it is (3),
 * the function (29). The numbers behind these kinds are free for what else there is between them.
 */
enum data_packed {
	DATA_PACKED_CALL,
	DATA_PACKED_RETURN,
	DATA_PACKED_TAIL,
	DATA_PACKED_IRQ_ENTER,
	DATA_PACKED_IRQ_EXIT
};

#define DATA_PACKED_STEP 32 /* shift of the ticks */
#define DATA_PACKED_KIND 29 /* shift of what it is */

static inline unsigned data_packed_kind(uint64_t word)
{
	return (unsigned)word >> DATA_PACKED_KIND;
}

static inline uint32_t data_packed_function(uint64_t word)
{
	return (uint32_t)word & ((1u << DATA_PACKED_KIND) - 1);
}

#endif
