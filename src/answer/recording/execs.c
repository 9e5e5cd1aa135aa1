/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/recording/execs.h>

#include "json.h"
#include <errno.h>
#include <exectrace/answer/recording/parts.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <exectrace/target/syscalls/names.h>
#include <limits.h>
#include <string.h>

#define LINE_BYTES_MAX (64u << 20) /* an argv is at most 6 MiB (execve(2)), a byte of it at most 6 of JSON */
#define READ_STEP 65536

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
	if (!rc) {
		rc = json_strings(object, "state", &rec->state);
		rc = rc == -ENOENT ? 0 : rc;
	}
	rec->have |= EXEC_TARGET | EXEC_CWD | EXEC_STATE;
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

static bool size_of(struct json_object *object, const char *name, uint64_t *bytes)
{
	int64_t value;

	if (!json_number(object, name, &value) || value < 0)
		return false;
	*bytes = (uint64_t)value;
	return true;
}

/* Of two that belong together one alone says nothing. */
static void fill_usage(struct exec_usage *usage, struct json_object *object)
{
	uint64_t a, b;

	if (json_seconds(object, "cpu_user", &a) && json_seconds(object, "cpu_system", &b)) {
		usage->cpu = true;
		usage->user = a;
		usage->system = b;
	}
	if (size_of(object, "read", &a) && size_of(object, "written", &b)) {
		usage->io = true;
		usage->read = a;
		usage->written = b;
	}
	(void)size_of(object, "peak", &usage->peak);
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
		fill_usage(&end.usage, object);
		rc = fn(ctx, &rec, &end);
	}
	exec_record_release(&rec);
	json_object_put(object);
	return rc;
}

/* The part of a file that is looked at: as much as one line needs. */
struct execs_lines {
	int fd;
	struct buf bytes;
	size_t at; /* where the next line begins */
};

/* Adds bytes of the file behind those that are there. How many, 0 at the end, or -errno. */
static long read_more(struct execs_lines *l)
{
	struct buf *b = &l->bytes;
	long got;

	b->len -= l->at;
	if (l->at)
		memmove(b->data, b->data + l->at, b->len);
	l->at = 0;
	got = buf_reserve(b, READ_STEP);
	if (!got)
		got = fd_read_all(l->fd, b->data + b->len, READ_STEP);
	if (got > 0)
		b->len += (size_t)got;
	return got;
}

/* The next line that has an end. 1, 0 when there is none, -EFBIG when it is longer than any of ours, or -errno. */
static int next_line(struct execs_lines *l, const char **line, size_t *n)
{
	const char *end;
	size_t seen = 0;
	long got;

	for (;;) {
		size_t left = l->bytes.len - l->at;

		end = left > seen ? memchr(l->bytes.data + l->at + seen, '\n', left - seen) : NULL;
		if (end)
			break;
		if (left > LINE_BYTES_MAX)
			return -EFBIG;
		seen = left;
		got = read_more(l);
		if (got <= 0)
			return (int)got;
	}
	*line = l->bytes.data + l->at;
	*n = (size_t)(end - *line);
	l->at += *n + 1;
	return 1;
}

/* A line that is too long may never end, so nobody looks for what is behind it. */
static int tell(const char *path, unsigned long first, unsigned long bad, unsigned long endless, struct buf *why)
{
	int rc = 0;

	if (bad)
		rc = buf_printf(why, "%s: line %lu: not as exectrace writes it", path, first);
	if (!rc && bad > 1)
		rc = buf_printf(why, ", nor %lu more", bad - 1);
	if (!rc && endless)
		rc = buf_printf(why, "%s%sline %lu: longer than %u MiB, the rest is not read", bad ? "; " : path,
		                bad ? "" : ": ", endless, LINE_BYTES_MAX >> 20);
	return rc ? rc : bad || endless ? -EBADMSG : 0;
}

static int read_lines(struct execs_lines *l, const char *path, execs_fn *fn, void *ctx, struct buf *why)
{
	unsigned long number = 0, first = 0, bad = 0;
	const char *line = NULL;
	size_t n = 0;
	int rc;

	while ((rc = next_line(l, &line, &n)) == 1) {
		number++;
		rc = read_line(line, n, fn, ctx);
		if (rc == -EBADMSG && !bad++)
			first = number;
		if (rc && rc != -EBADMSG)
			return rc;
	}
	if (!rc || rc == -EFBIG)
		return tell(path, first, bad, rc ? number + 1 : 0, why);
	return rc == -ENOMEM || buf_printf(why, "%s: %s", path, strerror(-rc)) ? -ENOMEM : rc;
}

int execs_read(const char *path, execs_fn *fn, void *ctx, struct buf *why)
{
	cleanup_fd int fd = member_open(path, why);
	struct execs_lines lines = {.fd = fd};
	int rc = fd < 0 ? fd : read_lines(&lines, path, fn, ctx, why);

	buf_release(&lines.bytes);
	return rc;
}
