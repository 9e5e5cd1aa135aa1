/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Triggers and filters as options. */
#include "private.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

static int wrong(struct buf *err, const char *value, const char *what)
{
	return buf_printf(err, "'%s': %s", value, what) ? -ENOMEM : -EINVAL;
}

static int set_trigger(struct control_trigger *trigger, const char *value, struct buf *err)
{
	const char *colon = strchr(value, ':'), *why = NULL;
	size_t n = colon ? (size_t)(colon - value) : 0;
	bool entry = n == 5 && strncmp(value, "entry", n) == 0;
	uint64_t ns;
	int e;

	if ((entry || (n == 4 && strncmp(value, "exit", n) == 0)) && colon[1]) {
		e = control_set_function(trigger, entry ? CONTROL_ENTRY : CONTROL_EXIT, colon + 1, &why);
		return why ? wrong(err, value, why) : e;
	}
	if (n != 4 || strncmp(value, "time", n) != 0)
		return wrong(err, value, "is not entry:FUNCTION, exit:FUNCTION or time:TIME");
	if (!control_read_time(colon + 1, &ns))
		return wrong(err, value, "is no time: 500us, 20ms, 3s");
	control_set_time(trigger, ns);
	return 0;
}

static int set_time(uint64_t *to, const char *value, struct buf *err)
{
	return control_read_time(value, to) ? 0 : wrong(err, value, "is no time: 500us, 20ms, 3s");
}

int control_add_list(struct strv *to, const char *value, struct buf *err)
{
	size_t before = to->n;
	int e = 0;

	for (const char *at = value; *at && !e; at += strspn(at, ", \t\n")) {
		size_t n = strcspn(at, ", \t\n");

		if (to->n == CONTROL_LIST_MAX)
			return wrong(err, value, "is too long");
		e = n ? strv_pushn(to, at, n) : 0;
		at += n;
	}
	return e || to->n > before ? e : wrong(err, value, "names nothing");
}

static int set_irq(enum control_irq *to, const char *value, struct buf *err)
{
	if (strcmp(value, "only") == 0)
		*to = CONTROL_IRQ_ONLY;
	else if (strcmp(value, "no") == 0)
		*to = CONTROL_IRQ_NO;
	else
		return wrong(err, value, "is not only or no");
	return 0;
}

/* The regular expression of a glob: * ? [...] and backslash. 0 or -ENOMEM. */
static int glob_regex(struct buf *out, const char *glob)
{
	int e = buf_putc(out, '^');

	for (; *glob && !e; glob++) {
		if (*glob == '*' || *glob == '?')
			e = buf_puts(out, *glob == '*' ? ".*" : ".");
		else if (*glob == '[' && strchr(glob + 1, ']'))
			while (!e && *glob != ']') {
				e = buf_putc(out, *glob == '!' && glob[-1] == '[' ? '^' : *glob);
				glob++;
			}
		else if (*glob == '\\' && glob[1])
			e = buf_printf(out, "[%c]", *++glob);
		else
			e = strchr("^$.|()+{}\\[", *glob) ? buf_printf(out, "\\%c", *glob) : buf_putc(out, *glob);
		if (!e && *glob == ']')
			e = buf_putc(out, ']');
	}
	return e ? e : buf_putc(out, '$');
}

static int set_task(char **to, const char *value, struct buf *err)
{
	cleanup_buf struct buf text = BUF_INIT;
	regex_t regex;
	char *copy;
	char why[128];
	int e = glob_regex(&text, value);

	if (e)
		return e;
	e = regcomp(&regex, text.data, REG_EXTENDED | REG_NOSUB);

	if (e) {
		(void)regerror(e, &regex, why, sizeof(why));
		return wrong(err, value, why);
	}
	regfree(&regex);
	copy = buf_steal(&text);
	if (!copy)
		return -ENOMEM;
	free(*to);
	*to = copy;
	return 0;
}

static int set_entries(uint64_t *to, const char *value, struct buf *err)
{
	return control_read_number(value, UINT64_MAX, to) ? 0 : wrong(err, value, "is no number");
}

static int set_times(struct control_config *c, const char *name, const char *value, struct buf *err)
{
	int e = set_time(strncmp(name, "min", 3) == 0 ? &c->min_time : &c->max_time, value, err);

	if (!e && c->max_time && c->max_time < c->min_time)
		e = wrong(err, value, "the shortest time is more than the longest");
	return e;
}

static int set_one(struct control_config *c, const char *name, const char *value, struct buf *err)
{
	if (strcmp(name, "config") == 0)
		return control_read(c, value, err);
	if (strcmp(name, "from") == 0)
		return set_trigger(&c->start, value, err);
	if (strcmp(name, "to") == 0)
		return set_trigger(&c->stop, value, err);
	if (strcmp(name, "min") == 0 || strcmp(name, "max") == 0)
		return set_times(c, name, value, err);
	if (strcmp(name, "irq") == 0)
		return set_irq(&c->irq, value, err);
	if (strcmp(name, "functions") == 0)
		return control_add_list(&c->functions, value, err);
	if (strcmp(name, "exclude") == 0)
		return control_add_list(&c->exclude, value, err);
	if (strcmp(name, "module") == 0)
		return control_add_list(&c->modules, value, err);
	if (strcmp(name, "task") == 0)
		return set_task(&c->task, value, err);
	return strcmp(name, "entries") == 0 ? set_entries(&c->entries, value, err) : -ENOENT;
}

#define ALIAS(name_, option) {name_, option},

/* The name that an option has now. */
static const char *option_of(const char *name)
{
	static const char *const aliases[][2] = {CONTROL_ALIASES(ALIAS)};

	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (strcmp(aliases[i][0], name) == 0)
			return aliases[i][1];
	return name;
}

int control_set(struct control_config *config, const char *name, const char *value, struct buf *err)
{
	if (strcmp(name, "autorepeat") == 0) {
		config->autorepeat = true;
		return 0;
	}
	return set_one(config, option_of(name), value ? value : "", err);
}
