/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/calls/host.h>

#include "tap.h"

#include "sampled.h"

static char dir[] = "/tmp/exectrace-host-XXXXXX";
static const struct recording_options options = {.names = true, .by_files = true};

static struct host *read_host(struct recording *r)
{
	struct host *h = host_new(r);
	struct recorded_event event;

	while (recording_next(r, &event) == 1)
		if (host_add(h, &event))
			CHECK(!"host_add");
	return h;
}

static void calls(const struct host_call *rows, size_t n)
{
	struct buf out = BUF_INIT;

	for (size_t i = 0; i < n; i++)
		buf_printf(&out, "%s|%s %llu %llu %llu %llu\n", host_role_name(rows[i].role), rows[i].name,
		           (unsigned long long)rows[i].count, (unsigned long long)rows[i].errors,
		           (unsigned long long)(rows[i].total / MS), (unsigned long long)(rows[i].max / MS));
	CHECK_STR(out.data, "iothread|futex 1 0 50 50\nvCPU|ioctl KVM_RUN 2 1 40 30\nworker|futex 1 0 7 7\n"
	                    "main loop|futex 1 0 5 5\nvCPU|futex 1 0 4 4\nmain loop|ioctl KVM_CREATE_VM 1 0 2 2\n");
	buf_release(&out);
}

static void threads(const struct host_thread *const *rows, size_t n)
{
	struct buf out = BUF_INIT;

	for (size_t i = 0; i < n; i++)
		buf_printf(&out, "%u/%u %s|%s %llu %llu %llu %llu\n", rows[i]->pid, rows[i]->tid,
		           host_role_name(rows[i]->role), rows[i]->comm, (unsigned long long)rows[i]->samples,
		           (unsigned long long)(rows[i]->sampled / MS), (unsigned long long)rows[i]->calls,
		           (unsigned long long)(rows[i]->in_calls / MS));
	CHECK_STR(out.data, "10/11 vCPU|qemu 2 5 3 44\n10/10 main loop|qemu 1 4 2 7\n10/12 iothread|IO disk 1 1 1 50\n"
	                    "10/13 worker|worker 0 0 1 7\n");
	buf_release(&out);
}

static void test_host(void)
{
	struct recording *r = sample_dir_open(dir, &options);
	struct host *h = read_host(r);
	const struct host_thread *const *all;
	const struct host_call *rows;
	size_t n;

	CHECK_INT(host_calls(h, &rows, &n), 0);
	calls(rows, n);
	all = host_threads(h, &n);
	threads(all, n);
	CHECK(host_total(h).calls == 7 && host_total(h).in_calls == 108 * MS);
	CHECK(host_total(h).samples == 4 && host_total(h).sampled == 10 * MS);
	host_free(h);
	recording_close(r);
}

int main(void)
{
	if (sampled_make(dir))
		test_host();
	sampled_remove(dir);
	return TAP_DONE();
}
