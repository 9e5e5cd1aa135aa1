/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.json: the facts of a run. */
#include <exectrace/answer/recording/parts.h>

#include "json.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/syscalls/names.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define FILE_MAX (16u << 20) /* bytes in run.json: a command line and little else */

/* Adds the content of a file to out. 0, -errno, -EFBIG. */
static int read_file(const char *path, struct buf *out, struct buf *why)
{
	cleanup_fd int fd = member_open(path, why);
	int rc = fd < 0 ? fd : 0;

	while (!rc) {
		long got;

		rc = buf_reserve(out, 65536);
		got = rc ? rc : fd_read_all(fd, out->data + out->len, 65536);
		if (got <= 0)
			return (int)got;
		out->len += (size_t)got;
		out->data[out->len] = 0;
		if (out->len > FILE_MAX)
			return -EFBIG;
	}
	return rc;
}

static int text_of(struct json_object *object, const char *name, struct pool *texts, const char **text)
{
	const char *value = json_string(object, name);

	return pool_text(texts, value ? value : "", value ? strlen(value) : 0, text, NULL);
}

static void moment(struct json_object *object, const char *name, uint64_t *time, uint64_t *realtime)
{
	struct json_object *pair;
	int64_t value;

	if (!json_object_object_get_ex(object, name, &pair))
		return;
	if (json_number(pair, "monotonic", &value) && value > 0)
		*time = (uint64_t)value;
	if (json_number(pair, "realtime", &value) && value > 0)
		*realtime = (uint64_t)value;
}

/* "status" is the exit status, or the name of the signal that ended the command. */
static void outcome(struct json_object *object, struct recorded_run *run)
{
	const char *name = json_string(object, "status");
	int64_t value;

	if (!name)
		name = json_string(object, "signal");
	if (json_number(object, "status", &value) && value >= 0 && value <= 255)
		run->status = (int)value << 8;
	else if (name && signal_number(name) > 0)
		run->status = signal_number(name);
	else
		return;
	run->ended = true;
}

static int fill(struct recorded_run *run, struct pool *texts, struct json_object *object)
{
	int64_t cpus = 0;
	int rc = text_of(object, "exectrace", texts, &run->version);

	if (!rc)
		rc = text_of(object, "cwd", texts, &run->cwd);
	if (!rc)
		rc = text_of(object, "host", texts, &run->host);
	if (!rc)
		rc = text_of(object, "system", texts, &run->system);
	if (!rc)
		rc = text_of(object, "engine", texts, &run->engine);
	if (!rc)
		rc = json_strings(object, "command", &run->command);
	if (!rc || rc == -ENOENT)
		rc = json_strings(object, "given", &run->given);
	if (rc == -ENOENT)
		rc = 0;
	if (json_number(object, "cpus", &cpus) && cpus > 0 && cpus <= UINT32_MAX)
		run->cpus = (unsigned)cpus;
	moment(object, "start", &run->start, &run->start_realtime);
	moment(object, "end", &run->end, &run->end_realtime);
	outcome(object, run);
	run->used = json_seconds(object, "cpu_user", &run->cpu_user) &&
	            json_seconds(object, "cpu_system", &run->cpu_system);
	return rc;
}

int run_read(struct recorded_run *run, struct pool *texts, const char *path, struct buf *why)
{
	cleanup_buf struct buf text = BUF_INIT;
	struct json_object *object;
	int rc = read_file(path, &text, why);

	if (rc && why->len)
		return rc;
	if (rc)
		return rc == -ENOMEM || buf_printf(why, "%s: %s", path, strerror(-rc)) ? -ENOMEM : rc;
	rc = json_read(text.data ? text.data : "", text.len, &object);
	if (rc)
		return rc == -ENOMEM || buf_printf(why, "%s: not as exectrace writes it", path) ? -ENOMEM : rc;
	rc = fill(run, texts, object);
	json_object_put(object);
	return rc;
}
