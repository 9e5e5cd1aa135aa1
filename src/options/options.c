/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/options/options.h>

#include <errno.h>
#include <exectrace/base/grow.h>
#include <exectrace/base/spelling.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void options_init(struct options *o, const struct option_spec *table, char **argv, int at)
{
	*o = (struct options){.table = table, .argv = argv, .at = at};
}

const struct option_spec *options_find(const struct option_spec *table, const char *name)
{
	for (const struct option_spec *spec = table; spec->name; spec++)
		if (!strcmp(spec->name, name))
			return spec->alias ? options_find(table, spec->alias) : spec;
	return NULL;
}

void options_mix(struct options *o)
{
	o->mixed = true;
}

static const struct option_spec *find_letter(const struct option_spec *table, char letter)
{
	for (; table->name; table++)
		if (letter && table->letter == letter)
			return table;
	return NULL;
}

const char *options_nearest(const struct option_spec *table, const char *name, size_t n)
{
	struct spelling spelling;

	spelling_start(&spelling, name, n);
	for (; table->name; table++)
		if (!table->alias)
			spelling_try(&spelling, table->name);
	return spelling.nearest;
}

/* Finishes a message: all that can go wrong then is memory. */
#define PID_MAX 0x400000 /* PID_MAX_LIMIT of linux/threads.h */

static int refuse(int printed)
{
	return printed < 0 ? printed : -EINVAL;
}

static int refuse_unknown(struct options *o, const char *name, size_t n, struct buf *err)
{
	const char *arg = o->argv[o->at], *nearest = options_nearest(o->table, name, n);
	int r;

	o->unknown = true;
	if (o->bundle && arg[2] && (unsigned char)*o->bundle < 0x80)
		r = buf_printf(err, "unknown option '-%c' in '%s' (argument %d)", *o->bundle, arg, o->at);
	else
		r = buf_printf(err, "unknown option '%s' (argument %d)", arg, o->at);
	if (!r && nearest)
		r = buf_printf(err, "; did you mean --%s?", nearest);
	return refuse(r);
}

static int refuse_ambiguous(const struct options *o, const char *name, size_t n, struct buf *err)
{
	const char *comma = "";
	int r = buf_printf(err, "option '--%.*s' is ambiguous (argument %d): ", (int)n, name, o->at);

	for (const struct option_spec *spec = o->table; spec->name; spec++) {
		if (strncmp(spec->name, name, n) || spec->alias)
			continue;
		r |= buf_printf(err, "%s--%s", comma, spec->name);
		comma = ", ";
	}
	return refuse(r);
}

/* The i-th of the only values that an option takes; NULL behind the last, and when it takes any. */
static const char *choice_at(const struct option_spec *spec, size_t i)
{
	if (spec->flags & OPTION_ONLY)
		return spec->words(i);
	return spec->choices ? spec->choices[i] : NULL;
}

/* A value that is not among the choices: names them, as "a, b or c". */
static int refuse_choice(const struct option_spec *spec, const char *shown, const char *value, struct buf *err)
{
	int r = buf_printf(err, "option '%s' takes ", shown);

	for (size_t i = 0; choice_at(spec, i); i++) {
		r |= buf_puts(err, choice_at(spec, i));
		if (choice_at(spec, i + 1))
			r |= buf_puts(err, choice_at(spec, i + 2) ? ", " : " or ");
	}
	r |= buf_printf(err, ", not '%s'", value);
	return refuse(r);
}

static bool is_choice(const struct option_spec *spec, const char *value)
{
	for (size_t i = 0; value && choice_at(spec, i); i++) {
		if (!strcmp(choice_at(spec, i), value))
			return true;
	}
	return false;
}

int options_check_value(const struct option_spec *spec, const char *shown, const char *value, struct buf *err)
{
	if (value && !spec->arg)
		return refuse(buf_printf(err, "option '%s' takes no argument", shown));
	if (spec->arg && !value && !(spec->flags & OPTION_OPTIONAL))
		return refuse(buf_printf(err, "option '%s' needs an argument", shown));
	if (!value)
		return 0;
	if (!*value && spec->hint != OPTION_TEXT)
		return refuse(buf_printf(err, "option '%s' needs an argument that is not empty", shown));
	if (!choice_at(spec, 0) || is_choice(spec, value))
		return 0;
	return refuse_choice(spec, shown, value, err);
}

/* Behind a letter the value follows at once: "-c=error" gave "=error". Says how it is written. 0 or -ENOMEM. */
static int say_form(const struct option_spec *spec, const char *value, struct buf *err)
{
	if (!value || *value != '=' || !is_choice(spec, value + 1))
		return 0;
	return buf_printf(err, "; write --%s%s or -%c%s", spec->name, value, spec->letter, value + 1);
}

/* Checks the value and says at which argument a bad one is. 1 when it is good. */
static int check_use(const struct option_use *use, bool letter, struct buf *err)
{
	char shown[OPTION_NAME_MAX + 3];
	int r;

	if (letter)
		snprintf(shown, sizeof(shown), "-%c", use->spec->letter);
	else
		snprintf(shown, sizeof(shown), "--%s", use->spec->name);
	r = options_check_value(use->spec, shown, use->value, err);
	if (r != -EINVAL)
		return r < 0 ? r : 1;
	r = buf_printf(err, " (argument %d)", use->at);
	return refuse(r || !letter ? r : say_form(use->spec, use->value, err));
}

/* The row that n bytes of a long name mean: the exact one, or the only one that begins so. 0 or -errno. */
static int find_long(struct options *o, const char *name, size_t n, const struct option_spec **ret, struct buf *err)
{
	int found = 0;

	for (const struct option_spec *spec = o->table; n && spec->name; spec++) {
		if (strncmp(spec->name, name, n))
			continue;
		if (!spec->name[n]) {
			*ret = spec->alias ? options_find(o->table, spec->alias) : spec;
			return 0;
		}
		if (spec->alias)
			continue;
		*ret = spec;
		found++;
	}
	if (found == 1)
		return 0;
	return found ? refuse_ambiguous(o, name, n, err) : refuse_unknown(o, name, n, err);
}

/* Whether the next argument can be an option's value. "--" is that only behind a '=': who writes it ends the options.
 */
static bool has_value(const struct options *o)
{
	return o->argv[o->at] && strcmp(o->argv[o->at], "--") != 0;
}

static int next_long(struct options *o, struct option_use *use, struct buf *err)
{
	const char *name = o->argv[o->at] + 2;
	size_t n = strcspn(name, "=");
	int r = find_long(o, name, n, &use->spec, err);

	if (r < 0)
		return r;
	use->at = o->at++;
	use->letter = false;
	use->value = name[n] ? name + n + 1 : NULL;
	if (!use->value && use->spec->arg && !(use->spec->flags & OPTION_OPTIONAL) && has_value(o))
		use->value = o->argv[o->at++];
	o->last = use->spec->flags & OPTION_LAST;
	return check_use(use, false, err);
}

static int next_letter(struct options *o, struct option_use *use, struct buf *err)
{
	const struct option_spec *spec = find_letter(o->table, *o->bundle);
	const char *arg = o->argv[o->at];
	bool takes;

	/* A long name behind a single dash is a common slip: offer that name. */
	if (!spec)
		return refuse_unknown(o, arg + 1, o->bundle == arg + 1 ? strcspn(arg + 1, "=") : 0, err);
	use->spec = spec;
	use->letter = true;
	use->at = o->at;
	use->value = NULL;
	takes = spec->arg && !(spec->flags & OPTION_BARE);
	o->bundle++;
	if (takes && *o->bundle) {
		use->value = o->bundle;
		o->bundle = "";
	}
	if (!*o->bundle) {
		o->bundle = NULL;
		o->at++;
	}
	if (takes && !use->value && !o->bundle && has_value(o) &&
	    (!(spec->flags & OPTION_OPTIONAL) || is_choice(spec, o->argv[o->at])))
		use->value = o->argv[o->at++];
	o->last = spec->flags & OPTION_LAST;
	return check_use(use, true, err);
}

static int next(struct options *o, struct option_use *use, struct buf *err)
{
	const char *arg = o->argv[o->at];

	if (o->last) {
		while (o->argv[o->at])
			o->at++;
		return 0;
	}
	if (o->bundle)
		return next_letter(o, use, err);
	if (o->dashes || !arg || arg[0] != '-' || !arg[1])
		return 0;
	if (arg[1] != '-') {
		o->bundle = arg + 1;
		return next_letter(o, use, err);
	}
	if (arg[2])
		return next_long(o, use, err);
	o->dashes = true;
	o->at++;
	return 0;
}

/* Passes over words: up to the next option, or all that are left. */
static int pass_words(struct options *o, bool all)
{
	const char *arg;

	while ((arg = o->argv[o->at]) && (all || arg[0] != '-' || !arg[1])) {
		if (grow_array((void **)&o->words, (size_t)o->n_words, &o->cap_words, sizeof(*o->words)))
			return -ENOMEM;
		o->words[o->n_words++] = o->at++;
	}
	return 0;
}

void options_release(struct options *o)
{
	free(o->words);
	o->words = NULL;
}

int options_next(struct options *o, struct option_use *use, struct buf *err)
{
	int rc = o->mixed && !o->bundle && !o->last ? pass_words(o, false) : 0;

	if (!rc)
		rc = next(o, use, err);
	if (rc == 0 && o->mixed && !o->last)
		rc = pass_words(o, true);
	return rc;
}

int options_read(struct options *o, option_take *take, void *ctx, struct buf *err)
{
	struct option_use use;
	int r;

	while ((r = options_next(o, &use, err)) > 0) {
		r = take(ctx, &use, err);
		if (r)
			return r;
	}
	return r || !o->argv[o->at] ? r : refuse(buf_printf(err, "'%s' is not an option", o->argv[o->at]));
}

static const char *row_mistake(const struct option_spec *table, const struct option_spec *spec)
{
	if (!*spec->name || strlen(spec->name) > OPTION_NAME_MAX ||
	    strspn(spec->name, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(spec->name) || spec->name[0] == '-')
		return "not a name for an option";
	if (spec->alias)
		return options_find(table, spec->alias) ? NULL : "stands for no option";
	if (!spec->help || !*spec->help)
		return "has no help";
	if (options_find(table, spec->name) != spec)
		return "is there twice";
	if (spec->letter && find_letter(table, spec->letter) != spec)
		return "has the letter of another option";
	if (spec->letter && (spec->letter <= ' ' || spec->letter > '~' || strchr("-='", spec->letter)))
		return "has a letter that cannot be one";
	if (!spec->arg && (spec->flags & OPTION_OPTIONAL || spec->hint != OPTION_TEXT || spec->choices || spec->words))
		return "takes no argument but says what it is";
	if (spec->flags & OPTION_BARE && !(spec->flags & OPTION_OPTIONAL))
		return "needs an argument that its letter does not take";
	if (spec->flags & OPTION_ONLY && (!spec->words || spec->choices))
		return "has not one set of values";
	if (spec == table && !spec->group)
		return "has no heading";
	return NULL;
}

int option_number(const struct option_use *use, unsigned long min, unsigned long max, unsigned long *to,
                  struct buf *err)
{
	char *end = NULL;
	int r;

	errno = 0;
	*to = strtoul(use->value, &end, 10);
	if (use->value[0] >= '0' && use->value[0] <= '9' && !*end && !errno && *to >= min && *to <= max)
		return 0;
	r = buf_printf(err, "--%s: '%s' is not a number from %lu to %lu", use->spec->name, use->value, min, max);
	return r ? r : -EINVAL;
}

int option_pids(const struct option_use *use, bool blanks, pid_t **pids, size_t *n, struct buf *err)
{
	const char *between = blanks ? ", \t\n" : ",", *at = use->value;

	for (;;) {
		char *end = NULL;
		long pid = 0;
		pid_t *more = NULL;

		if (blanks)
			at += strspn(at, between);
		if (*at >= '0' && *at <= '9')
			pid = strtol(at, &end, 10);
		if (pid < 1 || pid > PID_MAX || (*end && !strchr(between, *end)))
			return refuse(buf_printf(err, "--%s='%s': not a process number at offset %zu", use->spec->name,
			                         use->value, (size_t)(at - use->value)));
		more = reallocarray(*pids, *n + 1, sizeof(*more));
		if (!more)
			return -ENOMEM;
		more[(*n)++] = (pid_t)pid;
		*pids = more;
		if (blanks)
			end += strspn(end, between);
		if (!*end)
			return 0;
		at = blanks ? end : end + 1;
	}
}

int options_check_table(const struct option_spec *table, struct buf *err)
{
	const char *mistake;

	for (const struct option_spec *spec = table; spec->name; spec++) {
		mistake = row_mistake(table, spec);
		if (mistake)
			return refuse(buf_printf(err, "option table: '%s' %s", spec->name, mistake));
	}
	return 0;
}
