/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"

#include <ctype.h>
#include <errno.h>
#include <exectrace/base/clock.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* --- Words -------------------------------------------------------------------------------------------------------- */

bool control_read_number(const char *text, uint64_t max, uint64_t *to)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*to = strtoull(text, &end, 10);
	return !*end && !errno && *to <= max;
}

bool control_read_time(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"", 1000}, {"us", 1000}, {"ns", 1}, {"ms", NS_PER_MS}, {"s", NS_PER_S}};
	char *end;
	uint64_t value;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	value = strtoull(text, &end, 10);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].name) != 0)
			continue;
		*ns = value * units[i].ns;
		return !errno && value <= CONTROL_TIME_MAX / units[i].ns;
	}
	return false;
}

int control_set_function(struct control_trigger *trigger, enum control_when when, const char *function,
                         const char **why)
{
	size_t n = strcspn(function, "("), all = strlen(function);
	struct control_trigger new = {.when = when, .function = strndup(function, n)};
	int rc = new.function ? 0 : -ENOMEM;

	if (!rc && n < all && (!n || function[all - 1] != ')')) {
		*why = "comparisons are (NAME>NUMBER, ...)";
		rc = -EINVAL;
	}
	if (!rc && n < all)
		rc = control_read_compares(&new, function + n + 1, all - n - 2, why);
	control_trigger_release(rc ? &new : trigger);
	if (!rc)
		*trigger = new;
	return rc;
}

void control_set_time(struct control_trigger *trigger, uint64_t ns)
{
	control_trigger_release(trigger);
	*trigger = (struct control_trigger){.when = CONTROL_TIME, .time = ns};
}

/* --- What it says ------------------------------------------------------------------------------------------------- */

bool control_has_lists(const struct control_config *config)
{
	return config->functions.n || config->exclude.n || config->modules.n;
}

bool control_has_times(const struct control_config *config)
{
	return config->min_time || config->max_time || config->start.when == CONTROL_TIME ||
	       config->stop.when == CONTROL_TIME;
}

bool control_is_all(const struct control_config *config)
{
	return !control_has_lists(config) && !control_has_times(config) && !config->start.when && !config->stop.when &&
	       !config->irq && !config->task && !config->entries;
}

/* --- Functions ---------------------------------------------------------------------------------------------------- */

struct config_named {
	const char *name, *module;
	uint64_t address, size;
};

/* An address as a word, "0x...". */
static bool is_address(const char *word, uint64_t *address)
{
	char *end;

	if (word[0] != '0' || (word[1] != 'x' && word[1] != 'X') || !isxdigit((unsigned char)word[2]))
		return false;
	errno = 0;
	*address = strtoull(word, &end, 16);
	return !*end && !errno;
}

/* The name without what a compiler adds behind a dot, when the word has no dot itself. */
static bool has_name(const char *word, const char *name)
{
	const char *dot = strchr(name, '.');
	char plain[256];

	if (fnmatch(word, name, 0) == 0)
		return true;
	if (!dot || dot == name || strchr(word, '.') || (size_t)(dot - name) >= sizeof(plain))
		return false;
	memcpy(plain, name, (size_t)(dot - name));
	plain[dot - name] = '\0';
	return fnmatch(word, plain, 0) == 0;
}

static bool is_function(const char *word, const struct config_named *what)
{
	uint64_t address;

	if (is_address(word, &address))
		return address == what->address || (address > what->address && address - what->address < what->size);
	return what->name && has_name(word, what->name);
}

static bool in_functions(const struct strv *words, const struct config_named *what)
{
	for (size_t i = 0; i < words->n; i++) {
		if (is_function(words->items[i], what))
			return true;
	}
	return false;
}

bool control_list_has(const struct strv *list, const char *name, uint64_t address, uint64_t size)
{
	const struct config_named what = {.name = name, .address = address, .size = size};

	return in_functions(list, &what);
}

/* A module without its brackets, a program with its directory or without. */
static bool is_module(const char *word, const char *module)
{
	const char *slash = strrchr(module, '/');
	size_t n = strlen(module);
	char plain[256];

	if (fnmatch(word, module, 0) == 0 || strcmp(word, module) == 0)
		return true;
	if (slash)
		return fnmatch(word, slash + 1, 0) == 0;
	if (module[0] != '[' || n < 2 || module[n - 1] != ']' || n - 2 >= sizeof(plain))
		return false;
	memcpy(plain, module + 1, n - 2);
	plain[n - 2] = '\0';
	return fnmatch(word, plain, 0) == 0;
}

static bool in_modules(const struct strv *words, const char *module)
{
	for (size_t i = 0; module && i < words->n; i++) {
		if (is_module(words->items[i], module))
			return true;
	}
	return false;
}

unsigned control_function(const struct control_config *config, const char *name, const char *module, uint64_t address,
                          uint64_t size)
{
	const struct config_named what = {name, module, address, size};
	unsigned flags = 0;

	if ((!config->functions.n || in_functions(&config->functions, &what)) &&
	    (!config->modules.n || in_modules(&config->modules, module)) && !in_functions(&config->exclude, &what))
		flags |= CONTROL_WANTED;
	if (config->start.function && is_function(config->start.function, &what))
		flags |= CONTROL_START;
	if (config->stop.function && is_function(config->stop.function, &what))
		flags |= CONTROL_STOP;
	return flags;
}

void control_release(struct control_config *config)
{
	control_trigger_release(&config->start);
	control_trigger_release(&config->stop);
	strv_release(&config->functions);
	strv_release(&config->exclude);
	strv_release(&config->modules);
	free(config->task);
	*config = (struct control_config){0};
}
