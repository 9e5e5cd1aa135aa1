/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "obstacle.h"

#include "mounts.h"
#include "others.h"
#include "rights.h"
#include <elf.h>
#include <errno.h>
#include <exectrace/answer/why/page/who.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/quote.h>
#include <exectrace/target/executable/target.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static bool is_exec(const struct failure *f)
{
	return strncmp(f->call, "execve", 6) == 0;
}

/* Not where it had another view of the file system, for that is asked as it is now. */
static bool has_our_view(const struct why *why, const struct process_history *p)
{
	const struct tree_node *node = process_tree_node(why->story.tree, p->process->number);

	for (size_t i = 0; node && i < node->state.n; i++)
		if (strncmp(node->state.items[i], "ns mnt:", 7) == 0)
			return false;
	return node;
}

/* --- Programs ----------------------------------------------------------------------------------------------------- */

/* A program that is there cannot be executed without what its #! line or its ELF header names. */
static void lacks_interpreter(const struct failure *f, struct buf *out)
{
	cleanup_free char *interp = NULL;

	if (!is_exec(f) || target_interpreter(f->what, &interp) || !interp || access(interp, F_OK) == 0)
		return;
	buf_puts(out, "; the file is there, but its interpreter is not: ");
	page_foreign(out, interp, COMMAND_MAX);
}

#ifdef __aarch64__
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_X86_64
#endif

/* e_machine: elf(5) */
static const char *machine_name(unsigned machine)
{
	static const struct {
		unsigned machine;
		const char *name;
	} machines[] = {{EM_386, "i386"},         {EM_X86_64, "x86-64"}, {EM_ARM, "ARM"},
	                {EM_AARCH64, "AArch64"},  {EM_MIPS, "MIPS"},     {EM_PPC, "PowerPC"},
	                {EM_PPC64, "PowerPC 64"}, {EM_RISCV, "RISC-V"},  {EM_S390, "S/390"}};

	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		if (machines[i].machine == machine)
			return machines[i].name;
	return "another processor";
}

/* The bytes of a small file, at most n; less than 1: there are none. */
static ssize_t read_file(const char *path, char *bytes, size_t n)
{
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	return fd < 0 ? -1 : read(fd, bytes, n);
}

/* execve(2), "ENOEXEC" */
static void format(const struct failure *f, struct buf *out)
{
	unsigned char head[EI_NIDENT + 4] = {0};
	ssize_t n = *f->what == '/' ? read_file(f->what, (char *)head, sizeof(head)) : -1;
	unsigned machine = head[EI_NIDENT + 2] | (unsigned)head[EI_NIDENT + 3] << 8;

	if (n < 0)
		return;
	if (n == 0)
		buf_puts(out, "; it is empty");
	else if (n < SELFMAG || memcmp(head, ELFMAG, SELFMAG) != 0)
		buf_puts(out, memcmp(head, "#!", 2) == 0 ? "" : "; it has no #! line, and is no ELF file");
	else if (n == (ssize_t)sizeof(head) && head[EI_DATA] == ELFDATA2LSB && machine != OWN_MACHINE)
		buf_printf(out, "; it is for %s", machine_name(machine));
	else
		buf_puts(out, "; its ELF header is damaged, or for another kind of processor");
}

/* --- Files that are there, or are not ----------------------------------------------------------------------------- */

/* The first part of a path that is there, and is no directory. */
static void no_directory(const struct why *why, const struct failure *f, struct buf *out)
{
	const struct objects *objects = &why->story.history.objects;
	char path[PATH_MAX];
	struct stat st;

	for (const char *slash = strchr(f->what, '/'); slash; slash = strchr(slash + 1, '/')) {
		size_t n = (size_t)(slash - f->what);

		if (!n || n >= sizeof(path))
			continue;
		memcpy(path, f->what, n);
		path[n] = 0;
		if (stat(path, &st) || S_ISDIR(st.st_mode))
			continue;
		buf_puts(out, "; no directory: ");
		page_name(out, path, COMMAND_MAX);
		for (size_t i = 1; i <= objects->n; i++)
			if (strcmp(objects_at(objects, (uint32_t)i)->name, path) == 0 &&
			    objects_at(objects, (uint32_t)i)->maker)
				page_who_made(why, (uint32_t)i, f->last, out);
		return;
	}
}

/* --- The system --------------------------------------------------------------------------------------------------- */

/* Settings of the kernel that refuse calls, each for another reason than the error's text says: proc(5), inotify(7),
 * perf_event_open(2), ptrace(2), ip(7), user_namespaces(7). */
static const char *setting_of(const struct failure *f)
{
	static const struct {
		const char *call;
		int error;
		const char *setting;
	} settings[] = {
		{"inotify_add_watch", ENOSPC, "fs/inotify/max_user_watches"},
		{"inotify_init", EMFILE, "fs/inotify/max_user_instances"},
		{"inotify_init1", EMFILE, "fs/inotify/max_user_instances"},
		{"perf_event_open", EACCES, "kernel/perf_event_paranoid"},
		{"perf_event_open", EPERM, "kernel/perf_event_paranoid"},
		{"ptrace", EPERM, "kernel/yama/ptrace_scope"},
		{"bpf", EPERM, "kernel/unprivileged_bpf_disabled"},
		{"io_uring_setup", EPERM, "kernel/io_uring_disabled"},
		{"bind", EACCES, "net/ipv4/ip_unprivileged_port_start"},
		{"unshare", EPERM, "kernel/unprivileged_userns_clone"},
		{"unshare", ENOSPC, "user/max_user_namespaces"},
		{"clone", ENOSPC, "user/max_user_namespaces"},
	};

	if (strcmp(f->call, "bind") == 0 && f->text && !strstr(f->text, "AF_INET"))
		return NULL;
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		if (settings[i].error == f->error && strcmp(settings[i].call, f->call) == 0)
			return settings[i].setting;
	return NULL;
}

/* A process has one tracer, ptrace(2): that of those whose calls are recorded is exectrace. False: it is not that. */
static bool traced_by_us(const struct why *why, const struct failure *f, struct buf *out)
{
	bool traces = f->error == EPERM && f->text && strcmp(f->call, "ptrace") == 0;
	const char *comma = traces ? strchr(f->text, ',') : NULL;
	unsigned pid = comma ? (unsigned)strtoul(comma + 1, NULL, 10) : 0;
	bool own = traces && strstr(f->text, "PTRACE_TRACEME");

	for (const struct tree_node *node = own ? NULL : why->top; node && !own; node = process_tree_next(node))
		own = pid && node->pid == pid && node->process;
	if (own)
		buf_puts(out, "; exectrace traces that process");
	return own;
}

/* "; /proc/sys/kernel/perf_event_paranoid is 3". False: it is not that. */
static bool system_setting(const struct failure *f, struct buf *out)
{
	const char *setting = setting_of(f);
	char path[64], value[32];
	ssize_t n;

	if (!setting)
		return false;
	snprintf(path, sizeof(path), "/proc/sys/%s", setting);
	n = read_file(path, value, sizeof(value));
	if (n <= 0)
		return false;
	buf_printf(out, "; %s is ", path);
	quote_terminal(out, value, (size_t)n - (value[n - 1] == '\n'));
	return true;
}

/* ENOSPC: of what a file system has none left, as it is now. */
static void space(const struct failure *f, struct buf *out)
{
	const char *slash = strrchr(f->what, '/');
	cleanup_free char *directory = slash ? strndup(f->what, (size_t)(slash - f->what) + 1) : NULL;
	struct statvfs fs;

	if (!directory || strncmp(f->what, "/dev/", 5) == 0 || statvfs(directory, &fs))
		return;
	buf_puts(out, "; the file system of ");
	page_name(out, directory, COMMAND_MAX);
	buf_printf(out, " has now %llu of %llu MiB and %llu of %llu inodes left",
	           (unsigned long long)fs.f_bavail * fs.f_frsize >> 20,
	           (unsigned long long)fs.f_blocks * fs.f_frsize >> 20, (unsigned long long)fs.f_favail,
	           (unsigned long long)fs.f_files);
}

/* What the file system tells, as it is now. */
static void from_files(const struct why *why, const struct process_history *p, const struct failure *f, struct buf *out)
{
	switch (f->error) {
	case ENOSPC:
		space(f, out);
		break;
	case ENOTDIR:
		no_directory(why, f, out);
		break;
	case EACCES:
	case EPERM:
		page_rights(why, p, f, out);
		page_mount(f, out);
		break;
	case EROFS:
		page_mount(f, out);
		break;
	case ENOEXEC:
		format(f, out);
		break;
	case ENOENT:
		lacks_interpreter(f, out);
		break;
	default:
		break;
	}
}

void page_obstacle(const struct why *why, const struct process_history *p, const struct failure *f, struct buf *out)
{
	size_t before = out->len;

	if (traced_by_us(why, f, out) || system_setting(f, out))
		return;
	if (has_our_view(why, p))
		from_files(why, p, f, out);
	if (out->len == before)
		page_others(why, p, f, out);
}
