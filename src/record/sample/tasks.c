/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/grow.h>
#include <exectrace/record/common/processes.h>
#include <exectrace/target/process/procfs.h>
#include <stdlib.h>
#include <string.h>

#define STATUS_UNKNOWN (-1) /* the kernel tells an end, not how it came */

static struct sampled_process **link_of(struct sampler *s, pid_t pid)
{
	struct sampled_process **at = &s->processes[(unsigned)pid % BUCKETS];

	while (*at && (*at)->pid != pid)
		at = &(*at)->next;
	return at;
}

static void free_process(struct sampler *s, struct sampled_process *p)
{
	image_leave(p->image, &s->images);
	free(p->tids);
	free(p);
}

/* --- Threads of a process ----------------------------------------------------------------------------------------- */

static bool has_thread(const struct sampled_process *p, pid_t tid)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->tids[i] == tid)
			return true;
	return false;
}

static int add_thread(struct sampled_process *p, pid_t tid)
{
	if (grow_array((void **)&p->tids, p->n, &p->cap, sizeof(*p->tids)))
		return -ENOMEM;
	p->tids[p->n++] = tid;
	return 0;
}

static void remove_thread(struct sampled_process *p, pid_t tid)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->tids[i] == tid)
			p->tids[i--] = p->tids[--p->n];
}

static int put_thread(struct sampler *s, pid_t tid, pid_t pid, pid_t parent)
{
	struct data_event out = {.type = DATA_THREAD, .thread = {(uint32_t)tid, (uint32_t)pid, (uint32_t)parent, 0}};

	return sampler_put(s, &out);
}

static int put_comm(struct sampler *s, pid_t tid, const char *name)
{
	struct data_event out = {.type = DATA_COMM, .comm = {(uint32_t)tid, {name, strlen(name)}}};

	return sampler_put(s, &out);
}

/* The name that a thread has at the moment; none when it is gone. 0 or -errno. */
static int put_present_comm(struct sampler *s, pid_t tid)
{
	cleanup_buf struct buf comm = BUF_INIT;

	return process_comm(tid, &comm) ? 0 : put_comm(s, tid, comm.data ? comm.data : "");
}

static int put_exit(struct sampler *s, pid_t tid, pid_t pid)
{
	struct data_event out = {.type = DATA_EXIT, .exit = {(uint32_t)tid, (uint32_t)pid, STATUS_UNKNOWN}};

	return sampler_put(s, &out);
}

/* A new process with one thread; the image becomes its own. NULL without memory. */
static struct sampled_process *new_process(struct sampler *s, pid_t pid, struct image *image)
{
	struct sampled_process *p = image ? calloc(1, sizeof(*p)) : NULL;

	if (!p) {
		image_leave(image, &s->images);
		return NULL;
	}
	p->pid = pid;
	p->image = image;
	p->next = s->processes[(unsigned)pid % BUCKETS];
	s->processes[(unsigned)pid % BUCKETS] = p;
	return add_thread(p, pid) ? NULL : p;
}

/* --- Programs ----------------------------------------------------------------------------------------------------- */

/* Records what a process executes. path: its file; NULL: that which it has at the moment. 0 or -errno. */
static int put_exec(struct sampler *s, pid_t pid, const char *path)
{
	cleanup_buf struct buf exe = BUF_INIT;
	cleanup_buf struct buf words = BUF_INIT;
	struct data_event out = {.type = DATA_EXEC, .exec = {.pid = (uint32_t)pid, .tid = (uint32_t)pid}};
	int err = process_program(pid, &exe, &words, &out.exec.argc);

	if (err == -ENOMEM)
		return err;
	/* It may be gone, or execute something else by now. */
	if (err || (path && strcmp(path, exe.data) != 0)) {
		buf_reset(&words, SIZE_MAX);
		out.exec.argc = 0;
	}
	if (!path && err)
		return 0;
	if (!path)
		path = exe.data;
	out.exec.path = (struct data_text){path, strlen(path)};
	out.exec.argv = (struct data_text){words.data, words.len};
	return sampler_put(s, &out);
}

/* A thread that the kernel did not announce: it was there before, or its record was lost. 0 or -errno. */
static int meet(struct sampler *s, struct sampled_process *p, pid_t tid)
{
	int err = add_thread(p, tid);

	if (!err)
		err = put_thread(s, tid, p->pid, 0);
	return err ? err : put_present_comm(s, tid);
}

struct meeting {
	struct sampler *s;
	struct sampled_process *p;
};

/* As for proc_threads. */
static int meet_new(void *user, pid_t tid)
{
	struct meeting *m = user;

	return has_thread(m->p, tid) ? 0 : meet(m->s, m->p, tid);
}

int tasks_introduce(struct sampler *s, pid_t pid)
{
	struct proc_status status = {0};
	struct sampled_process *p = new_process(s, pid, image_new());
	int err = p ? 0 : -ENOMEM;

	if (err)
		return err;
	(void)proc_status(pid, &status);
	err = put_thread(s, pid, pid, status.ppid);
	if (!err)
		err = put_exec(s, pid, NULL);
	if (!err)
		err = put_present_comm(s, pid);
	/* Now: one that is seen first in a sample of its last moment has no name any more when that is read. */
	if (!err)
		err = proc_threads(pid, meet_new, &(struct meeting){s, p});
	if (err == -ESRCH)
		err = 0;
	if (!err && image_read(p->image, pid) == -ENOMEM)
		err = -ENOMEM;
	return err;
}

struct sampled_process *tasks_of(struct sampler *s, pid_t pid, pid_t tid)
{
	struct sampled_process *p = *link_of(s, pid);

	if (!p) {
		s->error = tasks_introduce(s, pid);
		p = s->error ? NULL : *link_of(s, pid);
	}
	if (p && !has_thread(p, tid))
		s->error = meet(s, p, tid);
	return s->error ? NULL : p;
}

/* --- What the kernel tells ---------------------------------------------------------------------------------------- */

int tasks_on_fork(struct sampler *s, const struct ring_record *record)
{
	pid_t pid = (pid_t)record->pid, tid = (pid_t)record->tid;
	struct sampled_process *maker = tasks_of(s, (pid_t)record->task.ppid, (pid_t)record->task.ptid);
	int err = 0;

	if (!maker)
		return s->error;
	if (pid == maker->pid) {
		if (has_thread(maker, tid))
			return 0;
		err = add_thread(maker, tid);
	} else if (!*link_of(s, pid)) {
		maker->image->users++;
		err = new_process(s, pid, maker->image) ? 0 : -ENOMEM;
	} else {
		return 0;
	}
	return err ? err : put_thread(s, tid, pid, (pid_t)record->task.ptid);
}

/* The end of a process is that of its last thread; its first one may end before. */
int tasks_on_exit(struct sampler *s, const struct ring_record *record)
{
	struct sampled_process **link = link_of(s, (pid_t)record->pid), *p = *link;
	pid_t tid = (pid_t)record->tid;
	int err = 0;

	if (!p)
		return 0;
	remove_thread(p, tid);
	if (tid != p->pid)
		err = put_exit(s, tid, p->pid);
	if (p->n)
		return err;
	if (!err)
		err = put_exit(s, p->pid, p->pid);
	*link = p->next;
	free_process(s, p);
	return err;
}

int tasks_on_comm(struct sampler *s, const struct ring_record *record)
{
	struct sampled_process *p = tasks_of(s, (pid_t)record->pid, (pid_t)record->tid);

	if (!p)
		return s->error;
	if (!record->comm.exec)
		return put_comm(s, (pid_t)record->tid, record->comm.name);
	image_leave(p->image, &s->images);
	p->image = image_new();
	if (!p->image)
		return -ENOMEM;
	p->n = 0;
	p->executes = true;
	memset(p->comm, 0, sizeof(p->comm));
	memcpy(p->comm, record->comm.name, strnlen(record->comm.name, sizeof(p->comm) - 1));
	return add_thread(p, p->pid);
}

/* The first file that a new program maps is its own. */
static int handshake_ask(struct sampler *s, struct sampled_process *p, const char *path)
{
	int err = put_exec(s, p->pid, path);

	p->executes = false;
	return err ? err : put_comm(s, p->pid, p->comm);
}

int tasks_on_map(struct sampler *s, const struct ring_record *record)
{
	struct sampled_process *p = tasks_of(s, (pid_t)record->pid, (pid_t)record->tid);
	struct image *own = NULL;
	int err = p ? 0 : s->error;

	if (!err && p->executes && record->map.path[0] == '/' && record->map.path[1] != '/')
		err = handshake_ask(s, p, record->map.path);
	if (err)
		return err;
	if (p->image->users > 1) {
		own = image_copy(p->image, &s->images);
		if (!own)
			return -ENOMEM;
		image_leave(p->image, &s->images);
		p->image = own;
	}
	return image_map(p->image, record);
}

void tasks_release(struct sampler *s)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		while (s->processes[i]) {
			struct sampled_process *next = s->processes[i]->next;

			free_process(s, s->processes[i]);
			s->processes[i] = next;
		}
	}
}
