/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "others.h"

#include <errno.h>
#include <exectrace/answer/why/page/who.h>
#include <stdlib.h>
#include <string.h>

/* --- Who made it, or what is in it -------------------------------------------------------------------------------- */

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
	buf_puts(out, ", ");
	page_made_by(why, o, out);
}

static void made_before(const struct why *why, const struct failure *f, struct buf *out)
{
	const struct object *o = f->object ? objects_at(&why->story.history.objects, f->object) : NULL;

	if (o && (!o->maker || o->made <= f->last))
		page_who_made(why, f->object, f->last, out);
}

/* --- Who has it --------------------------------------------------------------------------------------------------- */

static void holder(const struct why *why, const struct failure *f, struct buf *out)
{
	if (!f->holder)
		return;
	buf_puts(out, f->error == EAGAIN ? "; held by " : "; ");
	page_process_of(why, f->holder - 1, out);
	if (f->error == ETXTBSY)
		buf_puts(out, strncmp(f->call, "execve", 6) == 0 ? " has it open to write" : " runs it");
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

/* Of "[::1]:80": the part before the port. */
static bool same_host(const char *a, const char *b)
{
	size_t n = (size_t)(strrchr(a, ':') - a);

	return strncmp(a, b, n) == 0 && b[n] == ':';
}

/* Who connects to 127.0.0.1 does not reach one that was bound to ::1, or to the address of another interface. */
static void bound_elsewhere(const struct why *why, const struct failure *f, struct buf *out)
{
	const struct object *o = f->object ? objects_at(&why->story.history.objects, f->object) : NULL;

	if (!o || !o->maker || o->made > f->last || !o->bound || !o->server || !strchr(o->bound, ':') ||
	    !strchr(o->server, ':') || same_host(o->bound, o->server) || strncmp(o->bound, "[::]:", 5) == 0 ||
	    (strncmp(o->bound, "0.0.0.0:", 8) == 0 && *o->server != '['))
		return;
	buf_puts(out, ", but as ");
	page_name(out, o->bound, COMMAND_MAX);
	buf_puts(out, ", not as ");
	page_name(out, o->server, COMMAND_MAX);
}

/* Who had bound the address may have ended since. */
static void listener_ended(const struct why *why, const struct failure *f, struct buf *out)
{
	const struct object *o = f->object ? objects_at(&why->story.history.objects, f->object) : NULL;
	const struct tree_node *node = o && o->maker ? process_tree_node(why->story.tree, o->maker - 1) : NULL;

	if (!node || !node->end.when || o->made > f->last ||
	    story_end(&why->story, node) > story_time(&why->story, f->last))
		return;
	buf_puts(out, "; it");
	had_ended(why, node, out);
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

/* "; /tmp/log was closed by make [4] at 1.2s" */
static void closer(const struct why *why, const struct process_history *p, const struct failure *f, struct buf *out)
{
	if (!f->closer)
		return;
	buf_puts(out, "; ");
	page_name(out, objects_at(&why->story.history.objects, f->object)->name, COMMAND_MAX);
	buf_puts(out, " was closed ");
	if (!f->closed) {
		buf_puts(out, "by an execve, as it was opened with O_CLOEXEC");
		return;
	}
	if (f->closer - 1 != p->process->number) {
		buf_puts(out, "by ");
		page_process_of(why, f->closer - 1, out);
		buf_putc(out, ' ');
	}
	buf_puts(out, "at ");
	page_at(why, f->closed, out);
}

void page_others(const struct why *why, const struct process_history *p, const struct failure *f, struct buf *out)
{
	switch (f->error) {
	case ECONNREFUSED:
		page_who_made(why, f->object, f->last, out);
		bound_elsewhere(why, f, out);
		listener_ended(why, f, out);
		break;
	case ENOENT:
	case EADDRINUSE:
		page_who_made(why, f->object, f->last, out);
		break;
	case EEXIST:
		made_before(why, f, out);
		break;
	case ENOTEMPTY:
		entry(why, f, out);
		break;
	case EBADF:
		closer(why, p, f, out);
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
