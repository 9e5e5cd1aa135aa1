/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of this layer share. */
#ifndef EXECTRACE_SRC_RECORD_INSIDE_PRIVATE_H
#define EXECTRACE_SRC_RECORD_INSIDE_PRIVATE_H

#include <exectrace/base/buf.h>
#include <exectrace/record/inside/inside.h>
#include <exectrace/record/inside/layout.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/tracee/ptrace.h>
#include <linux/futex.h>
#include <sys/user.h>

#define PAGE 4096u
#define STUB_BYTES 80           /* of a stub, at most */
#define SITE_TEXT 72            /* of text around a site */
#define INSIDE_NAME "exectrace" /* of the memory file */
#define ARENAS 8
#define APPLIED 16  /* mappings */
#define EXECUTED 16 /* places */
#define ARENA_BYTES 0x10000

/* --- The tracer's side of INSIDE_DATA ----------------------------------------------------------------------------- */

/* Shared by a program and those that it forks. */
struct data {
	unsigned refs;
	unsigned char *map; /* a page of our own, then the memory file */
	bool used[INSIDE_AREAS];
	bool slots[INSIDE_AREAS]; /* of control.masked */
	struct robust_list *node;
};

/* The page of the control word and the areas. */
static inline unsigned char *data_at(const struct data *data, size_t offset)
{
	return data->map + INSIDE_PAGE + offset;
}

static inline struct control *data_control(const struct data *data)
{
	return (struct control *)(void *)data_at(data, 0);
}

static inline struct area *data_area(const struct data *data, unsigned area)
{
	return (struct area *)data_at(data, INSIDE_PAGE + (size_t)area * INSIDE_AREA_BYTES);
}

static inline uint64_t area_address(unsigned area)
{
	return INSIDE_DATA + INSIDE_PAGE + (uint64_t)area * INSIDE_AREA_BYTES;
}

/* --- The thread that owns the control words (owner.c) ------------------------------------------------------------- */

struct owner;

/* The calling thread; -ENOTSUP: it cannot be. 0 or -errno. */
int owner_start(struct owner **owner);
void owner_stop(struct owner *owner);

/* Maps the memory file and makes its control word one of the owner's. 0 or -errno. */
int owner_map(struct owner *owner, int fd, struct data **data);
void owner_drop(struct owner *owner, struct data *data);

/* Makes the control word what it is when the tracer has died. */
void owner_let_go(struct data *data);

/* --- Programs (space.c) ------------------------------------------------------------------------------------------- */

struct site {
	uint64_t at;     /* of its `syscall` instruction */
	uint64_t stub;   /* 0: it cannot be patched */
	uint8_t len;     /* bytes before it that are the jump now */
	uint8_t old[16]; /* what they were */
	uint8_t tries;   /* to patch it */
};

struct arena {
	uint64_t base;
	unsigned char used[ARENA_BYTES / 16]; /* by 16 bytes */
};

/* Memory that threads share. */
struct space {
	unsigned refs;
	unsigned calls;     /* made so far, until it has the agent */
	unsigned unheld;    /* so many more that are caught, until its threads are held again (hold.c) */
	bool never;         /* it gets no agent, or had one */
	bool left;          /* its actions of signals are its own again */
	bool shrunk;        /* only the areas that were in use are mapped (stopping.c) */
	bool outside;       /* files have other names for it than for us */
	bool given_up;      /* it had an agent, which does not go with what the program does */
	unsigned deep;      /* calls that stopped because of how deep their stacks were */
	uint64_t action[4]; /* of SIGSYS as the program has set it; struct kernel_sigaction */
	struct data *data;  /* NULL: it has no agent */
	unsigned slot;      /* in control.masked */
	uint64_t scratch;   /* code of remote calls, 0: not looked for */
	uint64_t scratch_bytes;
	struct site *sites; /* by hash of `at`, open addressing; at 0: free */
	size_t n, room;
	struct arena arenas[ARENAS]; /* memory for stubs */
	unsigned n_arenas;
	struct range {
		uint64_t start, end;
	} applied[APPLIED]; /* mappings in which what is known was patched */
	unsigned n_applied;
	uint64_t executed[EXECUTED]; /* from where it has made calls before it got the agent, a place for each 64 KiB */
	unsigned n_executed;
};

struct inside_thread {
	struct inside *inside;
	struct inside_thread *next, **to_this;
	pid_t tid; /* 0: it is gone */
	void *user;
	struct space *space;
	unsigned area; /* 0: none */
	bool started;  /* it has run */
	bool blocked;  /* it began with SIGSYS blocked (struct area) */
	bool first;    /* its program has just got the agent */
	bool on;       /* it has the agent and dispatch, but for `stops` */
	bool stops;    /* the call that it makes stops at its entry and end, without dispatch */
	bool synced;   /* ... and the kernel knows whether SIGSYS is blocked */
	bool replaces; /* ... and it has a mask of its own while it waits */
	enum { NOTHING_HIDDEN, HIDDEN_ACTION, HIDDEN_GS } hidden; /* what that call would show of the agent */
	struct user_regs_struct before;                           /* `hidden`: the registers of the program */
	uint64_t action[4]; /* HIDDEN_ACTION: what it sets, if its second argument is not NULL */
	struct resent {
		int sig; /* 0: none */
		unsigned char info[128];
	} resent[4]; /* signals that were taken from it and are pending again, with the siginfo_t they had */
	uint64_t sent, sent_calls; /* the site from which it was last sent into the agent, and area.calls then */
	bool makes;                /* it is in control.making */
	bool counted;              /* what was counted of it has been told */
	bool entered;              /* the entry of a call was taken out of the ring, its end was not */
	uint64_t entered_nr;
	uint64_t stack_end;       /* see inside_stack_ends */
	struct stack_copy *stack; /* of the call whose entry was taken out of the ring; NULL: none ever was */
	uint64_t taken;           /* bytes of the ring */
	/* During a drain: */
	uint64_t upto; /* bytes that were there */
	uint64_t time; /* of the next record */
	bool ready;    /* there is one */
};

struct inside {
	const struct inside_config *config;
	struct owner *owner;
	struct inside_thread *threads;
	size_t on;
	struct buf image; /* of INSIDE_CODE */
	const struct agent_map *map;
	bool quiet;
	bool may_signal;  /* threads may send themselves signals */
	unsigned filters; /* seccomp filters of our own */
	int mem;          /* /proc/PID/mem of the program that was last written to, -1: none */
	const struct space *mem_of;
	struct learned *learned; /* of files (learned.c) */
	uint64_t *lasting;       /* programs that make many calls, by a hash of their path */
	size_t n_lasting, room_lasting;
	uint64_t sent;                /* calls that were caught and went through the agent */
	unsigned refused;             /* programs without an agent */
	const char *why;              /* the first is */
	uint64_t first_tsc, first_ns; /* two moments by both clocks */
	uint64_t last_tsc, last_ns;
	double ns_per_tick;
	uint64_t told; /* time of the last call that was given away, ns */
	unsigned char record[INSIDE_RECORD_MAX + 64] __attribute__((aligned(8)));
};

/* A program stays, or goes on, without an agent. */
void inside_refuse(struct inside *inside, const char *why);

struct space *space_new(void);
struct space *space_get(struct space *space);
/* A call was made from there, and stopped. */
void space_executes(struct space *space, uint64_t pc);
/* Of a child that has a copy of the memory. NULL without memory. */
struct space *space_copy(const struct space *space);
void space_put(struct inside *inside, struct space *space);

/* Writes to a program's memory, whatever may be written there by itself. 0 or -errno. */
int space_poke(const struct inside_thread *thread, uint64_t at, const void *from, size_t n);

/* The site there; make: adds it. NULL: none, or no memory. */
struct site *space_site(struct space *space, uint64_t at, bool make);

/* The site whose stub an address is in. NULL: none. */
const struct site *space_stub(const struct space *space, uint64_t pc);

/* The thread begins, or ends, a call that makes another one. */
void thread_makes(struct inside_thread *thread, bool begins);

/* What the kernel was not told of its actions (struct control). */
static inline uint64_t *space_masked(const struct space *space)
{
	return data_control(space->data)->masked + space->slot;
}

/* A free area, 0: none is left. */
unsigned space_area(struct space *space);

/* --- The registers of a stopped thread (registers.c) -------------------------------------------------------------- */

/* -ENOTSUP: not those of a 64-bit program. */
int registers_get(pid_t tid, struct user_regs_struct *to);
int registers_set(pid_t tid, const struct user_regs_struct *from);

/* Whether the program uses gs: what is there is neither nothing nor ours. */
bool registers_use_gs(const struct user_regs_struct *regs);
/* As they are seen of a thread that is stopped in the call of an entry. */
void registers_at_call(const struct record *record, const struct stack_chunk *more, struct regs *to);
/* What is ours there goes. */
void registers_free_gs(struct user_regs_struct *regs);
void registers_take_gs_back(pid_t tid);

/* --- Calls that a thread makes for us (remote.c) ------------------------------------------------------------------ */

struct remote {
	struct inside_thread *thread;
	struct user_regs_struct saved;
	uint64_t mask;
	struct proc_status status; /* of the thread; tgid 0: not read yet */
	int64_t kept;              /* what remote_op.keep has kept; -1: nothing */
	int sig;                   /* ends a row of calls; 0: they are made one at a time */
	bool stopped;              /* by SIGSTOP, meanwhile */
	bool missed;               /* `sig` came from somewhere else, with this siginfo_t: */
	unsigned char info[128];
};

struct remote_op {
	long nr;
	uint64_t args[6];
	unsigned kept; /* number of the argument, from 1, that is what was kept instead; 0: none */
	bool keep;     /* its result is kept, unless it fails */
	bool may_fail; /* ... and is of no interest */
};

/*
 * The thread is stopped outside of any call, or at the end of one that is not made again. From here to remote_end()
 * it may make calls; when the tracer dies it makes those that were begun, and goes on by itself where it was. 0 or
 * -errno; then nothing has changed.
 */
int remote_begin(struct remote *remote, struct inside_thread *thread);
/* One after the other, up to the first that fails. The last one's result, which may be a negative errno. -ESRCH: the
 * thread is gone. */
int64_t remote_calls(struct remote *remote, const struct remote_op *ops, size_t n);
int64_t remote_call(struct remote *remote, long nr, const uint64_t args[6]);
int remote_end(struct remote *remote);

/* Looks at what is around us and all that we trace: whether that lets a thread send itself signals. */
void remote_prepare(struct inside *inside);

/* What /proc says of the thread, read once. NULL: it cannot be read. */
const struct proc_status *remote_status(struct remote *remote);

/* Where in the program's memory INSIDE_NAME is during the calls. */
static inline uint64_t remote_name(const struct remote *remote)
{
	return remote->thread->space->scratch;
}

/* --- Giving the agent to a program (inject.c), and to its threads (inside.c) -------------------------------------- */

/* 0, or -errno: it stays without. */
int inject(struct inside_thread *thread);

/* --- Signals that were taken from a thread (resent.c) ------------------------------------------------------------- */

/* It will get this one again, with this siginfo_t. */
void resent_add(struct inside_thread *thread, int sig, const void *info);

/* It is about to get a signal, which may be such a one. */
void resent_put_back(struct inside_thread *thread, int sig, const void *info);

/* --- Threads that do not execute text (hold.c) -------------------------------------------------------------------- */

/*
 * No thread of a stopped thread's program executes its text from here to hold_end(), but in the agent. False: that
 * cannot be had now.
 */
bool hold_begin(const struct inside_thread *thread);
void hold_end(const struct inside_thread *thread);

/* All others that have the agent are made to stop, wherever they are, and do so within 20 ms each. */
void hold_stop_others(const struct inside_thread *thread);

/* Stopped, or no more: it runs when we let it. */
bool hold_is_stopped(pid_t tid);

/* --- Dispatch (dispatch is set for a stopped thread) -------------------------------------------------------------- */

int thread_dispatch(struct inside_thread *thread, bool on);

/* SIGSYS has the action that the program has set; the remote call's thread has the agent. */
void give_action_back(struct remote *remote);

/* A stopped thread of a program whose agent was given up does without it. */
void thread_give_up(struct inside_thread *thread);

/*
 * Whether the call with these registers asks for something that does not go with the agent; maps over it; limits or
 * locks all of the program's memory; changes what the program sees of file systems.
 */
bool call_is_contrary(const struct user_regs_struct *regs);
bool call_takes_agent_away(const struct user_regs_struct *regs);
bool call_counts_memory(const struct user_regs_struct *regs);
bool call_changes_names(const struct user_regs_struct *regs);

/* Without dispatch, a thread makes the call at which it stands; it stops at its entry and at its end (stopping.c). */
void thread_let_stop(struct inside_thread *thread, struct user_regs_struct *regs);

/* The agent is no more for this program: its threads stop at each call, from their next one on. */
void program_give_up(struct inside_thread *thread, const char *why);
#define CONTRARY \
	"it has set what an agent does not go with: a seccomp filter, gs or the like; or mapped over it, or got SIGSYS"

/* What area.links of a thread is to be. */
unsigned inside_links(const struct inside_thread *thread);

/* A thread that is in the agent, or on its way there, is put before or behind its call; regs become what it has then.
 */
void thread_come_out(struct inside_thread *thread, struct user_regs_struct *regs);

/* The actions of signals become what the program has set; once for each program. */
void thread_put_actions_back(struct inside_thread *thread);

/* Whether it has the agent, and is counted. */
void thread_set_on(struct inside_thread *thread, bool on);

/* From now on it stops at each call. */
void thread_switch_off(struct inside_thread *thread);

/* --- Masks with SIGSYS in them (mask.c) --------------------------------------------------------------------------- */

/* For the kernel SIGSYS is blocked now. */
void thread_block(const struct inside_thread *thread);

/* The thread makes a call of this number without the agent, and has made it. */
void thread_sync_mask(struct inside_thread *thread, uint64_t nr);
void thread_unsync_mask(struct inside_thread *thread);

/*
 * It is about to get a signal. If it has a handler, the frame is to have the mask of the program. Then SIGSYS may be
 * blocked in the handler, until a call is caught there.
 */
void thread_mask_frame(const struct inside_thread *thread, int sig);

/* --- Rings (drain.c) ---------------------------------------------------------------------------------------------- */

/* The beginning: clocks are compared. */
void drain_begin(struct inside *inside);

/*
 * How much a ring may hold: the less the more threads there are, for all of it is to be taken before anything that
 * stops can be told, and those that stop are not to wait for long.
 */
static inline uint64_t drain_limit(const struct inside *inside)
{
	return INSIDE_RING_FULL / (1 + inside->on / 2);
}

/* Takes what one thread's ring holds; keep: but for an entry at its end, if that is the last. */
long drain_thread(struct inside_thread *thread, bool keep);

/* Gives the end of a call away that the agent has not come to record. */
int drain_end(struct inside_thread *thread, int64_t result);

/* Sees how both clocks run: inside->ns_per_tick. */
void drain_read_clocks(struct inside *inside);

/* --- Calls that are counted (count.c) ----------------------------------------------------------------------------- */

/* A program is about to get the agent: whether calls are counted, and how the clock runs. */
void count_prepare(struct inside *inside, struct data *data);

/* A thread that does not run was perhaps about to count a call that it has made: does that. */
void count_settle(const struct inside_thread *thread);

/* Tells what was counted of a thread, once. */
void count_tell(struct inside_thread *thread);

/* An area's next thread begins without any. */
void count_clear(const struct inside_thread *thread, struct area *area);

/* The image of INSIDE_CODE (image.c). 0 or -ENOMEM. */
int agent_image_make(struct buf *image, const struct inside_config *config);
const struct agent_map *agent_image_map(void);
/* Whether a call has a mask of its own while it waits. */
bool agent_image_masks(const struct inside *inside, uint64_t nr);

#endif
