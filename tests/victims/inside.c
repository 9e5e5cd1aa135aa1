/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inside masks|text|random SEED CALLS THREADS|sleeps N|children N
 * What a program whose calls are recorded in itself could notice. Says one line that is the same without a tracer.
 *   masks       signal masks and actions with SIGSYS in them, as they are read back; longjmp out of handlers; handlers
 *               on a stack of their own, in one another, and for once only
 *   text        a sum of its own text for each line of input
 *   random      random calls of each thread, from libc and from code that it makes and unmaps; a sum of all results
 *   sleeps N    sleeps so often, while signals come that it ignores
 *   children N  forks so many children, one after the other, and adds up what they end with
 */
#include "victim.h"
#include <dlfcn.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/* --- masks ------------------------------------------------------------------------------------------------------- */

static sigjmp_buf out;
static volatile int handled;

static void handle(int sig)
{
	handled += sig == SIGUSR1;
	getppid();
	if (handled % 3 == 0)
		siglongjmp(out, 1);
}

static bool has(const sigset_t *set, int sig)
{
	return sigismember(set, sig) == 1;
}

/* What is read back of a mask with, or without, SIGSYS. */
static int check_mask(bool with)
{
	sigset_t set, old, now;
	int wrong = 0;

	sigfillset(&set);
	if (!with)
		sigdelset(&set, SIGSYS);
	wrong += sigprocmask(SIG_BLOCK, &set, &old) != 0;
	wrong += sigprocmask(SIG_SETMASK, NULL, &now) || has(&now, SIGSYS) != with || !has(&now, SIGUSR1);
	getpgrp();
	wrong += raise(SIGUSR2) != 0; /* stays pending, and is ignored in the end */
	wrong += sigprocmask(SIG_SETMASK, &old, &now) || has(&now, SIGSYS) != with;
	wrong += sigprocmask(SIG_SETMASK, NULL, &now) || has(&now, SIGSYS);
	return wrong;
}

static int check_action(bool with)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_NODEFER}, old;
	int wrong = 0;

	sigfillset(&action.sa_mask);
	if (!with)
		sigdelset(&action.sa_mask, SIGSYS);
	wrong += sigaction(SIGUSR1, &action, NULL) != 0;
	wrong += sigaction(SIGUSR1, NULL, &old) || has(&old.sa_mask, SIGSYS) != with || old.sa_handler != handle;
	if (sigsetjmp(out, 1) == 0)
		wrong += raise(SIGUSR1) != 0;
	wrong += sigaction(SIGSYS, NULL, &old) || old.sa_handler != SIG_DFL;
	return wrong;
}

static volatile uintptr_t handled_at;
static volatile int depth, deepest;

static void handle_deeper(int sig)
{
	handled_at = (uintptr_t)__builtin_frame_address(0);
	deepest = ++depth > deepest ? depth : deepest;
	getppid();
	if (depth < 5)
		raise(sig);
	depth--;
}

/* A handler on a stack of its own that is interrupted by itself, and one that is for once. */
static int check_stack(bool with)
{
	static char memory[128 * 1024];
	stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)}, none = {.ss_flags = SS_DISABLE}, old;
	struct sigaction action = {.sa_handler = handle_deeper, .sa_flags = SA_NODEFER | SA_ONSTACK};
	int wrong = sigaltstack(&stack, NULL) != 0;

	if (with)
		sigaddset(&action.sa_mask, SIGSYS);
	deepest = 0;
	wrong += sigaction(SIGUSR1, &action, NULL) || raise(SIGUSR1) || deepest != 5 || depth;
	wrong += handled_at - (uintptr_t)memory >= sizeof(memory);
	wrong += sigaltstack(NULL, &old) || old.ss_sp != memory || old.ss_flags || sigaltstack(&none, NULL);
	action.sa_flags = (int)SA_RESETHAND;
	depth = 4;
	wrong += sigaction(SIGUSR1, &action, NULL) || raise(SIGUSR1) || depth != 4;
	wrong += sigaction(SIGUSR1, NULL, &action) || action.sa_handler != SIG_DFL;
	wrong += has(&action.sa_mask, SIGSYS) != with;
	depth = 0;
	return wrong;
}

static void *check_thread(void *wrong)
{
	*(int *)wrong += check_mask(true) + check_mask(false);
	return NULL;
}

static int check_masks(void)
{
	pthread_t thread;
	int wrong = 0, status = 0;

	signal(SIGUSR2, SIG_IGN);
	for (int i = 0; i < 100; i++) {
		wrong += check_mask(i % 2) + check_action(i % 2) + check_stack(i / 2 % 2);
		if (i % 10 == 0 && fork() == 0)
			_exit(check_mask(true) + check_action(false));
		if (i % 10 == 0)
			wrong += wait(&status) < 0 || status;
		if (i % 20 == 0 && pthread_create(&thread, NULL, check_thread, &wrong) == 0)
			pthread_join(thread, NULL);
	}
	printf("masks: %d wrong, %d handled\n", wrong, handled);
	return wrong != 0;
}

/* --- text -------------------------------------------------------------------------------------------------------- */

static uint64_t sum;

static void add(uint64_t value)
{
	sum = (sum ^ value) * UINT64_C(0x100000001b3);
}

static int add_text(struct dl_phdr_info *info, size_t size, void *none)
{
	(void)size;
	(void)none;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		const unsigned char *bytes = (const unsigned char *)info->dlpi_addr + part->p_vaddr;

		/* The vDSO has no name here, and is no file. */
		if (part->p_type == PT_LOAD && part->p_flags & PF_X &&
		    (*info->dlpi_name || info->dlpi_addr < 1u << 31 || part->p_offset))
			for (size_t k = 0; k < part->p_filesz; k++)
				add(bytes[k]);
	}
	return 0;
}

static int show_text(void)
{
	char line[16];

	while (fgets(line, sizeof(line), stdin)) {
		for (int i = 0; i < 300; i++)
			getppid();
		sum = 0;
		dl_iterate_phdr(add_text, NULL);
		printf("text: %016llx\n", (unsigned long long)sum);
		fflush(stdout);
	}
	return 0;
}

/* --- random calls ------------------------------------------------------------------------------------------------ */

struct caller {
	pthread_t thread;
	unsigned seed;
	unsigned calls;
	uint64_t sum;
};

static void note(struct caller *c, long result)
{
	c->sum = (c->sum ^ (uint64_t)(result < 0 ? -errno : result)) * UINT64_C(0x100000001b3);
}

/* A site that is made, called, and gone. */
static long call_from_page(long nr, long first, long second)
{
	static const unsigned char code[] = {0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0x48, 0x89, 0xd6, 0x0f, 0x05, 0xc3};
	long (*call)(long, long, long);
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long result;

	if (page == MAP_FAILED)
		return -1;
	memcpy(page, code, sizeof(code));
	memcpy(&call, &page, sizeof(call));
	result = call(nr, first, second);
	munmap(page, 4096);
	return result;
}

static void call_with_files(struct caller *c, unsigned kind)
{
	char bytes[64] = "";
	struct iovec parts[2] = {{bytes, 8}, {bytes + 8, 24}};
	struct stat st;
	int fd = open(kind & 1 ? "/dev/zero" : "/dev/null", O_RDWR | O_CLOEXEC), other;

	note(c, read(fd, bytes, kind % 64));
	note(c, write(fd, "some bytes", kind % 10));
	note(c, readv(fd, parts, 2));
	note(c, writev(fd, parts, kind % 3));
	note(c, fstat(fd, &st));
	note(c, (long)st.st_mode);
	note(c, lseek(fd, kind, SEEK_SET));
	note(c, fcntl(fd, F_GETFD));
	other = fcntl(fd, F_DUPFD_CLOEXEC, 100);
	note(c, other < 0);
	close(other);
	note(c, close(fd));
}

static void call_with_children(struct caller *c)
{
	int status = 0, ends[2];
	char byte = 0;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return;
	pid = fork();
	if (pid == 0) {
		note(c, write(ends[1], "x", 1));
		if (c->seed & 1)
			execl("/bin/true", "true", (char *)NULL);
		_exit(7);
	}
	note(c, read(ends[0], &byte, 1));
	note(c, waitpid(pid, &status, 0) == pid);
	note(c, status);
	close(ends[0]);
	close(ends[1]);
}

static void call_wrongly(struct caller *c)
{
	const void *volatile nowhere = (const void *)16;
	struct stat st;

	note(c, read(-1, NULL, 10));
	note(c, open((const char *)8, O_RDONLY));
	note(c, stat("/nowhere/at/all", &st));
	note(c, syscall(SYS_getcwd, NULL, 0UL));
	note(c, syscall(999, 0L, 0L, 0L, 0L, 0L, 0L)); /* else they are what was in the registers */
	note(c, write(1, nowhere, 5));
	note(c, syscall(SYS_nanosleep, 4, NULL));
}

static void *call_randomly(void *arg)
{
	struct caller *c = arg;
	struct timespec moment = {0, 1000};
	struct pollfd none = {-1, POLLIN, 0};
	sigset_t set;
	char bytes[256];

	sigemptyset(&set);
	for (unsigned i = 0; i < c->calls; i++) {
		unsigned n = (unsigned)rand_r(&c->seed);

		switch (n >> 8 & 15) {
		case 0:
			call_with_files(c, n & 255);
			break;
		case 1:
			note(c, readlink("/proc/self/exe", bytes, sizeof(bytes)) > 0);
			break;
		case 2:
			note(c, poll(&none, n & 1, 0));
			break;
		case 3:
			call_wrongly(c);
			break;
		case 4:
			note(c, clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL));
			break;
		case 5:
			note(c, pthread_sigmask(n & 1 ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL));
			break;
		case 6:
			note(c, call_from_page(SYS_getppid, 0, 0) > 0);
			break;
		case 7:
			if (n % 8 == 0)
				call_with_children(c);
			break;
		default:
			note(c, getppid() > 0);
			break;
		}
	}
	return NULL;
}

static int make_random_calls(unsigned seed, unsigned calls, unsigned threads)
{
	static struct caller callers[64];
	uint64_t all = 0;

	threads = threads < 64 ? threads : 64;
	for (unsigned i = 0; i < threads; i++)
		callers[i] = (struct caller){.seed = seed + i, .calls = calls};
	for (unsigned i = 1; i < threads; i++) {
		if (pthread_create(&callers[i].thread, NULL, call_randomly, &callers[i]))
			die("pthread_create");
	}
	call_randomly(&callers[0]);
	for (unsigned i = 1; i < threads; i++)
		pthread_join(callers[i].thread, NULL);
	for (unsigned i = 0; i < threads; i++)
		all ^= callers[i].sum + i;
	printf("random: %016llx\n", (unsigned long long)all);
	return 0;
}

static volatile bool over;

/* Signals that are ignored, which yet wake who sleeps while there is a tracer to be told. */
static void *wake(void *sleeper)
{
	while (!over)
		pthread_kill(*(pthread_t *)sleeper, SIGWINCH);
	return NULL;
}

static int sleep_often(unsigned n)
{
	const struct timespec moment = {0, 300000};
	pthread_t self = pthread_self(), waker;
	unsigned interrupted = 0;

	if (pthread_create(&waker, NULL, wake, &self))
		die("pthread_create");
	for (unsigned i = 0; i < n; i++)
		interrupted += clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL) != 0;
	over = true;
	pthread_join(waker, NULL);
	printf("%u of %u were interrupted\n", interrupted, n);
	return 0;
}

static int make_children(unsigned n)
{
	unsigned total = 0;

	for (unsigned i = 0; i < n; i++) {
		int status = 0;

		if (fork() == 0) {
			for (int k = 0; k < 20; k++)
				getppid();
			_exit((int)i & 63);
		}
		wait(&status);
		total += (unsigned)WEXITSTATUS(status);
	}
	printf("children: %u\n", total);
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (strcmp(mode, "masks") == 0)
		return check_masks();
	if (strcmp(mode, "text") == 0)
		return show_text();
	if (strcmp(mode, "random") == 0 && argc == 5)
		return make_random_calls((unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]), (unsigned)atoi(argv[4]));
	if (strcmp(mode, "sleeps") == 0 && argc == 3)
		return sleep_often((unsigned)atoi(argv[2]));
	if (strcmp(mode, "children") == 0 && argc == 3)
		return make_children((unsigned)atoi(argv[2]));
	usage("inside masks|text|random SEED CALLS THREADS|sleeps N|children N");
}
