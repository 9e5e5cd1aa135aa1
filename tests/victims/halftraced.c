/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * halftraced EXECTRACE ROUNDS MICROSECONDS
 * So often a child that does nothing but call getppid() gets a tracer with a filter of that call, and the tracer is
 * killed up to so long after it has attached, each time a little later. Says how many rounds the child came out of with
 * a call that failed, with registers or blocked signals that are not its own, or not at all.
 */
#include "victim.h"
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define PATIENCE_S 30
#define CALLS_AFTER 50 /* after the tracer's end */

/* Shared with the child. */
struct view {
	atomic_bool over;
	atomic_ulong calls;
	atomic_ulong wrong;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#ifdef __x86_64__
/* getppid() among registers with known values. */
static bool call_is_right(long want)
{
	long ret = SYS_getppid;
	unsigned long bad = 0;

	__asm__ volatile("mov $0x1111, %%rbx; mov $0x2222, %%rdi; mov $0x3333, %%rsi; mov $0x4444, %%rdx\n"
	                 "mov $0x5555, %%r8; mov $0x6666, %%r9; mov $0x7777, %%r10; mov $0x8888, %%r12\n"
	                 "mov $200, %%r13\n"
	                 "1: dec %%r13; jnz 1b\n"
	                 "syscall\n"
	                 "mov $200, %%r13\n"
	                 "1: dec %%r13; jnz 1b\n"
	                 "xor $0x1111, %%rbx; xor $0x2222, %%rdi; xor $0x3333, %%rsi; xor $0x4444, %%rdx\n"
	                 "xor $0x5555, %%r8; xor $0x6666, %%r9; xor $0x7777, %%r10; xor $0x8888, %%r12\n"
	                 "or %%rbx, %1; or %%rdi, %1; or %%rsi, %1; or %%rdx, %1\n"
	                 "or %%r8, %1; or %%r9, %1; or %%r10, %1; or %%r12, %1\n"
	                 : "+a"(ret), "+r"(bad)
	                 :
	                 : "rbx", "rdi", "rsi", "rdx", "rcx", "r8", "r9", "r10", "r11", "r12", "r13", "cc", "memory");
	return ret == want && !bad;
}
#else
static bool call_is_right(long want)
{
	return syscall(SYS_getppid) == want;
}
#endif

static _Noreturn void call(struct view *view, pid_t parent)
{
	sigset_t blocked;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!view->over) {
		view->wrong += !call_is_right(parent);
		sigemptyset(&blocked);
		view->wrong += sigprocmask(SIG_BLOCK, NULL, &blocked) || sigismember(&blocked, SIGTERM);
		view->calls++;
	}
	_exit(0);
}

static pid_t tracer_of(pid_t pid)
{
	static const char field[] = "\nTracerPid:\t";
	char path[64], text[2048];
	const char *at = NULL;
	ssize_t n = 0;
	int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, field);
	return at ? atoi(at + sizeof(field) - 1) : 0;
}

static pid_t start_tracer(const char *program, pid_t pid)
{
	char option[32];
	char *const argv[] = {(char *)"exectrace-trace", (char *)"--filter=getppid", (char *)"--output=/dev/null",
	                      option, NULL};
	pid_t tracer = 0;

	snprintf(option, sizeof(option), "--pid=%d", (int)pid);
	tracer = fork();
	if (tracer == 0) {
		execv(program, argv);
		_exit(VICTIM_BROKEN);
	}
	return tracer;
}

/* Kills the tracer so long after it has attached. False when it never did. */
static bool kill_after(pid_t tracer, pid_t pid, uint64_t delay)
{
	uint64_t end = now_ns() + PATIENCE_S * 1000000000ull;
	bool attached = false;
	int status = 0;

	while (!(attached = tracer_of(pid) == tracer) && now_ns() < end) {
		if (waitpid(tracer, &status, WNOHANG) == tracer)
			return false;
	}
	end = now_ns() + delay;
	while (now_ns() < end)
		;
	kill(tracer, SIGKILL);
	return waitpid(tracer, &status, 0) == tracer && attached;
}

/* Lets the child make some more calls and end. True when it does both. */
static bool ends_well(struct view *view, pid_t pid)
{
	uint64_t end = now_ns() + PATIENCE_S * 1000000000ull;
	unsigned long enough = view->calls + CALLS_AFTER;
	pid_t got = 0;
	int status = 0;

	while (!got && now_ns() < end) {
		view->over = view->calls >= enough;
		got = waitpid(pid, &status, WNOHANG);
		usleep(100);
	}
	if (!got) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	return got == pid && status == 0;
}

static bool round_goes_well(const char *program, uint64_t delay, bool *attached)
{
	struct view *view = mmap(NULL, sizeof(*view), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t self = getpid();
	pid_t pid = view == MAP_FAILED ? -1 : fork();
	bool well = false;

	if (pid == 0)
		call(view, self);
	if (pid < 0)
		die("fork");
	*attached = kill_after(start_tracer(program, pid), pid, delay);
	well = ends_well(view, pid) && !view->wrong;
	munmap(view, sizeof(*view));
	return well;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 3 ? (unsigned)atoi(argv[2]) : 0;
	uint64_t most = argc > 3 ? strtoull(argv[3], NULL, 10) * 1000 : 0;
	unsigned failed = 0, attached = 0;

	for (unsigned i = 0; i < rounds; i++) {
		bool has_it = false;

		if (!round_goes_well(argv[1], most * i / rounds, &has_it))
			failed++;
		attached += has_it;
	}
	printf("%u rounds, %u attached, %u failed\n", rounds, attached, failed);
	return failed != 0;
}
