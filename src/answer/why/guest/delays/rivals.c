/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who took the processor from others, and whether it was a real-time task. */
#include <exectrace/answer/why/guest/delays/rivals.h>

#include <errno.h>
#include <exectrace/answer/calls/call.h>
#include <exectrace/answer/why/guest/story/top.h>
#include <string.h>

static void add_functions(struct guest_delay *to, const struct guest_delay *from)
{
	for (size_t i = 0; i < from->n_functions; i++) {
		struct guest_function sum = from->functions[i];

		for (size_t k = 0; k < to->n_functions; k++) {
			struct guest_function *f = &to->functions[k];

			if (f->name != sum.name || f->module != sum.module)
				continue;
			sum.time += f->time;
			*f = to->functions[--to->n_functions];
			break;
		}
		top_put(to->functions, &to->n_functions, &sum);
	}
}

static bool has_rival(const struct guest_delay *d)
{
	return d->kind == GUEST_READY && *d->rival && d->rival_time > d->time / 2;
}

void rivals_merge(struct guest_story *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n_delays; i++) {
		const struct guest_delay one = g->delays[i];
		struct guest_delay *to = NULL;

		for (size_t k = 0; k < n && has_rival(&one) && !to; k++)
			if (has_rival(&g->delays[k]) && g->delays[k].rival_pid == one.rival_pid &&
			    g->delays[k].rival == one.rival)
				to = &g->delays[k];
		if (!to) {
			g->delays[n++] = one;
			continue;
		}
		to->others++;
		to->time += one.time;
		to->count += one.count;
		to->rival_time += one.rival_time;
		to->min = one.min < to->min ? one.min : to->min;
		to->max = one.max > to->max ? one.max : to->max;
		to->at = one.at < to->at ? one.at : to->at;
		add_functions(to, &one);
	}
	g->n_delays = n;
}

/* --- Real-time tasks ---------------------------------------------------------------------------------------------- */

static bool is_realtime(struct data_text policy)
{
	static const char *const names[] = {"SCHED_FIFO", "SCHED_RR", "SCHED_DEADLINE"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (policy.n >= strlen(names[i]) && strncmp(policy.bytes, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* sched_setscheduler(pid, policy, param) */
void rivals_see(struct tell *t, const struct recorded_event *event)
{
	const struct data_syscall *call = &event->record->syscall;
	const uint32_t tid = call->args[0] ? (uint32_t)call->args[0] : event->thread->tid;
	struct call_parts parts = {0};
	struct data_text policy = {0};
	char name[CALL_NAME_MAX];
	const char *kept = NULL;

	if (call->error || strcmp(call_name(call, name), "sched_setscheduler") != 0)
		return;
	if (call_take_apart(&parts, call, false))
		t->err = -ENOMEM;
	else if (parts.nargs > 1)
		policy = parts.args[1].text;
	if (is_realtime(policy))
		kept = tell_text(t, policy.bytes, policy.n);
	if (idmap_put(&t->policies, tid, 0, (char *)kept))
		t->err = -ENOMEM;
	call_parts_release(&parts);
}

void rivals_tell(struct tell *t)
{
	for (size_t i = 0; i < t->g->n_delays; i++) {
		const char *policy = idmap_get(&t->policies, t->g->delays[i].rival_pid, 0);

		t->g->delays[i].rival_policy = policy ? policy : "";
	}
}
