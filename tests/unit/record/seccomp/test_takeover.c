/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the guard gives back: a child that was in the making while its parent was bound gets what that had. */
#include "src/record/seccomp/takeover.h"
#include "tap.h"
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/tracee/ptrace.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE 200 /* looks, at most, */
#define LOOK_US 10000

static int processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 0 : CPU_COUNT(&set);
}

static int first_processor(const cpu_set_t *set)
{
	int cpu = 0;

	while (!CPU_ISSET(cpu, set))
		cpu++;
	return cpu;
}

/* Forks when told; the child says how many processors it may use, in the end. */
static int make_child(int told, int tell, int wanted)
{
	char n = 0;
	int status = 0;

	if (read(told, &n, 1) != 1)
		return 1;
	if (fork() == 0) {
		for (int i = 0; i < PATIENCE && processors() != wanted; i++)
			usleep(LOOK_US);
		n = (char)processors();
		_exit(write(tell, &n, 1) != 1);
	}
	return wait(&status) < 0;
}

static bool has_child(pid_t pid)
{
	char text[64];

	for (int i = 0; i < PATIENCE; i++) {
		if (proc_children(pid, text, sizeof(text)) > 0)
			return true;
		usleep(LOOK_US);
	}
	return false;
}

/* As after takeover_take(): the parent is ours and bound, and its child, which nobody has found, stands where it began.
 */
static void inherit(struct guard_takeover *takeover, pid_t parent, int go)
{
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET(takeover->cpu, &here);
	takeover->page->slots[0] = (struct guard_slot){.tid = parent, .tgid = parent};
	takeover->page->used = 1;
	takeover->threads[0] = (struct takeover_thread){.allowed = takeover->allowed, .bound = true, .settled = true};
	CHECK_INT(tracee_seize(parent, SEIZE_FORKS), 0);
	CHECK_INT(sched_setaffinity(parent, sizeof(here), &here), 0);
	CHECK_INT(write(go, "", 1), 1);
	CHECK(has_child(parent));
}

int main(void)
{
	struct guard_takeover takeover = {.threads = calloc(1, sizeof(*takeover.threads))};
	int go[2], result[2], wanted = processors();
	char got = 0;
	pid_t parent = 0;

	if (wanted < 2) {
		puts("ok 1 - the takeover # SKIP there is one processor\n1..1");
		return 0;
	}
	takeover.page = mmap(NULL, sizeof(*takeover.page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(takeover.threads && takeover.page != MAP_FAILED && pipe(go) == 0 && pipe(result) == 0);
	CHECK(sched_getaffinity(0, sizeof(takeover.allowed), &takeover.allowed) == 0);
	takeover.cpu = first_processor(&takeover.allowed);
	parent = fork();
	if (parent == 0)
		_exit(make_child(go[0], result[1], wanted));
	inherit(&takeover, parent, go[1]);
	takeover_run(&takeover);
	CHECK_INT(read(result[0], &got, 1), 1);
	CHECK_INT(got, wanted);
	free(takeover.threads);
	return TAP_DONE();
}
