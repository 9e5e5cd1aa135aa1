/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "meanings.h"

#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

/*
 * Names that stay: kernel/sched/{core,idle,completion}.c, kernel/time/{timer,hrtimer}.c, kernel/entry/common.c; of
 * threads that wait for work elsewhere than in their own function drivers/base/devtmpfs.c, kernel/irq/manage.c, mm/.
 */
static const struct {
	const char *name;
	unsigned means;
} names[] = {
	{"schedule", MEANS_SCHEDULE | MEANS_SWITCH},
	{"__schedule", MEANS_SCHEDULER | MEANS_SWITCH},
	{"schedule_timeout", MEANS_SCHEDULER},
	{"schedule_timeout_uninterruptible", MEANS_SCHEDULER},
	{"schedule_timeout_interruptible", MEANS_SCHEDULER},
	{"schedule_hrtimeout_range", MEANS_SCHEDULER},
	{"schedule_hrtimeout_range_clock", MEANS_SCHEDULER},
	{"io_schedule", MEANS_SCHEDULER},
	{"io_schedule_timeout", MEANS_SCHEDULER},
	{"schedule_preempt_disabled", MEANS_SCHEDULER},
	{"__switch_to_asm", MEANS_SCHEDULER},
	{"__switch_to", MEANS_SCHEDULER},
	{"finish_task_switch", MEANS_SCHEDULER},
	{"kthread", MEANS_KTHREAD},
	{"kthreadd", MEANS_KTHREAD},
	{"devtmpfs_work_loop", MEANS_WORK},
	{"irq_wait_for_interrupt", MEANS_WORK},
	{"kswapd_try_to_sleep", MEANS_WORK},
	{"khugepaged_wait_work", MEANS_WORK},
	{"do_idle", MEANS_IDLE},
	{"do_wait", MEANS_CHILD},
	{"__wait_for_common", MEANS_MEANS},
	{"wait_for_completion", MEANS_MEANS},
	{"wait_for_completion_timeout", MEANS_MEANS},
	{"wait_for_completion_interruptible", MEANS_MEANS},
	{"wait_for_completion_killable", MEANS_MEANS},
	{"wait_for_completion_state", MEANS_MEANS},
	{"__wait_rcu_gp", MEANS_MEANS},
	{"wait_rcu_gp", MEANS_MEANS},
	{"wait_rcu_exp_gp", MEANS_MEANS},
	{"synchronize_rcu_normal", MEANS_MEANS},
	{"bit_wait", MEANS_MEANS},
	{"bit_wait_io", MEANS_MEANS},
	{"__wait_on_bit", MEANS_MEANS},
	{"__wait_on_bit_lock", MEANS_MEANS},
	{"out_of_line_wait_on_bit", MEANS_MEANS},
	{"out_of_line_wait_on_bit_lock", MEANS_MEANS},
	{"exit_to_user_mode_loop", MEANS_PREEMPTED},
	{"exit_to_user_mode_prepare", MEANS_PREEMPTED},
	{"prepare_exit_to_usermode", MEANS_PREEMPTED},
	{"preempt_schedule", MEANS_PREEMPTED},
	{"preempt_schedule_irq", MEANS_PREEMPTED},
	{"preempt_schedule_common", MEANS_PREEMPTED},
	{"__cond_resched", MEANS_PREEMPTED},
	{"do_sched_yield", MEANS_PREEMPTED},
	{"do_task_dead", MEANS_END},
	{"call_timer_fn", MEANS_TIMER},
	{"expire_timers", MEANS_TIMER},
	{"__run_timers", MEANS_TIMER},
	{"run_timer_softirq", MEANS_TIMER},
	{"__hrtimer_run_queues", MEANS_TIMER},
	{"hrtimer_interrupt", MEANS_TIMER},
	{"hrtimer_run_softirq", MEANS_TIMER},
};

static unsigned learn(const struct replay_function *f)
{
	unsigned means = MEANS_KNOWN;

	if (strcmp(f->module, "[kernel]") == 0) {
		if (strncmp(f->name, "__x64_sys_", 10) == 0 || strncmp(f->name, "__ia32_sys_", 11) == 0)
			means |= MEANS_CALL;
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			if (strcmp(names[i].name, f->name) == 0)
				means |= names[i].means;
	} else if (replay_in_module(f)) {
		means |= MEANS_MODULE;
	}
	return means;
}

unsigned meanings_learn(struct meanings *m, uint32_t number)
{
	if (widen_array((void **)&m->known, &m->n, number, sizeof(*m->known)))
		return 0;
	return m->known[number] = (uint16_t)learn(replay_function(m->replay, number));
}

void meanings_release(struct meanings *m)
{
	free(m->known);
	*m = (struct meanings){0};
}
