/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state [SECTION]...
 * Prints what a process inherits, one section after the other (all when none is named), in a form that two runs of the
 * same command must agree on: sections fds, signals, limits, ids, sched, groups, prctl, misc, terminal. What depends on
 * the run (pids, addresses) is left out.
 */
#include "victim.h"
#include <dirent.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>

static void print_fd(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return;
	printf("fd %d: type 0%o device %u:%u flags 0x%x fdflags %d\n", fd, st.st_mode & S_IFMT, major(st.st_rdev),
	       minor(st.st_rdev), fcntl(fd, F_GETFL), fcntl(fd, F_GETFD));
}

static void section_fds(void)
{
	int fd;

	for (fd = 0; fd < 4096; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			print_fd(fd);
}

/* The lines of /proc/self/status that begin with one of the words. */
static void status_lines(const char *const *words)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[4096];
	int i;

	if (!file)
		die("/proc/self/status");
	while (fgets(line, sizeof(line), file))
		for (i = 0; words[i]; i++)
			if (strncmp(line, words[i], strlen(words[i])) == 0)
				fputs(line, stdout);
	fclose(file);
}

static void copy_file(const char *name)
{
	FILE *file = fopen(name, "re");
	char line[4096];

	while (file && fgets(line, sizeof(line), file))
		printf("%s: %s", name, line);
	if (file)
		fclose(file);
}

static void section_signals(void)
{
	static const char *const words[] = {"SigPnd", "ShdPnd", "SigBlk", "SigIgn", "SigCgt", NULL};

	status_lines(words);
}

static void section_limits(void)
{
	copy_file("/proc/self/limits");
}

static void section_ids(void)
{
	static const char *const words[] = {"Umask", "Uid", "Gid", "Groups", "Cap", NULL};

	status_lines(words);
	printf("secure %lu\n", getauxval(AT_SECURE));
}

static void section_sched(void)
{
	static const char *const words[] = {"Cpus_allowed:", "Mems_allowed:", NULL};
	struct sched_param param;

	sched_getparam(0, &param);
	status_lines(words);
	printf("nice %d policy %d priority %d ioprio %ld\n", getpriority(PRIO_PROCESS, 0), sched_getscheduler(0),
	       param.sched_priority, syscall(SYS_ioprio_get, 1, 0));
	copy_file("/proc/self/oom_score_adj");
}

static void section_groups(void)
{
	printf("group %d session %d\n", (int)getpgrp(), (int)getsid(0));
}

static void section_prctl(void)
{
	static const char *const words[] = {"NoNewPrivs", NULL};
	int reaper = -1, death = -1;

	prctl(PR_GET_CHILD_SUBREAPER, &reaper);
	prctl(PR_GET_PDEATHSIG, &death);
	status_lines(words);
	printf("dumpable %d subreaper %d pdeathsig %d\n", prctl(PR_GET_DUMPABLE), reaper, death);
	printf("timerslack %d securebits %d keepcaps %d thp %d\n", prctl(PR_GET_TIMERSLACK), prctl(PR_GET_SECUREBITS),
	       prctl(PR_GET_KEEPCAPS), prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0));
}

static void section_misc(void)
{
	static const char *const spaces[] = {"cgroup", "ipc", "mnt", "net", "pid", "pid_for_children", "user", "uts"};
	char name[64], link[64], cwd[4096];
	struct itimerval timer;
	size_t i;
	ssize_t n;

	printf("cwd %s\n", getcwd(cwd, sizeof(cwd)));
	printf("persona 0x%x\n", personality(0xffffffff));
	getitimer(ITIMER_REAL, &timer);
	printf("itimer %s\n", timer.it_value.tv_sec || timer.it_value.tv_usec ? "runs" : "off");
	printf("child %s\n", waitpid(-1, NULL, WNOHANG) < 0 ? errno_name(errno) : "there is one");
	copy_file("/proc/self/comm");
	copy_file("/proc/self/coredump_filter");
	copy_file("/proc/self/cgroup");
	for (i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		snprintf(name, sizeof(name), "/proc/self/ns/%s", spaces[i]);
		n = readlink(name, link, sizeof(link) - 1);
		link[n > 0 ? n : 0] = '\0';
		printf("namespace %s\n", link);
	}
}

static void section_terminal(void)
{
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);

	printf("terminal: %s\n", fd < 0 ? errno_name(errno) : "yes");
	if (fd < 0)
		return;
	printf("foreground: %s\n", tcgetpgrp(fd) == getpgrp() ? "yes" : "no");
	close(fd);
}

static const struct section {
	const char *name;
	void (*print)(void);
} sections[] = {
	{"fds", section_fds},     {"signals", section_signals}, {"limits", section_limits},
	{"ids", section_ids},     {"sched", section_sched},     {"groups", section_groups},
	{"prctl", section_prctl}, {"misc", section_misc},       {"terminal", section_terminal},
};

int main(int argc, char **argv)
{
	bool wanted;
	size_t i;
	int j;

	for (i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		wanted = argc < 2;
		for (j = 1; j < argc; j++)
			wanted |= strcmp(argv[j], sections[i].name) == 0;
		if (wanted)
			sections[i].print();
	}
	return 0;
}
