/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "failures.h"

#include "holders.h"
#include "signals.h"

#include <ctype.h>
#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/grow.h>
#include <exectrace/base/kerrno.h>
#include <exectrace/target/syscalls/names.h>
#include <string.h>

#define TEXT_MAX 400u              /* bytes of a call's text */
#define BYTES_MAX 32               /* of what it wrote */
#define TRIES 3                    /* from which on a file that is there in the end was waited for */
#define WAITED_NS (50 * NS_PER_MS) /* between two looks, from which on it was, too */

/* --- Errors that are no failures
 * ------------------------------------------------------------------------------------------- */

/* Answers that a program asks for. call "": of any call. */
static bool is_an_answer(const char *call, int error)
{
	static const struct {
		const char *call;
		int error;
	} answers[] = {
		{"", EAGAIN},
		{"", EINTR},
		{"", EINPROGRESS},
		{"", EALREADY},
		{"futex", 0},
		{"wait4", ECHILD},
		{"waitid", ECHILD},
		{"ioctl", ENOTTY},
		{"ioctl", EINVAL},
		{"lseek", ESPIPE},
		{"readlink", EINVAL},
		{"readlinkat", EINVAL},
		{"getxattr", 0},
		{"lgetxattr", 0},
		{"fgetxattr", 0},
		{"getsockname", 0},
		{"getpeername", 0},
		{"prctl", 0},
		{"rseq", 0},
		{"arch_prctl", 0},
		{"close", EBADF},
		{"fcntl", EBADF},
		{"rt_sigtimedwait", 0},
		{"accept", ECONNABORTED},
		{"copy_file_range", 0},
		{"pidfd_open", ENOSYS},
		{"landlock_create_ruleset", 0},
		{"setsockopt", ENOPROTOOPT},
		{"clone3", ENOSYS},
		{"statx", ENOSYS},
	};

	if (is_restart(-error))
		return true;
	/* Somebody else has the lock (flock(2), fcntl(2)); there can be no more processes (fork(2)). */
	if (error == EAGAIN && (strcmp(call, "flock") == 0 || strcmp(call, "fcntl") == 0 || strstr(call, "fork") ||
	                        strncmp(call, "clone", 5) == 0))
		return false;
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++)
		if ((!*answers[i].call || strcmp(answers[i].call, call) == 0) &&
		    (!answers[i].error || answers[i].error == error))
			return true;
	return false;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

static bool is_of_a_start(const char *what)
{
	static const char *const parts[] = {
		"/etc/ld.so.preload",
		"/glibc-hwcaps/",
		"/locale/",
		"/LC_",
		"/gconv/",
		"/nscd/socket",
		"/etc/nsswitch",
		"/terminfo/",
		"pyvenv.cfg",
		"._pth",
		"/__pycache__/",
		"/.terminfo",
		"/etc/suid-debug",
		"/selinux",
		"/etc/gai.conf",
		"/etc/localtime",
		"/.inputrc",
		"/ld.so.cache",
		"/pybuilddir.txt",
		"/Modules/Setup.local",
		"/usr/lib/debug/", /* a program looks for its own symbols once it has failed */
		".dwp",
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strstr(what, parts[i]))
			return true;
	return ends_with(what, "/tls") || ends_with(what, "/x86_64") || ends_with(what, "/haswell");
}

/* Python looks for each module under several names in several directories before it opens one. */
static bool is_of_an_import(const char *what)
{
	return strstr(what, "lib/python");
}

bool failures_is_of_a_start(const char *what)
{
	return is_of_a_start(what) || is_of_an_import(what);
}

/* --- The list ----------------------------------------------------------------------------------------------------- */

static void drop(struct process_history *p, size_t at)
{
	free(p->failures[at].text);
	free(p->failures[at].stack);
	p->n_failures--;
	memmove(&p->failures[at], &p->failures[at + 1], (p->n_failures - at) * sizeof(*p->failures));
}

/* The one that is like this becomes the newest. */
static struct failure *again(struct process_history *p, const char *call, const char *what, int error)
{
	for (size_t i = 0; i < p->n_failures; i++) {
		struct failure f = p->failures[i];

		if (f.error != error || strcmp(f.call, call) != 0 || strcmp(f.what, what) != 0)
			continue;
		memmove(&p->failures[i], &p->failures[i + 1], (p->n_failures - i - 1) * sizeof(f));
		p->failures[p->n_failures - 1] = f;
		return &p->failures[p->n_failures - 1];
	}
	return NULL;
}

static struct failure *new_failure(struct history *h, struct process_history *p, const char *call, const char *what,
                                   int error)
{
	struct failure *f;

	if (p->n_failures == FAILURES_KEPT)
		drop(p, 0);
	if (grow_array((void **)&p->failures, p->n_failures, &p->cap_failures, sizeof(*p->failures))) {
		h->err = -ENOMEM;
		return NULL;
	}
	f = &p->failures[p->n_failures++];
	*f = (struct failure){.call = call, .error = error, .what = what};
	f->object = *what ? objects_number(&h->objects, what, strlen(what)) : 0;
	return f;
}

/* As call_print has it; of the bytes that it wrote only the first. */
static void print_short(struct buf *text, const struct data_syscall *call)
{
	struct data_extra extras[DATA_EXTRAS_MAX];
	struct data_syscall brief = *call;

	for (unsigned i = 0; i < call->nextras; i++) {
		extras[i] = call->extras[i];
		if (extras[i].kind == DATA_EXTRA_BYTES && extras[i].text.n > BYTES_MAX)
			extras[i].text.n = BYTES_MAX;
	}
	brief.extras = extras;
	call_print(text, &brief, false);
}

/* One more of its kind; NULL: no memory. */
static struct failure *counted(struct history *h, struct process_history *p, uint64_t time, const char *call,
                               const char *what, int error)
{
	struct failure *f = again(p, call, what, error);

	if (!f)
		f = new_failure(h, p, call, what, error);
	if (!f)
		return NULL;
	if (!f->count++)
		f->first = time;
	f->last = time;
	return f;
}

bool failure_text_cut(struct buf *out, const char *text, size_t max)
{
	size_t n = strlen(text), at = n, tail;

	while (at && strncmp(text + at, " = -1 ", 6) != 0)
		at--;
	while (at && text[at] != ')')
		at--;
	tail = n - at;
	return n > max && at && tail + 4 <= max && !buf_append(out, text, max - 3 - tail) &&
	       !buf_printf(out, "...%s", text + at);
}

static void keep_text(struct history *h, struct failure *f, struct buf *text)
{
	struct buf cut = BUF_INIT;

	if (text->len > TEXT_MAX && failure_text_cut(&cut, text->data, TEXT_MAX)) {
		buf_release(text);
		*text = cut;
	} else if (text->len > TEXT_MAX) {
		buf_release(&cut); /* there was no memory for it, perhaps */
		text->data[TEXT_MAX] = 0;
	}
	free(f->text);
	f->text = buf_steal(text);
	if (!f->text)
		h->err = -ENOMEM;
}

static void keep_stack(struct history *h, struct failure *f, const struct recorded_event *event)
{
	free(f->stack);
	f->stack = signals_stack(h, event);
	h->stacks += f->stack != NULL;
}

void failures_add_late(struct history *h, struct process_history *p, uint64_t time, const char *name, const char *what,
                       int error)
{
	struct failure *f = counted(h, p, time, name, what, error);
	struct buf text = BUF_INIT;

	if (!f)
		return;
	buf_printf(&text, "%s(%s) = -1 %s (%s), told later", name, what, errno_name(error), errno_text(error));
	keep_text(h, f, &text);
}

void failures_add_answer(struct history *h, struct process_history *p, uint64_t time, const char *name,
                         const char *server, const char *answer)
{
	struct failure *f = counted(h, p, time, "DNS", name, EREMOTEIO);
	struct buf text = BUF_INIT;

	if (!f)
		return;
	buf_printf(&text, "name server %s has no address of \"%s\": %s", server, name, answer);
	keep_text(h, f, &text);
}

void failures_resolved(struct process_history *p, const char *name)
{
	size_t n = strcspn(name, ".");

	for (size_t i = p->n_failures; i-- > 0;)
		if (p->failures[i].error == EREMOTEIO && strcmp(p->failures[i].call, "DNS") == 0 &&
		    strcspn(p->failures[i].what, ".") == n && strncmp(p->failures[i].what, name, n) == 0)
			drop(p, i);
}

/* Who closed what the call has as its first argument. */
static void keep_closer(struct failure *f, const struct process_history *p, const struct data_syscall *call)
{
	const struct descriptor *d = call->nargs ? descriptors_find(&p->closed, (int)call->args[0]) : NULL;

	if (!d)
		return;
	f->object = d->object;
	f->closer = d->opener + 1;
	f->closed = d->cloexec ? 0 : d->since;
}

/* A program that does not expect it may give up. */
static void keep_answer(struct history *h, struct process_history *p, const struct recorded_event *event,
                        const char *name)
{
	const struct data_syscall *call = &event->record->syscall;
	struct failure *f = &p->answered;
	struct buf text = BUF_INIT;

	if (!f->text || f->error != -call->result || strcmp(f->call, name) != 0) {
		*f = (struct failure){.call = name, .error = (int)-call->result, .what = "", .text = f->text};
		f->first = event->time;
		print_short(&text, call);
		keep_text(h, f, &text);
	}
	f->count++;
	f->last = event->time;
}

void failures_add(struct history *h, struct process_history *p, const struct recorded_event *event, const char *name,
                  const char *what)
{
	const struct data_syscall *call = &event->record->syscall;
	int error = (int)-call->result;
	struct failure *f;
	struct buf text = BUF_INIT;

	if (!call->error || is_of_a_start(what) || (is_of_an_import(what) && strncmp(name, "open", 4) != 0))
		return;
	if (is_an_answer(name, error)) {
		if (error == EAGAIN || error == ECHILD)
			keep_answer(h, p, event, name);
		return;
	}
	f = counted(h, p, event->time, name, what, error);
	if (!f || (f->text && f->count > 2))
		return; /* they look alike */
	f->holder = holders_find(h, p, what, f->object, error);
	if (error == EBADF && f->count == 1)
		keep_closer(f, p, call);
	print_short(&text, call);
	keep_text(h, f, &text);
	keep_stack(h, f, event);
}

/* The last part of a path up to its first dot that is not at its beginning. */
static size_t stem_of(const char *path, const char **stem)
{
	const char *slash = strrchr(path, '/');

	*stem = slash ? slash + 1 : path;
	return **stem ? 1 + strcspn(*stem + 1, ".") : 0;
}

/* Who looks for it again after such a time has waited for it. */
static bool was_waited_for(const struct failure *f, const char *path, uint64_t time)
{
	return strcmp(f->what, path) == 0 && (f->count >= TRIES || time - f->last >= WAITED_NS);
}

void failures_found(struct process_history *p, const char *path, uint64_t time)
{
	const char *stem, *other;
	size_t n = stem_of(path, &stem);

	for (size_t i = p->n_failures; n && i-- > 0;) {
		const struct failure *f = &p->failures[i];

		if (f->error != ENOENT || stem_of(f->what, &other) != n || memcmp(stem, other, n) != 0)
			continue;
		/* "part.004" is not what was looked for as "part.000". */
		if (isdigit((unsigned char)stem[n + (stem[n] == '.')]) && strcmp(stem, other) != 0)
			continue;
		if (!was_waited_for(f, path, time))
			drop(p, i);
	}
}

void failures_release(struct process_history *p)
{
	while (p->n_failures)
		drop(p, p->n_failures - 1);
	free(p->failures);
	free(p->answered.text);
	p->answered.text = NULL;
	p->failures = NULL;
	p->cap_failures = 0;
}
