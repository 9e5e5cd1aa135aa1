/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A store of one file. `store compact` locks it, makes /run/compacting and sleeps four seconds, as a program does that
 * saves the disk. `store warm` takes three seconds and then says through the FIFO that it is done. `store start` starts
 * a child that migrates the store, which takes the lock, and then waits for the FIFO.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_NAME "/run/store.db"
#define FIFO_NAME "/run/store.fifo"

static __attribute__((noinline)) void lock_store(void)
{
	int fd = open(FILE_NAME, O_RDWR | O_CREAT, 0600);

	if (fd < 0 || flock(fd, LOCK_EX))
		perror(FILE_NAME);
}

static int compact(void)
{
	lock_store();
	(void)mkdir("/run/compacting", 0700);
	sleep(4);
	return 0;
}

static int warm(void)
{
	int fd;

	sleep(3);
	fd = open(FIFO_NAME, O_WRONLY);
	return write(fd, "warm\n", 5) != 5;
}

static __attribute__((noinline)) int migrate(void)
{
	lock_store();
	return 0;
}

static __attribute__((noinline)) int wait_for_cache(void)
{
	char text[16];
	int fd = open(FIFO_NAME, O_RDONLY);

	return read(fd, text, sizeof(text)) <= 0;
}

static int start(void)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		_exit(migrate() || wait_for_cache());
	return waitpid(child, &status, 0) < 0 || status != 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "compact") == 0)
		return compact();
	if (strcmp(what, "warm") == 0)
		return warm();
	return start();
}
