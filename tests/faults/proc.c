/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "faults.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *const role_names[ROLES] = {"supervisor", "keeper", "sentinel", "look",  "tool", "guard",
                                       "pick",       "other",  "command",  "group", "none"};

char *file_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = 0;
	size_t len = 0;

	while (fd >= 0 && len < size - 1 && (n = read(fd, text + len, size - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	if (fd >= 0)
		close(fd);
	return text;
}

/* The fields of /proc/PID/stat that matter. False: there is no such process. */
static bool look_at(pid_t pid, struct process *process)
{
	char path[64];
	char text[1024];
	char *comm = NULL;
	char *end = NULL;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file_read(path, text, sizeof(text));
	comm = strchr(text, '(');
	end = strrchr(text, ')');
	if (!comm || !end)
		return false;
	*end = '\0';
	process->pid = pid;
	snprintf(process->comm, sizeof(process->comm), "%s", comm + 1);
	return sscanf(end + 1, " %*c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
	              &process->ppid, &process->group, (unsigned long long *)&process->start) == 3;
}

static enum role role_of(const struct process *process, const struct processes *all)
{
	const char *comm = process->comm;

	if (strcmp(comm, "exectrace-keep") == 0)
		return ROLE_KEEPER;
	if (strcmp(comm, "exectrace-sig") == 0)
		return ROLE_SENTINEL;
	if (strcmp(comm, "exectrace-look") == 0)
		return ROLE_LOOK;
	if (strcmp(comm, "exectrace-guard") == 0)
		return ROLE_GUARD;
	if (strcmp(comm, "pick") == 0 || strcmp(comm, "to-pick") == 0)
		return ROLE_PICK;
	if (strcmp(comm, "other") == 0 || strcmp(comm, "to-other") == 0 || strcmp(comm, "daemon") == 0)
		return ROLE_OTHER;
	if (strcmp(comm, "work") == 0)
		return ROLE_COMMAND;
	if (strcmp(comm, "faults") == 0)
		return ROLE_NONE;
	if (strncmp(comm, all->program, 15) == 0)
		return (process->pid == all->main) == all->behind || process->ppid == all->main ? ROLE_COMMAND
		                                                                                : ROLE_SUPERVISOR;
	return ROLE_TOOL;
}

static void add_children(struct processes *all, pid_t pid)
{
	char path[320];
	char text[8192];
	struct dirent *entry = NULL;
	DIR *tasks = NULL;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks))) {
		char *at = text;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%s/children", pid, entry->d_name);
		file_read(path, text, sizeof(text));
		for (char *word = strtok_r(text, " ", &at); word; word = strtok_r(NULL, " ", &at)) {
			if (all->count < PROCESSES && look_at((pid_t)atoi(word), &all->at[all->count]))
				all->count++;
		}
	}
	if (tasks)
		closedir(tasks);
}

void processes_look(struct processes *all)
{
	all->count = 0;
	add_children(all, getpid());
	for (int i = 0; i < all->count; i++)
		add_children(all, all->at[i].pid);
	for (int i = 0; i < all->count; i++)
		all->at[i].role = role_of(&all->at[i], all);
}

const struct process *processes_find(const struct processes *all, enum role role, struct rng *rng)
{
	const struct process *found = NULL;
	unsigned seen = 0;

	for (int i = 0; i < all->count; i++) {
		if (all->at[i].role == role && rng_below(rng, ++seen) == 0)
			found = &all->at[i];
	}
	return found;
}

bool process_signal(const struct process *process, int sig)
{
	struct process now = {0};
	int fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
	bool sent = false;

	if (fd < 0)
		return false;
	if (look_at(process->pid, &now) && now.start == process->start)
		sent = syscall(SYS_pidfd_send_signal, fd, sig, NULL, 0) == 0;
	close(fd);
	return sent;
}

static void dump_file(FILE *to, pid_t pid, const char *name)
{
	char path[64];
	char text[4096];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	file_read(path, text, sizeof(text));
	for (size_t i = 0, end = strlen(text); i + 1 < end; i++) {
		if (!text[i])
			text[i] = ' ';
	}
	fprintf(to, "  %s: %s%s", name, text, *text && text[strlen(text) - 1] == '\n' ? "" : "\n");
}

/* The lines of its status that tell why it waits. */
static void dump_status(FILE *to, pid_t pid)
{
	static const char *const wanted[] = {"Name:",   "State:",  "PPid:",   "TracerPid:",  "Threads:",
	                                     "SigPnd:", "ShdPnd:", "SigBlk:", "NoNewPrivs:", "Seccomp:"};
	char path[64];
	char text[4096];
	char *at = text;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file_read(path, text, sizeof(text));
	for (char *line = strtok_r(text, "\n", &at); line; line = strtok_r(NULL, "\n", &at)) {
		for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
			if (strncmp(line, wanted[i], strlen(wanted[i])) == 0)
				fprintf(to, "  %s\n", line);
		}
	}
}

void processes_dump(struct processes *all, const char *path)
{
	FILE *to = fopen(path, "ae");

	if (!to)
		return;
	processes_look(all);
	for (int i = 0; i < all->count; i++) {
		const struct process *process = &all->at[i];

		fprintf(to, "%d %s (%s), child of %d\n", process->pid, process->comm, role_names[process->role],
		        process->ppid);
		dump_status(to, process->pid);
		dump_file(to, process->pid, "cmdline");
		dump_file(to, process->pid, "syscall");
		dump_file(to, process->pid, "wchan");
		dump_file(to, process->pid, "stack");
		dump_file(to, process->pid, "stat");
	}
	fprintf(to, "\n");
	fclose(to);
}
