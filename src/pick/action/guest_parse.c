/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of --run behind "guest". */
#include <exectrace/pick/action/guest.h>

#include "tool.h"
#include <elf.h>
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <exectrace/format/gate/config.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLUGIN "exectrace-guest.so"
/* From the directory of the program on: libdir and bindir of make decide, and compilers without it get the default. */
#ifndef EXECTRACE_PLUGIN_PLACE
#define EXECTRACE_PLUGIN_PLACE "../lib/exectrace"
#endif
#define INSTALLED EXECTRACE_PLUGIN_PLACE "/" PLUGIN
#define DEFAULT_OUTPUT "{dir}/guest-{n}-{pid}.xtr"

enum {
	OPT_CLOCK,
	OPT_USER,
	OPT_HOST,
	OPT_TCG,
	OPT_OUTPUT,
	OPT_PLUGIN,
	OPT_STATS,
	OPT_RING,
	OPT_KERNEL,
	OPT_SYMBOLS,
	OPT_ROOT,
	OPT_ARGS,
	OPT_ARGS_DEPTH,
	OPT_CONTROL
};

static const char *const clocks[] = {"insn", "tsc", NULL};
static const char *const kernels[] = {"linux", "none", NULL};
static const char *const answers[] = {"yes", "no", NULL};

#define CONTROL_ROW(name_, arg_, file_, help_) \
	{.name = name_, .arg = arg_, .id = OPT_CONTROL, .hint = file_ ? OPTION_FILE : OPTION_TEXT, .help = help_},

#define CONTROL_ALIAS_ROW(name_, option) {.name = name_, .alias = option},

const struct option_spec guest_table[] = {
	{.name = "clock",
         .arg = "CLOCK",
         .id = OPT_CLOCK,
         .choices = clocks,
         .help = "insn: instructions of the guest; tsc: time of the host"},
	{.name = "programs",
         .arg = "ANSWER",
         .id = OPT_USER,
         .choices = answers,
         .help = "calls of programs too: yes, no"},
	{.name = "host",
         .arg = "FILTER",
         .id = OPT_HOST,
         .flags = OPTION_OPTIONAL,
         .help = "system calls of QEMU itself too, all or those of trace --filter=FILTER, on the same clock"},
	{.name = "tcg", .id = OPT_TCG, .help = "a QEMU that would use KVM gets -accel tcg and -cpu max instead"},
	{.name = "output", .arg = "NAME", .id = OPT_OUTPUT, .hint = OPTION_FILE, .help = "write to this file"},
	{.name = "plugin", .arg = "FILE", .id = OPT_PLUGIN, .hint = OPTION_FILE, .help = "the plugin to load"},
	CONTROL_OPTIONS(CONTROL_ROW){.name = "ring",
                                     .arg = "SIZE",
                                     .id = OPT_RING,
                                     .help = "keep only the last so many bytes (K, M, G)"},
	{.name = "args",
         .arg = "LIST",
         .id = OPT_ARGS,
         .help = "record arguments and results of these functions: names, globs, addresses"},
	{.name = "args-depth",
         .arg = "N",
         .id = OPT_ARGS_DEPTH,
         .help = "with N levels of the structures that they lead to (0)"},
	{.name = "stats", .id = OPT_STATS, .help = "print what was counted when QEMU ends"},
	{.name = "kernel",
         .arg = "KIND",
         .id = OPT_KERNEL,
         .choices = kernels,
         .help = "linux; none: the guest has another, all calls are told by their addresses"},
	{.name = "symbols",
         .arg = "FILE",
         .id = OPT_SYMBOLS,
         .hint = OPTION_FILE,
         .help = "vmlinux or System.map of the guest's kernel, for names that its memory lacks"},
	{.name = "guest-root",
         .arg = "DIR",
         .id = OPT_ROOT,
         .hint = OPTION_DIR,
         .help = "the guest's files, for names and types of programs that its memory lacks"},
	{.name = "user", .alias = "programs"},
	CONTROL_ALIASES(CONTROL_ALIAS_ROW){0},
};

/* Sets *to to DIR/NAME, DIR being that of our own program, when there is such a file. */
static int beside_us(const char *name, char **to)
{
	cleanup_buf struct buf path = BUF_INIT;
	char self[4096] = "";
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash = n > 0 ? strrchr(self, '/') : NULL;

	if (!slash || buf_append(&path, self, (size_t)(slash + 1 - self)) || buf_puts(&path, name))
		return -ENOENT;
	*to = realpath(path.data, NULL);
	return *to ? 0 : -errno;
}

static int find_plugin(struct action *action, struct buf *err)
{
	if (action->program || beside_us(PLUGIN, &action->program) == 0 || beside_us(INSTALLED, &action->program) == 0)
		return 0;
	(void)buf_puts(err, "--run: guest: " PLUGIN " is neither beside exectrace nor in " EXECTRACE_PLUGIN_PLACE
	                    " from there; see --plugin");
	return -EINVAL;
}

/* 0 when it begins like what dlopen(3) takes; -ENOEXEC, or -errno when it cannot be opened. */
static int check_object(const char *path)
{
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char start[SELFMAG];

	if (fd < 0)
		return -errno;
	return read(fd, start, sizeof(start)) == (ssize_t)sizeof(start) && memcmp(start, ELFMAG, sizeof(start)) == 0
	               ? 0
	               : -ENOEXEC;
}

static int take_plugin(struct action *action, const char *name, struct buf *err)
{
	int e;

	free(action->program);
	action->program = realpath(name, NULL);
	e = action->program ? check_object(action->program) : -errno;
	if (!e)
		return 0;
	(void)buf_printf(err, "--run: guest: %s: %s", name, e == -ENOEXEC ? "no plugin of QEMU" : strerror(-e));
	return -EINVAL;
}

static int add_option(struct action *action, const char *name, const char *value)
{
	cleanup_buf struct buf word = BUF_INIT;
	int e = buf_printf(&word, "%s=%s", name, value);

	return e ? e : strv_push(&action->args, word.data);
}

static bool has_word(const struct strv *words, const char *word)
{
	for (size_t i = 0; i < words->n; i++) {
		if (strcmp(words->items[i], word) == 0)
			return true;
	}
	return false;
}

/* A number, and K, M or G; the plugin wants at least 64K. */
static int take_ring(struct action *action, const char *value, struct buf *err)
{
	size_t digits = strspn(value, "0123456789");

	if (digits && digits < 10 && (!value[digits] || (strchr("KMG", value[digits]) && !value[digits + 1])) &&
	    (value[digits] ? value[digits] != 'K' || atoi(value) >= 64 : atoi(value) >= 65536))
		return add_option(action, "ring", value);
	(void)buf_printf(err, "--run: guest: --ring=%s: not a size of at least 64K", value);
	return -EINVAL;
}

static int take_args(struct action *action, const char *value, struct buf *err)
{
	cleanup_strv struct strv list = STRV_INIT;
	cleanup_buf struct buf why = BUF_INIT;
	int e = control_add_list(&list, value, &why);

	if (!e)
		return add_option(action, "args", value);
	(void)buf_printf(err, "--run: guest: --args: %s", why.data ? why.data : strerror(-e));
	return -EINVAL;
}

static int take_depth(struct action *action, const char *value, struct buf *err)
{
	if (*value >= '0' && *value <= '8' && !value[1])
		return add_option(action, "args-depth", value);
	(void)buf_printf(err, "--run: guest: --args-depth=%s: not a number from 0 to 8", value);
	return -EINVAL;
}

/* The name of a file that the plugin will read, wherever QEMU is started; `what` goes before messages. */
static int add_path(struct action *action, const char *name, const char *what, const char *path, struct buf *err)
{
	cleanup_free char *whole = realpath(path, NULL);
	int e = whole ? 0 : errno;

	if (whole)
		return add_option(action, name, whole);
	if (e == ENOENT && access(path, F_OK) == 0) /* such as /dev/fd/63 of a shell's <(...) */
		(void)buf_printf(err, "--run: guest: %s%s: QEMU cannot read it, as it is no file with a name", what,
		                 path);
	else
		(void)buf_printf(err, "--run: guest: %s%s: %s", what, path, strerror(e));
	return -EINVAL;
}

static int add_root(struct action *action, const char *path, struct buf *err)
{
	struct stat st;

	if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode)) {
		(void)buf_printf(err, "--run: guest: %s: %s", path, strerror(ENOTDIR));
		return -EINVAL;
	}
	return add_path(action, "root", "", path, err);
}

/*
 * Triggers and filters: read here, so that what is wrong is said before anything is started, and once more by the
 * plugin. `control` has them all.
 */
static int add_control(struct action *action, struct control_config *control, const struct option_use *use,
                       struct buf *err)
{
	cleanup_buf struct buf why = BUF_INIT;
	const char *name = use->spec->name, *value = use->value ? use->value : "on";
	int e = control_set(control, name, use->value, &why);

	if (e) {
		(void)buf_printf(err, "--run: guest: --%s: %s", name, why.data ? why.data : strerror(-e));
		return -EINVAL;
	}
	return use->spec->hint == OPTION_FILE ? add_path(action, name, "--config: ", value, err)
	                                      : add_option(action, name, value);
}

/* Of all together. */
static int check_control(const struct action *action, const struct control_config *control, struct buf *err)
{
	if (!control_has_times(control) || !has_word(&action->args, "clock=insn"))
		return 0;
	(void)buf_puts(err, "--run: guest: times are the host's, and need --clock=tsc");
	return -EINVAL;
}

/* QEMU itself is handed to our own tracer. */
static int take_host(struct action *action, const char *filter, struct buf *err)
{
	cleanup_strv struct strv words = STRV_INIT;
	cleanup_buf struct buf word = BUF_INIT;
	int e = strv_push(&words, "trace");

	if (action->host)
		action_release(action->host);
	else
		action->host = calloc(1, sizeof(*action->host));
	if (!action->host)
		return -ENOMEM;
	e = e ? e : strv_push(&words, "--format=data");
	if (!e && filter)
		e = buf_printf(&word, "--filter=%s", filter);
	if (!e && filter)
		e = strv_push(&words, word.data);
	e = e ? e : tool_parse(tool_by_name("trace"), action->host, &words, err);
	action->needs_dir |= action->host->needs_dir;
	return e;
}

static int apply(struct action *action, struct control_config *control, const struct option_use *use, struct buf *err)
{
	switch (use->spec->id) {
	case OPT_CLOCK:
		return add_option(action, "clock", use->value);
	case OPT_USER:
		return add_option(action, "user", strcmp(use->value, "yes") == 0 ? "on" : "off");
	case OPT_CONTROL:
		return add_control(action, control, use, err);
	case OPT_ARGS:
		return take_args(action, use->value, err);
	case OPT_ARGS_DEPTH:
		return take_depth(action, use->value, err);
	case OPT_RING:
		return take_ring(action, use->value, err);
	case OPT_HOST:
		return take_host(action, use->value, err);
	case OPT_TCG:
		action->tcg = true;
		return 0;
	case OPT_KERNEL:
		return add_option(action, "kernel", use->value);
	case OPT_STATS:
		return add_option(action, "stats", "on");
	case OPT_PLUGIN:
		return take_plugin(action, use->value, err);
	case OPT_SYMBOLS:
		return add_path(action, "symbols", "", use->value, err);
	case OPT_ROOT:
		return add_root(action, use->value, err);
	default:
		free(action->output);
		action->output = strdup(use->value);
		return action->output ? 0 : -ENOMEM;
	}
}

static int parse_options(struct action *action, const struct strv *words, struct buf *err)
{
	cleanup_buf struct buf why = BUF_INIT;
	struct control_config control = {0};
	struct options options;
	struct option_use use;
	int e = 0;

	options_init(&options, guest_table, words->items, 1);
	while (!e && (e = options_next(&options, &use, &why)) == 1)
		e = apply(action, &control, &use, err);
	if (!e && options.argv[options.at]) {
		(void)buf_printf(&why, "'%s' is no option", options.argv[options.at]);
		e = -EINVAL;
	}
	if (why.len)
		(void)buf_printf(err, "--run: guest: %s", why.data);
	e = e ? e : check_control(action, &control, err);
	control_release(&control);
	return e;
}

int guest_parse(struct action *action, const struct strv *words, struct buf *err)
{
	int e = parse_options(action, words, err);

	if (!e && !action->output) {
		action->needs_dir = true;
		action->output = strdup(DEFAULT_OUTPUT);
		e = action->output ? 0 : -ENOMEM;
	}
	action->in_dir = !e && template_in_dir(action->output);
	return e ? e : find_plugin(action, err);
}
