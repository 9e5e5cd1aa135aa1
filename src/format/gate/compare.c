/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparisons of a trigger with what a function was given, or gave. */
#include "private.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RESULT "result"

void control_trigger_release(struct control_trigger *trigger)
{
	for (size_t i = 0; i < trigger->n_compares; i++) {
		free(trigger->compares[i].name);
		free(trigger->compares[i].text);
	}
	free(trigger->compares);
	free(trigger->function);
	*trigger = (struct control_trigger){0};
}

/* --- Words -------------------------------------------------------------------------------------------------------- */

struct words {
	const char *p, *end;
};

static void skip(struct words *w)
{
	while (w->p < w->end && isspace((unsigned char)*w->p))
		w->p++;
}

static bool take(struct words *w, const char *word)
{
	size_t n = strlen(word);

	skip(w);
	if ((size_t)(w->end - w->p) < n || memcmp(w->p, word, n) != 0)
		return false;
	w->p += n;
	return true;
}

/* A name, as a new string; NULL: none, or no memory. */
static char *take_name(struct words *w)
{
	const char *from;

	skip(w);
	from = w->p;
	while (w->p < w->end && (isalnum((unsigned char)*w->p) || *w->p == '_'))
		w->p++;
	return w->p > from ? strndup(from, (size_t)(w->p - from)) : NULL;
}

/* What is in quotes. */
static char *take_string(struct words *w)
{
	const char *from = w->p, *close = memchr(from, '"', (size_t)(w->end - from));

	if (!close)
		return NULL;
	w->p = close + 1;
	return strndup(from, (size_t)(close - from));
}

static bool take_number(struct words *w, int64_t *to)
{
	char digits[32] = "", *stop;
	size_t n = 0;

	while (w->p + n < w->end && n < sizeof(digits) - 1 && (isalnum((unsigned char)w->p[n]) || w->p[n] == '-')) {
		digits[n] = w->p[n];
		n++;
	}
	errno = 0;
	*to = digits[0] == '-' ? strtoll(digits, &stop, 0) : (int64_t)strtoull(digits, &stop, 0);
	w->p += n;
	return n && !*stop && !errno;
}

static bool take_operator(struct words *w, enum control_operator *to)
{
	static const struct {
		const char *word;
		enum control_operator operator;
	} all[] = {{"==", CONTROL_EQUAL}, {"!=", CONTROL_UNEQUAL}, {"<=", CONTROL_AT_MOST}, {">=", CONTROL_AT_LEAST},
	           {"<", CONTROL_LESS},   {">", CONTROL_MORE},     {"=", CONTROL_EQUAL}};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (take(w, all[i].word)) {
			*to = all[i].operator;
			return true;
		}
	}
	return false;
}

/* What is wrong with a comparison; NULL: nothing. */
static const char *read_compare(struct words *w, struct control_compare *to, bool exit)
{
	to->name = take_name(w);
	if (!to->name)
		return "a comparison begins with the name of an argument, arg1 to arg6, or result";
	if ((strcmp(to->name, RESULT) == 0) != exit)
		return exit ? "at an exit only the result is known" : "at an entry there is no result";
	if (!take_operator(w, &to->operator))
		return "an operator is one of == != < <= > >=";
	skip(w);
	if (take(w, "\""))
		to->text = take_string(w);
	else if (w->p < w->end && (isalpha((unsigned char)*w->p) || *w->p == '_'))
		to->text = take_name(w);
	else
		return take_number(w, &to->number) ? NULL : "it is compared with a number, a name or a \"string\"";
	if (to->text && to->operator!= CONTROL_EQUAL && to->operator!= CONTROL_UNEQUAL)
		return "texts are compared with == and != only";
	return to->text ? NULL : "a string ends with a quote";
}

int control_read_compares(struct control_trigger *trigger, const char *text, size_t n, const char **why)
{
	struct words w = {text, text + n};

	trigger->compares = calloc(CONTROL_COMPARES_MAX, sizeof(*trigger->compares));
	if (!trigger->compares)
		return -ENOMEM;
	do {
		*why = trigger->n_compares == CONTROL_COMPARES_MAX
		               ? "there are too many comparisons"
		               : read_compare(&w, &trigger->compares[trigger->n_compares++],
		                              trigger->when == CONTROL_EXIT);
	} while (!*why && (take(&w, "&&") || take(&w, ",")));
	skip(&w);
	if (!*why && w.p != w.end)
		*why = "between comparisons stands a comma, or &&";
	if (*why && trigger->n_compares > CONTROL_COMPARES_MAX)
		trigger->n_compares = CONTROL_COMPARES_MAX;
	return *why ? -EINVAL : 0;
}

/* --- What they say ------------------------------------------------------------------------------------------------ */

static bool holds_order(enum control_operator operator, int order)
{
	switch (operator) {
	case CONTROL_EQUAL:
		return order == 0;
	case CONTROL_UNEQUAL:
		return order != 0;
	case CONTROL_LESS:
		return order < 0;
	case CONTROL_AT_MOST:
		return order <= 0;
	case CONTROL_MORE:
		return order > 0;
	case CONTROL_AT_LEAST:
		return order >= 0;
	}
	return false;
}

/* Whether the string that an argument leads to is a text; what was cut is none. */
static bool leads_to(const struct data_values *values, unsigned arg, const char *text)
{
	for (unsigned i = 0; i < values->nextras; i++) {
		const struct data_extra *extra = &values->extras[i];

		if (extra->arg == arg && extra->kind == DATA_EXTRA_STRING && extra->text.n == strlen(text) &&
		    memcmp(extra->text.bytes, text, extra->text.n) == 0)
			return true;
	}
	return false;
}

static bool has_sign(const struct signature_value *type)
{
	return type->kind == SIGNATURE_SIGNED || type->kind == SIGNATURE_ENUM || type->kind == SIGNATURE_CHAR;
}

/* Numbers with a sign, or the one of the type. */
static int order_of(const struct signature_value *type, int64_t value, int64_t other)
{
	if (has_sign(type))
		return (value > other) - (value < other);
	if (other < 0) /* as an error in a pointer */
		other = signature_number(type, (uint64_t)other);
	return ((uint64_t)value > (uint64_t)other) - ((uint64_t)value < (uint64_t)other);
}

static bool holds(const struct control_compare *c, const struct signature *types, const struct data_values *values,
                  bool result)
{
	int i = result ? 0 : signature_arg(types, c->name);
	const struct signature_value *type = result ? &types->result : i >= 0 ? &types->args[i] : NULL;
	int64_t number = c->number;

	if (!type || (unsigned)i >= values->nargs || type->kind == SIGNATURE_OTHER || type->kind == SIGNATURE_NOTHING)
		return false;
	if (c->text && (type->kind != SIGNATURE_ENUM || !signature_enum_value(type, c->text, &number)))
		return leads_to(values, result ? DATA_ARGS : (unsigned)i, c->text) == (c->operator== CONTROL_EQUAL);
	return holds_order(c->operator, order_of(type, signature_number(type, values->args[i]), number));
}

static bool all_hold(const struct control_trigger *trigger, const struct signature *types,
                     const struct data_values *values, bool result)
{
	if (!trigger->n_compares || !values || (trigger->when == CONTROL_EXIT) != result)
		return false;
	for (size_t i = 0; i < trigger->n_compares; i++) {
		if (!holds(&trigger->compares[i], types, values, result))
			return false;
	}
	return true;
}

bool control_compares(const struct control_config *config, unsigned what)
{
	return (what & CONTROL_START && config->start.n_compares) || (what & CONTROL_STOP && config->stop.n_compares);
}

unsigned control_fires(const struct control_config *config, const struct signature *types,
                       const struct data_values *values, bool result)
{
	unsigned fires = 0;

	if (all_hold(&config->start, types, values, result))
		fires |= CONTROL_START;
	if (all_hold(&config->stop, types, values, result))
		fires |= CONTROL_STOP;
	return fires;
}
