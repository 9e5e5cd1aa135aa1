/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "affinity.h"

#include <exectrace/tracee/procfs.h>

#define LOOK 256u  /* stops from one look to the next */
#define OTHERS 16u /* of that many, stops of other threads that do not matter */

void affinity_init(struct affinity *affinity)
{
	*affinity = (struct affinity){.cpu = -1};
	affinity->known = sched_getaffinity(0, sizeof(affinity->allowed), &affinity->allowed) == 0;
}

static void go_to(struct affinity *affinity, int cpu)
{
	cpu_set_t set = affinity->allowed;

	if (cpu == affinity->cpu)
		return;
	if (cpu >= 0) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
	}
	if (sched_setaffinity(0, sizeof(set), &set) == 0)
		affinity->cpu = cpu;
}

static void look(struct affinity *affinity)
{
	struct proc_stat stat;
	int cpu = -1;

	if (affinity->others <= OTHERS && proc_stat(affinity->tid, &stat) == 0)
		cpu = stat.cpu;
	if (cpu >= CPU_SETSIZE || (cpu >= 0 && !CPU_ISSET(cpu, &affinity->allowed)))
		cpu = -1;
	go_to(affinity, cpu);
}

void affinity_stop(struct affinity *affinity, pid_t tid)
{
	if (tid == affinity->tid)
		affinity->stops++;
	else
		affinity->others++;
	if (!affinity->known || affinity->stops + affinity->others < LOOK)
		return;
	look(affinity);
	if (affinity->others > affinity->stops)
		affinity->tid = tid;
	affinity->stops = affinity->others = 0;
}
