/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tree made of the stacks of samples; calls are passed over. */
#include <exectrace/answer/calltree/calltree.h>

#include "tap.h"

#include "sampled.h"

static char dir[] = "/tmp/exectrace-samples-XXXXXX";
static const struct recording_options options = {.names = true, .by_files = true};

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
	if (sampled_make(dir))
		test_samples();
	sampled_remove(dir);
	return TAP_DONE();
}
