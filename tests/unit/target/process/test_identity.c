/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes told apart and their parents found: by pidfds where this kernel has them tell, and by /proc. */
#include "program.h"
#include "src/target/process/identity.h"
#include "tap.h"
#include <dirent.h>
#include <stdint.h>

static int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

static void begin(struct identities *ids, bool tell)
{
	identities_init(ids);
	ids->tell &= tell;
}

static void parents(bool tell)
{
	struct identities ids;
	pid_t one = idle_child();

	begin(&ids, tell);
	CHECK_INT(identities_parent(&ids, one), getpid());
	CHECK_INT(identities_parent(&ids, one), getpid()); /* it is known now */
	CHECK_INT(identities_parent(&ids, getpid()), getppid());
	finish(one);
	CHECK_INT(identities_parent(&ids, one), 0);
	identities_release(&ids);
}

static void numbers(bool tell)
{
	struct identities ids;
	pid_t one = idle_child(), two;
	uint64_t id;

	nap(30); /* /proc tells processes apart by hundredths of a second */
	two = idle_child();
	begin(&ids, tell);
	id = identities_id(&ids, one);
	CHECK(id != 0);
	CHECK(identities_id(&ids, one) == id);
	CHECK(identities_id(&ids, two) != 0 && identities_id(&ids, two) != id);
	/* Many others later, when it is no longer among those that are kept. */
	for (int i = 0; i < 3 * IDENTITIES; i++) {
		pid_t other = idle_child();

		CHECK(identities_id(&ids, other) != id || !tell);
		finish(other);
	}
	CHECK(identities_id(&ids, one) == id);
	finish(one);
	CHECK(identities_id(&ids, one) == 0);
	finish(two);
	identities_release(&ids);
}

/* Another process of the same pid is another. */
static void used_again(bool tell)
{
	struct identities ids;
	pid_t one = idle_child(), again;
	uint64_t id;

	begin(&ids, tell);
	id = identities_id(&ids, one);
	finish(one);
	nap(30);
	again = child_with_pid(one);
	if (again == one) {
		CHECK(identities_id(&ids, one) != 0 && identities_id(&ids, one) != id);
		CHECK_INT(identities_parent(&ids, one), getpid());
		finish(again);
	} else {
		printf("# skipped: no process can be made with a given pid\n");
	}
	identities_release(&ids);
}

/* A zombie is still there, for its parent. */
static void zombie(bool tell)
{
	struct identities ids;
	pid_t one = idle_child();
	uint64_t id;

	begin(&ids, tell);
	id = identities_id(&ids, one);
	kill(one, SIGKILL);
	CHECK(reaches_state(one, "Z"));
	CHECK(identities_id(&ids, one) == id);
	CHECK_INT(identities_parent(&ids, one), getpid());
	finish(one);
	identities_release(&ids);
}

int main(void)
{
	int fds;

	scratch_begin(60);
	fds = count_fds();
	for (int tell = 1; tell >= 0; tell--) {
		parents(tell);
		numbers(tell);
		used_again(tell);
		zombie(tell);
	}
	CHECK_INT(count_fds(), fds);
	return TAP_DONE();
}
