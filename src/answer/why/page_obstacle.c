/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was in the way of a call that failed: who made it, who has it, who may not. */
#include "page.h"

#include <elf.h>
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/executable/target.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_exec(const struct failure *f)
{
	return strncmp(f->call, "execve", 6) == 0;
}

/* --- Programs ----------------------------------------------------------------------------------------------------- */

/* A program that is there cannot be executed without what its #! line or its ELF header names. True: that it is. */
static bool lacks_interpreter(const struct failure *f, struct buf *out)
{
	cleanup_free char *interp = NULL;

	if (f->error != ENOENT || !is_exec(f))
		return false;
	if (target_interpreter(f->what, &interp) || !interp || access(interp, F_OK) == 0)
		return false;
	buf_puts(out, "; the file is there, but its interpreter is not: ");
	page_foreign(out, interp, COMMAND_MAX);
	return true;
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

/* execve(2), "ENOEXEC" */
static void format(const struct failure *f, struct buf *out)
{
	unsigned char head[EI_NIDENT + 4] = {0};
	cleanup_fd int fd = *f->what == '/' ? open(f->what, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head));
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

/* What was made last in a directory, and was there at a time; NULL: nothing that was recorded. */
static const struct object *entry_of(const struct objects *objects, const char *directory, uint64_t time)
{
	const struct object *best = NULL;
	size_t n = strlen(directory);

	for (size_t i = 1; n && i <= objects->n; i++) {
		const struct object *o = objects_at(objects, (uint32_t)i);

		if (!o->maker || o->made > time || (o->remover && o->removed >= o->made && o->removed <= time))
			continue;
		if (strncmp(o->name, directory, n) == 0 && o->name[n] == '/' && (!best || o->made > best->made))
			best = o;
	}
	return best;
}

static void entry(const struct why *why, const struct failure *f, struct buf *out)
{
	const struct object *o = entry_of(&why->story.history.objects, f->what, f->last);

	if (!o)
		return;
	buf_puts(out, "; in it is ");
	page_name(out, o->name + strlen(f->what) + 1, COMMAND_MAX);
	buf_puts(out, ", made by ");
	page_process_of(why, o->maker - 1, out);
	buf_puts(out, " at ");
	page_at(why, o->made, out);
}

static void made_before(const struct why *why, const struct failure *f, struct buf *out)
{
	const struct object *o = f->object ? objects_at(&why->story.history.objects, f->object) : NULL;

	if (o && (!o->maker || o->made <= f->last))
		page_who_made(why, f->object, f->last, out);
}

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

/* --- Those who have it -------------------------------------------------------------------------------------------- */

static void holder(const struct why *why, const struct failure *f, struct buf *out)
{
	if (!f->holder)
		return;
	buf_puts(out, f->error == EAGAIN ? "; held by " : "; ");
	page_process_of(why, f->holder - 1, out);
	if (f->error == ETXTBSY)
		buf_puts(out, is_exec(f) ? " has it open to write" : " runs it");
	else if (f->error == EBUSY)
		buf_puts(out, " uses it");
}

static void had_ended(const struct why *why, const struct tree_node *node, struct buf *out)
{
	buf_puts(out, " had ended at ");
	page_at(why, story_event(&why->story, story_end(&why->story, node)), out);
	buf_puts(out, ": ");
	page_end_of(out, node);
}

/* The process at the other end of a pipe or socket: the last one that read from it, or else closed it. */
static const struct recorded_process *reader_of(const struct history *h, const struct process_history *p,
                                                const struct failure *f)
{
	const struct object *o = objects_at(&h->objects, f->object);
	const struct recorded_process *closer = NULL;

	if (o->peer)
		o = objects_at(&h->objects, o->peer);
	for (size_t i = o->n; i-- > 0;) {
		const struct wake *wake = &o->wakes[i];
		const struct thread_history *t = history_thread(h, wake->thread);

		if (!t || t->thread->process == p->process || wake->enter > f->last)
			continue;
		if (wake->kind == WAKE_TAKES)
			return t->thread->process;
		if (wake->kind == WAKE_CLOSES && !closer)
			closer = t->thread->process;
	}
	return closer;
}

static void reader(const struct why *why, const struct process_history *p, const struct failure *f, struct buf *out)
{
	const struct recorded_process *q = f->object ? reader_of(&why->story.history, p, f) : NULL;
	const struct tree_node *node = q ? process_tree_node(why->story.tree, q->number) : NULL;

	if (!node)
		return;
	buf_puts(out, "; at its other end was ");
	page_process(out, node, COMMAND_MAX);
	if (!node->end.when || !node->end.known || story_end(&why->story, node) > story_time(&why->story, f->last))
		return;
	buf_puts(out, ", which");
	had_ended(why, node, out);
}

/* "; sleep 9 [12] had ended at 3.1s: exit 0": whom a signal was for. A number may have been given away again. */
static void late_signal(const struct why *why, const struct failure *f, struct buf *out)
{
	const char *args = f->text && strstr(f->call, "kill") ? strchr(f->text, '(') : NULL;
	unsigned pid = args ? (unsigned)strtoul(args + 1, NULL, 10) : 0;
	const struct tree_node *found = NULL;

	for (const struct tree_node *node = why->top; node && pid; node = process_tree_next(node))
		if (node->pid == pid && node->end.when &&
		    story_end(&why->story, node) <= story_time(&why->story, f->last))
			found = node;
	if (!found)
		return;
	buf_puts(out, "; ");
	page_process(out, found, COMMAND_MAX);
	had_ended(why, found, out);
}

void page_obstacle(const struct why *why, const struct process_history *p, const struct failure *f, struct buf *out)
{
	switch (f->error) {
	case ENOENT:
		if (!lacks_interpreter(f, out))
			page_who_made(why, f->object, f->last, out);
		break;
	case ECONNREFUSED:
	case EADDRINUSE:
		page_who_made(why, f->object, f->last, out);
		break;
	case EEXIST:
		made_before(why, f, out);
		break;
	case ENOEXEC:
		format(f, out);
		break;
	case ENOTEMPTY:
		entry(why, f, out);
		break;
	case ENOTDIR:
		no_directory(why, f, out);
		break;
	case EACCES:
	case EPERM:
		page_rights(why, p, f, out);
		break;
	case ESRCH:
		late_signal(why, f, out);
		break;
	case EPIPE:
	case ECONNRESET:
		reader(why, p, f, out);
		break;
	default:
		holder(why, f, out);
	}
}
