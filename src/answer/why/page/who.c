/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/page/who.h>

#include <ctype.h>
#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/target/syscalls/names.h>
#include <string.h>

bool page_is_installed(const struct process_history *p, const struct failure *f)
{
	static const char *const places[] = {"/usr/", "/lib", "/etc/", "/proc/", "/sys/"};
	const char *slash = strrchr(p->process->path, '/'), *below;

	if (f->error != ENOENT)
		return false;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (strncmp(f->what, places[i], strlen(places[i])) == 0)
			return true;
	/* .../bin/python: .../lib/python3.11/... */
	if (!slash || slash - p->process->path <= 4 || strncmp(slash - 4, "/bin", 4) != 0)
		return false;
	below = slash - 3;
	if (strncmp(f->what, p->process->path, (size_t)(below - p->process->path)) != 0)
		return false;
	below = f->what + (below - p->process->path);
	return strncmp(below, "lib", 3) == 0 || strncmp(below, "share/", 6) == 0 || strncmp(below, "include/", 8) == 0;
}

/* --- What kept failing -------------------------------------------------------------------------------------------- */

#define SUN_PATH_MIN 100 /* bytes of a path that may be all that fits into an address */
#define NAME_MIN 3       /* bytes of a name, and its slash: shorter ones say nothing */
#define TRIES_MAX 64     /* different failures that are told apart */

struct tries {
	struct {
		const struct failure *failure;
		uint64_t count, first, last;
	} items[TRIES_MAX];
	size_t n;
};

static void add_tries(struct tries *tries, const struct process_history *p, uint64_t from, uint64_t to)
{
	for (size_t i = 0; p && i < p->n_failures; i++) {
		const struct failure *f = &p->failures[i];
		size_t at = 0;

		if (f->last < from || f->first > to || page_is_installed(p, f))
			continue;
		/* mkdir(1) -p asks so; who waits for a directory to go away asks again. */
		if (f->error == EEXIST && f->count < 3)
			continue;
		while (at < tries->n && (tries->items[at].failure->error != f->error ||
		                         strcmp(tries->items[at].failure->what, f->what) != 0 ||
		                         strcmp(tries->items[at].failure->call, f->call) != 0))
			at++;
		if (at == TRIES_MAX)
			return;
		if (at == tries->n) {
			tries->items[tries->n++].failure = f;
			tries->items[at].count = 0;
			tries->items[at].first = f->first;
			tries->items[at].last = f->last;
		}
		tries->items[at].count += f->count;
		if (f->first < tries->items[at].first)
			tries->items[at].first = f->first;
		if (f->last > tries->items[at].last)
			tries->items[at].last = f->last;
	}
}

/* A server that does not answer is what is waited for, more than a file. */
static uint64_t rank(const struct failure *f, uint64_t count)
{
	return strcmp(f->call, "connect") == 0 ? 2 * count + 1 : count;
}

/* The next character that counts: no dash or underscore, no zero that begins a number; in lower case. */
static int next_of(const char **at, int before)
{
	while (**at == '-' || **at == '_' || (**at == '0' && !isdigit(before) && isdigit((unsigned char)(*at)[1])))
		before = (unsigned char)*(*at)++;
	return tolower((unsigned char)**at);
}

/* "part-8" and "Part_08" */
static bool same_but_for_spelling(const char *a, const char *b)
{
	for (int before = 0;; a++, b++) {
		int one = next_of(&a, before), two = next_of(&b, before);

		if (one != two || !one)
			return one == two;
		before = one;
	}
}

/* Adds another one that was made, and is meant, perhaps. */
static bool other(const struct why *why, const struct object *o, const char *shown, struct buf *out)
{
	buf_puts(out, ", but ");
	page_process_of(why, o->maker - 1, out);
	buf_puts(out, " has made ");
	page_name(out, shown, COMMAND_MAX);
	return true;
}

/*
 * Another name in the same directory: "part-8" is looked for, and "part-08" is there. Or the same one in another
 * directory: the last one that was made, and is still there.
 */
static bool alike(const struct why *why, const char *name, uint64_t time, struct buf *out)
{
	const struct objects *objects = &why->story.history.objects;
	const char *slash = strrchr(name, '/');
	size_t n = slash ? (size_t)(slash - name) + 1 : 0;
	const struct object *elsewhere = NULL;

	for (size_t i = 1; n && i <= objects->n; i++) {
		const struct object *o = objects_at(objects, (uint32_t)i);
		const char *last = o->maker ? strrchr(o->name, '/') : NULL;

		if (!last || strcmp(o->name, name) == 0)
			continue;
		if (strncmp(o->name, name, n) == 0 && same_but_for_spelling(o->name + n, name + n))
			return other(why, o, o->name + n, out);
		if (strcmp(last, slash) == 0 && strlen(last) > NAME_MIN && o->made <= time &&
		    !(o->remover && o->removed <= time) && (!elsewhere || o->made > elsewhere->made))
			elsewhere = o;
	}
	return elsewhere && other(why, elsewhere, elsewhere->name, out);
}

/* A path of a socket that is longer than an address may be (unix(7), sun_path) was bound without its end, perhaps. */
static void cut_off(const struct why *why, const char *name, struct buf *out)
{
	const struct objects *objects = &why->story.history.objects;

	for (size_t i = 1; i <= objects->n; i++) {
		const struct object *o = objects_at(objects, (uint32_t)i);
		size_t n = strlen(o->name);

		if (!o->maker || n < SUN_PATH_MIN || strncmp(name, o->name, n) != 0 || !name[n])
			continue;
		buf_puts(out, ", but ");
		page_process_of(why, o->maker - 1, out);
		buf_printf(out, " its first %zu bytes", n);
		return;
	}
}

/* What becomes of a file, or of an address. */
static const char *making(const struct object *o)
{
	return *o->name == '/' ? "made" : "bound";
}

void page_made_by(const struct why *why, const struct object *o, struct buf *out)
{
	buf_printf(out, "%s by ", making(o));
	page_process_of(why, o->maker - 1, out);
	buf_puts(out, " at ");
	page_at(why, o->made, out);
}

/* Adds what became of a file, or of the directory that it was in. */
static void gone(const struct why *why, const struct object *o, struct buf *out)
{
	if (o->moved) {
		buf_puts(out, "renamed to ");
		page_name(out, o->moved, COMMAND_MAX);
	} else {
		buf_puts(out, "removed");
	}
	buf_puts(out, " by ");
	page_process_of(why, o->remover - 1, out);
	buf_puts(out, " at ");
	page_at(why, o->removed, out);
}

/* The directory that the file was in, at any depth, and that was removed last since it was made; NULL: none was. */
static const struct object *directory_gone(const struct why *why, const struct object *file, uint64_t time)
{
	const struct objects *objects = &why->story.history.objects;
	const struct object *last = NULL;

	for (size_t i = 1; i <= objects->n; i++) {
		const struct object *o = objects_at(objects, (uint32_t)i);
		size_t n = o->remover && o->removed <= time && o->removed >= file->made && o->removed >= o->made
		                   ? strlen(o->name)
		                   : 0;

		if (n && strncmp(file->name, o->name, n) == 0 && file->name[n] == '/' &&
		    (!last || o->removed > last->removed))
			last = o;
	}
	return last;
}

void page_who_made(const struct why *why, uint32_t object, uint64_t time, struct buf *out)
{
	const struct object *o = object ? objects_at(&why->story.history.objects, object) : NULL, *directory;

	if (!o || !*o->name)
		return;
	if (o->remover && o->removed <= time && o->removed >= o->made) {
		buf_puts(out, "; ");
		gone(why, o, out);
	} else if (*o->name == '/' && (directory = directory_gone(why, o, time))) {
		buf_puts(out, "; its directory ");
		page_name(out, directory->name, COMMAND_MAX);
		buf_puts(out, " was ");
		gone(why, directory, out);
	} else if (o->maker) {
		buf_puts(out, "; ");
		page_made_by(why, o, out);
	} else {
		buf_printf(out, "; no recorded process has %s it", making(o));
		if (!alike(why, o->name, time, out))
			cut_off(why, o->name, out);
	}
}

void page_who_locked(const struct why *why, const struct wait *wait, struct buf *out)
{
	const struct history *h = &why->story.history;
	const struct wake *lock =
		wait->kind == WAIT_LOCK && wait->n
			? objects_waker(&h->objects, h->waited[wait->first], UINT32_MAX, wait->from, WAKE_LOCKS)
			: NULL;
	const struct thread_history *t = lock ? history_thread(h, lock->thread) : NULL;

	if (!t)
		return;
	buf_puts(out, ", locked by ");
	page_process_of(why, t->thread->process->number, out);
	buf_puts(out, " at ");
	page_at(why, lock->exit, out);
}

void page_who_gave(const struct why *why, const struct tree_node *node, const struct wait *wait, struct buf *out)
{
	const struct history *h = &why->story.history;
	const struct wake *wake = history_giver(h, wait);
	const struct thread_history *t = wake ? history_thread(h, wake->thread) : NULL;

	if (!t || t->thread->process->number + 1 == node->process)
		return;
	buf_puts(out, ", which ");
	page_process_of(why, t->thread->process->number, out);
	buf_puts(out, " had written to last, at ");
	page_at(why, wake->exit, out);
}

/* A process that closed the object after a time, by its end, perhaps, or has it open still; NULL: none is known. */
static const struct recorded_process *holder_of(const struct history *h, uint32_t object, uint64_t time,
                                                uint32_t except)
{
	const struct object *o = objects_at(&h->objects, object);

	for (size_t i = 0; i < o->n; i++) {
		const struct thread_history *t = history_thread(h, o->wakes[i].thread);

		if (o->wakes[i].kind == WAKE_CLOSES && o->wakes[i].exit >= time && t &&
		    t->thread->process->number + 1 != except)
			return t->thread->process;
	}
	for (size_t i = 0; i < h->n_processes; i++) {
		const struct process_history *p = h->processes[i];

		if (p && !p->ended && p->process->number + 1 != except && descriptors_of(&p->descriptors, object))
			return p->process;
	}
	return NULL;
}

void page_who_holds(const struct why *why, const struct tree_node *node, const struct wait *wait, struct buf *out)
{
	const struct history *h = &why->story.history;
	uint32_t object = wait->kind == WAIT_DATA && wait->n ? h->waited[wait->first] : 0;
	const struct recorded_process *holder;

	if (!object || strncmp(objects_at(&h->objects, object)->name, "pipe:", 5) != 0)
		return;
	holder = holder_of(h, object, wait->to, node->process);
	if (!holder)
		return;
	buf_puts(out, "; ");
	page_process_of(why, holder->number, out);
	buf_puts(out, " had it open still");
}

void page_who_reads(const struct why *why, const struct tree_node *node, const struct wait *wait, struct buf *out)
{
	const struct history *h = &why->story.history;
	uint32_t object = wait->kind == WAIT_ROOM && wait->n ? h->waited[wait->first] : 0;
	const struct wake *wake = object ? objects_waker(&h->objects, object, UINT32_MAX, wait->to, WAKE_TAKES) : NULL;
	const struct thread_history *t = wake ? history_thread(h, wake->thread) : NULL;
	const struct wait *doing = t ? thread_last_wait(t, wait->to, true) : NULL;

	if (!t || t->thread->process->number + 1 == node->process || !doing || doing->kind == WAIT_CALL)
		return;
	buf_puts(out, ", from which ");
	page_process_of(why, t->thread->process->number, out);
	buf_puts(out, " had read last, and was ");
	page_wait(why, doing, out);
}

bool page_meanwhile(const struct why *why, const struct tree_node *node, uint64_t from, uint64_t to, size_t times,
                    struct buf *out)
{
	const struct story *s = &why->story;
	struct tries tries = {0};
	size_t best = 0;
	uint64_t every;

	add_tries(&tries, story_history(s, node), from, to);
	if (node->parent) {
		add_tries(&tries, story_history(s, node->parent), from, to);
		for (const struct tree_node *c = node->parent->child; c; c = c->sibling)
			if (c != node)
				add_tries(&tries, story_history(s, c), from, to);
	}
	for (size_t i = 1; i < tries.n; i++)
		if (rank(tries.items[i].failure, tries.items[i].count) >
		    rank(tries.items[best].failure, tries.items[best].count))
			best = i;
	if (!tries.n || tries.items[best].count < times)
		return false;
	every = (tries.items[best].last - tries.items[best].first) /
	        (tries.items[best].count - 1 ? tries.items[best].count - 1 : 1);
	buf_printf(out, "%llu x %s(", (unsigned long long)tries.items[best].count, tries.items[best].failure->call);
	page_name(out, tries.items[best].failure->what, COMMAND_MAX);
	buf_printf(out, ") = %s",
	           errno_name(tries.items[best].failure->error) ? errno_name(tries.items[best].failure->error) : "?");
	if (tries.items[best].count > 1) {
		buf_puts(out, ", every ");
		clock_print(out, every);
	}
	if (tries.items[best].failure->error == ENOENT || tries.items[best].failure->error == ECONNREFUSED)
		page_who_made(why, tries.items[best].failure->object, to, out);
	return true;
}
