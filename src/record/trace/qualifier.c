/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qualifier.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/syscalls/names.h>
#include <stdlib.h>
#include <string.h>

static int refuse(struct buf *err, const char *text, const char *what)
{
	return buf_printf(err, "%s: %s", text, what) ? -ENOMEM : -EINVAL;
}

static int take_calls(struct trace_options *options, const char *value, struct buf *err)
{
	bool others = *value == '!'; /* than all that follows */
	int r = syscall_filter_parse(&options->filter, value + others, err);

	if (!r && others)
		syscall_filter_invert(&options->filter);
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

	for (char *word = copy ? strtok_r(copy, ",", &save) : NULL; word && !r; word = strtok_r(NULL, ",", &save))
		r = take(options, word, *value == '!', err);
	return r;
}

static int take_signal(struct trace_options *options, const char *word, bool remove, struct buf *err)
{
	int sig = signal_number(word);
	uint64_t bit = sig > 0 && sig <= 64 ? UINT64_C(1) << (sig - 1) : 0;

	if (!bit)
		return refuse(err, word, "no such signal");
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
		{"successful", OUTCOME_SUCCESSFUL},
		{"failed", OUTCOME_FAILED},
		{"unfinished", OUTCOME_UNFINISHED},
		{"detached", 0},
		{"unavailable", 0},
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
	options->form.hidden = begins_with_all(value) ? 0 : OUTCOME_SUCCESSFUL | OUTCOME_FAILED | OUTCOME_UNFINISHED;
	return take_list(options, value, take_outcome, err);
}

static int take_silence(struct trace_options *options, const char *word, bool remove, struct buf *err)
{
	static const char *const others[] = {"attach", "personality", "path-resolution", "thread-execve", "superseded"};

	if (strcmp(word, "exit") == 0 || strcmp(word, "exits") == 0) {
		options->form.no_ends = !remove;
		return 0;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(word, others[i]) == 0)
			return 0;
	return refuse(err, word, "not attach, exit, path-resolution, personality, superseded or thread-execve");
}

static int take_quiet(struct trace_options *options, const char *value, struct buf *err)
{
	options->form.no_ends = begins_with_all(value);
	return take_list(options, value, take_silence, err);
}

static int take_abbreviation(struct trace_options *options, const char *value, struct buf *err)
{
	if (!is_whole(value))
		return refuse(err, value, "all or none");
	options->form.whole = strcmp(value, "none") == 0;
	return 0;
}

static int take_descriptors(struct trace_options *options, const char *value, struct buf *err)
{
	if (strcmp(value, "none") != 0 && strcmp(value, "path") != 0)
		return refuse(err, value, "none or path");
	options->form.named = strcmp(value, "path") == 0;
	return 0;
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
	{"decode-fds", take_descriptors},
	{"decode-fd", take_descriptors},
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
	return refuse(err, text, "not trace=, inject=, fault=, signal=, status=, quiet=, abbrev= or decode-fds=");
}
