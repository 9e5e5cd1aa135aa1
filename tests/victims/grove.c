/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * grove PROCESSES FILE
 * A tree of PROCESSES that have four threads each: one executes this program again and again, one counts with known
 * values in all registers, one forks, and one sleeps in every call that tells of interruptions. When FILE exists (at
 * the latest after five minutes) all end, and it prints what went wrong: execs that failed, registers that changed,
 * calls that were interrupted, descriptors that are not what they were, bytes behind the vDSO's image; and how many
 * processes have not executed anything in a while when one SIGUSR1 to the first one comes.
 */
#include "victim.h"
#include <elf.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#define MAX 512
#define LEISURELY 12 /* processes that keep a processor half busy: more of them rest the longer */
#define PAGE 4096u
#define LIFE 300

struct shared {
	atomic_int over, failed, changed, interrupted, files, behind;
	atomic_uint execs[MAX];
};

static struct shared *shared;
static char *self;
static unsigned me;
static unsigned pace = 1, share = 1;

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* After something that began at that time: on a slow machine for so long that all of them leave it time for others. */
static void rest_us(uint64_t began, unsigned us)
{
	uint64_t enough = (now_us() - began) * share;

	usleep((useconds_t)(enough > us * pace ? (enough < 2000000 ? enough : 2000000) : us * pace));
}

static void run_once(void)
{
	char *const argv[] = {self, "x", NULL};
	char *const env[] = {NULL};
	int status = -1;
	pid_t pid = vfork();

	if (pid == 0) {
		execve(self, argv, env);
		_exit(VICTIM_BROKEN);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		atomic_fetch_add(&shared->failed, 1);
	else
		atomic_fetch_add(&shared->execs[me], 1);
}

static void *execute(void *arg)
{
	(void)arg;
	while (!atomic_load(&shared->over)) {
		uint64_t began = now_us();

		run_once();
		rest_us(began, 20000);
	}
	return NULL;
}

/* True when all registers are what they were after a while. The flags have a carry, which nothing here touches. */
static bool registers_stay(void)
{
	unsigned char bad = 1;

#ifdef __x86_64__
	__asm__ volatile(
		"push %%rbp\n mov $0x1010, %%ebx\n mov $0x1111, %%ecx\n mov $0x1212, %%edx\n mov $0x1313, %%esi\n"
		"mov $0x1414, %%edi\n mov $0x1515, %%ebp\n mov $0x1616, %%r8d\n mov $0x1717, %%r9d\n"
		"mov $0x1818, %%r10d\n mov $0x1919, %%r11d\n mov $0x1a1a, %%r12d\n mov $0x1b1b, %%r13d\n"
		"mov $0x1c1c, %%r14d\n mov $0x1d1d, %%r15d\n mov $200000, %%eax\n stc\n"
		"1: dec %%eax\n jnz 1b\n jnc 2f\n"
		"cmp $0x1010, %%rbx\n jne 2f\n cmp $0x1111, %%rcx\n jne 2f\n cmp $0x1212, %%rdx\n jne 2f\n"
		"cmp $0x1313, %%rsi\n jne 2f\n cmp $0x1414, %%rdi\n jne 2f\n cmp $0x1515, %%rbp\n jne 2f\n"
		"cmp $0x1616, %%r8\n jne 2f\n cmp $0x1717, %%r9\n jne 2f\n cmp $0x1818, %%r10\n jne 2f\n"
		"cmp $0x1919, %%r11\n jne 2f\n cmp $0x1a1a, %%r12\n jne 2f\n cmp $0x1b1b, %%r13\n jne 2f\n"
		"cmp $0x1c1c, %%r14\n jne 2f\n cmp $0x1d1d, %%r15\n jne 2f\n mov $0, %%eax\n jmp 3f\n"
		"2: mov $1, %%eax\n3: pop %%rbp\n"
		: "=a"(bad)
		:
		: "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "cc",
		  "memory");
#else
	bad = 0;
#endif
	return !bad;
}

static void *count(void *arg)
{
	(void)arg;
	while (!atomic_load(&shared->over)) {
		uint64_t began = now_us();

		if (!registers_stay())
			atomic_fetch_add(&shared->changed, 1);
		rest_us(began, 3000);
	}
	return NULL;
}

static void *multiply(void *arg)
{
	(void)arg;
	while (!atomic_load(&shared->over)) {
		int status = -1;
		uint64_t began = now_us();
		pid_t pid = fork();

		if (pid == 0)
			_exit(3);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 3)
			atomic_fetch_add(&shared->failed, 1);
		rest_us(began, 30000);
	}
	return NULL;
}

static void expect(long got, long wanted)
{
	if (got == wanted)
		return;
	if (got < 0 && errno == EINTR)
		atomic_fetch_add(&shared->interrupted, 1);
	else
		atomic_fetch_add(&shared->changed, 1);
}

static void rest(int epoll)
{
	const int ms = 4 * (int)pace;
	const struct timespec moment = {.tv_nsec = ms * 1000000L};
	struct epoll_event event;
	sigset_t none;
	int word = 0;

	sigemptyset(&none);
	sigaddset(&none, SIGUSR2);
	expect(nanosleep(&moment, NULL), 0);
	expect(epoll_wait(epoll, &event, 1, ms), 0);
	expect(poll(NULL, 0, ms), 0);
	expect(ppoll(NULL, 0, &moment, &none), 0);
	expect(syscall(SYS_futex, &word, FUTEX_WAIT, 0, &moment) < 0 && errno == ETIMEDOUT ? 0 : -1, 0);
	expect(sigtimedwait(&none, NULL, &moment) < 0 && errno == EAGAIN ? 0 : -1, 0);
}

static int open_files(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* What is not zero from the end of the vDSO's image to that of its page. */
static int behind_image(void)
{
	const char *base = (const char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *header = (const void *)base;
	size_t end;
	int n = 0;

	if (!base)
		return 0;
	end = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
	for (; end % PAGE; end++)
		n += base[end] != 0;
	return n;
}

/*
 * A signal that is blocked where it is sent is not ignored, and interrupts the calls of a thread that does not block it
 * (sig_ignored, kernel/signal.c); fork(3) of glibc 2.41 blocks all for a moment.
 */
static void block_chld(void)
{
	sigset_t chld;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
}

static void live(void)
{
	pthread_t threads[3];
	int epoll = epoll_create1(EPOLL_CLOEXEC), files = open_files();

	block_chld();
	pthread_create(&threads[0], NULL, execute, NULL);
	pthread_create(&threads[1], NULL, count, NULL);
	pthread_create(&threads[2], NULL, multiply, NULL);
	while (!atomic_load(&shared->over))
		rest(epoll);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	if (open_files() != files)
		atomic_fetch_add(&shared->files, 1);
	atomic_fetch_add(&shared->behind, behind_image());
}

/* Two below each, until there are enough; the first one only looks whether it is over. */
static void grow(unsigned number, unsigned processes)
{
	me = number;
	for (unsigned child = 2 * number + 1; child <= 2 * number + 2 && child < processes; child++) {
		if (fork() == 0) {
			grow(child, processes);
			_exit(0);
		}
	}
	live();
	while (wait(NULL) > 0 || errno == EINTR)
		;
}

static volatile sig_atomic_t asked;

static void ask(int sig)
{
	(void)sig;
	asked = 1;
}

/* How many have executed nothing for 20 seconds: on a machine that is busy some wait long. */
static void tell(unsigned processes)
{
	static unsigned before[MAX];
	unsigned still = 0;

	for (unsigned i = 0; i < processes; i++)
		before[i] = atomic_load(&shared->execs[i]);
	for (int tries = 0; tries < 200; tries++) {
		still = 0;
		usleep(100000);
		for (unsigned i = 0; i < processes; i++)
			still += atomic_load(&shared->execs[i]) == before[i];
		if (!still)
			break;
	}
	printf("still %u\n", still);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	unsigned processes;
	time_t end = time(NULL) + LIFE;
	pid_t pid;

	if (argc == 2)
		return 0;
	if (argc != 3 || atoi(argv[1]) < 1 || atoi(argv[1]) > MAX)
		usage("grove PROCESSES FILE");
	processes = (unsigned)atoi(argv[1]);
	pace = (processes + LEISURELY - 1) / LEISURELY;
	share = 2 * processes;
	self = argv[0];
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid = fork();
	if (pid == 0) {
		grow(0, processes);
		_exit(0);
	}
	signal(SIGUSR1, ask);
	printf("%d\n", (int)pid);
	fflush(stdout);
	while (access(argv[2], F_OK) && time(NULL) < end) {
		usleep(20000);
		if (asked)
			tell(processes);
		asked = 0;
	}
	atomic_store(&shared->over, 1);
	waitpid(pid, NULL, 0);
	printf("failed %d, changed %d, interrupted %d, files %d, behind %d\n", shared->failed, shared->changed,
	       shared->interrupted, shared->files, shared->behind);
	return 0;
}
