/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files behind answer/report/functions.h share. */
#ifndef EXECTRACE_SRC_ANSWER_REPORT_FUNCTIONS_H
#define EXECTRACE_SRC_ANSWER_REPORT_FUNCTIONS_H

#include <exectrace/answer/recording/idmap.h>
#include <exectrace/answer/recording/pool.h>
#include <exectrace/answer/replay/task.h>
#include <exectrace/answer/report/functions.h>
#include <exectrace/answer/waits/wait_chain.h>

#define NESTS 256u /* a power of two */

/* Of one row to another one. */
struct edge {
	uint32_t from, to; /* rows */
	uint64_t time, count;
};

/* What calls of a row add up to: in one line of the cache, since there are many of both. */
struct tally {
	uint64_t count, time, self, inner;
	uint64_t ended, total, min, max; /* calls that ended, and how long they were */
};

/* What is looked at less often. */
struct tally_waits {
	uint64_t elapsed, waited, delay;
};

/* What is known of a stack. */
struct fstack {
	uint32_t nests[NESTS]; /* open calls of rows, by the low bits of their numbers */
	struct task_match match;
	uint32_t row;     /* its task's; 0: to be found */
	uint64_t *delays; /* by depth: how long the chain had been at its task when the call began */
	size_t n_delays;
	struct chain_window window; /* of its task */
};

/* The first rows are special. */
enum {
	ROW_OUTSIDE,
	ROW_FILTERED,
	ROW_INTERRUPTS,
	ROW_SPECIAL,
};

struct report_functions {
	struct replay *replay;
	struct functions_options options;
	struct task_select tasks_wanted;
	bool scoped; /* only what is under a function */
	struct functions_row *rows;
	size_t n, cap;
	struct tally *tallies; /* by row: what is in no row yet */
	size_t cap_tallies;
	struct tally_waits *waits; /* likewise */
	size_t cap_waits;
	struct task_waits *tasks_waited; /* options.delays */
	struct wait_chain chain;
	uint32_t *row_of;     /* by number of the function; 0: not looked up */
	uint8_t *under;       /* by number of the function: it is the one to be under */
	size_t n_known;       /* functions that have a place in these */
	struct pool texts;    /* names, of several guests */
	struct idmap modules; /* by name, and the module of functions: row, as a pointer */
	struct idmap tasks;   /* by process id and name: row, as a pointer */
	struct idmap edges_by_rows;
	struct edge **edges;
	size_t n_edges, cap_edges;
	struct fstack **stacks; /* by number */
	size_t n_stacks;
	uint64_t calls, filtered;
	bool delays;           /* some guest has a chain */
	uint64_t ran;          /* ticks of all stacks */
	struct shapes *shapes; /* while it is counted, when growth is asked for */
	const struct functions_row **sorted;
};

/* --- functions.c ---------------------------------------------------------------------------------------------------
 */

/* Makes what is known of a stack. NULL: no memory. */
struct fstack *functions_learn_stack(struct report_functions *f, struct replay_stack *stack);

static inline struct fstack *functions_stack(struct report_functions *f, struct replay_stack *stack)
{
	return __builtin_expect(stack->user != NULL, 1) ? stack->user : functions_learn_stack(f, stack);
}

/* What was run in an interrupt; first: it is the one that began it. */
static inline void functions_count_interrupt(struct report_functions *f, bool first, uint64_t ran)
{
	f->rows[ROW_INTERRUPTS].count += first;
	f->rows[ROW_INTERRUPTS].time += ran;
	f->rows[ROW_INTERRUPTS].self += ran;
}

/* --- functions_delays.c: only where options.delays are wanted ------------------------------------------------------
 */

/* Finds the chain of who waited for whom. 0 or -ENOMEM; so does the next one. */
int functions_find_chain(struct report_functions *f);

/* A call begins on a stack; when there is a chain. */
int functions_delay_begins(struct report_functions *f, struct fstack *fs, const struct replay_stack *stack);

/* It is over, and of this row: what was waited in it. */
void functions_add_waits(struct report_functions *f, uint32_t row, const struct replay_stack *stack,
                         const struct replay_call *call);

/* --- functions_tasks.c ---------------------------------------------------------------------------------------------
 */

/* What counts by task or CPU. */
struct replay_sink functions_task_sink(struct report_functions *f);

/* What the tasks of rows waited, and delayed the guest, from the waits of options.delays. */
void functions_task_waits(struct report_functions *f);

/* --- functions_settle.c --------------------------------------------------------------------------------------------
 */

/* Puts what was added up into the rows. */
void functions_settle(struct report_functions *f);

/* Tells rows whether their calls cost more and more. 0 or -ENOMEM. */
int functions_fill_growth(struct report_functions *f);

/* --- functions_rows.c ----------------------------------------------------------------------------------------------
 */

/* The row of a function. Not ROW_OUTSIDE, or that and *rc is -ENOMEM. */
uint32_t functions_find_row(struct report_functions *f, uint32_t function, int *rc);

/* The row of the task that a stack is, of its process, or of a CPU. The same. */
uint32_t functions_task_row(struct report_functions *f, const struct replay_stack *stack, int *rc);
uint32_t functions_process_row(struct report_functions *f, const struct replay_stack *stack, int *rc);
uint32_t functions_cpu_row(struct report_functions *f, uint32_t cpu, int *rc);

/* Adds a row. */
uint32_t functions_add_row(struct report_functions *f, const struct functions_row *row, int *rc);

#endif
