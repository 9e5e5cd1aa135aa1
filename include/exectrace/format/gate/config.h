/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of the calls of functions is wanted: KFI's configuration (elinux.org, "Kernel Function Instrumentation":
 *trigger, filter, logentries, autorepeat), read from a file in its language or set by options, as plain data.
 *format/gate/gate.h does what it says.
 *
 * The language is words, separated by blanks and commas; # begins a comment. Functions may be names, globs or
 * addresses; times are a number with ns, us, ms or s, without a unit microseconds:
 *
 *	begin
 *	  trigger start|stop entry FUNCTION | exit FUNCTION | time TIME
 *	  filter mintime TIME | maxtime TIME | noints | onlyints | funclist FUNCTION... [fend]
 *	  logentries N
 *	  autorepeat
 *	end
 *
 * `new` before it is allowed, as KFI's /proc file had it, and `logsize` for logentries. `begin` and `end` may both be
 * missing. `filter watch` and words that are not known are errors.
 */
#ifndef EXECTRACE_FORMAT_GATE_CONFIG_H
#define EXECTRACE_FORMAT_GATE_CONFIG_H

#include <exectrace/base/buf.h>
#include <exectrace/base/strv.h>
#include <exectrace/format/data/signature.h>
#include <stdbool.h>
#include <stdint.h>

#define CONTROL_FILE_MAX (1u << 20)   /* bytes of a file */
#define CONTROL_LIST_MAX 4096         /* words of a list */
#define CONTROL_TIME_MAX (1ull << 62) /* ns */

/* When a trigger fires. */
enum control_when {
	CONTROL_NEVER, /* there is none: recording starts at once, or never stops */
	CONTROL_ENTRY, /* of a function */
	CONTROL_EXIT,
	CONTROL_TIME, /* after the first event (start), after the start (stop) */
};

enum control_operator { CONTROL_EQUAL, CONTROL_UNEQUAL, CONTROL_LESS, CONTROL_AT_MOST, CONTROL_MORE, CONTROL_AT_LEAST };

/* What a value is to be compared with. */
struct control_compare {
	char *name; /* of an argument, "arg1" to "arg6", or "result" */
	enum control_operator operator;
	char *text;     /* a string, or the name of an enum's value; NULL: a number */
	int64_t number; /* its bits, when it is too large to have a sign */
};

#define CONTROL_COMPARES_MAX 8

struct control_trigger {
	enum control_when when;
	char *function;                   /* of an entry or exit: name, glob or address */
	struct control_compare *compares; /* all have to hold */
	size_t n_compares;
	uint64_t time; /* ns */
};

/* Functions that run in an interrupt or exception. */
enum control_irq {
	CONTROL_IRQ_ANY,
	CONTROL_IRQ_NO,   /* noints */
	CONTROL_IRQ_ONLY, /* onlyints */
};

/* All 0: everything is wanted. */
struct control_config {
	struct control_trigger start, stop;
	uint64_t min_time, max_time; /* of a call, ns; 0: any */
	enum control_irq irq;
	struct strv functions; /* only these; empty: all */
	struct strv exclude;   /* not these */
	struct strv modules;   /* only of these; empty: all */
	char *task;            /* extended regular expression for names of tasks (regex(7)); NULL: all */
	uint64_t entries;      /* calls that are recorded; 0: any number */
	bool autorepeat;       /* after a stop the start trigger is looked for again */
};

/* What a function is. */
enum control_function {
	CONTROL_WANTED = 1 << 0, /* its calls are recorded */
	CONTROL_START = 1 << 1,  /* the start trigger is about it */
	CONTROL_STOP = 1 << 2,   /* the stop trigger */
};

/*
 * Reads n bytes of text. A trigger or a limit that was set before is replaced; functions are added. 0; -EINVAL with one
 * line in err, "line N: 'text': what is wrong"; -ENOMEM. On failure config may have part of it.
 */
int control_parse(struct control_config *config, const char *text, size_t n, struct buf *err);

/* Reads a file. As control_parse, the line begins with the file's name; -errno when it cannot be read, with a line. */
int control_read(struct control_config *config, const char *path, struct buf *err);

/*
 * Sets what an option says; the names, and their values, are those of CONTROL_OPTIONS and CONTROL_ALIASES below,
 * `config` included. value: NULL where none is needed. 0; -ENOENT when there is no such option; -EINVAL with a line in
 * err; -ENOMEM.
 */
int control_set(struct control_config *config, const char *name, const char *value, struct buf *err);

/*
 * The options, as X(NAME, ARGUMENT, FILE, HELP): rows of tables (cli/options.h). ARGUMENT is NULL where there is none;
 * FILE is 1 when it is a file.
 */
#define CONTROL_OPTIONS(X)                                                                                  \
	X("config", "FILE", 1, "triggers and filters in KFI's language")                                    \
	X("from", "WHEN", 0, "begin at entry:FUNCTION, exit:FUNCTION or time:TIME after the start")         \
	X("to", "WHEN", 0, "end at entry:FUNCTION, exit:FUNCTION or time:TIME after the beginning")         \
	X("autorepeat", NULL, 0, "begin again after each end")                                              \
	X("min", "TIME", 0, "only calls that take at least so long (ns, us, ms, s)")                        \
	X("max", "TIME", 0, "only calls that take at most so long")                                         \
	X("irq", "WHICH", 0, "functions in interrupts: only, no")                                           \
	X("functions", "LIST", 0, "only these functions: names, globs, addresses")                          \
	X("exclude", "LIST", 0, "not these functions")                                                      \
	X("module", "LIST", 0, "only functions of these modules or programs; kernel: of the kernel itself") \
	X("task", "GLOB", 0, "only tasks with such a name")                                                 \
	X("entries", "N", 0, "only the first N calls")

/* Older names, as X(NAME, OPTION). */
#define CONTROL_ALIASES(X)         \
	X("min-time", "min")       \
	X("max-time", "max")       \
	X("function", "functions") \
	X("filter", "functions")

/* True when nothing is left out: there is no rule at all. */
bool control_is_all(const struct control_config *config);

/* True when a rule is about time: triggers, shortest or longest calls. */
bool control_has_times(const struct control_config *config);

/* True when there are rules about functions: lists of them, or of modules. */
bool control_has_lists(const struct control_config *config);

/*
 * What a function is, as bits of enum control_function. name: NULL when unknown; module: "[ext4]", "[kernel]",
 * "/bin/ls", NULL when unknown; [address, address + size): where it is, for those that are given as addresses.
 * A name also stands for those that a compiler derives from it ("name.isra.0").
 */
unsigned control_function(const struct control_config *config, const char *name, const char *module, uint64_t address,
                          uint64_t size);

/* Adds the words of a list, separated by commas or blanks. 0; -EINVAL with a line in err; -ENOMEM. */
int control_add_list(struct strv *to, const char *value, struct buf *err);

/* Whether a function is one of a list's. As control_function. */
bool control_list_has(const struct strv *list, const char *name, uint64_t address, uint64_t size);

/* True when what a trigger does depends on the arguments, or the result, of such a function. */
bool control_compares(const struct control_config *config, unsigned what);

/*
 * The triggers whose comparisons hold for a call, or with `result` for a return (bits of enum control_function), by its
 * values and what they are. values: NULL: they are not known.
 */
unsigned control_fires(const struct control_config *config, const struct signature *types,
                       const struct data_values *values, bool result);

/* Frees what it has and makes it all 0. */
void control_release(struct control_config *config);

#endif
