/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/action/guest.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/path.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- QEMU's words ------------------------------------------------------------------------------------------------- */

/* Options of QEMU that no value follows. */
static const char *const alone[] = {
	"h",
	"help",
	"version",
	"enable-kvm",
	"S",
	"s",
	"nographic",
	"nodefaults",
	"no-user-config",
	"no-reboot",
	"no-shutdown",
	"no-acpi",
	"no-hpet",
	"no-fd-bootchk",
	"daemonize",
	"snapshot",
	"full-screen",
	"usb",
	"singlestep",
	"only-migratable",
	"preconfig",
	"mem-prealloc",
	"win2k-hack",
	"rtc-td-hack",
	"enable-fips",
	"curses",
	"sdl",
	"portrait",
	"one-insn-per-tb",
	"no-quit",
	"alt-grab",
	"ctrl-grab",
	"semihosting",
	"xen-attach",
	"xen-domid-restrict",
	"enable-sync-profile",
	"perfmap",
	"jitdump",
	"audio-help",
	NULL,
};

/* Options whose value may ask for a list of what there is. */
static const char *const lists[] = {"M",      "machine", "cpu",      "accel", "device", "netdev",  "nic",
                                    "object", "chardev", "audiodev", "d",     "trace",  "display", NULL};

static bool one_of(const char *word, const char *const *list)
{
	while (*list && strcmp(word, *list) != 0)
		list++;
	return *list != NULL;
}

/* What is known after each option. */
struct guest_found {
	bool probe;
	bool daemon;
	const char *accel;   /* of the first -accel; NULL: none */
	const char *machine; /* accel= of the last -machine, or -enable-kvm, which stands for one; NULL: none */
};

/* The value of a property NAME in "a,b=c,NAME=value"; NULL: not there. */
static const char *property(const char *value, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = value; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		if (strncmp(at, name, n) == 0 && at[n] == '=')
			return at + n + 1;
	}
	return NULL;
}

static bool asks_for_list(const char *value)
{
	size_t n = strlen(value);

	return strcmp(value, "help") == 0 || strcmp(value, "?") == 0 ||
	       (n > 5 && strcmp(value + n - 5, ",help") == 0) || (n > 2 && strcmp(value + n - 2, ",?") == 0);
}

static void look_at_option(struct guest_found *found, const char *name, const char *value)
{
	const char *accel;

	if (strcmp(name, "M") == 0 || strcmp(name, "machine") == 0) {
		accel = property(value, "accel");
		found->machine = accel ? accel : found->machine;
		found->probe |= strncmp(value, "none", 4) == 0 && (!value[4] || value[4] == ',');
		found->probe |= property(value, "type") && strncmp(property(value, "type"), "none", 4) == 0;
	} else if (strcmp(name, "accel") == 0 && !found->accel) {
		accel = property(value, "accel");
		found->accel = accel ? accel : value;
	}
	found->probe |= one_of(name, lists) && asks_for_list(value);
}

static void look_at_words(struct guest_found *found, const struct strv *argv)
{
	for (size_t i = 1; i < argv->n; i++) {
		const char *name = argv->items[i];

		if (*name != '-' || !name[1])
			continue;
		name += name[1] == '-' ? 2 : 1;
		if (strcmp(name, "version") == 0 || strcmp(name, "help") == 0 || strcmp(name, "h") == 0 ||
		    strcmp(name, "audio-help") == 0)
			found->probe = true;
		else if (strcmp(name, "enable-kvm") == 0)
			found->machine = "kvm";
		else if (strcmp(name, "daemonize") == 0)
			found->daemon = true;
		if (!one_of(name, alone) && i + 1 < argv->n)
			look_at_option(found, name, argv->items[++i]);
	}
}

/* Looks for the name of a function that QEMU has for plugins; in two parts, so that we are not found to have it. */
static bool names_plugins(const char *bytes, size_t n)
{
	static const char start[] = "qemu_plugin_register_", rest[] = "vcpu_tb_trans_cb";
	const char *at = bytes, *end = bytes + n;

	while ((at = memmem(at, (size_t)(end - at), start, sizeof(start) - 1))) {
		at += sizeof(start) - 1;
		if ((size_t)(end - at) >= sizeof(rest) && memcmp(at, rest, sizeof(rest)) == 0)
			return true;
	}
	return false;
}

/* What there is to know of a file: can it load plugins? */
enum plugins {
	PLUGINS_NO_PROGRAM, /* it is a script */
	PLUGINS_NONE,
	PLUGINS_SOME,
	PLUGINS_UNKNOWN, /* it cannot be read */
};

static enum plugins has_plugins(const char *exe)
{
	cleanup_fd int fd = exe ? open(exe, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
	struct stat st;
	void *bytes = NULL;
	enum plugins plugins = PLUGINS_NONE;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0)
		return PLUGINS_UNKNOWN;
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return PLUGINS_UNKNOWN;
	if (st.st_size >= 2 && memcmp(bytes, "#!", 2) == 0)
		plugins = PLUGINS_NO_PROGRAM;
	else if (names_plugins(bytes, (size_t)st.st_size))
		plugins = PLUGINS_SOME;
	munmap(bytes, (size_t)st.st_size);
	return plugins;
}

static bool called_kvm(const char *name)
{
	return strcmp(name, "kvm") == 0 || strcmp(name, "qemu-kvm") == 0;
}

/* As QEMU itself decides it: when no option says it, by the end of its own name. */
static bool uses_kvm(const struct guest_found *found, const struct strv *argv)
{
	const char *accel = found->accel ? found->accel : found->machine;
	size_t n = argv->n ? strlen(argv->items[0]) : 0;

	if (accel)
		return strncmp(accel, "kvm", 3) == 0;
	return n >= 3 && strcmp(argv->items[0] + n - 3, "kvm") == 0;
}

bool guest_goes_on(const struct strv *argv)
{
	struct guest_found found = {0};

	look_at_words(&found, argv);
	return found.daemon;
}

enum guest_kind guest_look(const char *exe, const struct strv *argv)
{
	const char *file = exe ? exe : argv->n ? argv->items[0] : "";
	const char *name = path_name(file);
	bool named = fnmatch("qemu-system-*", name, 0) == 0 || called_kvm(name);
	enum plugins plugins = has_plugins(exe);
	struct guest_found found = {0};

	if (plugins == PLUGINS_NO_PROGRAM || (!named && plugins != PLUGINS_SOME))
		return GUEST_NONE; /* the QEMU that a script starts is looked at itself */
	look_at_words(&found, argv);
	if (found.probe)
		return GUEST_PROBE;
	if (plugins == PLUGINS_NONE)
		return GUEST_NO_PLUGINS;
	return uses_kvm(&found, argv) ? GUEST_KVM : GUEST_BOOT;
}

/* --- Without KVM ----------------------------------------------------------------------------------------------------
 */

/* A value "a,accel=kvm:x,b" with the accelerator tcg, added as a word. */
static int push_with_tcg(struct strv *to, const char *value)
{
	cleanup_buf struct buf word = BUF_INIT;
	const char *accel = property(value, "accel");
	int e;

	if (!accel)
		return strv_push(to, value);
	e = buf_append(&word, value, (size_t)(accel - value));
	if (!e)
		e = buf_puts(&word, "tcg");
	if (!e)
		e = buf_puts(&word, accel + strcspn(accel, ","));
	return e ? e : strv_push(to, word.data);
}

/* The value of an option, as it has to be without KVM. */
static int push_value(struct strv *to, const char *name, const char *value)
{
	cleanup_buf struct buf word = BUF_INIT;

	if (strcmp(name, "accel") == 0)
		return strv_push(to, "tcg");
	if (strcmp(name, "M") == 0 || strcmp(name, "machine") == 0)
		return push_with_tcg(to, value);
	if (strcmp(name, "cpu") != 0 || strncmp(value, "host", 4) != 0 || (value[4] && value[4] != ','))
		return strv_push(to, value);
	return buf_printf(&word, "max%s", value + 4) ? -ENOMEM : strv_push(to, word.data);
}

/* All words of QEMU but the first, as they have to be without KVM. */
static int push_without_kvm(struct strv *to, const struct guest_found *found, const struct strv *argv)
{
	int e = 0;

	if (!found->accel && !found->machine) { /* called kvm */
		e = strv_push(to, "-accel");
		e = e ? e : strv_push(to, "tcg");
	}
	for (size_t i = 1; i < argv->n && !e; i++) {
		const char *word = argv->items[i], *name = word + (*word == '-') + (word[0] == '-' && word[1] == '-');

		if (*word == '-' &&
		    strcmp(name, "enable-kvm") == 0) { /* beside another -machine there may be no -accel */
			e = strv_push(to, "-machine");
			e = e ? e : strv_push(to, "accel=tcg");
			continue;
		}
		e = strv_push(to, word);
		if (!e && *word == '-' && *name && !one_of(name, alone) && i + 1 < argv->n)
			e = push_value(to, name, argv->items[++i]);
	}
	return e;
}

/* --- What is added ------------------------------------------------------------------------------------------------ */

/* In a value of an option of QEMU a comma is written twice. */
static int add_value(struct buf *out, const char *text)
{
	int e = 0;

	for (; *text && !e; text++)
		e = *text == ',' ? buf_puts(out, ",,") : buf_putc(out, *text);
	return e;
}

int guest_output(const struct action *action, const struct template_values *values, struct buf *path)
{
	cleanup_buf struct buf name = BUF_INIT;
	cleanup_free char *cwd = NULL;
	int e = template_expand(&name, action->output, values);

	if (!e && name.len && *name.data == '/')
		return buf_puts(path, name.data);
	cwd = e ? NULL : getcwd(NULL, 0);
	if (!e && !cwd)
		return -errno;
	return e ? e : buf_printf(path, "%s/%s", cwd, name.data ? name.data : "");
}

/* Which directory that is in: under its name there may be another by then. */
static int add_directory(struct buf *word, const struct action *action, const struct template_values *values)
{
	struct stat st;

	if (!action->in_dir || !values->dir_fd)
		return 0;
	if (fstat(values->dir_fd, &st))
		return -errno;
	return buf_printf(word, ",dir=%llu:%llu", (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
}

/* Where the plugin marks that the guest's kernel has panicked. */
static int add_panic(struct buf *word, const char *output)
{
	int e = buf_puts(word, ",panic=");

	e = e ? e : add_value(word, output);
	return e ? e : buf_puts(word, GUEST_PANIC);
}

int guest_args(const struct action *action, const struct template_values *values, const struct strv *argv, size_t *keep,
               struct strv *args)
{
	cleanup_buf struct buf word = BUF_INIT;
	cleanup_buf struct buf output = BUF_INIT;
	struct guest_found found = {0};
	int e = guest_output(action, values, &output);

	*keep = SIZE_MAX;
	look_at_words(&found, argv);
	if (!e && action->tcg && uses_kvm(&found, argv)) {
		*keep = 1;
		e = push_without_kvm(args, &found, argv);
	}
	if (!e)
		e = add_value(&word, action->program);
	if (!e)
		e = buf_puts(&word, ",out=");
	if (!e)
		e = add_value(&word, output.data);
	if (!e)
		e = add_directory(&word, action, values);
	for (size_t i = 0; i < action->args.n && !e; i++) {
		e = buf_putc(&word, ',');
		if (!e)
			e = add_value(&word, action->args.items[i]);
	}
	if (!e && !found.daemon)
		e = add_panic(&word, output.data);
	if (!e)
		e = strv_push(args, "-plugin");
	return e ? e : strv_push(args, word.data);
}
