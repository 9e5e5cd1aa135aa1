/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/trace/process/contexts.h>

#include <dlfcn.h>
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <exectrace/target/process/procfs.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#define ATTRIBUTE "security.selinux"
#define CONTEXT_BYTES 4096 /* of a context, at most: a page, as the kernel has it in /proc */
#define LIBRARY "libselinux.so.1"
#define FILES 0u /* SELABEL_CTX_FILE of selinux/label.h: contexts of files by their paths */
#define TYPE 2   /* which part of a context, from 0 on: user:role:type:level */

/* --- The library ------------------------------------------------------------------------------------------------- */

struct contexts_database {
	void *handle;
	int (*lookup)(void *handle, char **context, const char *path, int mode);
	void (*close)(void *handle);
	void (*free)(char *context);
};

/* POSIX lets a pointer of dlsym be one of a function; ISO C has no conversion for that. */
static bool find(void *library, const char *name, void *to, size_t n)
{
	void *at = dlsym(library, name);

	memcpy(to, &at, n);
	return at;
}

static int open_database(struct contexts_database *database, struct buf *err)
{
	void *(*open)(unsigned backend, const void *options, unsigned n) = NULL;
	void *library = dlopen(LIBRARY, RTLD_NOW);

	if (!library || !find(library, "selabel_open", &open, sizeof(open)) ||
	    !find(library, "selabel_lookup", &database->lookup, sizeof(database->lookup)) ||
	    !find(library, "selabel_close", &database->close, sizeof(database->close)) ||
	    !find(library, "freecon", &database->free, sizeof(database->free))) {
		(void)buf_printf(err, "--secontext=mismatch needs libselinux (Debian: libselinux1): %s", dlerror());
		return -ELIBACC;
	}
	errno = 0;
	database->handle = open(FILES, NULL, 0);
	if (database->handle)
		return 0;
	(void)buf_printf(err, "--secontext=mismatch: there is no policy that says which contexts files have: %s",
	                 strerror(errno ? errno : ENOENT));
	return errno ? -errno : -ENOENT;
}

int contexts_prepare(struct contexts *contexts, struct buf *err)
{
	int r;

	contexts->database = calloc(1, sizeof(*contexts->database));
	if (!contexts->database)
		return -ENOMEM;
	r = open_database(contexts->database, err);
	if (r) {
		free(contexts->database);
		contexts->database = NULL;
	}
	return r;
}

void contexts_release(struct contexts *contexts)
{
	if (contexts->database)
		contexts->database->close(contexts->database->handle);
	free(contexts->database);
	*contexts = (struct contexts){0};
}

/* --- Contexts ---------------------------------------------------------------------------------------------------- */

/* What of a context is shown: all, or its type. Without the newline that some have. */
static size_t shown(const struct contexts *contexts, const char **context)
{
	const char *part = *context, *end;

	for (int i = 0; i < TYPE && part && !(contexts->form & FORM_CONTEXT_FULL); i++) {
		part = strchr(part, ':');
		part = part ? part + 1 : NULL;
	}
	end = part && !(contexts->form & FORM_CONTEXT_FULL) ? strchr(part, ':') : NULL;
	*context = part ? part : *context;
	if (!end)
		end = *context + strlen(*context);
	while (end > *context && end[-1] == '\n')
		end--;
	return (size_t)(end - *context);
}

/* Those who set attributes choose the bytes; what ends a context here is told from what is in it. */
static int put(struct buf *out, const char *context, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		unsigned char c = (unsigned char)context[i];

		err = c < ' ' || c >= 0x7f || strchr("[]!\\\"", c) ? buf_printf(out, "\\%o", c)
		                                                   : buf_putc(out, (char)c);
	}
	return err;
}

int contexts_of_process(const struct contexts *contexts, pid_t tid, struct buf *out)
{
	char text[CONTEXT_BYTES];
	const char *context = text;
	cleanup_fd int fd = contexts->form & FORM_CONTEXTS ? proc_open(tid, "attr/current", O_RDONLY) : -ENODATA;
	long n = fd < 0 ? fd : fd_read_all(fd, text, sizeof(text) - 1);

	if (n < 0)
		return (int)n;
	text[n] = '\0';
	n = (long)shown(contexts, &context);
	return n ? put(out, context, (size_t)n) : -ENODATA;
}

/* The name by which we reach what a path means to a process. False: it is too long. */
static bool name_of(pid_t tid, int fd, const char *path, char *to, size_t n)
{
	int length;

	if (!path)
		length = snprintf(to, n, "/proc/%d/fd/%d", (int)tid, fd);
	else if (*path == '/')
		length = snprintf(to, n, "/proc/%d/root%s", (int)tid, path);
	else if (fd == AT_FDCWD)
		length = snprintf(to, n, "/proc/%d/cwd/%s", (int)tid, path);
	else
		length = snprintf(to, n, "/proc/%d/fd/%d/%s", (int)tid, fd, path);
	return length > 0 && (size_t)length < n;
}

/* Appends the context that a file ought to have, if that is another one than the n bytes at `has`. */
static int put_expected(const struct contexts *contexts, const char *name, const char *has, size_t n, struct buf *out)
{
	const struct contexts_database *database = contexts->database;
	cleanup_free char *path = realpath(name, NULL);
	struct stat st;
	char *context = NULL;
	const char *part;
	size_t bytes;
	int err = 0;

	if (!path || stat(name, &st) || database->lookup(database->handle, &context, path, (int)st.st_mode) || !context)
		return 0;
	part = context;
	bytes = shown(contexts, &part);
	if (bytes != n || memcmp(part, has, n) != 0) {
		err = buf_puts(out, "!!");
		err = err ? err : put(out, part, bytes);
	}
	database->free(context);
	return err;
}

int contexts_of_file(const struct contexts *contexts, pid_t tid, int fd, const char *path, struct buf *out)
{
	char name[PATH_MAX], text[CONTEXT_BYTES];
	const char *context = text;
	ssize_t got;
	size_t n;
	int err;

	if (!(contexts->form & FORM_CONTEXTS) || (fd < 0 && fd != AT_FDCWD) ||
	    !name_of(tid, fd, path, name, sizeof(name)))
		return -ENODATA;
	got = getxattr(name, ATTRIBUTE, text, sizeof(text) - 1);
	if (got < 0)
		return -errno;
	text[got] = '\0';
	n = shown(contexts, &context);
	err = n ? put(out, context, n) : -ENODATA;
	if (err || !(contexts->form & FORM_CONTEXT_MISMATCH) || !contexts->database)
		return err;
	return put_expected(contexts, name, context, n, out);
}
