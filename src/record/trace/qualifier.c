/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qualifier.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/syscalls/names.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int refuse(struct buf *err, const char *text, const char *what)
{
	return buf_printf(err, "%s: %s", text, what) ? -ENOMEM : -EINVAL;
}

int qualifier_calls(struct syscall_filter *to, const char *value, struct buf *err)
{
	bool others = *value == '!' && !strstr(value, ",!");
	int r = syscall_filter_parse(to, value + others, err);

	if (!r && others)
		syscall_filter_invert(to);
	return r;
}

static int take_calls(struct trace_options *options, const char *value, struct buf *err)
{
	int r = qualifier_calls(&options->filter, value, err);

	options->filtered |= !r;
	return r;
}

static int take_injection(struct trace_options *options, const char *value, struct buf *err)
{
	return injections_add(&options->injections, value, false, err);
}

static int take_fault(struct trace_options *options, const char *value, struct buf *err)
{
	return injections_add(&options->injections, value, true, err);
}

/* What each word of a list, "none" and "all" aside, does. */
typedef int take_word(struct trace_options *options, const char *word, bool remove, struct buf *err);

static bool is_whole(const char *list)
{
	return strcmp(list, "all") == 0 || strcmp(list, "none") == 0;
}

/* Whether a list adds to nothing, or takes from all; "all" and "none" are all there is of theirs. */
static bool begins_with_all(const char *value)
{
	return *value == '!' ? strcmp(value, "!all") != 0 : strcmp(value, "all") == 0;
}

/* "none", "all", or words with commas between them; a `!` in front of the list takes away. */
static int take_list(struct trace_options *options, const char *value, take_word *take, struct buf *err)
{
	const char *list = value + (*value == '!');
	cleanup_free char *copy = is_whole(list) ? NULL : strdup(list);
	char *save = NULL;
	int r = copy || is_whole(list) ? 0 : -ENOMEM;

	if (copy && strspn(copy, ",") == strlen(copy))
		return take(options, copy, *value == '!', err);
	for (char *word = copy ? strtok_r(copy, ",", &save) : NULL; word && !r; word = strtok_r(NULL, ",", &save))
		r = take(options, word, *value == '!', err);
	return r;
}

static int take_signal(struct trace_options *options, const char *word, bool remove, struct buf *err)
{
	int sig = signal_number(word);
	uint64_t bit = sig > 0 && sig <= 64 ? UINT64_C(1) << (sig - 1) : 0;
	char *end;
	unsigned long n = strtoul(word, &end, 10);

	/* As strace(1) does: numbers that no signal has. */
	if (!bit && (*word < '0' || *word > '9' || *end || n > UINT8_MAX))
		return refuse(err, "invalid signal", word);
	options->form.hidden_signals =
		remove ? options->form.hidden_signals | bit : options->form.hidden_signals & ~bit;
	return 0;
}

static int take_signals(struct trace_options *options, const char *value, struct buf *err)
{
	options->form.hidden_signals = begins_with_all(value) ? 0 : UINT64_MAX;
	return take_list(options, value, take_signal, err);
}

static int take_outcome(struct trace_options *options, const char *word, bool remove, struct buf *err)
{
	/* What is not told apart here is in no set. */
	static const struct {
		const char *name;
		unsigned outcome;
	} outcomes[] = {
		{"successful", OUTCOME_SUCCESSFUL}, {"failed", OUTCOME_FAILED}, {"unfinished", OUTCOME_UNFINISHED},
		{"detached", OUTCOME_DETACHED},     {"unavailable", 0},
	};
	unsigned *hidden = &options->form.hidden;

	for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++) {
		if (strcmp(word, outcomes[i].name) != 0)
			continue;
		*hidden = remove ? *hidden | outcomes[i].outcome : *hidden & ~outcomes[i].outcome;
		return 0;
	}
	return refuse(err, word, "not successful, failed, unfinished, detached or unavailable");
}

static int take_status(struct trace_options *options, const char *value, struct buf *err)
{
	options->form.hidden = begins_with_all(value) ? 0 : ~0u;
	return take_list(options, value, take_outcome, err);
}

static int take_silence(struct trace_options *options, const char *word, bool remove, struct buf *err)
{
	static const char *const others[] = {"personality", "path-resolution", "path-resolve"};

	if (strcmp(word, "exit") == 0 || strcmp(word, "exits") == 0) {
		options->form.no_ends = !remove;
		return 0;
	}
	if (strcmp(word, "attach") == 0) {
		options->form.no_attaching = !remove;
		return 0;
	}
	if (strcmp(word, "superseded") == 0 || strcmp(word, "thread-execve") == 0) {
		options->form.no_superseded = !remove;
		return 0;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(word, others[i]) == 0)
			return 0;
	return refuse(err, word, "not attach, exit, path-resolution, personality, superseded or thread-execve");
}

static int take_quiet(struct trace_options *options, const char *value, struct buf *err)
{
	if (options->quiet)
		return refuse(err, value, "-q says it already");
	options->silenced = true;
	options->form.no_ends = options->form.no_superseded = options->form.no_attaching = begins_with_all(value);
	return take_list(options, value, take_silence, err);
}

static int take_abbreviation(struct trace_options *options, const char *value, struct buf *err)
{
	int r = qualifier_calls(&options->sets.whole, value, err);

	if (!r)
		syscall_filter_invert(&options->sets.whole);
	options->sets.has_whole |= !r;
	return r;
}

static int take_shown(struct trace_options *options, const char *value, struct buf *err)
{
	int r = qualifier_calls(&options->sets.shallow, value, err);

	if (!r)
		syscall_filter_invert(&options->sets.shallow);
	options->sets.has_shallow |= !r;
	return r;
}

static int take_raw(struct trace_options *options, const char *value, struct buf *err)
{
	int r = qualifier_calls(&options->sets.raw, value, err);

	options->sets.has_raw |= !r;
	return r;
}

/* Adds the bit of a word to a set, or takes it away. */
static int take_bit(const char *const *names, const char *word, bool remove, unsigned *set)
{
	for (unsigned i = 0; names[i]; i++) {
		if (strcmp(word, names[i]) != 0)
			continue;
		*set = remove ? *set & ~(1u << i) : *set | 1u << i;
		return 0;
	}
	return -EINVAL;
}

static int take_fd(struct trace_options *options, const char *word, bool remove, struct buf *err)
{
	static const char *const names[] = {"path", "socket", "dev", "pidfd", NULL}; /* by enum form_fds */

	return take_bit(names, word, remove, &options->form.fds) ? refuse(err, word, "not path, socket, dev or pidfd")
	                                                         : 0;
}

int qualifier_fds(struct trace_options *options, const char *value, struct buf *err)
{
	options->form.fds = begins_with_all(value) ? FORM_FDS : 0;
	return take_list(options, value, take_fd, err);
}

static int take_pid(struct trace_options *options, const char *word, bool remove, struct buf *err)
{
	static const char *const names[] = {"comm", "pidns", NULL}; /* by enum form_pids */

	return take_bit(names, word, remove, &options->form.pids) ? refuse(err, word, "not comm or pidns") : 0;
}

int qualifier_pids(struct trace_options *options, const char *value, struct buf *err)
{
	options->form.pids = begins_with_all(value) ? FORM_PIDS : 0;
	return take_list(options, value, take_pid, err);
}

static int take_context(struct trace_options *options, const char *word, bool remove, struct buf *err)
{
	static const char *const names[] = {"", "full", "mismatch", NULL}; /* by enum form_contexts */

	return !*word || take_bit(names, word, remove, &options->form.contexts)
	               ? refuse(err, word, "not full or mismatch")
	               : 0;
}

int qualifier_contexts(struct trace_options *options, const char *value, struct buf *err)
{
	bool none = strcmp(value, "none") == 0 || strcmp(value, "!all") == 0;

	options->form.contexts = none ? 0 : FORM_CONTEXTS;
	if (begins_with_all(value))
		options->form.contexts |= FORM_CONTEXT_FULL | FORM_CONTEXT_MISMATCH;
	return take_list(options, value, take_context, err);
}

static int take_number(struct trace_descriptors *set, const char *word, struct buf *err)
{
	char *end;
	unsigned long n = strtoul(word, &end, 10);
	int *named;

	if (*word < '0' || *word > '9' || *end || n > INT_MAX)
		return refuse(err, word, "not the number of a descriptor");
	named = realloc(set->named, (set->n + 1) * sizeof(*named));
	if (!named)
		return -ENOMEM;
	set->named = named;
	set->named[set->n++] = (int)n;
	return 0;
}

static int take_read(struct trace_options *options, const char *word, bool remove, struct buf *err)
{
	(void)remove;
	return take_number(&options->form.reads, word, err);
}

static int take_written(struct trace_options *options, const char *word, bool remove, struct buf *err)
{
	(void)remove;
	return take_number(&options->form.writes, word, err);
}

/* Empties it, or begins with all; what is left of the value. Twice not is nothing. */
static const char *begin_set(struct trace_descriptors *set, const char *value)
{
	while (strncmp(value, "!!", 2) == 0)
		value += 2;
	set->n = 0;
	set->others = begins_with_all(value);
	return value;
}

static int take_reads(struct trace_options *options, const char *value, struct buf *err)
{
	value = begin_set(&options->form.reads, value);
	return take_list(options, value, take_read, err);
}

static int take_writes(struct trace_options *options, const char *value, struct buf *err)
{
	value = begin_set(&options->form.writes, value);
	return take_list(options, value, take_written, err);
}

static const struct {
	const char *name;
	int (*take)(struct trace_options *options, const char *value, struct buf *err);
} qualifiers[] = {
	{"trace", take_calls},
	{"t", take_calls},
	{"inject", take_injection},
	{"fault", take_fault},
	{"signal", take_signals},
	{"signals", take_signals},
	{"s", take_signals},
	{"status", take_status},
	{"quiet", take_quiet},
	{"q", take_quiet},
	{"silent", take_quiet},
	{"silence", take_quiet},
	{"abbrev", take_abbreviation},
	{"a", take_abbreviation},
	{"verbose", take_shown},
	{"v", take_shown},
	{"raw", take_raw},
	{"x", take_raw},
	{"decode-fds", qualifier_fds},
	{"decode-fd", qualifier_fds},
	{"decode-pids", qualifier_pids},
	{"decode-pid", qualifier_pids},
	{"secontext", qualifier_contexts},
	{"read", take_reads},
	{"reads", take_reads},
	{"r", take_reads},
	{"write", take_writes},
	{"writes", take_writes},
	{"w", take_writes},
};

bool qualifier_is(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz-");

	return n && text[n] == '=';
}

int qualifier_apply(struct trace_options *options, const char *text, struct buf *err)
{
	size_t n = strcspn(text, "=");

	for (size_t i = 0; i < sizeof(qualifiers) / sizeof(qualifiers[0]); i++)
		if (strlen(qualifiers[i].name) == n && strncmp(qualifiers[i].name, text, n) == 0)
			return qualifiers[i].take(options, text + n + 1, err);
	return refuse(err, text,
	              "not trace=, inject=, fault=, signal=, status=, quiet=, abbrev=, verbose=, raw=, read=, write=, "
	              "decode-fds=, decode-pids= or secontext=");
}
