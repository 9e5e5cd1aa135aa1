/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the victims share. Everything is static: a victim is one file, built without a library. */
#ifndef EXECTRACE_TESTS_VICTIMS_VICTIM_H
#define EXECTRACE_TESTS_VICTIMS_VICTIM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))
#define VICTIM_BROKEN 99 /* exit status when the victim itself could not do its work */

/* Ends the victim with a message: something failed that has nothing to do with what it proves. */
static UNUSED _Noreturn void die(const char *what)
{
	fprintf(stderr, "victim: %s: %s\n", what, strerror(errno));
	exit(VICTIM_BROKEN);
}

static UNUSED _Noreturn void usage(const char *text)
{
	fprintf(stderr, "usage: %s\n", text);
	exit(VICTIM_BROKEN);
}

static UNUSED void sleep_ms(long ms)
{
	struct timespec left = {ms / 1000, ms % 1000 * 1000000};

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

static UNUSED int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* "TERM" or "15" to 15. */
static UNUSED int signal_number(const char *name)
{
	int sig;

	if (*name >= '0' && *name <= '9')
		return atoi(name);
	for (sig = 1; sig < 32; sig++)
		if (strcmp(sigabbrev_np(sig), name) == 0)
			return sig;
	fprintf(stderr, "victim: no such signal: %s\n", name);
	exit(VICTIM_BROKEN);
}

/* Prints a wait status as "exit 3", "signal 11" or "signal 11 core". */
static UNUSED void print_status(FILE *to, int status)
{
	if (WIFEXITED(status))
		fprintf(to, "exit %d\n", WEXITSTATUS(status));
	else if (WIFSIGNALED(status))
		fprintf(to, "signal %d%s\n", WTERMSIG(status), WCOREDUMP(status) ? " core" : "");
	else
		fprintf(to, "status 0x%x\n", status);
}

/* Waits for one child and returns its status. */
static UNUSED int wait_status(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			die("waitpid");
	return status;
}

static UNUSED const char *errno_name(int err)
{
	return err ? strerrorname_np(err) : "0";
}

#endif
