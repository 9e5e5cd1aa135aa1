/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/linux/arguments.h>

#include "passing.h"
#include "structures.h"
#include <ctype.h>
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/format/data/signature.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SIGNATURE_MAX 8192u /* bytes: names of enums end there */
#define WORD 8
#define RAX 0
#define NEWTYPE_DEPTH 4
#define FLOATS 8 /* registers for floating-point arguments */

/* The registers in which arguments are, by their numbers: rdi, rsi, rdx, rcx, r8, r9. */
static const uint8_t places[DATA_ARGS] = {7, 6, 2, 1, 8, 9};

/* --- What there is to read ---------------------------------------------------------------------------------------- */

static int put_name(struct buf *out, const char *name, unsigned i)
{
	int rc = 0;

	if (!*name)
		return buf_printf(out, "arg%u", i + 1);
	for (; *name && !rc; name++)
		rc = buf_putc(out, isalnum((unsigned char)*name) ? *name : '_');
	return rc;
}

static int put_enum(struct buf *out, const struct btf *btf, const struct btf_value *value)
{
	const char *name;
	int64_t number;
	int rc = buf_printf(out, "e%u{", (unsigned)value->size);

	for (uint32_t i = 0; !rc && out->len < SIGNATURE_MAX && btf_enumerator(btf, value->type, i, &name, &number);
	     i++) {
		rc = i ? buf_putc(out, '|') : 0;
		rc = rc ? rc : put_name(out, name, i);
		rc = rc ? rc : buf_printf(out, "=%" PRId64, number);
	}
	return rc ? rc : buf_putc(out, '}');
}

/* A structure that is nothing but one value has the type of that. */
static void unwrap(const struct btf *btf, struct btf_value *value)
{
	struct btf_member_value member, other;

	for (int i = 0; i < NEWTYPE_DEPTH && value->class == BTF_CLASS_STRUCTURE; i++) {
		if (!btf_field(btf, value->type, 0, &member) || btf_field(btf, value->type, 1, &other) || member.bit ||
		    member.bit_size || member.value.size != value->size || member.value.class == BTF_CLASS_ARRAY)
			return;
		*value = member.value;
	}
}

static bool is_number(const struct btf_value *value)
{
	return value->size == 1 || value->size == 2 || value->size == 4 || value->size == WORD;
}

/* The type of a value that a register holds. */
static int put_type(struct buf *out, const struct btf *btf, const struct btf_value *value)
{
	if (value->class == BTF_CLASS_VOID)
		return buf_putc(out, SIGNATURE_NOTHING);
	if (value->class == BTF_CLASS_STRUCTURE && value->size <= WORD)
		return buf_putc(out, SIGNATURE_MEMORY);
	if (!is_number(value))
		return buf_putc(out, SIGNATURE_OTHER);
	switch (value->class) {
	case BTF_CLASS_BOOL:
		return buf_putc(out, SIGNATURE_BOOL);
	case BTF_CLASS_CHAR:
		return buf_putc(out, SIGNATURE_CHAR);
	case BTF_CLASS_UNSIGNED:
	case BTF_CLASS_SIGNED:
		return buf_printf(out, "%c%u", value->class == BTF_CLASS_SIGNED ? SIGNATURE_SIGNED : SIGNATURE_UNSIGNED,
		                  (unsigned)value->size);
	case BTF_CLASS_POINTER:
		return buf_putc(out, SIGNATURE_POINTER);
	case BTF_CLASS_ENUM:
		return put_enum(out, btf, value);
	default:
		return buf_putc(out, SIGNATURE_OTHER);
	}
}

/* What a pointer leads to, and is worth reading. */
static void look_behind(struct argument *argument, const struct btf *btf, const struct btf_value *value)
{
	struct btf_value target;

	if (value->class != BTF_CLASS_POINTER)
		return;
	btf_value(btf, value->target, &target);
	argument->text = target.class == BTF_CLASS_CHAR && target.constant;
	argument->type = target.class == BTF_CLASS_STRUCTURE ? target.type : 0;
}

/* An argument that says how many bytes there are where the one before it leads. */
static bool is_length(const struct btf_member_value *value)
{
	static const char *const names[] = {"count", "len", "length", "size", "n", "nbytes", "buflen", "bufsiz"};
	bool number = value->value.class == BTF_CLASS_UNSIGNED || value->value.class == BTF_CLASS_SIGNED;

	for (size_t i = 0; number && i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(value->name, names[i]) == 0)
			return true;
	}
	return false;
}

/* What the arguments before have left of registers. */
struct left {
	const uint8_t *told; /* where arguments are said to be, or DEBUGINFO_BY_RULE; NULL: that is said of none */
	unsigned used, floats;
	bool sure; /* it is known */
};

/* Where an argument is by the rule, when that is one general register. */
static uint8_t by_rule(struct left *left, const struct passing *p)
{
	bool fits = !p->memory && left->used + p->general <= DATA_ARGS;
	uint8_t place = ARGUMENT_NOWHERE;

	/* What needs both kinds is all in memory where one is used up. How many floating-point numbers need is not
	 * sure. */
	if (!p->known || (p->general && p->floats && left->floats + p->floats > FLOATS))
		left->sure = false;
	/* clang before version 18 puts half of such a number into the last register, gcc nothing. */
	if (!fits && p->wide && left->used < DATA_ARGS)
		left->sure = false;
	if (!left->sure || !fits)
		return ARGUMENT_NOWHERE;
	if (p->general == 1 && !p->floats)
		place = places[left->used];
	left->used += p->general;
	left->floats += p->floats;
	return place;
}

/* Where argument i is, by what is said about it and else by the rule. */
static uint8_t place_of(struct left *left, unsigned i, const struct passing *p)
{
	uint8_t rule = by_rule(left, p), told = left->told ? left->told[i] : DEBUGINFO_BY_RULE;

	if (told == DEBUGINFO_BY_RULE)
		return rule;
	if (told == DEBUGINFO_NOWHERE || !p->known || p->general != 1 || p->floats || p->memory)
		return ARGUMENT_NOWHERE;
	if (told != rule)
		left->sure = false; /* nor are those behind it where they would be */
	return told;
}

static int add_argument(struct arguments *a, struct buf *out, unsigned i, struct btf_member_value *value,
                        struct left *left)
{
	struct argument *argument = &a->items[i];
	struct passing p;
	int rc;

	unwrap(a->btf, &value->value);
	p = passing_of(a->btf, &value->value);
	argument->place = place_of(left, i, &p);
	look_behind(argument, a->btf, &value->value);
	argument->limit = ARGUMENT_NOWHERE;
	if (i && argument[-1].text && is_length(value))
		argument[-1].limit = argument->place;
	rc = i ? buf_putc(out, ',') : 0;
	rc = rc ? rc : put_name(out, value->name, i);
	rc = rc ? rc : buf_putc(out, ':');
	if (rc || argument->place == ARGUMENT_NOWHERE)
		return rc ? rc : buf_putc(out, SIGNATURE_OTHER);
	return put_type(out, a->btf, &value->value);
}

/* What is given back; one that is written where the caller says takes the first register of arguments. */
static void find_result(struct arguments *a, const struct btf_value *result, struct left *left)
{
	struct passing p = passing_of(a->btf, result);

	a->result.limit = ARGUMENT_NOWHERE;
	a->result.place = p.known && !p.memory && p.general == 1 && !p.floats ? RAX : ARGUMENT_NOWHERE;
	left->sure = p.known;
	left->used = p.known && p.memory;
	look_behind(&a->result, a->btf, result);
}

static int by_type(struct arguments *a, struct buf *out, uint32_t function, const struct debug_function *told)
{
	struct left left = {.told = told ? told->places : NULL};
	struct btf_member_value value;
	struct btf_value result;
	int rc = 0;

	btf_result(a->btf, function, &result);
	unwrap(a->btf, &result);
	find_result(a, &result, &left);
	if (told && told->hidden)
		left = (struct left){.told = told->places, .used = 1, .sure = true};
	if (told && !told->result)
		a->result.place = ARGUMENT_NOWHERE;
	for (; !rc && a->n < DATA_ARGS && btf_argument(a->btf, function, a->n, &value); a->n++)
		rc = add_argument(a, out, a->n, &value, &left);
	rc = rc ? rc : buf_putc(out, ';');
	if (!rc && result.class != BTF_CLASS_VOID && a->result.place == ARGUMENT_NOWHERE)
		return buf_putc(out, SIGNATURE_OTHER);
	return rc ? rc : put_type(out, a->btf, &result);
}

static int by_registers(struct arguments *a, struct buf *out)
{
	int rc = 0;

	for (; !rc && a->n < DATA_ARGS; a->n++) {
		a->items[a->n] = (struct argument){.place = places[a->n], .limit = ARGUMENT_NOWHERE};
		rc = buf_printf(out, "%sarg%u:%c", a->n ? "," : "", a->n + 1, SIGNATURE_REGISTER);
	}
	a->result = (struct argument){.place = RAX, .limit = ARGUMENT_NOWHERE};
	return rc ? rc : buf_printf(out, ";%c", SIGNATURE_REGISTER);
}

/* By a type of btf; 0: by registers. told: what else is known of it; NULL: nothing. */
static struct arguments *make(const struct btf *btf, uint32_t function, const struct debug_function *told)
{
	struct arguments *a = calloc(1, sizeof(*a));
	cleanup_buf struct buf text = BUF_INIT;
	int rc;

	if (!a)
		return NULL;
	a->btf = function ? btf : NULL;
	rc = function ? by_type(a, &text, function, told) : by_registers(a, &text);
	if (rc || !(a->signature = buf_steal(&text))) {
		free(a);
		return NULL;
	}
	return a;
}

struct arguments *arguments_of(struct btf *btf, const char *name)
{
	return make(btf, btf ? btf_function(btf, name) : 0, NULL);
}

struct arguments *arguments_of_program(const struct debug_function *function)
{
	return make(function->btf, function->type, function);
}

/* --- What is read ------------------------------------------------------------------------------------------------- */

/* Texts grow in one buffer, which may move: until all are there extras have no addresses, but offsets. */
struct reading {
	struct ring_values *values;
	struct buf texts;
	size_t offsets[ARGUMENTS_MAX];
	const struct guest_memory *memory;
	unsigned depth;
};

/* Up to its NUL, or `limit` bytes. */
static int read_string(struct reading *r, uint64_t address, uint64_t limit, uint8_t *kind)
{
	char text[STRUCTURE_STRING];
	size_t want = limit < sizeof(text) ? limit : sizeof(text);
	size_t have = guest_memory_some(r->memory, address, text, want);
	size_t n = limit == UINT64_MAX ? strnlen(text, have) : have;

	*kind = n < have || n == limit ? DATA_EXTRA_STRING : DATA_EXTRA_CUT;
	return have ? buf_append(&r->texts, text, n) : -EFAULT;
}

/* What is behind a pointer; nothing where it is not there. */
static void read_behind(struct reading *r, const struct arguments *a, const struct argument *argument,
                        const uint64_t *registers, uint8_t number)
{
	uint64_t address = registers[argument->place];
	uint64_t limit = argument->limit == ARGUMENT_NOWHERE ? UINT64_MAX : registers[argument->limit];
	struct data_extra *extra = &r->values->extras[r->values->values.nextras];
	size_t before = r->texts.len;
	int rc = -EFAULT;

	if (!address)
		return;
	extra->kind = DATA_EXTRA_TEXT;
	if (argument->text)
		rc = read_string(r, address, limit, &extra->kind);
	else if (argument->type && r->depth)
		rc = structure_print(&r->texts, a->btf, argument->type, address, r->memory, r->depth);
	if (rc)
		return;
	extra->arg = number;
	extra->text.n = r->texts.len - before;
	r->offsets[r->values->values.nextras++] = before;
}

static struct ring_values *finish(struct reading *r)
{
	struct ring_values *v = r->values;

	v->refs = 1;
	v->texts = v->values.nextras ? buf_steal(&r->texts) : NULL;
	buf_release(&r->texts);
	for (unsigned i = 0; i < v->values.nextras; i++)
		v->extras[i].text.bytes = v->texts ? v->texts + r->offsets[i] : "";
	if (!v->texts)
		v->values.nextras = 0;
	v->values.extras = v->extras;
	return v;
}

struct ring_values *arguments_read(const struct arguments *a, const uint64_t *registers,
                                   const struct guest_memory *memory, unsigned depth)
{
	struct reading r = {.values = calloc(1, sizeof(*r.values)), .memory = memory, .depth = depth};

	if (!r.values)
		return NULL;
	r.values->values.nargs = a->n;
	for (uint8_t i = 0; i < a->n; i++) {
		const struct argument *argument = &a->items[i];

		if (argument->place == ARGUMENT_NOWHERE)
			continue;
		r.values->values.args[i] = registers[argument->place];
		read_behind(&r, a, argument, registers, i);
	}
	return finish(&r);
}

struct ring_values *arguments_read_result(const struct arguments *a, const uint64_t *registers,
                                          const struct guest_memory *memory, unsigned depth)
{
	struct reading r = {.values = calloc(1, sizeof(*r.values)), .memory = memory, .depth = depth};

	if (!r.values)
		return NULL;
	r.values->values.nargs = 1;
	r.values->values.args[0] = registers[a->result.place];
	read_behind(&r, a, &a->result, registers, DATA_ARGS);
	return finish(&r);
}
