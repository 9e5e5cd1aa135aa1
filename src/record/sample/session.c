/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session.h"

#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/grow.h>
#include <exectrace/record/sample/sample.h>
#include <exectrace/target/arch/arch.h>
#include <exectrace/target/process/procfs.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* --- Events ------------------------------------------------------------------------------------------------------- */

static int open_event(const struct perf_event_attr *attr, pid_t tid, int cpu)
{
	long fd = syscall(SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static struct perf_event_attr attr_of(const struct session *s, const struct sample_options *options)
{
	const struct arch *arch = arch_native();

	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = NS_PER_S / options->frequency,
		.sample_type = ring_sample_type(&s->format),
		.read_format = PERF_FORMAT_LOST,
		.disabled = 1,
		.inherit = 1,
		.inherit_thread = !options->follow,
		.exclude_kernel = options->user,
		.exclude_hv = 1,
		/* With a copy of the stack the kernel need not look for the program's callers. */
		.exclude_callchain_user = options->graph == SAMPLE_DWARF,
		.exclude_callchain_kernel = options->user,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)ring_size(sysconf(_SC_NPROCESSORS_CONF)) / 4,
		.sample_regs_user = s->format.stack ? arch_perf_mask(arch) : 0,
		.sample_stack_user = s->format.stack ? options->stack_bytes : 0,
		.sample_max_stack = options->graph == SAMPLE_NONE ? 1 : 0,
	};
}

/* Tries what older kernels and a lack of permission leave. A descriptor with *attr as it succeeded, or -errno. */
static int open_first(struct session *s, struct perf_event_attr *attr, pid_t tid, int cpu)
{
	int fd = open_event(attr, tid, cpu);

	if (fd == -EINVAL && attr->read_format) {
		attr->read_format = 0;
		fd = open_event(attr, tid, cpu);
	}
	if ((fd == -EACCES || fd == -EPERM) && !attr->exclude_kernel) {
		attr->exclude_kernel = attr->exclude_callchain_kernel = 1;
		fd = open_event(attr, tid, cpu);
		s->without_kernel = fd >= 0;
	}
	s->counts_lost = attr->read_format & PERF_FORMAT_LOST;
	return fd;
}

static int add_event(struct session *s, int fd)
{
	if (grow_array((void **)&s->events, s->n_events, &s->cap_events, sizeof(*s->events))) {
		close(fd);
		return -ENOMEM;
	}
	s->events[s->n_events++] = (struct pollfd){.fd = fd, .events = POLLIN};
	s->alive++;
	return 0;
}

/* --- Rings -------------------------------------------------------------------------------------------------------- */

static int add_ring(struct session *s, int fd, int cpu, long cpus)
{
	struct perf_ring *ring = &s->rings[s->n_rings];
	int err = ring_open(ring, fd, ring_size(cpus));

	ring->cpu = (uint32_t)cpu;
	s->n_rings += !err;
	return err;
}

/* The ring of a processor; NULL when there is none yet. */
static struct perf_ring *ring_of(struct session *s, int cpu)
{
	for (size_t i = 0; i < s->n_rings; i++)
		if (s->rings[i].cpu == (uint32_t)cpu)
			return &s->rings[i];
	return NULL;
}

/* Adds the events of one thread: one a processor, as the kernel wants it of events that threads and children inherit.
 */
static int add_thread(struct session *s, struct perf_event_attr *attr, pid_t tid, long cpus)
{
	for (int cpu = 0; cpu < cpus; cpu++) {
		const struct perf_ring *ring = ring_of(s, cpu);
		int fd = s->n_events ? open_event(attr, tid, cpu) : open_first(s, attr, tid, cpu);
		int err = fd < 0 ? fd : add_event(s, fd);

		if (err == -ENODEV) /* a processor that is off */
			continue;
		if (err)
			return err;
		if (!ring)
			err = add_ring(s, fd, cpu, cpus);
		else if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, s->events[ring - s->rings].fd))
			err = -errno;
		if (err)
			return err;
	}
	return 0;
}

/* --- Threads ------------------------------------------------------------------------------------------------------ */

struct tids {
	pid_t *items;
	size_t n, cap;
};

static bool has_tid(const struct tids *tids, pid_t tid)
{
	for (size_t i = 0; i < tids->n; i++)
		if (tids->items[i] == tid)
			return true;
	return false;
}

static int add_tid(struct tids *tids, pid_t tid)
{
	if (grow_array((void **)&tids->items, tids->n, &tids->cap, sizeof(*tids->items)))
		return -ENOMEM;
	tids->items[tids->n++] = tid;
	return 0;
}

/* The threads of a process, while they are being attached to. */
struct attaching {
	struct session *s;
	struct perf_event_attr *attr;
	long cpus;
	struct tids known;
};

/* As for proc_threads: attaches to a thread, unless that is done already. */
static int add_new_thread(void *user, pid_t tid)
{
	struct attaching *a = user;
	int err = 0;

	if (has_tid(&a->known, tid))
		return 0;
	err = add_thread(a->s, a->attr, tid, a->cpus);
	if (err == -ESRCH && a->known.n) /* it has just ended */
		err = 0;
	return err ? err : add_tid(&a->known, tid);
}

/* Threads that begin meanwhile may have been made by one that was not attached to yet: so until none is new. */
static int add_threads(struct session *s, struct perf_event_attr *attr, pid_t pid)
{
	struct attaching a = {.s = s, .attr = attr, .cpus = sysconf(_SC_NPROCESSORS_CONF)};
	size_t before;
	int err;

	do {
		before = a.known.n;
		err = proc_threads(pid, add_new_thread, &a);
	} while (!err && a.known.n > before);
	free(a.known.items);
	return err;
}

/* --- Errors ------------------------------------------------------------------------------------------------------- */

static long sysctl_number(const char *name, long otherwise)
{
	char path[64];
	FILE *file;
	long value;

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	file = fopen(path, "re");
	if (!file)
		return otherwise;
	if (fscanf(file, "%ld", &value) != 1)
		value = otherwise;
	fclose(file);
	return value;
}

int sample_paranoid(void)
{
	return (int)sysctl_number("perf_event_paranoid", 2);
}

static int explain(struct buf *err, int rc, pid_t pid)
{
	int paranoid = sample_paranoid();
	int r;

	if (rc == -ENOMEM)
		return rc;
	if ((rc == -EACCES || rc == -EPERM) && paranoid > 2)
		r = buf_printf(
			err,
			"not permitted to sample process %d: kernel.perf_event_paranoid is %d; 2 would do, and 1 for "
			"functions of the kernel too (sysctl kernel.perf_event_paranoid=1), or CAP_PERFMON",
			(int)pid, paranoid);
	else if (rc == -EACCES || rc == -EPERM)
		r = buf_printf(
			err,
			"not permitted to sample process %d (%s; kernel.perf_event_paranoid is %d, which allows it "
			"for processes of one's own)",
			(int)pid, strerror(-rc), paranoid);
	else
		r = buf_printf(err, "cannot sample process %d: %s", (int)pid, strerror(-rc));
	return r ? r : rc;
}

/* More samples than the kernel takes would be dropped by it. */
static int check_frequency(const struct sample_options *options, struct buf *err)
{
	long most = sysctl_number("perf_event_max_sample_rate", options->frequency);
	int r;

	if (options->frequency <= (unsigned long)most)
		return 0;
	r = buf_printf(err, "--frequency: %u is more than kernel.perf_event_max_sample_rate allows, which is %ld",
	               (unsigned)options->frequency, most);
	return r ? r : -EINVAL;
}

/* Each thread takes a descriptor for each processor. */
static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* --- The whole ---------------------------------------------------------------------------------------------------- */

int session_open(struct session *s, const struct sample_options *options, struct buf *err)
{
	struct perf_event_attr attr;
	int rc = check_frequency(options, err);

	*s = (struct session){
		.format = {.chain = !options->user || options->graph != SAMPLE_DWARF,
	                   .stack = options->graph == SAMPLE_DWARF,
	                   .registers = arch_native() ? arch_perf_mask(arch_native()) : 0},
	};
	if (rc)
		return rc;
	if (!arch_native())
		return explain(err, -ENOTSUP, options->pid);
	s->rings = calloc((size_t)sysconf(_SC_NPROCESSORS_CONF), sizeof(*s->rings));
	if (!s->rings)
		return -ENOMEM;
	attr = attr_of(s, options);
	raise_limit();
	rc = add_threads(s, &attr, options->pid);
	return rc ? explain(err, rc, options->pid) : 0;
}

int session_start(struct session *s)
{
	for (size_t i = 0; i < s->n_events; i++)
		if (ioctl(s->events[i].fd, PERF_EVENT_IOC_ENABLE, 0))
			return -errno;
	return 0;
}

int session_wait(struct session *s, int timeout)
{
	int n = poll(s->events, s->n_events, timeout);

	if (n < 0)
		return -errno;
	for (size_t i = 0; i < s->n_events && n; i++) {
		struct pollfd *event = &s->events[i];

		if (!(event->revents & (POLLHUP | POLLERR | POLLNVAL)))
			continue;
		/* It stays open: its ring may be that of others. */
		event->fd = ~event->fd;
		s->alive--;
	}
	return 0;
}

/* --- Reading ------------------------------------------------------------------------------------------------------ */

int session_drain(struct session *s, ring_record_fn *take, void *user)
{
	int rc = 0;

	for (size_t i = 0; i < s->n_rings && !rc; i++)
		rc = ring_drain(&s->rings[i], take, user);
	return rc;
}

uint64_t session_lost(const struct session *s)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < s->n_events && s->counts_lost; i++) {
		int fd = s->events[i].fd < 0 ? ~s->events[i].fd : s->events[i].fd;
		uint64_t values[2]; /* PERF_FORMAT_LOST: the count, and what was lost */

		if (read(fd, values, sizeof(values)) == (ssize_t)sizeof(values))
			lost += values[1];
	}
	return lost;
}

void session_close(struct session *s)
{
	for (size_t i = 0; i < s->n_rings; i++)
		ring_close(&s->rings[i]);
	for (size_t i = 0; i < s->n_events; i++)
		close(s->events[i].fd < 0 ? ~s->events[i].fd : s->events[i].fd);
	free(s->rings);
	free(s->events);
	*s = (struct session){0};
}
