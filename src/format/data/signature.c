/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/format/data/signature.h>

#include <stdlib.h>
#include <string.h>

/* A text that is being read. */
struct cursor {
	const char *p, *end;
};

static bool take(struct cursor *c, char wanted)
{
	if (c->p == c->end || *c->p != wanted)
		return false;
	c->p++;
	return true;
}

/* What is in front of one of these characters, or of the end. */
static struct data_text until(struct cursor *c, const char *stops)
{
	struct data_text text = {.bytes = c->p};

	while (c->p < c->end && (!*c->p || !strchr(stops, *c->p)))
		c->p++;
	text.n = (size_t)(c->p - text.bytes);
	return text;
}

static bool has_size(char kind)
{
	return kind == SIGNATURE_UNSIGNED || kind == SIGNATURE_SIGNED || kind == SIGNATURE_ENUM;
}

static void read_type(struct cursor *c, struct signature_value *to)
{
	static const char kinds[] = "vbcuspxae";
	const struct data_text word = until(c, ",;{");
	char kind = word.n ? word.bytes[0] : '?';

	to->kind = SIGNATURE_OTHER;
	to->size = kind == SIGNATURE_BOOL || kind == SIGNATURE_CHAR ? 1 : 8;
	if (kind && strchr(kinds, kind) && word.n == (has_size(kind) ? 2u : 1u))
		to->kind = (enum signature_kind)kind;
	if (to->kind == SIGNATURE_OTHER || !has_size(kind))
		return;
	to->size = (uint8_t)(word.bytes[1] - '0');
	if (to->size != 1 && to->size != 2 && to->size != 4 && to->size != 8)
		*to = (struct signature_value){.kind = SIGNATURE_OTHER, .size = 8, .name = to->name};
	if (kind != SIGNATURE_ENUM || !take(c, '{'))
		return;
	to->names = until(c, "}");
	(void)take(c, '}');
}

void signature_read(struct signature *s, struct data_text text)
{
	struct cursor c = {text.bytes, text.bytes + text.n};

	*s = (struct signature){.result = {.kind = SIGNATURE_OTHER, .size = 8}};
	while (c.p < c.end && *c.p != ';' && s->n < DATA_ARGS) {
		struct signature_value *arg = &s->args[s->n++];

		arg->name = until(&c, ":,;");
		(void)take(&c, ':');
		read_type(&c, arg);
		(void)until(&c, ",;");
		(void)take(&c, ',');
	}
	(void)until(&c, ";");
	if (take(&c, ';'))
		read_type(&c, &s->result);
}

int64_t signature_number(const struct signature_value *type, uint64_t value)
{
	unsigned unused = 64 - 8u * (type->size ? type->size : 8);

	if (type->kind == SIGNATURE_BOOL)
		return (value & 0xff) != 0;
	if (type->kind == SIGNATURE_SIGNED || type->kind == SIGNATURE_ENUM || type->kind == SIGNATURE_CHAR)
		return (int64_t)(value << unused) >> unused;
	return (int64_t)(value << unused >> unused);
}

/* The next name and value of an enum; false: there is no other. */
static bool next_enumerator(struct cursor *c, struct data_text *name, int64_t *value)
{
	char digits[24] = "";
	struct data_text number;

	*name = until(c, "=");
	if (!name->n || !take(c, '='))
		return false;
	number = until(c, "|");
	(void)take(c, '|');
	if (!number.n || number.n >= sizeof(digits))
		return false;
	memcpy(digits, number.bytes, number.n);
	*value = digits[0] == '-' ? strtoll(digits, NULL, 10) : (int64_t)strtoull(digits, NULL, 10);
	return true;
}

static struct cursor enumerators(const struct signature_value *type)
{
	return (struct cursor){type->names.bytes,
	                       type->names.n ? type->names.bytes + type->names.n : type->names.bytes};
}

struct data_text signature_enumerator(const struct signature_value *type, int64_t value)
{
	struct cursor c = enumerators(type);
	struct data_text name;
	int64_t one;

	while (next_enumerator(&c, &name, &one)) {
		if (one == value)
			return name;
	}
	return (struct data_text){"", 0};
}

static bool is_text(struct data_text text, const char *word)
{
	return text.n == strlen(word) && memcmp(text.bytes, word, text.n) == 0;
}

bool signature_enum_value(const struct signature_value *type, const char *name, int64_t *value)
{
	struct cursor c = enumerators(type);
	struct data_text one;

	while (next_enumerator(&c, &one, value)) {
		if (is_text(one, name))
			return true;
	}
	return false;
}

int signature_arg(const struct signature *s, const char *name)
{
	for (int i = 0; i < s->n; i++) {
		if (s->args[i].name.n && is_text(s->args[i].name, name))
			return i;
	}
	if (strncmp(name, "arg", 3) == 0 && name[3] >= '1' && name[3] <= '0' + s->n && !name[4])
		return name[3] - '1';
	return -1;
}
