/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/output/outparts.h>

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/file.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODE 0666 /* less what the umask takes away */
#define DIGITS 4  /* of a number, at least */

/* --- Names ---------------------------------------------------------------------------------------------------------
 */

/* The name of the last file. 0 or -ENOMEM. */
static int make_name(struct outparts *p, unsigned number)
{
	p->name.len = 0;
	return buf_printf(&p->name, "%s.%0*u%s", p->stem, DIGITS, number, p->end);
}

const char *outparts_name(const struct outparts *p)
{
	return p->name.len ? p->name.data : "";
}

/* Is it a name that one of ours could have? */
static bool is_part(const struct outparts *p, const char *name)
{
	size_t stem = strlen(p->stem), digits = 0;

	if (strncmp(name, p->stem, stem) != 0 || name[stem] != '.')
		return false;
	name += stem + 1;
	while (isdigit((unsigned char)name[digits]))
		digits++;
	return digits >= DIGITS && strcmp(name + digits, p->end) == 0;
}

/* Files of an older export would be read with those of this one. */
static int check_none(struct outparts *p)
{
	int fd = openat(p->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir) {
		rc = -errno;
		fd_close(&fd);
		return rc;
	}
	while (!rc && (entry = readdir(dir)))
		if (is_part(p, entry->d_name))
			rc = buf_puts(&p->name, entry->d_name) ? -ENOMEM : -EEXIST;
	closedir(dir);
	return rc;
}

static void release(struct outparts *p)
{
	fd_close(&p->fd);
	fd_close(&p->dir);
	buf_release(&p->title);
	free(p->stem);
	free(p->end);
	p->stem = p->end = NULL;
}

int outparts_open(struct outparts *p, const char *path, const char *end)
{
	const char *name, *dot;
	int rc;

	*p = (struct outparts){.fd = -1};
	p->dir = file_directory_of(path, &name);
	if (p->dir < 0)
		return p->dir;
	dot = strrchr(name, '.');
	if (dot == name || (dot && !dot[1]))
		dot = NULL;
	p->stem = strndup(name, dot ? (size_t)(dot - name) : strlen(name));
	p->end = strdup(dot ? dot : end);
	rc = !*name ? -EISDIR : !p->stem || !p->end ? -ENOMEM : check_none(p);
	if (rc)
		release(p);
	return rc;
}

/* --- Files ---------------------------------------------------------------------------------------------------------
 */

static int open_file(struct outparts *p)
{
	int rc = make_name(p, p->number + 1), fd;

	if (rc)
		return rc;
	p->has_name = false;
	fd = openat(p->dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, MODE);
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
		fd = openat(p->dir, p->name.data, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE);
		p->has_name = fd >= 0;
	}
	fd = fd < 0 ? -errno : fd_high(fd);
	if (fd < 0)
		return fd;
	p->fd = fd;
	p->number++;
	p->written = 0;
	p->has_lines = false;
	return 0;
}

/* linkat(2) neither replaces what is there nor follows it. */
static int complete(struct outparts *p)
{
	char from[32];
	int rc = 0;

	(void)snprintf(from, sizeof(from), "/proc/self/fd/%d", p->fd);
	if (!p->has_name && linkat(AT_FDCWD, from, p->dir, p->name.data, AT_SYMLINK_FOLLOW))
		rc = -errno;
	p->has_name |= !rc;
	if (close(p->fd) && !rc)
		rc = -errno;
	p->fd = -1;
	if (!rc)
		p->completed = p->number;
	return rc;
}

static void remove_all(struct outparts *p)
{
	if (p->number > p->completed && p->has_name)
		(void)unlinkat(p->dir, p->name.data, 0);
	for (unsigned i = p->completed; i; i--)
		if (!make_name(p, i))
			(void)unlinkat(p->dir, p->name.data, 0);
}

static int put(struct outparts *p, const char *bytes, size_t n)
{
	int rc = fd_write_all(p->fd, bytes, n);

	p->written += n;
	return rc;
}

/* Begins a file, with its title. */
static int begin(struct outparts *p)
{
	int rc = open_file(p);

	return rc || !p->title.len ? rc : put(p, p->title.data, p->title.len);
}

/* How many of n bytes go into the file that is open: whole lines; 0: none. */
static size_t fitting(const struct outparts *p, const char *lines, size_t n)
{
	uint64_t room = p->most > p->written ? p->most - p->written : 0;
	const char *last;

	if (!p->most || n <= room)
		return n;
	last = memrchr(lines, '\n', room);
	if (!last && !p->has_lines)
		last = memchr(lines, '\n', n);
	return last ? (size_t)(last + 1 - lines) : p->has_lines ? 0 : n;
}

/* Takes the title from what comes first; how long it is in *n. */
static int take_title(struct outparts *p, const char *lines, size_t *n)
{
	const char *newline = memchr(lines, '\n', *n);

	if (newline)
		*n = (size_t)(newline + 1 - lines);
	return buf_append(&p->title, lines, *n);
}

int outparts_write(struct outparts *p, const char *lines, size_t n)
{
	int rc = 0;

	if (n && p->titled && !p->title.len) {
		size_t title = n;

		rc = take_title(p, lines, &title);
		rc = rc ? rc : begin(p);
		lines += title;
		n -= title;
	}
	while (n && !rc) {
		size_t some;

		rc = p->fd < 0 ? begin(p) : 0;
		if (rc)
			break;
		some = fitting(p, lines, n);
		rc = some ? put(p, lines, some) : 0;
		p->has_lines |= some > 0;
		lines += some;
		n -= some;
		if (n && !rc)
			rc = complete(p);
	}
	return rc;
}

int outparts_next(struct outparts *p)
{
	return p->fd >= 0 && p->has_lines ? complete(p) : 0;
}

int outparts_close(struct outparts *p, int rc)
{
	if (!p->stem) {
		buf_release(&p->name);
		return rc;
	}
	if (!rc && !p->number)
		rc = begin(p);
	if (!rc && p->fd >= 0)
		rc = complete(p);
	if (rc)
		remove_all(p);
	release(p);
	buf_release(&p->name);
	return rc;
}
