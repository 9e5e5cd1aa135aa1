/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a child has used, while it is there, as a zombie, and when it is gone; wait4 is the oracle. */
#include <exectrace/target/process/usage.h>

#include "tap.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ll
#define MEMORY (24u << 20)
#define BYTES 12345

static void work(void)
{
	static const char bytes[BYTES];
	char *memory = malloc(MEMORY);
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	memset(memory, 1, MEMORY);
	__asm__ volatile("" ::"r"(memory) : "memory");
	while (clock() < CLOCKS_PER_SEC / 10)
		;
	if (write(null, bytes, sizeof(bytes)) != sizeof(bytes))
		_exit(1);
}

static long long ns_of(const struct timeval *t)
{
	return t->tv_sec * 1000 * MS + t->tv_usec * 1000;
}

static bool agree(uint64_t seen, long long used)
{
	return llabs(used - (long long)seen) <= 20 * MS;
}

static void of_child(void)
{
	struct exec_usage usage = {0};
	uint64_t read_before, read_bytes, written;
	struct rusage used;
	siginfo_t info;
	int ready[2], go[2];
	char c = 0;
	pid_t pid;

	if (!CHECK(pipe(ready) == 0 && pipe(go) == 0))
		return;
	pid = fork();
	if (pid == 0) {
		work();
		close(go[1]);
		close(ready[0]);
		if (write(ready[1], "x", 1) != 1 || read(go[0], &c, 1) != 0)
			_exit(1);
		_exit(0);
	}
	close(go[0]);
	close(ready[1]);
	CHECK(read(ready[0], &c, 1) == 1);
	CHECK(usage_peak(pid) >= MEMORY && usage_peak(pid) < 4 * MEMORY);
	/* What a write has written is counted when it has woken its reader (vfs_write, fs/read_write.c). */
	for (int i = 0; i < 5000 && usage_io(pid, pid, &read_before, &written) == 0 && written < BYTES + 1; i++)
		usleep(1000);
	CHECK_INT(usage_io(pid, pid, &read_before, &written), 0);
	CHECK_INT(written, BYTES + 1);
	CHECK_INT(usage_cpu(pid, &usage), 0);
	CHECK(usage.cpu && usage.user + usage.system > 90 * MS);
	close(go[1]);
	CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0);
	CHECK_INT(usage_cpu(pid, &usage), 0);
	CHECK_INT(usage_peak(pid), 0);
	if (usage_zombie_io(pid, &usage) == 0) {
		CHECK(usage.io && usage.read >= read_before);
		CHECK_INT(usage.written, BYTES + 1);
	} else {
		CHECK(geteuid() != 0 && !usage.io);
	}
	CHECK(wait4(pid, NULL, 0, &used) == pid);
	/* A zombie still runs for a moment; where it had to wait for a processor, after it was looked at. */
	CHECK(agree(usage.user + usage.system, ns_of(&used.ru_utime) + ns_of(&used.ru_stime)));
	CHECK(agree(usage.user, ns_of(&used.ru_utime)));
	CHECK_INT(usage_cpu(pid, &usage), -ESRCH);
	CHECK(usage_io(pid, pid, &read_bytes, &written) < 0);
	CHECK(usage_zombie_io(pid, &usage) < 0);
}

/* Another one's reaped children are in its file for the whole process, so its own bytes are not known. */
static void of_parent(void)
{
	struct exec_usage usage = {0};
	siginfo_t info;
	pid_t pid = fork();

	if (pid == 0) {
		pid_t child = fork();

		if (child == 0) {
			work();
			_exit(0);
		}
		_exit(waitpid(child, NULL, 0) != child);
	}
	CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0);
	CHECK(usage_zombie_io(pid, &usage) < 0 && !usage.io);
	CHECK_INT(usage_cpu(pid, &usage), 0);
	CHECK(usage.user + usage.system < 90 * MS); /* without the child */
	CHECK(waitpid(pid, NULL, 0) == pid);
}

int main(void)
{
	struct exec_usage usage = {0};

	of_child();
	of_parent();
	CHECK_INT(usage_cpu(0, &usage), -ESRCH);
	CHECK(!usage.cpu);
	return TAP_DONE();
}
