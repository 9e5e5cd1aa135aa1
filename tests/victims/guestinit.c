/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The only program of a guest: as its init it computes fib(20), which is 21,891 calls, makes 100 system calls that
 * fail, runs the programs that the guest has, tells how many tasks were made, prints the kernel's symbols when the
 * kernel's command line has the word `symbols`, and switches the machine off; with the word `again` it boots once more,
 * with `kexec` it starts the kernel /vmlinuz, with `panics` it ends. With `deep` a function calls itself 100,000 deep,
 * with `types` functions are called with arguments of several types, with `waits` it waits for a line before all that.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

/* Prints the lines of a function's type: those of data would only cost time. */
static void symbols(void)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[1024];

	while (f && fgets(line, sizeof(line), f)) {
		if (strlen(line) > 18 && strchr("tTwW", line[17]))
			fputs(line, stdout);
	}
	if (f)
		fclose(f);
}

__attribute__((noinline)) static void fail_often(void)
{
	for (int i = 0; i < 100; i++)
		(void)chdir("/nowhere");
}

/* 70 calls of the vdso. */
static void look_at_clock(void)
{
	struct timespec now;

	for (int i = 0; i < 70; i++)
		(void)clock_gettime(CLOCK_MONOTONIC, &now);
}

static void child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		(void)prctl(PR_SET_NAME, "guestchild");
		fail_often();
		_exit(3);
	}
	printf("child %d\n", (int)pid);
	(void)waitpid(pid, NULL, 0);
}

/* How many tasks were made since the beginning, as the kernel counts them. */
static void tell_forks(void)
{
	FILE *f = fopen("/proc/stat", "r");
	char line[1024];
	unsigned n;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "processes %u", &n) == 1)
			printf("forks %u\n", n);
	}
	if (f)
		fclose(f);
}

static void load_module(void)
{
	int fd = open("/module.ko", O_RDONLY);

	if (fd >= 0)
		printf("module %s\n", syscall(SYS_finit_module, fd, "", 0) == 0 ? "loaded" : "refused");
	if (fd >= 0)
		close(fd);
}

/* Those that the guest has. */
static void run_programs(void)
{
	static const char *const paths[] = {"/static", "/stripped", "/dynamic"};

	for (unsigned i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		int status = -1;
		pid_t pid = access(paths[i], X_OK) ? -1 : fork();

		if (pid == 0) {
			execl(paths[i], paths[i], (char *)NULL);
			_exit(127);
		}
		if (pid > 0 && waitpid(pid, &status, 0) == pid)
			printf("program %s %d\n", paths[i], status);
	}
}

static int asked_for(const char *word)
{
	char line[4096] = "";
	FILE *f = fopen("/proc/cmdline", "r");
	int found = f && fgets(line, sizeof(line), f) && strstr(line, word);

	if (f)
		fclose(f);
	return found;
}

/* Another kernel takes the place of this one (kexec_file_load(2)), and its first program is this one again. */
static void start_kernel(void)
{
	static const char words[] = "console=ttyS0 panic=-1 no_timer_check quiet";
	int kernel = open("/vmlinuz", O_RDONLY), files = open("/initrd.gz", O_RDONLY);

	if (syscall(SYS_kexec_file_load, kernel, files, sizeof(words), words, 0) == 0)
		reboot(RB_KEXEC);
	perror("kexec_file_load");
}

/* Until somebody types one on the console. */
static void wait_for_line(void)
{
	char c = 0;

	puts("guest waits");
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) == 1 && c != '\n')
		;
}

/* Calls of itself, one in the other. */
static __attribute__((noinline)) int deeper(int left)
{
	volatile int below = left ? deeper(left - 1) : 0;

	return below + 1;
}

/* --- Of several types --------------------------------------------------------------------------------------------- */

enum color { RED = 1, BLUE = 2, ODD = -1 };

struct link {
	short value;
	const char *name;
	struct link *next;
	enum color color;
};

#define CALLED __attribute__((noinline)) /* with a name outside of this file, so that all is passed as it has to be */

CALLED int add(int a, short b)
{
	return a + b;
}

CALLED const char *name_of(enum color color)
{
	return color == BLUE ? "blue" : "none";
}

CALLED struct link *last(struct link *first, double weight, unsigned char times)
{
	while (first->next && weight > 0 && times--)
		first = first->next;
	return first;
}

static void call_types(void)
{
	struct link second = {-2, "second", NULL, ODD}, first = {1, "first", &second, BLUE};
	int sum = add(7, 8) + add(-5, -300) + (last(&first, 1.5, 200) == &second);

	printf("types %s %s %d\n", name_of(BLUE), name_of(ODD), sum);
}

int main(void)
{
	if (getpid() != 1) {
		fputs("guestinit: only for a guest\n", stderr);
		return 1;
	}
	(void)mkdir("/proc", 0755);
	(void)mount("proc", "/proc", "proc", 0, "");
	if (asked_for("waits"))
		wait_for_line();
	printf("fib(20) = %d\n", fib(20));
	fail_often();
	look_at_clock();
	fflush(stdout);
	child();
	load_module();
	run_programs();
	if (asked_for("symbols"))
		symbols();
	if (asked_for("deep"))
		printf("deeper = %d\n", deeper(99999));
	if (asked_for("types"))
		call_types();
	tell_forks();
	puts("guest ends");
	fflush(stdout);
	if (asked_for("panics"))
		return 1; /* the kernel does not live without its init */
	if (asked_for("kexec"))
		start_kernel();
	if (asked_for("again"))
		reboot(RB_AUTOBOOT);
	reboot(RB_POWER_OFF);
	return 1;
}
