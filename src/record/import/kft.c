/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of KFT's and KFI's logs. */
#include "kft.h"

#include "private.h"
#include <errno.h>
#include <exectrace/base/bound.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

#define US_PER_S 1000000u
#define TIME_MAX (UINT64_MAX / 4) /* us */
#define PID_MAX (INT64_C(1) << 32)

/* A function of the log that has an address. */
struct kft_known {
	uint64_t address, id;
};

struct kft_reader {
	struct import *in;
	struct product out;
	struct kft kft;
	bool rows;                 /* the title was there */
	uint64_t started, stopped; /* us */
	struct kft_known *known;   /* in order of their addresses; only without symbols */
	size_t n, cap;
};

bool kft_likely(struct span text)
{
	struct span a = text, b = text;

	return span_behind(&a, "Kernel Instrumentation Run ID") ||
	       (span_behind(&b, "Entry") && span_behind(&b, "Delta") && span_behind(&b, "PID"));
}

/* --- The head ------------------------------------------------------------------------------------------------------
 */

/* "Entry Delta PID Function Caller", spelled in many ways. */
static bool is_title(struct span line)
{
	struct span entry, delta;

	return span_word(&line, &entry) && span_word(&line, &delta) && span_skip(&entry, "Entry") &&
	       span_skip(&delta, "Delta");
}

static void read_head(struct kft_reader *r, struct span line)
{
	struct import_counts *counts = r->in->counts;
	struct span word;
	uint64_t value;

	if (is_title(line)) {
		r->rows = true;
		return;
	}
	word = line;
	if (span_behind(&word, "Logging started at ") && span_decimal(&word, &value))
		r->started = value;
	word = line;
	if (span_behind(&word, "Logging stopped at ") && span_decimal(&word, &value))
		r->stopped = value;
	word = line;
	if (span_behind(&word, "Total entries filtered") && span_behind(&word, "=") && span_word(&word, &line) &&
	    span_decimal(&line, &value))
		counts->filtered = value;
}

/* --- Rows ----------------------------------------------------------------------------------------------------------
 */

static int bad(struct kft_reader *r, const char *what)
{
	return lines_bad(&r->in->lines, r->in->why, what);
}

/* Where an address belongs among the known functions: how many begin at or before it. */
static size_t known_before(const struct kft_reader *r, uint64_t address)
{
	return BOUND_ABOVE(r->known, r->n, address, address);
}

static int know(struct kft_reader *r, uint64_t address, uint64_t id)
{
	size_t at = known_before(r, address);

	if (at && r->known[at - 1].address == address)
		return 0;
	if (grow_array((void **)&r->known, r->n, &r->cap, sizeof(*r->known)))
		return -ENOMEM;
	memmove(&r->known[at + 1], &r->known[at], (r->n - at) * sizeof(*r->known));
	r->known[at] = (struct kft_known){address, id};
	r->n++;
	return 0;
}

/* The name in front of "+0x12". */
static struct span name_of(struct span word)
{
	const char *plus = memchr(word.p, '+', span_length(&word));

	if (plus && plus > word.p)
		word.end = plus;
	return word;
}

/* An address, all of the word. */
static bool is_address(struct span word, uint64_t *address)
{
	return span_skip(&word, "0x") && span_hex(&word, address) && word.p == word.end;
}

static int take_function(struct kft_reader *r, struct span word, uint64_t *id)
{
	struct data_function function = {0};
	struct span name = name_of(word);
	const struct import_symbol *symbol = NULL;
	int rc;

	if (is_address(word, &function.address))
		symbol = symbols_at(&r->in->symbols, function.address);
	if (symbol) {
		function.address = symbol->start;
		function.size = symbol->end ? symbol->end - symbol->start : 0;
		name = (struct span){symbol->name, symbol->name + strlen(symbol->name)};
	}
	function.name = (struct data_text){name.p, span_length(&name)};
	rc = product_number(&r->out, function.address, name, id);
	function.id = *id;
	if (!rc && function.address && !symbol)
		rc = know(r, function.address, *id);
	return rc ? rc : product_define(&r->out, &function);
}

/* The caller is given by an address within it. */
static int take_caller(struct kft_reader *r, struct span word, uint64_t *id)
{
	const struct import_symbol *symbol;
	uint64_t address;
	size_t at;

	*id = 0;
	if (!is_address(word, &address)) {
		word = name_of(word);
		return product_number(&r->out, 0, word, id);
	}
	symbol = symbols_at(&r->in->symbols, address);
	if (symbol)
		return product_number(&r->out, symbol->start, word, id);
	at = known_before(r, address);
	if (at)
		*id = r->known[at - 1].id;
	return 0;
}

static bool take_times(struct span entry, struct span delta, struct kft_row *row)
{
	bool negative = span_skip(&delta, "-");
	uint64_t from, took;

	if (!span_decimal(&entry, &from) || entry.p != entry.end || from > TIME_MAX || !span_decimal(&delta, &took) ||
	    delta.p != delta.end || took > TIME_MAX)
		return false;
	row->entry = from;
	row->end = negative ? KFT_UNKNOWN : row->entry + took;
	return true;
}

/* "33", "-1", "33.1": CPU 1. */
static bool take_pid(struct span word, struct kft_row *row)
{
	bool negative = span_skip(&word, "-");
	uint64_t pid, cpu = 0;

	if (!span_decimal(&word, &pid) || pid >= (uint64_t)PID_MAX)
		return false;
	if (span_skip(&word, ".") && (!span_decimal(&word, &cpu) || cpu > 255))
		return false;
	row->pid = negative ? KFT_INTERRUPT : (int64_t)pid;
	row->cpu = (uint32_t)cpu;
	return word.p == word.end;
}

static int read_row(struct kft_reader *r, struct span line)
{
	struct span entry, delta, pid, function, caller;
	struct kft_row row;
	int rc;

	if (!span_word(&line, &entry) || *entry.p == '-')
		return 0; /* empty, or the line under the title */
	if (!span_word(&line, &delta) || !take_times(entry, delta, &row))
		return bad(r, "not a row of KFT: it begins with entry time and duration, in microseconds");
	if (!span_word(&line, &pid) || !take_pid(pid, &row))
		return bad(r, "not a row of KFT: a process id is the third column");
	if (!span_word(&line, &function))
		return bad(r, "not a row of KFT: a function is the fourth column");
	rc = take_function(r, function, &row.function);
	row.caller = 0;
	if (!rc && span_word(&line, &caller))
		rc = take_caller(r, caller, &row.caller);
	r->in->counts->entries++;
	r->in->counts->unended += row.end == KFT_UNKNOWN;
	return rc ? rc : kft_add(&r->kft, &row);
}

/* --- All -----------------------------------------------------------------------------------------------------------
 */

static int finish(struct kft_reader *r)
{
	struct import_counts *counts = r->in->counts;
	uint64_t end = 0;
	int rc = kft_finish(&r->kft);

	if (!counts->entries && !rc) {
		rc = buf_printf(r->in->why, "%s: there are no calls in it", r->in->lines.name);
		return rc ? rc : -EBADMSG;
	}
	if (r->stopped > r->started && r->stopped - r->started <= TIME_MAX)
		end = (r->stopped - r->started);
	for (uint32_t cpu = 0; cpu < 256 && !rc; cpu++)
		if (r->kft.running[cpu])
			rc = product_until(&r->out, end > r->kft.now ? end : r->kft.now, cpu);
	if (!rc && counts->filtered)
		rc = product_note(&r->out,
		                  "KFT left out %llu calls by its filters; their time is in the Local of their callers",
		                  (unsigned long long)counts->filtered);
	return rc;
}

int import_kft(struct import *in)
{
	struct kft_reader r = {.in = in};
	struct span line;
	int rc = product_open(&r.out, in->fd, DATA_CLOCK_CYCLES, US_PER_S, in->counts);

	if (rc)
		return rc;
	r.kft.out = &r.out;
	while (!rc && (rc = lines_next(&in->lines, &line, in->why)) == 1) {
		rc = 0;
		if (r.rows)
			rc = read_row(&r, line);
		else
			read_head(&r, line);
	}
	if (!rc)
		rc = finish(&r);
	rc = product_close(&r.out, rc);
	kft_release(&r.kft);
	free(r.known);
	return rc;
}
