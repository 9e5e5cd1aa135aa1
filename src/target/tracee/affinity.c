/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/tracee/affinity.h>

#include <exectrace/target/process/procfs.h>

#define LOOK 256u  /* stops from one look to the next */
#define OTHERS 16u /* of that many, stops of other threads that do not matter */

void affinity_init(struct affinity *affinity, pid_t tid)
{
	*affinity = (struct affinity){.cpu = -1, .tid = tid, .alone = true, .due = true};
	affinity->known = sched_getaffinity(0, sizeof(affinity->allowed), &affinity->allowed) == 0;
}

/* cpu: -1 for all. */
static void go_to(struct affinity *affinity, int cpu)
{
	cpu_set_t set = affinity->allowed;

	if (cpu >= 0) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
	}
	if (affinity->companion)
		(void)sched_setaffinity(affinity->companion, sizeof(set), &set);
	if (sched_setaffinity(0, sizeof(set), &set) == 0)
		affinity->cpu = cpu;
}

/* The processor of a thread; -1 when the tracer may not be there. */
static int where(const struct affinity *affinity, pid_t tid)
{
	struct proc_stat stat;

	if (proc_stat(tid, &stat) || stat.cpu < 0 || stat.cpu >= CPU_SETSIZE ||
	    !CPU_ISSET(stat.cpu, &affinity->allowed))
		return -1;
	return stat.cpu;
}

static void look(struct affinity *affinity)
{
	bool follow = affinity->companion || affinity->alone;
	int cpu = follow ? where(affinity, affinity->tid) : -1;

	if (cpu != affinity->cpu && (cpu >= 0 || !affinity->companion))
		go_to(affinity, cpu);
}

static void judge(struct affinity *affinity, pid_t tid)
{
	affinity->alone = affinity->others <= OTHERS;
	if (affinity->others > affinity->stops)
		affinity->tid = tid;
	affinity->stops = affinity->others = 0;
	affinity->due = true;
}

void affinity_stop(struct affinity *affinity, pid_t tid)
{
	if (tid == affinity->tid)
		affinity->stops++;
	else
		affinity->others++;
	if (affinity->stops + affinity->others >= LOOK)
		judge(affinity, tid);
	if (!affinity->known || affinity->free || !affinity->due)
		return;
	affinity->due = false;
	look(affinity);
}

unsigned affinity_processors(const struct affinity *affinity)
{
	return affinity->known ? (unsigned)CPU_COUNT(&affinity->allowed) : 1;
}

void affinity_follow(struct affinity *affinity, bool follow)
{
	if (affinity->free == !follow)
		return;
	affinity->free = !follow;
	affinity->due = true;
	if (!follow && !affinity->companion && affinity->cpu >= 0)
		go_to(affinity, -1);
}

void affinity_share(struct affinity *affinity, pid_t tid)
{
	affinity->companion = tid;
	if (affinity->known)
		go_to(affinity, tid ? sched_getcpu() : -1);
}
