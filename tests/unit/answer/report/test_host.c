/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/recording/host.h>

#include "tap.h"

#include "sampled.h"
#include <exectrace/answer/report/calltree.h>

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

/* The same samples by function: calls are passed over. */
static void test_samples(void)
{
	const struct calltree_stacks_options samples = {.event = SELECT_SAMPLES,
	                                                .keys = CALLTREE_MODULE | CALLTREE_NAME,
	                                                .calls = "",
	                                                .unknown = "[unknown]",
	                                                .nowhere = true};
	struct recording *r = sample_dir_open(dir, &options);
	struct calltree *t = calltree_new();
	struct calltree_stacks *s = calltree_stacks_new(t, r, &samples);
	const struct calltree_stacks_sum *sum = calltree_stacks_sum(s);
	const struct calltree_function *f;
	struct recorded_event event;
	struct buf out = BUF_INIT;
	size_t n;

	while (recording_next(r, &event) == 1)
		CHECK_INT(calltree_stacks_add(s, &event), 0);
	CHECK(sum->samples == 4 && sum->weight == 10 * MS && sum->stacked == 3 && sum->cut == 1 && !sum->calls);
	calltree_sum(t, false);
	CHECK_INT(calltree_finish(t), 0);
	f = calltree_functions(t, &n);
	for (size_t i = 1; i < n; i++)
		buf_printf(&out, "%llu %llu %s|%s%s\n", (unsigned long long)(f[i].sides[0].total / MS),
		           (unsigned long long)(f[i].sides[0].self / MS), f[i].module, f[i].name,
		           f[i].kernel ? "!" : "");
	CHECK_STR(out.data, "3 0 qemu|thread\n5 3 qemu|kvm_cpu_exec\n2 2 [kernel]|vcpu_run!\n1 1 qemu|iothread_run\n"
	                    "4 4 [unknown]|[unknown]\n");
	buf_release(&out);
	calltree_stacks_free(s);
	calltree_free(t);
	recording_close(r);
}

int main(void)
{
	if (sampled_make(dir)) {
		test_host();
		test_samples();
	}
	sampled_remove(dir);
	return TAP_DONE();
}
