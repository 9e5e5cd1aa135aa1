/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The only program of a guest: as its init it lets 32 processes set a gain, one of which does not calibrate for that,
 * and fails to change its directory; adds 3000 names to a list that is searched from its beginning for each; and
 * switches the machine off.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHANNELS 32
#define ODD 19
#define NAMES 3000

struct name {
	struct name *next;
	int number;
};

static struct name *names;
static volatile int step;

__attribute__((noinline)) static void calibrate(int gain)
{
	step = 1 + gain / 8;
}

__attribute__((noinline)) static void set_gain(int gain, int raw)
{
	if (!raw)
		calibrate(gain);
	step++;
}

static void channel(int number)
{
	pid_t pid = fork();

	if (pid == 0) {
		(void)prctl(PR_SET_NAME, number == ODD ? "odd" : "even");
		set_gain(40, number == ODD);
		(void)!chdir(number == ODD ? "/none" : "/");
		_exit(0);
	}
	(void)waitpid(pid, NULL, 0);
}

__attribute__((noinline)) static int is_same(const struct name *name, int number)
{
	return name->number == number;
}

__attribute__((noinline)) static struct name **find(int number)
{
	struct name **at = &names;

	while (*at && !is_same(*at, number))
		at = &(*at)->next;
	return at;
}

__attribute__((noinline)) static void add_name(int number)
{
	struct name **at = find(number);

	if (*at)
		return;
	*at = calloc(1, sizeof(**at));
	if (*at)
		(*at)->number = number;
}

int main(void)
{
	for (int i = 0; i < CHANNELS; i++)
		channel(i);
	for (int i = 0; i < NAMES; i++)
		add_name(i);
	printf("guest ends\n");
	fflush(stdout);
	sync();
	(void)reboot(RB_POWER_OFF);
	return 0;
}
