/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes and threads: what the records say of them. */
#include <exectrace/answer/recording/parts.h>

#include <errno.h>
#include <exectrace/base/grow.h>
#include <string.h>

#define COMM_MAX 15 /* bytes of a thread's name, as the kernel has it (prctl(2), PR_SET_NAME) */

static struct known_thread *find(const struct source *s, uint32_t tid)
{
	return idmap_get(&s->threads, tid, 0);
}

static size_t text_len(struct data_text text)
{
	return text.n ? strnlen(text.bytes, text.n) : 0;
}

static struct process *new_process(struct recording *r, struct source *s, uint32_t pid, uint64_t time)
{
	struct process *p;

	if (r->n_processes == UINT32_MAX ||
	    grow_array((void **)&r->processes, r->n_processes, &r->cap_processes, sizeof(struct process *)))
		return NULL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->public.number = (uint32_t)r->n_processes;
	p->public.pid = pid;
	p->public.file = (unsigned)(s - r->sources);
	/* The first one that a file speaks of is the one that was picked; of a guest that is QEMU. */
	p->public.picked = !s->threads.n && s->public.guest_clock == DATA_CLOCK_NONE;
	p->public.start = time;
	p->public.path = p->public.comm = "";
	r->processes[r->n_processes++] = p;
	return p;
}

static struct known_thread *new_thread(struct recording *r, struct source *s, uint32_t tid, struct process *p)
{
	struct known_thread *t;

	if (r->n_threads == UINT32_MAX ||
	    grow_array((void **)&r->threads, r->n_threads, &r->cap_threads, sizeof(struct known_thread *)))
		return NULL;
	t = calloc(1, sizeof(*t));
	if (!t || idmap_put(&s->threads, tid, 0, t)) {
		free(t);
		return NULL;
	}
	t->public.number = (uint32_t)r->n_threads;
	t->public.tid = tid;
	t->public.process = &p->public;
	t->public.comm = "";
	t->public.start = s->time;
	r->threads[r->n_threads++] = t;
	s->about[tid % RECENT_THREADS] = NULL;
	return t;
}

/* The thread of a record; one that was never announced is taken for a process. NULL: no memory. */
static struct known_thread *known_thread(struct recording *r, struct source *s, uint32_t tid)
{
	struct known_thread *t = find(s, tid);
	struct process *p;

	if (t)
		return t;
	p = new_process(r, s, tid, s->time);
	t = p ? new_thread(r, s, tid, p) : NULL;
	if (t)
		p->guessed = t->guessed = true;
	return t;
}

/*
 * Only from an older one: whatever a file says, there are no circles. The words are shared: a parent has one long list
 * of them and a child takes a few bytes of a file, so copies could be thousands of times larger than it.
 */
static void inherit(struct process *p, struct process *parent)
{
	p->public.parent_pid = parent->public.pid;
	if (parent->public.number >= p->public.number)
		return;
	p->public.parent = &parent->public;
	p->public.path = parent->public.path;
	p->public.argv = parent->public.argv;
	p->inherited = true;
	parent->lent = true;
}

/* Before a process gets other words. 0 or -ENOMEM. */
static int leave_argv(struct recording *r, struct process *p)
{
	if (p->lent && !p->inherited) {
		if (grow_array((void **)&r->old_argvs, r->n_old_argvs, &r->cap_old_argvs, sizeof(struct strv)))
			return -ENOMEM;
		r->old_argvs[r->n_old_argvs++] = p->public.argv;
	} else if (!p->inherited) {
		strv_release(&p->public.argv);
	}
	p->public.argv = STRV_INIT;
	p->inherited = p->lent = false;
	return 0;
}

static int on_thread(struct recording *r, struct source *s, struct known_thread **ret)
{
	const struct data_thread *record = &s->event.thread;
	struct known_thread *maker = record->parent ? find(s, record->parent) : NULL;
	struct known_thread *t = find(s, record->tid);
	struct process *p = NULL;
	bool is_process = record->tid == record->pid;

	if (t && !t->guessed)
		t = NULL; /* the number is used again */
	if (t)
		p = (struct process *)t->public.process;
	else if (is_process)
		p = new_process(r, s, record->pid, s->time);
	else if (known_thread(r, s, record->pid))
		p = (struct process *)find(s, record->pid)->public.process;
	if (p && !t)
		t = new_thread(r, s, record->tid, p);
	if (!t)
		return -ENOMEM;
	t->guessed = false;
	*ret = t;
	if (maker)
		t->public.comm = maker->public.comm;
	if (!is_process)
		return 0;
	p->guessed = false;
	p->public.parent_pid = record->parent;
	if (maker && maker != t && !p->public.execs && !p->public.argv.n)
		inherit(p, (struct process *)maker->public.process);
	return 0;
}

static int set_comm(struct recording *r, struct known_thread *t, const char *name, size_t n)
{
	int rc = pool_text(&r->texts, name, n, &t->public.comm, NULL);

	if (!rc && t->public.tid == t->public.process->pid)
		t->public.process->comm = t->public.comm;
	return rc;
}

static int set_argv(struct strv *argv, const struct data_exec *record)
{
	size_t at = 0;

	for (uint32_t i = 0; i < record->argc && at < record->argv.n; i++) {
		const char *word = record->argv.bytes + at;
		size_t n = strnlen(word, record->argv.n - at);

		if (strv_pushn(argv, word, n))
			return -ENOMEM;
		at += n + 1;
	}
	return 0;
}

static int on_exec(struct recording *r, struct source *s, struct known_thread **ret)
{
	const struct data_exec *record = &s->event.exec;
	struct known_thread *t = known_thread(r, s, record->pid), *caller = find(s, record->tid);
	size_t n = text_len(record->path);
	const char *slash = n ? memrchr(record->path.bytes, '/', n) : NULL;
	struct recorded_process *p;
	size_t name;

	if (!t)
		return -ENOMEM;
	*ret = t;
	p = t->public.process;
	if (caller && caller != t && caller->public.process == p) {
		caller->public.ended = true;
		caller->public.end = s->time;
	}
	p->execs++;
	name = slash ? n - (size_t)(slash + 1 - record->path.bytes) : n;
	if (pool_text(&r->texts, n ? record->path.bytes : "", n, &p->path, NULL))
		return -ENOMEM;
	if (name && set_comm(r, t, record->path.bytes + n - name, name < COMM_MAX ? name : COMM_MAX))
		return -ENOMEM;
	return leave_argv(r, (struct process *)p) ? -ENOMEM : set_argv(&p->argv, record);
}

static int on_exit_of(struct recording *r, struct source *s, struct known_thread **ret)
{
	const struct data_exit *record = &s->event.exit;
	struct known_thread *t = known_thread(r, s, record->tid);

	if (!t)
		return -ENOMEM;
	*ret = t;
	t->public.ended = true;
	t->public.status = record->status;
	t->public.end = s->time;
	if (record->tid == record->pid) {
		t->public.process->ended = true;
		t->public.process->status = record->status;
		t->public.process->end = s->time;
	}
	return 0;
}

static int on_usage(struct recording *r, struct source *s, struct known_thread **ret)
{
	const struct data_usage *record = &s->event.usage;
	struct known_thread *t = known_thread(r, s, record->pid);
	bool cpu = record->flags & DATA_USAGE_CPU, io = record->flags & DATA_USAGE_IO;

	if (!t)
		return -ENOMEM;
	*ret = t;
	t->public.process->usage = (struct exec_usage){
		.cpu = cpu,
		.user = cpu ? record->user : 0,
		.system = cpu ? record->system : 0,
		.peak = record->peak,
		.io = io,
		.read = io ? record->read : 0,
		.written = io ? record->written : 0,
	};
	return 0;
}

static int on_comm(struct recording *r, struct source *s, struct known_thread **ret)
{
	const struct data_comm *record = &s->event.comm;

	*ret = known_thread(r, s, record->tid);
	return *ret ? set_comm(r, *ret, record->name.n ? record->name.bytes : "", text_len(record->name)) : -ENOMEM;
}

/* Of the records that are many. */
static uint32_t tid_of(const struct data_event *event)
{
	if (event->type == DATA_SAMPLE)
		return event->sample.tid;
	if (event->type == DATA_STOP)
		return event->stop.tid;
	return event->type == DATA_SIGNAL ? event->signal.tid : event->syscall.tid;
}

int process_table_event(struct recording *r, struct source *s, const struct recorded_thread **thread)
{
	struct known_thread *t = NULL;
	uint32_t tid;
	int rc = 0;

	switch (s->event.type) {
	case DATA_SYSCALL:
	case DATA_UNFINISHED:
	case DATA_SIGNAL:
	case DATA_STOP:
	case DATA_SAMPLE:
		tid = tid_of(&s->event);
		t = s->about[tid % RECENT_THREADS];
		if (!t || t->public.tid != tid)
			t = s->about[tid % RECENT_THREADS] = known_thread(r, s, tid);
		rc = t ? 0 : -ENOMEM;
		break;
	case DATA_THREAD:
		rc = on_thread(r, s, &t);
		break;
	case DATA_EXEC:
		rc = on_exec(r, s, &t);
		break;
	case DATA_EXIT:
		rc = on_exit_of(r, s, &t);
		break;
	case DATA_USAGE:
		rc = on_usage(r, s, &t);
		break;
	case DATA_COMM:
		rc = on_comm(r, s, &t);
		break;
	default:
		break;
	}
	*thread = t ? &t->public : NULL;
	return rc;
}

void process_table_release(struct recording *r)
{
	for (size_t i = 0; i < r->n_processes; i++) {
		if (!r->processes[i]->inherited)
			strv_release(&r->processes[i]->public.argv);
		free(r->processes[i]);
	}
	for (size_t i = 0; i < r->n_threads; i++)
		free(r->threads[i]);
	for (size_t i = 0; i < r->n_old_argvs; i++)
		strv_release(&r->old_argvs[i]);
	free(r->old_argvs);
	free(r->processes);
	free(r->threads);
}
