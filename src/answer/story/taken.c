/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "taken.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

bool taken_fails(const struct taken *c)
{
	return c->call->error || c->unfinished;
}

/* What is recorded of an argument; 6: of the result. Empty when nothing is. */
struct data_text taken_extra(const struct taken *c, unsigned arg, enum data_extra_kind kind)
{
	for (unsigned i = 0; i < c->call->nextras; i++)
		if (c->call->extras[i].arg == arg && c->call->extras[i].kind == kind)
			return c->call->extras[i].text;
	return (struct data_text){"", 0};
}

/* The object in "3<pipe:[4711]>" or "AT_FDCWD</tmp>". */
bool taken_object_in(struct data_text text, struct data_text *object)
{
	const char *open = text.n ? memchr(text.bytes, '<', text.n) : NULL;

	if (!open || text.bytes[text.n - 1] != '>')
		return false;
	*object = (struct data_text){open + 1, (size_t)(text.bytes + text.n - 1 - (open + 1))};
	return object->n != 0;
}

uint32_t taken_number(const struct taken *c, struct data_text name)
{
	uint32_t number = objects_number(&c->h->objects, name.bytes, name.n);

	if (!number)
		c->h->err = -ENOMEM;
	return number;
}

/* What the descriptor in an argument (6: the result) refers to; 0: unknown. */
uint32_t taken_object(const struct taken *c, unsigned arg)
{
	const struct descriptor *d;
	struct data_text name;

	if (taken_object_in(taken_extra(c, arg, DATA_EXTRA_TEXT), &name))
		return taken_number(c, name);
	d = descriptors_find(&c->p->descriptors,
	                     (int)(arg < DATA_ARGS ? (int64_t)c->call->args[arg] : c->call->result));
	return d ? d->object : 0;
}

bool taken_is_file(const struct taken *c, uint32_t object)
{
	return *objects_at(&c->h->objects, object)->name == '/';
}

bool taken_may_block(const struct taken *c, uint32_t object)
{
	struct object *o = objects_at(&c->h->objects, object);
	struct stat st;

	if (*o->name != '/' || o->is_fifo)
		return true;
	if (!o->was_asked)
		o->is_plain = stat(o->name, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
	o->was_asked = true;
	return !o->is_plain;
}

void taken_changes(const struct taken *c, uint32_t object, const char *how)
{
	struct object *o = object && !taken_fails(c) && !c->h->err ? objects_at(&c->h->objects, object) : NULL;

	if (!o || *o->name != '/')
		return;
	if (o->changer != c->p->process->number + 1 || o->change != how) {
		const char *command = history_command(c->h, c->p);

		o = objects_at(&c->h->objects, object); /* a text that is kept may move them */
		o->changed_by = command;
	}
	o->changer = c->p->process->number + 1;
	o->change = how;
	o->changed = c->event->time;
}

/* The text of an argument as call_print has it. */
struct data_text taken_text(const struct taken *c, unsigned arg)
{
	struct call_parts *parts = &c->h->parts;

	if (call_take_apart(parts, c->call, c->unfinished)) {
		c->h->err = -ENOMEM;
		return (struct data_text){"", 0};
	}
	if (arg == DATA_ARGS)
		return parts->result;
	return arg < parts->nargs ? parts->args[arg].text : (struct data_text){"", 0};
}

/* Where `word` ends in a text; NULL: it is not there. */
const char *taken_behind(struct data_text text, const char *word)
{
	const char *at = text.n ? memmem(text.bytes, text.n, word, strlen(word)) : NULL;

	return at ? at + strlen(word) : NULL;
}

/* The word behind `key` up to one of `ends`. */
struct data_text taken_word(struct data_text text, const char *key, const char *ends)
{
	const char *at = taken_behind(text, key);
	size_t n = 0, left = at ? text.n - (size_t)(at - text.bytes) : 0;

	while (n < left && !strchr(ends, at[n]))
		n++;
	return (struct data_text){at ? at : "", n};
}
