/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uses FILE MS MIB BYTES [THREADS]
 * Uses much, and says how much that was, by what the kernel tells it of itself: touches MIB of memory; the first thread
 * and THREADS others each take MS of processor time and write BYTES to /dev/null. Adds "PID CPU_US PEAK_KIB WRITTEN" to
 * FILE.
 */
#include "victim.h"
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define THREADS_MAX 16

static long ms, bytes;

static void *work(void *arg)
{
	static const char zeros[65536];
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct timespec t = {0};

	while (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0 && t.tv_sec * 1000 + t.tv_nsec / 1000000 < ms)
		;
	for (long left = bytes; left > 0; left -= (long)sizeof(zeros)) {
		size_t n = left < (long)sizeof(zeros) ? (size_t)left : sizeof(zeros);

		if (write(null, zeros, n) != (ssize_t)n)
			die("write");
	}
	return arg;
}

static long peak_kib(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	char line[256];
	long kib = 0;

	while (status && fgets(line, sizeof(line), status)) {
		if (strncmp(line, "VmHWM:", 6) == 0)
			kib = atol(line + 6);
	}
	if (status)
		fclose(status);
	return kib;
}

static long us_of(const struct timeval *t)
{
	return (long)t->tv_sec * 1000000 + (long)t->tv_usec;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	int n = argc > 5 ? atoi(argv[5]) : 0;
	struct rusage used;
	size_t size;
	char *memory;
	FILE *file;

	if (argc < 5 || n > THREADS_MAX)
		usage("uses FILE MS MIB BYTES [THREADS]");
	ms = atol(argv[2]);
	bytes = atol(argv[4]);
	size = (size_t)atol(argv[3]) << 20;
	memory = malloc(size + 1);
	if (!memory)
		die("malloc");
	memset(memory, 1, size + 1);
	__asm__ volatile("" ::"r"(memory) : "memory");
	for (int i = 0; i < n; i++) {
		if (pthread_create(&threads[i], NULL, work, NULL))
			die("pthread_create");
	}
	(void)work(NULL);
	for (int i = 0; i < n; i++)
		(void)pthread_join(threads[i], NULL);
	getrusage(RUSAGE_SELF, &used);
	file = fopen(argv[1], "ae");
	if (!file)
		die(argv[1]);
	fprintf(file, "%d %ld %ld %ld\n", (int)getpid(), us_of(&used.ru_utime) + us_of(&used.ru_stime), peak_kib(),
	        bytes * (n + 1));
	return fclose(file) != 0;
}
