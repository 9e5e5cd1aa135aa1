/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptors, and what is known of them. */
#include <exectrace/target/decode/values/printer.h>

#include <exectrace/base/cleanup.h>
#include <fcntl.h>

/* How the kernel marks the path of a file that has no name any more. */
static const char gone[] = " (deleted)";

static bool ends_as_gone(const char *path, size_t n)
{
	return n >= sizeof(gone) && memcmp(path + n - (sizeof(gone) - 1), gone, sizeof(gone) - 1) == 0;
}

/* What is said beside the path that p->out has from `start` on, or in place of it. */
static void put_about(struct printer *p, const struct decode_fd *about, size_t start)
{
	if (about->bare)
		buf_cut(p->out, start);
	else if (about->deleted)
		buf_cut(p->out, p->out->len - (sizeof(gone) - 1));
	if (p->out->len > start)
		escape_from(p, start);
	if (about->text.len)
		put_span(p, about->text.data, about->text.len);
	if (about->name.len) {
		bool abstract = !*about->name.data;

		put_text(p, abstract ? ",@" : ",");
		put_quoted(p, about->name.data + abstract, about->name.len - abstract, false);
	}
	if (about->end)
		put_text(p, about->end);
}

/* The path in <>, when there is one, of a descriptor of a process (0: the traced one). */
static void put_fd_path(struct printer *p, pid_t of, int fd)
{
	const struct decoder *d = p->d;
	size_t before = p->out->len, start;
	struct decode_fd about = {0};

	if (!d->fd_path || (of && !d->fd_path_of))
		return;
	put_text(p, "<");
	start = p->out->len;
	if (of ? d->fd_path_of(d->user, of, fd, p->out) : d->fd_path(d->user, fd, p->out))
		buf_cut(p->out, start);
	if (p->out->len > start) {
		const char *path = p->out->data + start;

		if (d->fd_about && (d->about_fds || ends_as_gone(path, p->out->len - start)))
			d->fd_about(d->user, of, fd, path, &about);
		put_about(p, &about, start);
	}
	if (p->out->len == start)
		buf_cut(p->out, before);
	else
		put_text(p, about.deleted ? ">(deleted)" : ">");
	buf_release(&about.text);
	buf_release(&about.name);
}

void put_context(struct printer *p, pid_t of, int fd, const char *path)
{
	size_t before = p->out->len;

	if (!p->d->context)
		return;
	put_text(p, " [");
	if (p->d->context(p->d->user, of, fd, path, p->out))
		buf_cut(p->out, before);
	else
		put_text(p, "]");
}

void print_fd(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_signed(p, (int)value);
	if ((int)value < 0)
		return;
	put_fd_path(p, 0, (int)value);
	put_context(p, 0, (int)value, NULL);
}

void put_fd_of(struct printer *p, pid_t of, uint64_t value)
{
	put_signed(p, (int)value);
	if ((int)value < 0 || of <= 0)
		return;
	put_fd_path(p, of, (int)value);
	put_context(p, of, (int)value, NULL);
}

void print_atfd(struct printer *p, uint64_t value, unsigned aux)
{
	p->dirfd = (int)value;
	if ((int)value != AT_FDCWD) {
		print_fd(p, value, aux);
		return;
	}
	put_text(p, p->d->names == DECODE_NAMES_RAW ? "-100" : p->d->names ? "-100 /* AT_FDCWD */" : "AT_FDCWD");
	put_fd_path(p, 0, AT_FDCWD);
}

/* Of fanotify_mark(2). */
void print_fan_dirfd(struct printer *p, uint64_t value, unsigned aux)
{
	bool inner = p->inner;

	if ((int)value != -1) {
		print_atfd(p, value, aux);
	} else if (begin_names(p, value, NUMBER_INT)) {
		put_text(p, "FAN_NOFD");
		end_names(p, inner);
	}
}

/* Of the process behind the pidfd that is the first argument. */
void print_other_fd(struct printer *p, uint64_t value, unsigned aux)
{
	const struct decoder *d = p->d;

	(void)aux;
	put_fd_of(p, d->fd_path && d->pidfd ? d->pidfd(d->user, (int)call_arg(p, 0)) : 0, value);
}
