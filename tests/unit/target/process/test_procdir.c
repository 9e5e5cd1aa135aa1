/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of /proc: whole, ended by who looks, of a process that is gone, and not to be had. */
#include <exectrace/target/process/procdir.h>

#include "tap.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 20

static int count_thread(void *user, pid_t tid)
{
	CHECK(tid > 0);
	++*(int *)user;
	return 0;
}

static int count_fd(void *user, pid_t tid, int fd)
{
	CHECK_INT(tid, getpid());
	CHECK_INT(fcntl(fd, F_GETFD) >= 0, 1);
	++*(int *)user;
	return 0;
}

static int third(void *user, pid_t tid)
{
	(void)tid;
	return ++*(int *)user == 3 ? 7 : 0;
}

static void *wait_there(void *barrier)
{
	pthread_barrier_wait(barrier);
	return NULL;
}

static void whole(void)
{
	pthread_t threads[THREADS];
	pthread_barrier_t barrier;
	int n = 0, fds = 0, more = 0, seen = 0;

	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		CHECK_INT(pthread_create(&threads[i], NULL, wait_there, &barrier), 0);
	CHECK_INT(proc_threads(getpid(), count_thread, &n), 0);
	CHECK_INT(n, THREADS + 1);
	CHECK_INT(proc_threads(getpid(), third, &seen), 7);
	CHECK_INT(seen, 3);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(proc_fds(getpid(), count_fd, &fds), 0);
	CHECK(dup(1) >= 0);
	CHECK_INT(proc_fds(getpid(), count_fd, &more), 0);
	CHECK_INT(more, fds + 1);
}

static void gone(void)
{
	pid_t pid = fork();
	int n = 0;

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	CHECK_INT(proc_threads(pid, count_thread, &n), -ESRCH);
	CHECK_INT(proc_fds(pid, count_fd, &n), -ESRCH);
	CHECK_INT(n, 0);
}

/* From now on the list of a directory cannot be had. */
static bool without_getdents(void)
{
	struct sock_filter insns[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getdents64, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof(insns) / sizeof(insns[0]), insns};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void not_to_be_had(void)
{
	pid_t pid = fork();
	int n = 0, status = 0;

	if (pid == 0) {
		bool right = without_getdents() && proc_threads(getpid(), count_thread, &n) == -ENOMEM &&
		             proc_fds(getpid(), count_fd, &n) == -ENOMEM && n == 0;

		_exit(right ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	CHECK_INT(status, 0);
}

int main(void)
{
	whole();
	gone();
	not_to_be_had();
	return TAP_DONE();
}
