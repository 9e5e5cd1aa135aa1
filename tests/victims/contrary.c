/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * contrary MODE
 * Does, after it has made many calls and before it makes many more, what does not go well with an agent in the process,
 * and says what it sees:
 *   gs        has a base for gs of its own, in a thread as well
 *   based     the same without a call that says so
 *   tsc       may not read the time stamp counter
 *   handler   has a handler of SIGSYS, and gets one
 *   ignored   ignores SIGSYS, and gets one
 *   blocked   has SIGSYS blocked, in handlers as well, gets one, and waits for it
 *   raised    dies of a SIGSYS that nobody handles: a child
 *   executed  executes itself with SIGSYS blocked
 *   dispatch  has Syscall User Dispatch of its own
 *   filter    has a seccomp filter that raises SIGSYS, with a handler
 *   trap      dies of a filter that raises SIGSYS: a child
 *   mapped    maps something at addresses that an agent could have
 *   unmapped  unmaps what is there
 *   locked    locks all of its memory, and says whether that is much
 *   locking   has locked all of its memory from the beginning
 *   limited   may not have more than 64 MB from then on, and looks how much that leaves
 *   crowded   maps something there, with threads that wait, compute and make calls
 */
#include "victim.h"
#include <asm/prctl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

static pid_t parent;

static void call_often(const char *when)
{
	unsigned wrong = 0;

	for (int i = 0; i < 300; i++)
		wrong += syscall(SYS_getppid) != parent;
	printf("%s: %u of 300 wrong\n", when, wrong);
}

/* --- gs and the time stamp counter -------------------------------------------------------------------------------- */

static void *use_gs(void *none)
{
	static uint64_t words[2] = {77, 88};
	uint64_t base = 1, word = 0;

	(void)none;
	syscall(SYS_arch_prctl, ARCH_GET_GS, &base);
	printf("gs begins as %llu\n", (unsigned long long)base);
	printf("set: %s\n", syscall(SYS_arch_prctl, ARCH_SET_GS, words) ? errno_name(errno) : "done");
	__asm__ volatile("movq %%gs:8, %0" : "=r"(word));
	call_often("with gs");
	syscall(SYS_arch_prctl, ARCH_GET_GS, &base);
	printf("gs is %s, and has %llu\n", base == (uint64_t)words ? "as set" : "other", (unsigned long long)word);
	return NULL;
}

static void try_gs(void)
{
	pthread_t thread;

	use_gs(NULL);
	syscall(SYS_arch_prctl, ARCH_SET_GS, 0UL);
	if (pthread_create(&thread, NULL, use_gs, NULL) == 0)
		pthread_join(thread, NULL);
}

/* It is an instruction from Linux 5.9 on, where the processor has it. */
static void try_based(void)
{
	static uint64_t words[4096];
	uint64_t base = (uint64_t)words;
	size_t changed = 0;

	if (!(getauxval(AT_HWCAP2) & 2)) {
		printf("no instruction sets gs\n");
		return;
	}
	for (int i = 0; i < 3; i++) {
		__asm__ volatile("wrgsbase %0" : : "r"(base));
		call_often("with gs");
		__asm__ volatile("rdgsbase %0" : "=r"(base));
		printf("gs is %s\n", base == (uint64_t)words ? "as set" : "other");
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		changed += words[i] != 0;
	printf("%zu words have changed\n", changed);
	__asm__ volatile("mov %0, %%gs" : : "r"(0));
}

static void try_tsc(void)
{
	int now = 0;
	pid_t pid;

	fflush(stdout);
	prctl(PR_GET_TSC, &now);
	printf("tsc %d\n", now);
	pid = fork();
	if (pid == 0) {
		printf("set: %d\n", prctl(PR_SET_TSC, PR_TSC_SIGSEGV));
		call_often("without tsc");
		prctl(PR_GET_TSC, &now);
		printf("tsc %d\n", now);
		fflush(stdout);
		__asm__ volatile("rdtsc" : : : "eax", "edx");
		_exit(3);
	}
	print_status(stdout, wait_status(pid));
}

/* --- SIGSYS ------------------------------------------------------------------------------------------------------- */

static volatile int caught, caught_nr;

static void show_masks(const char *where, const ucontext_t *context)
{
	sigset_t now;

	sigprocmask(SIG_SETMASK, NULL, &now);
	printf("%s: SIGSYS is %sblocked, it was %sblocked\n", where, sigismember(&now, SIGSYS) ? "" : "not ",
	       sigismember(&context->uc_sigmask, SIGSYS) ? "" : "not ");
}

static void handle(int sig, siginfo_t *info, void *context)
{
	caught++;
	caught_nr = info->si_code == 1 ? info->si_syscall : -1; /* SYS_SECCOMP */
	if (sig == SIGUSR1)
		show_masks("in the handler", context);
}

static void set_handler(int sig, void (*handler)(int, siginfo_t *, void *), bool with)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};

	if (with)
		sigaddset(&action.sa_mask, SIGSYS);
	sigaction(sig, &action, NULL);
}

static void try_handler(void)
{
	set_handler(SIGSYS, handle, false);
	raise(SIGSYS);
	call_often("with a handler");
	raise(SIGSYS);
	printf("caught %d\n", caught);
	signal(SIGSYS, SIG_DFL);
}

static void try_ignored(void)
{
	struct sigaction old;

	signal(SIGSYS, SIG_IGN);
	call_often("while it is ignored");
	raise(SIGSYS);
	sigaction(SIGSYS, NULL, &old);
	printf("lives, %s\n", old.sa_handler == SIG_IGN ? "ignored" : "not ignored");
}

static void try_blocked(void)
{
	const struct timespec moment = {1, 0};
	sigset_t set, pending;
	siginfo_t info;

	set_handler(SIGUSR1, handle, true);
	raise(SIGUSR1);
	sigemptyset(&set);
	sigaddset(&set, SIGSYS);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	set_handler(SIGUSR1, handle, false);
	raise(SIGUSR1);
	call_often("while it is blocked");
	raise(SIGSYS);
	call_often("while it is pending");
	sigpending(&pending);
	printf("pending %d\n", sigismember(&pending, SIGSYS));
	printf("waited for: %d\n", sigtimedwait(&set, &info, &moment));
}

static void try_raised(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		raise(SIGSYS);
		_exit(3);
	}
	print_status(stdout, wait_status(pid));
}

static void try_executed(char **argv)
{
	char *const again[] = {argv[0], (char *)"mask", NULL};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGSYS);
	sigprocmask(SIG_BLOCK, &set, NULL);
	call_often("while it is blocked");
	fflush(stdout);
	execv("/proc/self/exe", again);
	die("execv");
}

static void show_mask(void)
{
	sigset_t now;

	sigprocmask(SIG_SETMASK, NULL, &now);
	printf("begins with SIGSYS %sblocked\n", sigismember(&now, SIGSYS) ? "" : "not ");
}

/* --- Filters and dispatch ----------------------------------------------------------------------------------------- */

static void refuse_getpgrp(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgrp, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		die("PR_SET_SECCOMP");
}

static void try_filter(void)
{
	set_handler(SIGSYS, handle, false);
	refuse_getpgrp();
	call_often("with a filter");
	for (int i = 0; i < 10; i++)
		syscall(SYS_getpgrp);
	printf("caught %d, the last is %s\n", caught, caught_nr == SYS_getpgrp ? "getpgrp" : "another");
}

static void try_trap(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		refuse_getpgrp();
		call_often("with a filter");
		fflush(stdout);
		syscall(SYS_getpgrp);
		_exit(3);
	}
	print_status(stdout, wait_status(pid));
}

static volatile char selector;

static void dispatched(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	selector = 0;
	caught++;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = 1000 + info->si_syscall;
}

static void try_dispatch(void)
{
	long got;

	set_handler(SIGSYS, dispatched, false);
	if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, 0, 0, &selector))
		die("PR_SET_SYSCALL_USER_DISPATCH");
	call_often("with dispatch that lets pass");
	for (int i = 0; i < 10; i++) {
		selector = 1;
		got = syscall(SYS_getpgrp);
		selector = 0;
	}
	printf("caught %d, the last returned %s\n", caught, got == 1000 + SYS_getpgrp ? "what we said" : "another");
	prctl(PR_SET_SYSCALL_USER_DISPATCH, 0, 0, 0, 0);
}

/* --- Addresses ---------------------------------------------------------------------------------------------------- */

#define LOW 0x5ff00000UL
#define BYTES 0x10000000UL /* to behind 0x6f010000 */

static void map_low(void)
{
	unsigned char *at = mmap((void *)LOW, BYTES, PROT_READ | PROT_WRITE,
	                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
	unsigned long wrong = 0;

	printf("mapped: %d\n", at == (void *)LOW);
	for (unsigned long i = 0; i < BYTES; i += 4096)
		wrong += at[i] != 0;
	memset(at, 1, 1 << 20);
	memset(at + BYTES - (1 << 20), 1, 1 << 20);
	printf("%lu pages are not empty\n", wrong);
}

static void try_unmapped(void)
{
	printf("unmapped: %d\n", munmap((void *)LOW, BYTES));
	call_often("without it");
	map_low();
	printf("protected: %d\n", mprotect((void *)LOW, BYTES, PROT_READ));
}

static unsigned long locked_kb(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	unsigned long kb = 0;
	char line[128];

	while (status && fgets(line, sizeof(line), status))
		(void)sscanf(line, "VmLck: %lu", &kb);
	if (status)
		fclose(status);
	return kb;
}

static void try_locked(void)
{
	int failed = mlockall(MCL_CURRENT);

	printf("locked: %s\n", failed ? errno_name(errno) : locked_kb() < 16384 ? "little" : "much");
	call_often("locked");
	munlockall();
}

static void try_locking(void)
{
	printf("locked: %s\n", locked_kb() < 16384 ? "little" : "much");
}

static void try_limited(void)
{
	const struct rlimit limit = {64 << 20, 64 << 20};
	int mb = 0;

	printf("limited: %d\n", setrlimit(RLIMIT_AS, &limit));
	while (mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		mb++;
	printf("%s\n", mb > 50 ? "much is left" : "little is left");
}

static int ends[2];
static volatile bool over;

static void *wait_long(void *none)
{
	char byte = 0;

	(void)none;
	if (read(ends[0], &byte, 1) != 1 || byte != 'x')
		printf("read %s\n", errno_name(errno));
	return NULL;
}

static void *compute(void *none)
{
	(void)none;
	while (!over)
		;
	return NULL;
}

static void *call(void *none)
{
	static __thread unsigned wrong;

	(void)none;
	while (!over)
		wrong += syscall(SYS_getppid) != parent;
	return wrong ? NULL : (void *)1;
}

/* A call that is made with stops. */
static void *call_slowly(void *none)
{
	static __thread unsigned wrong;

	(void)none;
	while (!over)
		wrong += rmdir("/nowhere/at/all") != -1 || errno != ENOENT;
	return wrong ? NULL : (void *)1;
}

static void try_crowded(void)
{
	void *(*const jobs[])(void *) = {wait_long, compute, call, call_slowly, wait_long, call, call_slowly};
	pthread_t threads[sizeof(jobs) / sizeof(jobs[0])];
	void *right = NULL;

	if (pipe(ends))
		die("pipe");
	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++)
		pthread_create(&threads[i], NULL, jobs[i], NULL);
	usleep(20000);
	call_often("in a crowd");
	map_low();
	call_often("behind it");
	usleep(20000);
	over = true;
	if (write(ends[1], "xx", 2) != 2)
		die("write");
	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
		pthread_join(threads[i], &right);
		if (jobs[i] == call || jobs[i] == call_slowly)
			printf("its calls are %s\n", right ? "right" : "wrong");
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} modes[] = {
		{"gs", try_gs},           {"based", try_based},   {"locked", try_locked},   {"limited", try_limited},
		{"locking", try_locking}, {"tsc", try_tsc},       {"handler", try_handler}, {"ignored", try_ignored},
		{"blocked", try_blocked}, {"filter", try_filter}, {"trap", try_trap},       {"dispatch", try_dispatch},
		{"mask", show_mask},      {"raised", try_raised}, {"mapped", map_low},      {"unmapped", try_unmapped},
		{"crowded", try_crowded}};
	const char *mode = argc > 1 ? argv[1] : "";

	parent = getppid();
	if (strcmp(mode, "locking") == 0 && mlockall(MCL_FUTURE | MCL_CURRENT))
		printf("mlockall: %s\n", errno_name(errno));
	call_often("before");
	if (strcmp(mode, "executed") == 0)
		try_executed(argv);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(mode, modes[i].name) == 0) {
			modes[i].run();
			call_often("after");
			return 0;
		}
	}
	usage("contrary MODE (see the source)");
}
