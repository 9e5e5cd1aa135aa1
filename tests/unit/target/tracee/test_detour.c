/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that a child makes for us in all kinds of places: it gets every register back, and what it was doing ends as it
 * would have; also when the tracer is killed at any moment.
 */
#include "program.h"
#include "tap.h"
#include <errno.h>
#include <exectrace/target/tracee/detour.h>
#include <exectrace/target/tracee/wait.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

#define KILLS 300

static volatile sig_atomic_t caught;

static void on_signal(int sig)
{
	(void)sig;
	caught++;
}

static int sleeps(void)
{
	const struct timespec time = {.tv_nsec = 30000000};

	return nanosleep(&time, NULL) == 0;
}

static int polls(void)
{
	struct epoll_event event;
	int fd = epoll_create1(0), n = epoll_wait(fd, &event, 1, 30);

	close(fd);
	return n == 0;
}

static int suspends(void)
{
	const struct itimerval soon = {.it_value.tv_usec = 30000};
	sigset_t none;
	int before = caught;

	sigemptyset(&none);
	setitimer(ITIMER_REAL, &soon, NULL);
	return sigsuspend(&none) < 0 && errno == EINTR && caught == before + 1;
}

/* The carry says whether all are what they were. */
static int counts(void)
{
	unsigned char bad = 0;

#ifdef __x86_64__
	__asm__ volatile(
		"mov $0x1111, %%ecx\n mov $0x1919, %%r11d\n mov $0x1010, %%ebx\n mov $0x1515, %%r9d\n"
		"mov $0x1616, %%r10d\n mov $0x1717, %%edi\n mov $30000000, %%eax\n stc\n1: dec %%eax\n jnz 1b\n"
		"setnc %0\n cmp $0x1111, %%rcx\n jne 2f\n cmp $0x1919, %%r11\n jne 2f\n cmp $0x1010, %%rbx\n"
		"jne 2f\n cmp $0x1515, %%r9\n jne 2f\n cmp $0x1616, %%r10\n jne 2f\n cmp $0x1717, %%rdi\n jne 2f\n"
		"jmp 3f\n2: mov $1, %0\n3:\n"
		: "=&d"(bad)
		:
		: "rax", "rbx", "rcx", "rdi", "r9", "r10", "r11", "cc");
#endif
	return !bad;
}

static int (*const doings[])(void) = {sleeps, polls, suspends, counts};
static const char *const names[] = {"nanosleep", "epoll_wait", "sigsuspend", "a loop"};

/* Does one thing again and again until *over. It ends with 0 if all went well. */
static pid_t busy(int (*doing)(void), const volatile int *over)
{
	pid_t pid = fork();
	sigset_t alarm;
	int good = 1;

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGALRM, on_signal);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	if (doing == suspends)
		sigprocmask(SIG_BLOCK, &alarm, NULL);
	do
		good = doing();
	while (good && !*over);
	_exit(!good);
}

/* A signal that comes before is delivered, also when this process is killed. */
static int stop(pid_t pid)
{
	const struct timespec moment = {.tv_nsec = 20000};
	struct wait_event ev = {.kind = WAIT_SIGNAL};
	int err = tracee_interrupt(pid), n;

	while (!err) {
		while ((n = wait_peek_at(pid, &ev)) == 0)
			nanosleep(&moment, NULL);
		if (n < 0 || ev.kind == WAIT_EXIT)
			return -ESRCH;
		if (ev.kind == WAIT_INTERRUPT || ev.kind == WAIT_GROUP_STOP)
			return 0;
		err = tracee_cont(pid, wait_signal(&ev));
	}
	return err;
}

/* One call, of a child that runs. 0 or -errno. */
static int call_once(pid_t pid, int64_t *result)
{
	struct detour_call call = {.nr = SYS_getpid};
	struct detour detour;
	int err = tracee_seize(pid, SEIZE_EXEC);

	if (!err)
		err = stop(pid);
	if (!err) {
		detour_resume_call(pid);
		err = detour_find(&detour, pid);
		if (!err)
			err = detour_has(&detour, pid) ? -EAGAIN : detour_ready(&detour);
		if (!err)
			err = detour_make(&detour, &call);
		if (!err)
			err = detour_clean(&detour);
		(void)tracee_detach(pid, 0);
	}
	*result = call.result;
	return err;
}

static void registers_stay(pid_t pid)
{
	struct detour_call call = {.nr = SYS_getpid};
	struct detour detour;
	struct regs before, after;

	CHECK_INT(tracee_seize(pid, SEIZE_EXEC), 0);
	CHECK_INT(stop(pid), 0);
	CHECK_INT(tracee_regs(pid, &before), 0);
	CHECK_INT(detour_find(&detour, pid), 0);
	CHECK_INT(detour_make(&detour, &call), 0);
	CHECK_INT(call.result, pid);
	CHECK_INT(tracee_regs(pid, &after), 0);
	CHECK(memcmp(before.raw, after.raw, before.arch->regs_size) == 0);
	CHECK_INT(detour_clean(&detour), 0);
	CHECK_INT(tracee_detach(pid, 0), 0);
}

static void goes_on(int (*doing)(void), const char *name)
{
	volatile int *over = mmap(NULL, sizeof(*over), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = busy(doing, over);
	int status = -1;

	printf("# %s\n", name);
	nap(10);
	if (doing != counts && doing != polls) /* whose registers change as it runs, or as that is to restart */
		registers_stay(pid);
	for (int i = 0; i < 50; i++) {
		int64_t result = 0;
		int err = call_once(pid, &result);

		if (err == -EAGAIN)
			continue;
		CHECK_INT(err, 0);
		CHECK_INT(result, pid);
	}
	*over = 1;
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK_INT(status, 0);
}

/* A tracer that makes calls all the time is killed, and another one comes. */
static void killed(int (*doing)(void), const char *name)
{
	volatile int *over = mmap(NULL, sizeof(*over), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = busy(doing, over);
	unsigned seed = 1;
	int status = -1;

	printf("# %s, killed\n", name);
	for (int i = 0; i < KILLS; i++) {
		const struct timespec moment = {.tv_nsec = 100000 + rand_r(&seed) % 1500000};
		pid_t tracer = fork();
		int64_t result;

		while (tracer == 0)
			(void)call_once(pid, &result);
		nanosleep(&moment, NULL);
		kill(tracer, SIGKILL);
		waitpid(tracer, NULL, 0);
	}
	*over = 1;
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK_INT(status, 0);
}

int main(void)
{
	struct detour detour;

	if (detour_find(&detour, getpid()) == -ENOTSUP) {
		SKIP("no room for the code", "the vDSO's last page is full, or it is no x86-64");
		return TAP_DONE();
	}
	for (size_t i = 0; i < sizeof(doings) / sizeof(doings[0]); i++)
		goes_on(doings[i], names[i]);
	for (size_t i = 0; i < sizeof(doings) / sizeof(doings[0]); i++) {
		if (doings[i] != polls) /* between the stop and detour_resume_call it tells of that */
			killed(doings[i], names[i]);
	}
	return TAP_DONE();
}
