/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mixer records: maps, fills and unmaps memory; mixer audio: leaves a real-time process behind that spins until
 * mixer mix has run.
 */
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROUNDS 60
#define BYTES (8u << 20)

static volatile int *ring;

static __attribute__((noinline)) void wait_ring(void)
{
	while (!*ring)
		;
}

static __attribute__((noinline)) void lookup_record(void)
{
	char *map = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (unsigned i = 0; i < BYTES; i += 4096)
		map[i] = 1;
	munmap(map, BYTES);
}

static void become_audio(void)
{
	const struct sched_param param = {.sched_priority = 60};

	if (fork())
		_exit(0);
	setsid();
	sched_setscheduler(0, SCHED_FIFO, &param);
	wait_ring();
	_exit(0);
}

int main(int argc, char **argv)
{
	int fd = open("/run/ring", O_RDWR | O_CREAT, 0600);

	if (argc < 2 || ftruncate(fd, 4096))
		return 1;
	ring = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (strcmp(argv[1], "audio") == 0)
		become_audio();
	if (strcmp(argv[1], "mix") == 0)
		*ring = 1;
	for (int i = 0; strcmp(argv[1], "records") == 0 && i < ROUNDS; i++)
		lookup_record();
	return 0;
}
