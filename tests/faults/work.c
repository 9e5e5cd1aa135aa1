/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work [alone]     the command of a run: starts picks and others, in a row and at once, and a daemon that outlives it
 * pick N           works a little, looks at its own code, ends with status 10 + N
 * other N          the same, never picked; status 20 + N
 * Each line of output is one write, and no line depends on time.
 */
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define AROUND 64

static void __attribute__((format(printf, 1, 2))) say(const char *format, ...)
{
	char line[256];
	va_list args;
	int n = 0;

	va_start(args, format);
	n = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (write(1, line, (size_t)n) != n)
		_exit(97);
}

static void sleep_us(long us)
{
	struct timespec t = {0, us * 1000};

	while (nanosleep(&t, &t))
		;
}

static void start(const char *dir, const char *program, const char *number)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir, program);
	execl(path, program, number, (char *)NULL);
	say("cannot execute %s\n", program);
	_exit(96);
}

static pid_t child(const char *dir, const char *program, const char *number)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_NAME, strcmp(program, "pick") ? "to-other" : "to-pick");
		start(dir, program, number);
	}
	return pid;
}

static void ended(pid_t pid, const char *program, const char *number)
{
	int status = 0;

	while (waitpid(pid, &status, 0) != pid)
		;
	say("child %s %s %s %d\n", program, number, WIFEXITED(status) ? "exit" : "signal",
	    WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

static void start_daemon(const char *dir)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_NAME, "daemon");
		setsid();
		if (fork() == 0) {
			sleep_us(60000);
			start(dir, "other", "9");
		}
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static int work(const char *dir)
{
	static const char *const names[] = {"pick", "other", "pick", "other"};
	static const char *const numbers[] = {"2", "2", "3", "3"};
	pid_t pids[4];

	say("started\n");
	start_daemon(dir);
	ended(child(dir, "pick", "1"), "pick", "1");
	ended(child(dir, "other", "1"), "other", "1");
	for (int i = 0; i < 4; i++)
		pids[i] = child(dir, names[i], numbers[i]);
	for (int i = 0; i < 4; i++)
		ended(pids[i], names[i], numbers[i]);
	say("done\n");
	return 3;
}

/* Is what lies around this address of the file that is mapped there? An address of the loader, or of the program. */
static const char *text_at(unsigned long address)
{
	unsigned long from = 0, to = 0, offset = 0;
	char line[4600], path[4096];
	unsigned char bytes[2 * AROUND];
	const char *result = "not mapped";
	FILE *maps = fopen("/proc/self/maps", "re");

	while (maps && fgets(line, sizeof(line), maps)) {
		int fd = -1;

		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4095s", &from, &to, &offset, path) != 4 || address < from ||
		    address >= to)
			continue;
		fd = open(path, O_RDONLY | O_CLOEXEC);
		unsigned long begin = address - from >= AROUND ? address - AROUND : from;
		size_t size = to - begin < sizeof(bytes) ? to - begin : sizeof(bytes);
		ssize_t n = fd < 0 ? -1 : pread(fd, bytes, size, (off_t)(offset + begin - from));
		result = n != (ssize_t)size                              ? "unreadable"
		         : memcmp(bytes, (const void *)begin, size) == 0 ? "same"
		                                                         : "CHANGED";
		if (fd >= 0)
			close(fd);
		break;
	}
	if (maps)
		fclose(maps);
	return result;
}

static unsigned long entry_of_loader(void)
{
	unsigned long base = getauxval(AT_BASE);

	return base ? base + ((const Elf64_Ehdr *)base)->e_entry : getauxval(AT_ENTRY);
}

static void *thread(void *user)
{
	for (int i = 0; i < 5; i++) {
		(void)getppid();
		sleep_us(700);
	}
	return user;
}

/* What a process does that has something to be traced. */
static void be_busy(void)
{
	pthread_t other;
	bool made = pthread_create(&other, NULL, thread, NULL) == 0;

	for (int i = 0; i < 10; i++) {
		int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

		if (write(fd, "x", 1) == 1)
			close(fd);
		sleep_us(500);
	}
	if (made)
		pthread_join(other, NULL);
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
	char dir[4096];
	ssize_t n = readlink("/proc/self/exe", dir, sizeof(dir) - 1);

	if (n < 0)
		return 95;
	dir[n] = '\0';
	*strrchr(dir, '/') = '\0';
	if (strcmp(name, "work") == 0 && argc > 1) {
		say("started\n");
		prctl(PR_SET_NAME, "to-pick");
		start(dir, "pick", "1");
	}
	if (strcmp(name, "work") == 0)
		return work(dir);
	be_busy();
	if (argc > 1 && strcmp(name, "pick") == 0 && argv[1][0] == '3')
		ended(child(dir, "other", "5"), "other", "5");
	say("%s %s: loader %s, program %s\n", name, argc > 1 ? argv[1] : "", text_at(entry_of_loader()),
	    text_at(getauxval(AT_ENTRY)));
	return (strcmp(name, "pick") ? 20 : 10) + (argc > 1 ? atoi(argv[1]) : 0);
}
