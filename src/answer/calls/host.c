/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/calls/host.h>

#include <errno.h>
#include <exectrace/answer/calls/call.h>
#include <exectrace/answer/recording/idmap.h>
#include <exectrace/answer/recording/pool.h>
#include <exectrace/base/grow.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/* A thread with its calls; the same one of several files is one. */
struct recording_host_thread {
	struct host_thread public; /* first */
	uint64_t named;            /* when its name was seen last */
	bool runs_guest;           /* it made the call that does */
	enum host_role by_stack;
};

/* A call as made by one thread. */
struct made {
	const char *name;
	struct recording_host_thread *thread;
	uint64_t count, errors, total, max;
};

struct host {
	struct recording *recording;
	struct pool texts;
	struct idmap threads_by_id; /* by tid and pid: struct recording_host_thread */
	struct recording_host_thread **threads;
	size_t n_threads, cap_threads;
	struct idmap names;        /* by call and request: the name */
	struct idmap made_by_name; /* by name and thread: struct made */
	struct made **made;
	size_t n_made, cap_made;
	struct host_call *calls; /* what host_calls gave */
	struct host_thread total;
};

/* --- Roles -------------------------------------------------------------------------------------------------------- */

const char *host_role_name(enum host_role role)
{
	static const char *const names[] = {
		[HOST_OTHER] = "",        [HOST_MAIN] = "main loop", [HOST_VCPU] = "vCPU", [HOST_IOTHREAD] = "iothread",
		[HOST_WORKER] = "worker", [HOST_RCU] = "RCU",
	};

	return names[role];
}

/* Names that QEMU gives its threads with -name debug-threads=on. */
static enum host_role role_of_comm(const char *comm)
{
	static const struct {
		const char *pattern;
		enum host_role role;
	} known[] = {{"CPU */KVM", HOST_VCPU}, {"CPU */TCG", HOST_VCPU}, {"*CPUs/TCG", HOST_VCPU},
	             {"IO *", HOST_IOTHREAD},  {"worker", HOST_WORKER},  {"call_rcu", HOST_RCU}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (fnmatch(known[i].pattern, comm, 0) == 0)
			return known[i].role;
	return HOST_OTHER;
}

/* Functions of QEMU below which a thread of a role does all that it does. */
static enum host_role role_of_function(const char *name)
{
	static const struct {
		const char *name;
		enum host_role role;
	} known[] = {{"cpu_exec", HOST_VCPU},           {"kvm_cpu_exec", HOST_VCPU},
	             {"kvm_vcpu_thread_fn", HOST_VCPU}, {"mttcg_cpu_thread_fn", HOST_VCPU},
	             {"rr_cpu_thread_fn", HOST_VCPU},   {"iothread_run", HOST_IOTHREAD},
	             {"worker_thread", HOST_WORKER},    {"call_rcu_thread", HOST_RCU}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].name, name) == 0)
			return known[i].role;
	return HOST_OTHER;
}

static void settle_role(struct recording_host_thread *t)
{
	enum host_role role = role_of_comm(t->public.comm);

	if (t->runs_guest)
		role = HOST_VCPU;
	if (role == HOST_OTHER && t->public.tid == t->public.pid)
		role = HOST_MAIN;
	t->public.role = role == HOST_OTHER ? t->by_stack : role;
}

static int look_at_stack(struct host *h, struct recording_host_thread *t, const struct recorded_event *event)
{
	const struct recorded_frame *frames;
	size_t n;
	int rc = t->by_stack == HOST_OTHER ? recording_stack(h->recording, event, &frames, &n) : 0;

	if (rc || t->by_stack != HOST_OTHER)
		return rc;
	while (n-- > 0 && t->by_stack == HOST_OTHER)
		t->by_stack = role_of_function(frames[n].function->name);
	return 0;
}

/* --- Adding ------------------------------------------------------------------------------------------------------- */

static struct recording_host_thread *thread_of(struct host *h, const struct recorded_thread *thread)
{
	struct recording_host_thread *t = idmap_get(&h->threads_by_id, thread->tid, thread->process->pid);

	if (!t) {
		if (grow_array((void **)&h->threads, h->n_threads, &h->cap_threads, sizeof(t)))
			return NULL;
		t = calloc(1, sizeof(*t));
		if (!t || idmap_put(&h->threads_by_id, thread->tid, thread->process->pid, t)) {
			free(t);
			return NULL;
		}
		t->public.pid = thread->process->pid;
		t->public.tid = thread->tid;
		h->threads[h->n_threads++] = t;
	}
	return t;
}

/* Its last name counts. The files may come one after the other, and of several one may have met it too late for its
 * name. */
static void name_thread(struct recording_host_thread *t, const struct recorded_event *event)
{
	if (t->public.comm && (!*event->thread->comm || event->time < t->named))
		return;
	t->public.comm = event->thread->comm;
	t->named = event->time;
}

/* "ioctl" and what it asks for, as far as that has a name. */
static int new_name(struct host *h, const struct data_syscall *call, const char *plain, const char **name)
{
	struct call_parts parts = {0};
	char text[128];
	int n = snprintf(text, sizeof(text), "%s", plain), rc = 0;

	if (strcmp(plain, "ioctl") == 0 && call->nargs > 1) {
		rc = call_take_apart(&parts, call, false);
		if (!rc && parts.nargs > 1)
			n = snprintf(text, sizeof(text), "ioctl %.*s", (int)parts.args[1].text.n,
			             parts.args[1].text.bytes);
		call_parts_release(&parts);
	}
	if ((size_t)n >= sizeof(text))
		n = sizeof(text) - 1;
	return rc ? rc : pool_text(&h->texts, text, (size_t)n, name, NULL);
}

static int name_of(struct host *h, const struct data_syscall *call, const char **name)
{
	char plain[CALL_NAME_MAX];
	const char *text = call_name(call, plain);
	uint64_t request = strcmp(text, "ioctl") == 0 ? (uint32_t)call->args[1] + 1 : 0;
	int rc;

	*name = idmap_get(&h->names, (uint64_t)call->arch << 32 | call->nr, request);
	if (*name)
		return 0;
	rc = new_name(h, call, text, name);
	return rc ? rc : idmap_put(&h->names, (uint64_t)call->arch << 32 | call->nr, request, (void *)(uintptr_t)*name);
}

static struct made *made_of(struct host *h, const char *name, struct recording_host_thread *t)
{
	struct made *m = idmap_get(&h->made_by_name, (uintptr_t)name, (uintptr_t)t);

	if (m)
		return m;
	if (grow_array((void **)&h->made, h->n_made, &h->cap_made, sizeof(m)))
		return NULL;
	m = calloc(1, sizeof(*m));
	if (!m || idmap_put(&h->made_by_name, (uintptr_t)name, (uintptr_t)t, m)) {
		free(m);
		return NULL;
	}
	m->name = name;
	m->thread = t;
	return h->made[h->n_made++] = m;
}

static int add_call(struct host *h, struct recording_host_thread *t, const struct data_syscall *call)
{
	const char *name;
	struct made *m;
	int rc = name_of(h, call, &name);

	if (rc)
		return rc;
	m = made_of(h, name, t);
	if (!m)
		return -ENOMEM;
	m->count++;
	m->errors += call_failed(call);
	m->total += call->duration;
	m->max = call->duration > m->max ? call->duration : m->max;
	t->runs_guest |= strcmp(name, "ioctl KVM_RUN") == 0;
	t->public.calls++;
	t->public.errors += call_failed(call);
	t->public.in_calls += call->duration;
	h->total.calls++;
	h->total.in_calls += call->duration;
	return 0;
}

/* A thread may get its name after the last that is known of it. */
static void rename_thread(struct host *h, const struct recorded_event *event)
{
	const struct recorded_thread *to = event->thread;
	struct recording_host_thread *t = to ? idmap_get(&h->threads_by_id, to->tid, to->process->pid) : NULL;

	if (t)
		name_thread(t, event);
}

int host_add(struct host *h, const struct recorded_event *event)
{
	bool sample = event->record->type == DATA_SAMPLE;
	struct recording_host_thread *t;
	int rc;

	if (event->record->type == DATA_COMM)
		rename_thread(h, event);
	if (!sample && event->record->type != DATA_SYSCALL && event->record->type != DATA_UNFINISHED)
		return 0;
	t = thread_of(h, event->thread);
	if (!t)
		return -ENOMEM;
	name_thread(t, event);
	rc = look_at_stack(h, t, event);
	if (rc || !sample)
		return rc ? rc : add_call(h, t, &event->record->syscall);
	t->public.samples++;
	t->public.sampled += event->record->sample.weight;
	h->total.samples++;
	h->total.sampled += event->record->sample.weight;
	return 0;
}

/* --- Rows --------------------------------------------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
	const struct host_call *one = a, *two = b;

	if (one->total != two->total)
		return one->total > two->total ? -1 : 1;
	if (one->name != two->name)
		return strcmp(one->name, two->name);
	return (int)one->role - (int)two->role;
}

static int by_use(const void *a, const void *b)
{
	const struct host_thread *one = *(struct host_thread *const *)a, *two = *(struct host_thread *const *)b;

	if (one->sampled != two->sampled)
		return one->sampled > two->sampled ? -1 : 1;
	if (one->in_calls != two->in_calls)
		return one->in_calls > two->in_calls ? -1 : 1;
	return one->tid < two->tid ? -1 : one->tid > two->tid;
}

/* The row of a name and a role, behind n others. */
static struct host_call *row_of(struct host *h, struct idmap *rows, const struct made *m, size_t *n)
{
	struct host_call *row = idmap_get(rows, (uintptr_t)m->name, m->thread->public.role);

	if (row)
		return row;
	row = &h->calls[*n];
	if (idmap_put(rows, (uintptr_t)m->name, m->thread->public.role, row))
		return NULL;
	*row = (struct host_call){.name = m->name, .role = m->thread->public.role};
	++*n;
	return row;
}

int host_calls(struct host *h, const struct host_call **calls, size_t *n)
{
	struct idmap rows = IDMAP_INIT;
	int rc = 0;

	*n = 0;
	free(h->calls);
	h->calls = calloc(h->n_made + 1, sizeof(*h->calls));
	if (!h->calls)
		return -ENOMEM;
	for (size_t i = 0; i < h->n_threads; i++)
		settle_role(h->threads[i]);
	for (size_t i = 0; i < h->n_made && !rc; i++) {
		struct host_call *row = row_of(h, &rows, h->made[i], n);

		rc = row ? 0 : -ENOMEM;
		if (!row)
			break;
		row->count += h->made[i]->count;
		row->errors += h->made[i]->errors;
		row->total += h->made[i]->total;
		row->max = h->made[i]->max > row->max ? h->made[i]->max : row->max;
	}
	idmap_release(&rows);
	qsort(h->calls, *n, sizeof(*h->calls), by_time);
	*calls = h->calls;
	return rc;
}

const struct host_thread *const *host_threads(struct host *h, size_t *n)
{
	for (size_t i = 0; i < h->n_threads; i++)
		settle_role(h->threads[i]);
	if (h->n_threads)
		qsort(h->threads, h->n_threads, sizeof(struct recording_host_thread *), by_use);
	*n = h->n_threads;
	return (const struct host_thread *const *)(const void *)h->threads;
}

struct host_thread host_total(const struct host *h)
{
	return h->total;
}

struct host *host_new(struct recording *r)
{
	struct host *h = calloc(1, sizeof(*h));

	if (h)
		h->recording = r;
	return h;
}

void host_free(struct host *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->n_threads; i++)
		free(h->threads[i]);
	for (size_t i = 0; i < h->n_made; i++)
		free(h->made[i]);
	idmap_release(&h->threads_by_id);
	idmap_release(&h->names);
	idmap_release(&h->made_by_name);
	pool_release(&h->texts);
	free(h->threads);
	free(h->made);
	free(h->calls);
	free(h);
}
