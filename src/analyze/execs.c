/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/analyze/execs.h>

#include "json.h"
#include "private.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/syscalls/names.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES_MAX (64u << 20) /* an argv is at most 6 MiB (execve(2)), a byte of it at most 6 of JSON */

static int copy_string(struct json_object *object, const char *name, char **to)
{
	const char *text = json_string(object, name);

	*to = text ? strdup(text) : NULL;
	return text && !*to ? -ENOMEM : 0;
}

static bool id_of(struct json_object *object, const char *name, int64_t *value)
{
	return json_number(object, name, value) && *value >= 0 && *value <= INT_MAX;
}

static void fill_numbers(struct exec_record *rec, struct json_object *object)
{
	int64_t value;

	if (id_of(object, "pid", &value))
		rec->pid = rec->tid = (pid_t)value;
	if (id_of(object, "ppid", &value)) {
		rec->ppid = (pid_t)value;
		rec->have |= EXEC_IDS;
	}
	if (id_of(object, "depth", &value)) {
		rec->depth = (unsigned)value;
		rec->have |= EXEC_ANCESTORS;
	}
	if (id_of(object, "uid", &value)) {
		rec->uid = (uid_t)value;
		rec->have |= EXEC_USER;
	}
	json_seconds(object, "time", &rec->when_wall);
}

static int fill_texts(struct exec_record *rec, struct json_object *object)
{
	int rc = json_strings(object, "argv", &rec->argv);

	if (!rc)
		rec->have |= EXEC_ARGV;
	else if (rc == -ENOENT)
		rc = 0;
	if (!rc)
		rc = copy_string(object, "path", &rec->path);
	if (!rc)
		rc = copy_string(object, "exe", &rec->exe);
	if (!rc)
		rc = copy_string(object, "interp", &rec->interp);
	if (!rc)
		rc = copy_string(object, "cwd", &rec->cwd);
	rec->have |= EXEC_TARGET | EXEC_CWD;
	return rc ? rc : exec_record_join(rec);
}

static void fill_end(struct exec_end *end, const struct exec_record *rec, struct json_object *object)
{
	const char *name = json_string(object, "signal");
	struct json_object *core, *ended;
	int64_t status;
	uint64_t ns;

	if (json_number(object, "status", &status) && status >= 0 && status <= 255) {
		end->known = true;
		end->wait_status = (int)status << 8;
	} else if (name && signal_number(name) > 0) {
		end->known = true;
		end->wait_status = signal_number(name);
		if (json_object_object_get_ex(object, "core", &core) && json_object_get_boolean(core))
			end->wait_status |= 0x80;
	}
	if (rec->when_wall && json_seconds(object, "duration", &ns))
		end->when = rec->when_wall + ns;
	end->ended = end->known || end->when; /* all that files from before there was a field tell */
	if (json_object_object_get_ex(object, "ended", &ended))
		end->ended = json_object_get_boolean(ended);
}

/* One line. -EBADMSG when it is no exec. */
static int read_line(const char *line, size_t n, execs_fn *fn, void *ctx)
{
	struct exec_record rec = {0};
	struct exec_end end = {0};
	struct json_object *object;
	int rc = json_read(line, n, &object);

	if (rc)
		return rc;
	fill_numbers(&rec, object);
	rc = rec.pid ? fill_texts(&rec, object) : -EBADMSG;
	if (!rc) {
		fill_end(&end, &rec, object);
		rc = fn(ctx, &rec, &end);
	}
	exec_record_release(&rec);
	json_object_put(object);
	return rc;
}

static int bad_line(const char *path, unsigned long number, struct buf *why)
{
	return buf_printf(why, "%s: line %lu: not as exectrace writes it", path, number) ? -ENOMEM : -EBADMSG;
}

static int read_lines(FILE *file, const char *path, execs_fn *fn, void *ctx, struct buf *why)
{
	cleanup_free char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	int rc;

	for (unsigned long number = 1; (n = getline(&line, &cap, file)) >= 0; number++) {
		if (!n || line[n - 1] != '\n')
			break;
		rc = (size_t)n > LINE_BYTES_MAX ? -EBADMSG : read_line(line, (size_t)n, fn, ctx);
		if (rc == -EBADMSG)
			return bad_line(path, number, why);
		if (rc)
			return rc;
	}
	if (!ferror(file))
		return 0;
	rc = errno ? -errno : -EIO;
	return buf_printf(why, "%s: %s", path, strerror(-rc)) ? -ENOMEM : rc;
}

int execs_read(const char *path, execs_fn *fn, void *ctx, struct buf *why)
{
	cleanup_fd int fd = member_open(path, why);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	int rc;

	if (!file)
		return fd < 0 ? fd : -ENOMEM;
	fd = -1; /* the file's */
	rc = read_lines(file, path, fn, ctx, why);
	fclose(file);
	return rc;
}
