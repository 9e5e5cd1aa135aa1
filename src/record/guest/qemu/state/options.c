/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/qemu/state/options.h>

#include <errno.h>
#include <exectrace/record/guest/linux/arguments.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_OUT "exectrace-guest.xtr"

/* The value of a word NAME=VALUE; NULL when it has another name. */
static const char *value_of(const char *word, const char *name)
{
	size_t n = strlen(name);

	return strncmp(word, name, n) == 0 && word[n] == '=' ? word + n + 1 : NULL;
}

static bool read_bool(const char *value, bool *to)
{
	*to = strcmp(value, "on") == 0;
	return *to || strcmp(value, "off") == 0;
}

static bool read_clock(const char *value, enum plugin_clock *to)
{
	*to = strcmp(value, "tsc") == 0 ? PLUGIN_CLOCK_TSC : PLUGIN_CLOCK_INSN;
	return *to == PLUGIN_CLOCK_TSC || strcmp(value, "insn") == 0;
}

static bool read_registers(const char *value, enum plugin_registers *to)
{
	*to = strcmp(value, "asked") == 0 ? PLUGIN_REGISTERS_ASKED : PLUGIN_REGISTERS_ON;
	if (strcmp(value, "off") == 0)
		*to = PLUGIN_REGISTERS_OFF;
	return *to != PLUGIN_REGISTERS_ON || strcmp(value, "on") == 0;
}

static bool read_kernel(const char *value, bool *is_linux)
{
	*is_linux = strcmp(value, "linux") == 0;
	return *is_linux || strcmp(value, "none") == 0;
}

/* DEVICE:INODE */
static bool read_dir(const char *value, struct output_dir *to)
{
	unsigned long long device, inode;
	int n = 0;

	to->known =
		*value >= '0' && *value <= '9' && sscanf(value, "%llu:%llu%n", &device, &inode, &n) == 2 && !value[n];
	if (to->known) {
		to->device = device;
		to->inode = inode;
	}
	return to->known;
}

/* A size in bytes, or with K, M or G. */
static bool read_size(const char *value, uint64_t *to)
{
	static const char units[] = "KMG";
	char *end;
	const char *unit;
	unsigned shift = 0;

	errno = 0;
	*to = strtoull(value, &end, 10);
	if (end == value || errno || *value < '0' || *value > '9')
		return false;
	unit = *end ? strchr(units, *end) : NULL;
	if (*end && (!unit || end[1]))
		return false;
	shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	if (*to > UINT64_MAX >> (shift + 1))
		return false;
	*to <<= shift;
	return *to >= PLUGIN_RING_MIN;
}

static bool read_depth(const char *value, unsigned *to)
{
	*to = (unsigned)(*value - '0');
	return *value >= '0' && *to <= ARGUMENTS_DEPTH_MAX && !value[1];
}

/* An option of our own. 1: it is; 0: none of them; -EINVAL: its value is wrong. */
static int read_own(struct plugin_options *o, const char *word)
{
	const char *value;

	if ((value = value_of(word, "out")))
		o->out = value;
	else if ((value = value_of(word, "dir")))
		return read_dir(value, &o->dir) ? 1 : -EINVAL;
	else if ((value = value_of(word, "panic")))
		o->panic = value;
	else if ((value = value_of(word, "symbols")))
		o->symbols = value;
	else if ((value = value_of(word, "root")))
		o->root = value;
	else if ((value = value_of(word, "clock")))
		return read_clock(value, &o->clock) ? 1 : -EINVAL;
	else if ((value = value_of(word, "user")))
		return read_bool(value, &o->user) ? 1 : -EINVAL;
	else if ((value = value_of(word, "kernel")))
		return read_kernel(value, &o->linux_kernel) ? 1 : -EINVAL;
	else if ((value = value_of(word, "registers")))
		return read_registers(value, &o->registers) ? 1 : -EINVAL;
	else if ((value = value_of(word, "stats")))
		return read_bool(value, &o->stats) ? 1 : -EINVAL;
	else if ((value = value_of(word, "args-depth")))
		return read_depth(value, &o->args_depth) ? 1 : -EINVAL;
	else if ((value = value_of(word, "ring")))
		return read_size(value, &o->ring) ? 1 : -EINVAL;
	else
		return 0;
	return *value ? 1 : -EINVAL;
}

static int unknown(const char *word, struct buf *err)
{
	return buf_printf(err, "unknown option or value %s", word) ? -ENOMEM : -EINVAL;
}

static int read_word(struct plugin_options *o, const char *word, struct buf *err)
{
	const char *equals = strchr(word, '=');
	char name[32];
	int e = read_own(o, word);

	if (value_of(word, "args"))
		return control_add_list(&o->args, value_of(word, "args"), err);
	if (e == 1)
		return 0;
	if (e || !equals || (size_t)(equals - word) >= sizeof(name))
		return unknown(word, err);
	memcpy(name, word, (size_t)(equals - word));
	name[equals - word] = '\0';
	/* QEMU has no options without a value. */
	if (strcmp(name, "autorepeat") == 0 && strcmp(equals + 1, "on") != 0)
		return unknown(word, err);
	e = control_set(&o->control, name, equals + 1, err);
	return e == -ENOENT ? unknown(word, err) : e;
}

/* Times are those of the host: then its clock is the recorded one too. */
static int choose_clock(struct plugin_options *o, struct buf *err)
{
	bool times = control_has_times(&o->control);

	if (times && o->clock == PLUGIN_CLOCK_INSN)
		return buf_puts(err, "times need clock=tsc") ? -ENOMEM : -EINVAL;
	if (!o->clock)
		o->clock = times ? PLUGIN_CLOCK_TSC : PLUGIN_CLOCK_INSN;
	return 0;
}

int plugin_options_parse(struct plugin_options *o, int argc, const char *const *argv, struct buf *err)
{
	int e = 0;

	*o = (struct plugin_options){.out = DEFAULT_OUT, .user = true, .linux_kernel = true};
	for (int i = 0; i < argc && !e; i++)
		e = read_word(o, argv[i], err);
	return e ? e : choose_clock(o, err);
}

void plugin_options_release(struct plugin_options *o)
{
	control_release(&o->control);
	strv_release(&o->args);
}
