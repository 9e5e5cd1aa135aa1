/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "said.h"

#include <ctype.h>
#include <exectrace/answer/why/guest/story/text.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/quote.h>
#include <exectrace/format/data/record.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL_ERROR 3   /* KERN_ERR: from here on up it is about the trouble */
#define LEVEL_WARNING 4 /* KERN_WARNING, as what follows an oops or a warning begins, and their dumps go on */

#define LINE_MAX_SHOWN 140u /* bytes of a line */

#define PANIC "Kernel panic" /* the last line that tells a reason */

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* The line in front of a report of a warning, or of a BUG(): the reason follows, not always within the trouble. */
static bool is_mark(const char *text)
{
	return begins(text, "------------[ cut here ]");
}

/* What registers and stacks begin with; what comes behind tells no reason. */
static bool is_dump(const char *text)
{
	static const char *const heads[] = {"CPU: ", "Modules linked in", "RIP: ", "Call Trace", "Hardware name"};

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		if (begins(text, heads[i]))
			return true;
	return false;
}

/* --- Lines -------------------------------------------------------------------------------------------------------- */

/* stack: what runs on the CPU that logs; a task there may be interrupted. */
static struct guest_line line_of(const struct replay_stack *stack, const struct data_message *m)
{
	const struct replay_stack *task = stack ? replay_bottom(stack) : NULL;
	const bool known = task && task->pid == m->caller;
	struct guest_line line = {.stamp = m->stamp,
	                          .level = m->level,
	                          .task = known ? task->task : "",
	                          .pid = known ? task->pid : 0};
	size_t n = m->text.n < sizeof(line.text) ? m->text.n : sizeof(line.text) - 1;

	memcpy(line.text, n ? m->text.bytes : "", n);
	return line;
}

/* Adds a line of a trouble when it tells a reason. That of a panic is there even when others were more. */
static void add(struct guest_trouble *t, const struct guest_line *line)
{
	struct guest_said *said = &t->said;
	const bool plain = t->kind == GUEST_WARNING || t->kind == GUEST_OOPS, panic = begins(line->text, PANIC);

	said->dumped |= is_dump(line->text);
	if (said->over || is_mark(line->text) || line->level > (plain && !said->dumped ? LEVEL_WARNING : LEVEL_ERROR))
		return;
	said->over = panic;
	if (said->n < GUEST_LINES)
		said->lines[said->n++] = *line;
	else if (panic)
		said->lines[GUEST_LINES - 1] = *line;
}

/* Registers and frames, in or behind a dump. */
static bool is_in_dump(const char *text)
{
	static const char *const heads[] = {"Code: ", "FS: ", "CS: ", "CR2: ", "DR0: ", "DR3: ", "Call trace"};

	if (*text == ' ' || is_dump(text) ||
	    (*text == 'R' && isalnum((unsigned char)text[1]) && strchr(text, ':') == text + 3))
		return true;
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		if (begins(text, heads[i]))
			return true;
	return false;
}

static void add_last(struct guest_said *last, const struct guest_line *line)
{
	if (is_in_dump(line->text))
		return;
	if (last->n == GUEST_LAST) {
		memmove(&last->lines[0], &last->lines[1], (GUEST_LAST - 1) * sizeof(*line));
		last->n--;
	}
	last->lines[last->n++] = *line;
}

/* --- Whose they are ----------------------------------------------------------------------------------------------- */

static bool is_by(const struct guest_trouble *t, uint32_t caller)
{
	return caller == t->pid || caller == (DATA_MESSAGE_CPU | t->cpu);
}

const struct guest_frame *said_frame(const struct guest_trouble *t, size_t back)
{
	for (size_t i = t->n; i-- > 0;)
		if (!t->frames[i].jumped && !--back)
			return &t->frames[i];
	return NULL;
}

/* When the function was called that panics: what leads there is often said by it. Its .cold part is no call. */
static uint64_t cause_of(const struct replay_stack *stack, const struct guest_trouble *t)
{
	const struct guest_frame *frame = said_frame(t, 1);
	uint32_t back = 1;

	while (back < t->handler && frame && strstr(frame->name, ".cold"))
		frame = said_frame(t, ++back);
	return t->kind == GUEST_PANIC && t->handler ? stack->frames[t->handler - back].entered : UINT64_MAX;
}

void said_begin(const struct said *s, const struct replay_stack *stack, struct guest_trouble *t)
{
	const size_t from = s->n > SAID_RECENT ? s->n - SAID_RECENT : 0;
	uint64_t since = cause_of(stack, t);

	t->said = (struct guest_said){.open = true, .entered = stack->frames[t->handler].entered};
	for (size_t i = from; i < s->n; i++) {
		const struct said_recent *r = &s->recent[i % SAID_RECENT];

		if (is_by(t, r->caller) && is_mark(r->line.text)) {
			since = r->at;
			t->said.n = 0;
			t->said.dumped = false;
		} else if (is_by(t, r->caller) && r->at >= since) {
			add(t, &r->line);
		}
	}
}

/* Whether a message is about a trouble: by the same task or CPU, as long as what handles it has not returned. */
static bool is_about(struct guest_trouble *t, const struct replay_stack *stack, const struct data_message *m)
{
	if (!t->said.open || !is_by(t, m->caller) || (!t->pid && m->cpu != t->cpu))
		return false;
	if (stack && stack->number == t->stack && t->kind != GUEST_PANIC)
		t->said.open = stack->depth > t->handler && stack->frames[t->handler].entered == t->said.entered;
	return t->said.open;
}

/* "prog[17]: segfault at 0 ip ..." (Linux: arch/x86/mm/fault.c, show_signal_msg). */
static void note_fault(struct guest_story *g, const struct data_message *m)
{
	char text[96];
	size_t n = m->text.n < sizeof(text) ? m->text.n : sizeof(text) - 1;
	const char *at;

	memcpy(text, n ? m->text.bytes : "", n);
	text[n] = '\0';
	at = strstr(text, "]: segfault at ");
	while (at && at > text && at[-1] >= '0' && at[-1] <= '9')
		at--;
	if (!at || *at == ']')
		return;
	g->faults[g->n_faults++ % GUEST_FAULTS] = (struct guest_fault){
		.pid = (uint32_t)strtoul(at, NULL, 10),
		.address = strtoull(strstr(at, " at ") + 4, NULL, 16),
	};
}

void said_message(struct said *s, struct guest_story *g, const struct replay_stack *stack, const struct data_message *m,
                  uint64_t now)
{
	const struct guest_line line = line_of(stack, m);

	add_last(&g->last, &line);
	note_fault(g, m);
	for (size_t i = 0; i < g->n_troubles; i++)
		if (is_about(&g->troubles[i], stack, m))
			add(&g->troubles[i], &line);
	if (m->level <= LEVEL_WARNING)
		s->recent[s->n++ % SAID_RECENT] = (struct said_recent){line, m->caller, now};
}

/* --- For people, and for programs --------------------------------------------------------------------------------- */

/* named: with who logged them. */
static void print_lines(struct buf *out, const struct guest_said *said, bool named)
{
	for (size_t i = 0; i < said->n; i++) {
		const struct guest_line *line = &said->lines[i];

		buf_printf(out, "    [%5llu.%06llu] ", (unsigned long long)(line->stamp / NS_PER_S),
		           (unsigned long long)(line->stamp % NS_PER_S / 1000));
		if (named && *line->task) {
			text_task(out, line->task, line->pid);
			buf_puts(out, ": ");
		}
		text_cut(out, line->text, LINE_MAX_SHOWN);
		buf_putc(out, '\n');
	}
}

void said_print(struct buf *out, const struct guest_said *said)
{
	buf_puts(out, said->n ? "  the kernel said:\n" : "");
	print_lines(out, said, false);
}

void said_print_last(struct buf *out, const struct guest_story *g)
{
	if (g->n_troubles || g->off || g->own_will || !g->last.n)
		return;
	buf_puts(out, "  the kernel said last:\n");
	print_lines(out, &g->last, true);
}

void said_json(struct jsonl *j, const struct guest_said *said)
{
	struct buf all = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < said->n; i++) {
		jsonl_begin(&one);
		jsonl_unsigned(&one, "stamp", said->lines[i].stamp);
		jsonl_unsigned(&one, "level", said->lines[i].level);
		jsonl_string(&one, "text", said->lines[i].text);
		if (*said->lines[i].task) {
			jsonl_string(&one, "task", said->lines[i].task);
			jsonl_unsigned(&one, "pid", said->lines[i].pid);
		}
		jsonl_end(&one);
		jsonl_object(&all, &one);
	}
	jsonl_objects(j, "messages", &all);
	buf_release(&text);
}
